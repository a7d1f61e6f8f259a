import { onTestFinished } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { prepareStatements } from "../../src/database/statements.ts";
import { Fault } from "../../src/errors.ts";
import { createBannedTest } from "../../src/language/banned.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import type { Candidate } from "../../src/memory/check-sorted.ts";
import { EpisodeStore } from "../../src/memory/episode-store.ts";
import { NoteOperator } from "../../src/memory/note-operator.ts";
import { getNoteSettings, type NoteSettings } from "../../src/memory/note-settings.ts";
import { NoteStore } from "../../src/memory/note-store.ts";
import { NoteWriter } from "../../src/memory/note-writer.ts";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";
import { addRow, addViewer } from "../stand-ins/rows.ts";

export const CHANNEL = "brambleway";
export const ANN = "1001";
export const BOB = "1002";

/** A note as `notes()` reads it. */
export interface NoteRow {
  readonly id: number;
  readonly who: string | null;
  readonly scope: string;
  readonly fact: string;
  readonly status: string;
  readonly by: number | null;
  readonly pinned: number;
  readonly source: string;
  readonly kind: string;
}

const NOTES = `SELECT id, subject_id AS who, scope, fact, status, superseded_by AS "by", pinned, source_kind AS source, kind
  FROM semantic_notes ORDER BY id`;

/** Notes in a database of their own, a clock that stands still, two viewers, and everything that may write notes. */
export function operatorRig(
  given: {
    readonly viewerNotes?: number;
    readonly channelNotes?: number;
    readonly perViewerAndStream?: number;
    readonly mode?: "auto" | "manual" | "shadow";
  } = {},
) {
  const clock = { nowMs: 1_800_000_000_000 };
  const now = () => clock.nowMs;
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  const config = toConfig({ channel: CHANNEL, memory: { mode: given.mode ?? "auto" } }, ".");
  const { mode: _, ...givenCaps } = given;
  const caps = { ...config.memory.caps, ...givenCaps };
  const policy = { ...config.memory, caps };
  const live: { settings: NoteSettings } = { settings: getNoteSettings(config, CHANNEL, policy) };
  const settings = () => live.settings;
  addViewer(db, ANN, "Ann", CHANNEL);
  addViewer(db, BOB, "Bobby", CHANNEL);
  const switches = new SwitchStore(db, now);
  const readOnly = () => switches.read().readOnly;
  const suppressions = new SuppressionStore(db, createKeyedHash("a key of this test"), now);
  const writer = new NoteWriter({
    db,
    settings,
    readOnly,
    suppressions,
    isBanned: createBannedTest(["zorbleflax"]),
    now,
  });
  const operator = new NoteOperator({
    db,
    writer,
    episodes: new EpisodeStore(db, now),
    settings,
    botNames: ["automark"],
    readOnly,
    now,
  });
  const rows = prepareStatements(db).all<[], NoteRow>(NOTES);
  return {
    db,
    clock,
    live,
    config,
    writer,
    operator,
    switches,
    notes: new NoteStore(db, now),
    suppressions,
    optOut: (userId: string) => {
      db.prepare("UPDATE viewers SET opted_out = 1 WHERE user_id = ?").run(userId);
      suppressions.reread();
    },
    rows,
    row: (id: number) => rows().find((row) => row.id === id),
    all: <T>(sql: string) => db.prepare<[], T>(sql).all(),
    /** The streamer has a fact about Ann, or another, remembered; gives its number. */
    add: (text: string, subjectId: string | null = ANN) =>
      operator.add({
        channel: CHANNEL,
        subjectId,
        scope: subjectId === null ? "channel" : "viewer",
        kind: null,
        text,
      }).id,
    /** `sessionId`: the stream that the fact was said in. */
    learn: (fact: string, over: Partial<Candidate> = {}, sessionId: number | null = null) =>
      learn({ db, writer, nowMs: clock.nowMs, sessionId }, fact, over),
    /** The number of the note that a fact became. */
    learned: (fact: string, over: Partial<Candidate> = {}) =>
      learn({ db, writer, nowMs: clock.nowMs, sessionId: null }, fact, over).noteId ?? 0,
    activeIds: () =>
      rows()
        .filter(({ status }) => status === "active")
        .map(({ id }) => id),
  };
}

/** The message of the Fault that `work` throws, and what fixes it. */
export function refusal(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return `${thrown.message} → ${thrown.fix}`;
    throw thrown;
  }
  return "nothing was refused";
}

interface Learner {
  readonly db: ReturnType<typeof openDatabase>;
  readonly writer: NoteWriter;
  readonly nowMs: number;
  readonly sessionId: number | null;
}

/** Extraction offers a fact about Ann, or as `over` says, from a window of its own; gives the verdict and the note. */
function learn({ db, writer, nowMs, sessionId }: Learner, fact: string, over: Partial<Candidate>) {
  const subjectId = over.subjectId === undefined ? ANN : over.subjectId;
  const stored = subjectId === null ? fact : `{u:${subjectId}} ${fact}`;
  const scope = over.scope ?? (subjectId === null ? "channel" : "viewer");
  return db.transaction(() => {
    const episodeId = addRow(db, "episodes", {
      ...{ channel: CHANNEL, session_id: sessionId, topic: "boats" },
      ...{ summary: "The crew talked of boats." },
      ...{ started_at: nowMs, ended_at: nowMs, created_at: nowMs },
    });
    const claim = { scope, subject_id: subjectId, statement: stored, event_ids_json: "[]" };
    addRow(db, "episode_claims", { episode_id: episodeId, ...claim });
    const candidate: Candidate = {
      scope,
      subjectId,
      kind: "preference",
      fact: stored,
      topics: [],
      confidence: 0.8,
      importance: "low",
      lifetime: null,
      property: null,
      sensitive: false,
      aboutBot: false,
      claims: [{ episodeId, n: 1 }],
      proves: true,
      happensOn: null,
      relation: "new",
      noteId: null,
      source: "extracted",
      ...over,
    };
    const origin = {
      channel: CHANNEL,
      model: "m",
      promptVersion: "p",
      freshNoteIds: new Set<number>(),
    };
    return { episodeId, ...writer.write(candidate, origin) };
  })();
}
