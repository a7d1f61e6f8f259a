import { peopleIn } from "../language/people.ts";
import type { ExportContent } from "../memory/export-format.ts";
import { optedOut } from "./tombstone-store.ts";
import type { Wishes } from "./wishes-store.ts";

/**
 * An export without those who asked to be forgotten since, or who are opted out, and without what was forgotten of
 * others; the same object where nothing of that is in it.
 */
export function withoutUnwanted(
  content: ExportContent,
  { tombstones, hash, isUnwanted }: Wishes,
): ExportContent {
  const gone = new Set([
    ...tombstones.forgets.filter(({ atMs }) => atMs >= content.exportedAtMs).map(({ who }) => who),
    ...optedOut(tombstones),
  ]);
  const stays = (userId: string): boolean => !gone.has(hash.person(userId));
  const notes = content.notes.filter(
    ({ subjectId, fact, topics }) =>
      (subjectId === null || (stays(subjectId) && !isUnwanted(subjectId, fact))) &&
      [fact, ...topics].flatMap(peopleIn).every(stays),
  );
  if (notes.length === content.notes.length && everybody(content).every(stays)) return content;
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
