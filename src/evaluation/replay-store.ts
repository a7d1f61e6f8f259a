import type { Db } from "../database/open-database.ts";
import { makePersonToken } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import { heldTexts, openSaidEpisodes } from "../memory/episode-store.ts";
import { type NewNote, ReplayedNotes } from "../memory/note-reads-store.ts";
import { getImportance } from "../memory/note-settings.ts";
import { NoteStore } from "../memory/note-store.ts";
import type { LoreAsked } from "../memory/recall/recall-store.ts";
import { type LoreNote, PLACES } from "../memory/recall/weigh.ts";
import { readBacklog } from "../telemetry/report-store.ts";
import type { Recognise } from "./replay.ts";
import type { ScenarioFact } from "./scenario.ts";

/** Reads the notes about a speaker as the seed did. */
export function seedRecall(db: Db) {
  const notes = new ReplayedNotes(db);
  const lore = ({ channel, userId, nowMs }: LoreAsked): LoreNote[] =>
    notes.seed({ channel, userId, nowMs }).map((note) => {
      const terms = { base: note.score, importance: 0, lexical: 0, topic: 0 };
      const lastConfirmedAtMs = note.createdAtMs;
      return { ...note, terms, propertyValue: null, lastConfirmedAtMs, place: PLACES.best };
    });
  return { lore, loreOrLast: (asked: LoreAsked) => ({ notes: lore(asked), fresh: true }) };
}

const PLAIN_EVIDENCE = { method: "extracted", model: null, promptVersion: null } as const;
const CONFIRMED = { property: null, lifetime: null, happensOn: null };

/** A fact that is given as a note. */
export interface GivenFact {
  readonly fact: ScenarioFact;
  readonly note: NonNullable<ScenarioFact["note"]>;
  /** User id; null for the channel. */
  readonly subjectId: string | null;
}

/** Writes facts as notes with evidence, without a model and without the write policy: ranking can be measured alone. */
export function openGivenNotes(db: Db, channel: string, now: () => number) {
  const notes = new NoteStore(db, now);
  const episodes = openSaidEpisodes(db, "import");
  const add = (given: GivenFact, claimN: number, episodeId: number): number => {
    const { subjectId, note } = given;
    const { kind, topics, confidence } = note;
    const { fact } = given.fact;
    const ofChannel = kind === "running_bit" ? "bit" : "channel";
    const written: NewNote = {
      channel,
      scope: subjectId === null ? ofChannel : "viewer",
      subjectId,
      persona: null,
      kind,
      fact: subjectId === null ? fact : `${makePersonToken(subjectId)} ${fact}`,
      topics: topics.join(", "),
      words: readStems(`${fact} ${topics.join(" ")}`).join(" "),
      confidence,
      importance: getImportance(note.importance),
      status: "active",
      source: "extracted",
      property: null,
      lifetime: null,
      happensOn: null,
      expiresAtMs: null,
    };
    const { scope, source } = written;
    episodes.claim(episodeId, claimN, { scope, subjectId, kind, fact: written.fact, source });
    return notes.insert(written, [{ ...PLAIN_EVIDENCE, episodeId, claimN, confidence }]);
  };
  return {
    /** Writes the notes of a session and one episode as their evidence. Returns note ids by fact id. */
    give: (facts: readonly GivenFact[]): Map<string, number> =>
      db.transaction(() => {
        if (facts.length === 0) return new Map<string, number>();
        const episodeId = episodes.begin(channel, null, now());
        return new Map(facts.map((one, at) => [one.fact.id, add(one, at + 1, episodeId)]));
      })(),
    /** Confirms notes, as if a later session had said the same. */
    confirm: (noteIds: readonly number[]): void =>
      db.transaction(() => {
        if (noteIds.length === 0) return;
        const episodeId = episodes.begin(channel, null, now());
        const evidence = { ...PLAIN_EVIDENCE, episodeId, claimN: null, confidence: 1 };
        for (const id of noteIds) notes.confirm(id, [evidence], CONFIRMED);
      })(),
  };
}

/** Reads what each tier of memory holds in a channel. `subjectId` is null for the channel itself. */
export function openTierStore(db: Db, channel: string) {
  const { claims, summaries, counts } = heldTexts(db);
  const notes = new ReplayedNotes(db);
  return {
    activeNotes: () =>
      notes.active().map(({ episodes, ...note }) => ({ ...note, evidence: episodes.length })),
    counts: () => ({
      ...(counts() ?? { episodes: 0, gaps: 0 }),
      unsummarised: readBacklog(db).waitingEvents,
    }),
    /** True if a claim about the subject holds a fact, or for the channel a summary. */
    isClaimed: (subjectId: string | null, holds: Recognise): boolean =>
      [...claims(channel), ...summaries(channel)].some(
        (row) => row.subjectId === subjectId && holds(row.text),
      ),
    /** Active notes about the subject that hold a fact. */
    notesWith: (subjectId: string | null, holds: Recognise): number[] =>
      notes.held(channel, subjectId).flatMap(({ id, text }) => (holds(text) ? [id] : [])),
    activeCount: (subjectId: string | null): number => notes.held(channel, subjectId).length,
    /** True if one of these notes, or for the channel one of these episodes, holds a fact. */
    isShown: (
      shown: { notes: readonly number[]; episodes: readonly number[] },
      subjectId: string | null,
      holds: Recognise,
    ): boolean =>
      shown.notes.some((id) => {
        const row = notes.one(id);
        return row !== null && row.subjectId === subjectId && holds(row.text);
      }) ||
      (subjectId === null &&
        summaries(channel).some(({ id, text }) => shown.episodes.includes(id) && holds(text))),
  };
}
