import { personToken } from "../../language/people.ts";
import { normalWords } from "../../language/words.ts";
import { replayedNotes } from "../../memory/note-lists-store.ts";
import { importanceOf } from "../../memory/note-settings.ts";
import { type NewNote, noteStore } from "../../memory/note-store.ts";
import { saidEpisodes } from "../../memory/said-store.ts";
import { policySchema } from "../../platform/config/memory-schema.ts";
import type { Db } from "../../platform/database/open-database.ts";
import { type Trail, trailSchema } from "../../reply/trail.ts";
import type { BotLine, Recognise } from "./measures.ts";
import type { ScenarioFact } from "./scenario.ts";

/** A fact that is given as a note, and whom it is about. */
export interface GivenFact {
  readonly fact: ScenarioFact;
  readonly note: NonNullable<ScenarioFact["note"]>;
  /** Null for the channel's. */
  readonly subjectId: string | null;
}

const PLAIN_EVIDENCE = { method: "extracted", model: null, promptVersion: null } as const;
const CONFIRMED = { property: null, lifetime: null, kindDays: policySchema.parse({}).kindDays };

/**
 * Facts as notes with evidence, without a model and without the write policy: no caps, no lifetimes, no rates. So that
 * ranking can be measured alone.
 */
export function givenNotes(db: Db, channel: string, now: () => number) {
  const notes = noteStore(db, now);
  const episodes = saidEpisodes(db, "import");
  return {
    /** Writes the notes of a session, and the episode that each of them rests on; gives note ids by fact. */
    give: (facts: readonly GivenFact[]): Map<string, number> =>
      db.transaction(() => {
        if (facts.length === 0) return new Map<string, number>();
        const episodeId = episodes.begin(channel, null, now());
        const ids = facts.map((given, at): [string, number] => {
          const note = noteOf(given, channel);
          const { scope, subjectId, kind, fact, source, confidence } = note;
          episodes.claim(episodeId, at + 1, { scope, subjectId, kind, fact, source });
          const claim = { episodeId, claimN: at + 1, confidence };
          return [given.fact.id, notes.insert(note, [{ ...PLAIN_EVIDENCE, ...claim }])];
        });
        return new Map(ids);
      })(),
    /** A later session says the same: the notes count as confirmed. */
    confirm: (noteIds: readonly number[]): void =>
      db.transaction(() => {
        if (noteIds.length === 0) return;
        const episodeId = episodes.begin(channel, null, now());
        const evidence = { ...PLAIN_EVIDENCE, episodeId, claimN: null, confidence: 1 };
        for (const id of noteIds) notes.confirm(id, [evidence], CONFIRMED);
      })(),
  };
}

function noteOf({ fact, note, subjectId }: GivenFact, channel: string): NewNote {
  const ofChannel = note.kind === "running_bit" ? "bit" : "channel";
  return {
    channel,
    scope: subjectId === null ? ofChannel : "viewer",
    subjectId,
    persona: null,
    kind: note.kind,
    fact: subjectId === null ? fact.fact : `${personToken(subjectId)} ${fact.fact}`,
    topics: note.topics.join(", "),
    words: normalWords(`${fact.fact} ${note.topics.join(" ")}`).join(" "),
    confidence: note.confidence,
    importance: importanceOf(note.importance),
    status: "active",
    source: "extracted",
    property: null,
    lifetime: null,
    expiresAtMs: null,
  };
}

/** Reads what a replay left behind. */
export function replayedStore(db: Db) {
  const trails = db
    .prepare<[], string>(
      "SELECT token_usage_json FROM replies WHERE token_usage_json IS NOT NULL ORDER BY id",
    )
    .pluck();
  const said = db.prepare<[number], BotLine & { readonly id: number }>(
    "SELECT id, text, created_at AS atMs FROM replies WHERE id > ? AND text IS NOT NULL ORDER BY id",
  );
  const counts = db.prepare<[], { episodes: number; gaps: number; unsummarised: number }>(
    `SELECT (SELECT count(*) FROM episodes WHERE kind <> 'gap' AND stage <> 'claimed') AS episodes,
       (SELECT count(*) FROM episodes WHERE kind = 'gap') AS gaps,
       (SELECT count(*) FROM events WHERE memorable = 1 AND no_window = 0 AND episode_id IS NULL) AS unsummarised`,
  );
  const { active } = replayedNotes(db);
  return {
    /** Of every reply that has one, in order. */
    trails: (): Trail[] => trails.all().map((trail) => trailSchema.parse(JSON.parse(trail))),
    /** What the bot said since a reply, exclusive. */
    saidSince: (replyId: number) => said.all(replyId),
    activeNotes: () => active.all(),
    counts: () => counts.get() ?? { episodes: 0, gaps: 0, unsummarised: 0 },
  };
}

interface Held {
  readonly id: number;
  readonly subjectId: string | null;
  readonly text: string;
}

/** Reads what each tier of memory holds, for one channel. The channel's own has no subject. */
export function tierStore(db: Db, channel: string) {
  const claims = db.prepare<[string], Held>(
    `SELECT c.episode_id AS id, c.subject_id AS subjectId, c.statement AS text FROM episode_claims c
     JOIN episodes e ON e.id = c.episode_id WHERE e.channel = ? AND c.withdrawn_at IS NULL`,
  );
  const summaries = db.prepare<[string], Held>(
    "SELECT id, NULL AS subjectId, summary AS text FROM episodes WHERE channel = ? AND summary <> ''",
  );
  const { held: notes, one: note } = replayedNotes(db);
  const isHeld = (row: Held | undefined, subjectId: string | null, holds: Recognise): boolean =>
    row !== undefined && row.subjectId === subjectId && holds(row.text);
  return {
    /** Whether a checked claim about this subject, or a summary where it is the channel, holds a fact. */
    isClaimed: (subjectId: string | null, holds: Recognise): boolean =>
      [...claims.all(channel), ...summaries.all(channel)].some((row) =>
        isHeld(row, subjectId, holds),
      ),
    /** Active notes of this subject that hold it. */
    notesWith: (subjectId: string | null, holds: Recognise): number[] =>
      notes.all(channel, subjectId).flatMap(({ id, text }) => (holds(text) ? [id] : [])),
    /** How many active notes a subject has. */
    activeCount: (subjectId: string | null): number => notes.all(channel, subjectId).length,
    /** Whether one of these notes, or for the channel one of these episodes, holds it. */
    shownIn: (
      shown: { readonly noteIds: readonly number[]; readonly episodeIds: readonly number[] },
      subjectId: string | null,
      holds: Recognise,
    ): boolean =>
      shown.noteIds.some((id) => isHeld(note.get(id), subjectId, holds)) ||
      (subjectId === null &&
        summaries.all(channel).some((row) => shown.episodeIds.includes(row.id) && holds(row.text))),
  };
}
