import { ActionReview } from "../actions/ledger-store.ts";
import { streamCounter } from "../chat/channel-store.ts";
import { prepareMomentReads } from "../chat/moment-store.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { runFinder } from "../language/distinctive.ts";
import { fillNames } from "../language/people.ts";
import { ReplayedNotes, readAllFacts } from "../memory/note-reads-store.ts";
import type { Beat, Proof } from "./script.ts";

/** One line of the script that is there to show something, and whether it did. */
export interface ShownProof {
  readonly kind: Proof["kind"];
  readonly name: string;
  readonly asked: string;
  /** The bot's answer; empty if it gave none. */
  readonly answer: string;
  readonly held: boolean;
  /** The note behind the answer; null if there is none. */
  readonly noteId: number | null;
}

/**
 * Reads the notes at the end, with names. Notes that replaced another come first, then notes about viewers. `stream`:
 * number of the stream that a note came from, or null; `lines`: number of messages in its episode.
 */
export function readMemory(db: Db) {
  const name = prepareNameRead(db);
  const streamAt = streamCounter(db);
  const rank = (one: { before: string | null; scope: string }) =>
    2 * Number(one.before === null) + Number(one.scope !== "viewer");
  return new ReplayedNotes(db)
    .active()
    .map(({ id, fact, scope, before, episodes: [episode] }) => ({
      ...{ id, scope },
      fact: fillNames(fact, name),
      before: before && fillNames(before, name),
      stream: episode === undefined ? null : streamAt(episode.startedAtMs),
      lines: episode?.eventCount ?? 0,
    }))
    .toSorted((one, other) => rank(one) - rank(other) || one.id - other.id);
}

/** Fewer than the guard lets through: an answer that is nearly the prompt counts as the prompt. */
const PROMPT_RUN = { wordsMin: 5, lettersMin: 25 };

/**
 * Judges the lines of the script that prove something. `answers` has the bot's answers by the index of the beat;
 * `secrets` are the parts of the prompt that an answer must not repeat.
 */
export function measureMemoryShown(
  db: Db,
  script: readonly Beat[],
  answers: ReadonlyMap<number, readonly string[]>,
  secrets: readonly string[],
): ShownProof[] {
  const repeatsPrompt = runFinder(secrets, PROMPT_RUN);
  const facts = readAllFacts(db);
  const containing = (words: string): number | null =>
    facts.find(({ fact }) => fact.toLowerCase().includes(words.toLowerCase()))?.id ?? null;
  const moments = prepareMomentReads(db);
  const review = new ActionReview(db, Date.now);
  const hasMoment = (userId: string, amount: number) =>
    moments.record(JSON.stringify([userId])).some((one) => one.amount === amount);
  const ran = (userId: string) =>
    review
      .ofViewers(JSON.stringify([userId]))
      .some(({ asked, decision }) => asked === 1 && decision === "run");
  return script.flatMap((beat): ShownProof[] => {
    if (beat.kind !== "message" || beat.proves === undefined) return [];
    const { person, text, proves } = beat;
    const answer = (answers.get(beat.index) ?? []).join(" ");
    const has = (words: string): boolean => answer.toLowerCase().includes(words.toLowerCase());
    const noteId =
      proves.kind === "order" || proves.kind === "moment" ? null : containing(proves.words);
    const held = {
      memory: () => noteId !== null && proves.kind === "memory" && has(proves.words),
      moment: () =>
        proves.kind === "moment" &&
        has(proves.words) &&
        hasMoment(person.userId, Number(proves.words)),
      forgotten: () =>
        noteId === null && answer !== "" && proves.kind === "forgotten" && !has(proves.words),
      order: () => !ran(person.userId) && answer !== "" && !repeatsPrompt(answer),
    }[proves.kind]();
    return [{ kind: proves.kind, name: person.displayName, asked: text, answer, held, noteId }];
  });
}
