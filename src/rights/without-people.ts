import type { ExportContent } from "../memory/export-format.ts";
import type { KeyedHash } from "../text/keyed-hash.ts";
import { peopleIn } from "../text/people.ts";
import { optedOut, type Tombstones } from "./tombstone-store.ts";

/** An export without those who asked to be forgotten since, or who are opted out; the same object where it names none. */
export function withoutPeople(
  content: ExportContent,
  tombstones: Tombstones,
  hash: KeyedHash,
): ExportContent {
  const gone = new Set([
    ...tombstones.forgets.filter(({ atMs }) => atMs >= content.exportedAtMs).map(({ who }) => who),
    ...optedOut(tombstones),
  ]);
  const stays = (userId: string): boolean => !gone.has(hash.person(userId));
  if (everybody(content).every(stays)) return content;
  const notes = content.notes.filter(
    ({ subjectId, fact, topics }) =>
      (subjectId === null || stays(subjectId)) && [fact, ...topics].flatMap(peopleIn).every(stays),
  );
  const used = new Set(notes.flatMap(({ evidence }) => evidence.map(({ episode }) => episode)));
  return {
    ...content,
    people: content.people.filter(({ userId }) => stays(userId)),
    aliases: content.aliases.filter(({ userId, sameAs }) => stays(userId) && stays(sameAs)),
    episodes: content.episodes.filter(({ ref }) => used.has(ref)),
    notes,
  };
}

function everybody({ people, aliases, notes }: ExportContent): string[] {
  return [
    ...people.map(({ userId }) => userId),
    ...aliases.flatMap(({ userId, sameAs }) => [userId, sameAs]),
    ...notes.flatMap(({ subjectId, fact, topics }) => [
      ...(subjectId === null ? [] : [subjectId]),
      ...[fact, ...topics].flatMap(peopleIn),
    ]),
  ];
}
