import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Db, openDatabase } from "../../../src/database/open-database.ts";
import { readStems } from "../../../src/language/stems.ts";
import { getImportance } from "../../../src/memory/note-settings.ts";
import { openRecallStore, type RecallStore } from "../../../src/memory/recall/recall-store.ts";
import { DAY_MS } from "./memories.ts";

const SHOWN = 10;
const START_MS = Date.UTC(2027, 0, 5, 18);
const CONFIDENCE = 0.8;

const scenario = z
  .object({
    channel: z.string(),
    sessions: z.array(z.object({ day: z.number(), category: z.string() })),
    facts: z.array(
      z.object({
        id: z.string(),
        about: z.string(),
        session: z.int(),
        fact: z.string(),
        note: z.object({
          kind: z.string(),
          importance: z.enum(["low", "medium", "high"]),
          topics: z.array(z.string()),
        }),
      }),
    ),
    questions: z.array(z.object({ by: z.string(), text: z.string(), needs: z.array(z.string()) })),
  })
  .parse(
    JSON.parse(
      readFileSync(
        new URL("../../../src/evaluation/scenarios/ten-sessions.json", import.meta.url),
        "utf8",
      ),
    ),
  );

test("there are ten sessions, forty questions, and thirty other facts about each asker from the third on", () => {
  expect(scenario.sessions).toHaveLength(10);
  expect(scenario.questions.length).toBeGreaterThanOrEqual(40);
  for (const { by } of scenario.questions) expect(knownBy(2, by).length).toBeGreaterThan(30);
});

test.each([3, 10])(
  "after %d sessions the needed note is among the ten shown in seven of ten questions, where recency has three at most",
  (sessions) => {
    const { ranked, recent } = measured(sessions - 1);
    expect(ranked).toBeGreaterThanOrEqual(0.7);
    expect(recent).toBeLessThanOrEqual(0.3);
  },
);

test("recency is not better at any age of memory", () => {
  for (const [last] of scenario.sessions.entries()) {
    const { ranked, recent } = measured(last);
    expect(ranked).toBeGreaterThanOrEqual(recent);
  }
});

/** The share of questions whose notes are shown, after a session: by recall, and by confidence over age alone. */
function measured(last: number): { readonly ranked: number; readonly recent: number } {
  const nowMs = atMs(last) + 3_600_000;
  const db = openDatabase(":memory:");
  const ids = given(db, last);
  const recall = openRecallStore(db);
  const asked = scenario.questions.filter(({ needs }) => needs.every((id) => ids.has(id)));
  const hits = (shown: (question: Question) => readonly string[]) =>
    asked.filter((question) => question.needs.every((id) => shown(question).includes(id))).length;
  const ranked = hits((question) => shownBy(recall, { question, nowMs, last, ids }));
  const recent = hits(({ by }) => mostRecent(knownBy(last, by), nowMs));
  db.close();
  return { ranked: ranked / asked.length, recent: recent / asked.length };
}

type Question = (typeof scenario)["questions"][number];
type Fact = (typeof scenario)["facts"][number];

interface Asking {
  readonly question: Question;
  readonly nowMs: number;
  readonly last: number;
  /** Note ids by fact. */
  readonly ids: ReadonlyMap<string, number>;
}

function shownBy(recall: RecallStore, { question, nowMs, last, ids }: Asking): string[] {
  const category = scenario.sessions[last]?.category ?? "";
  const notes = recall.lore({
    channel: scenario.channel,
    userId: question.by,
    nowMs,
    limit: SHOWN,
    conversation: { message: { text: question.text }, recent: [], others: [], category },
  });
  const shown = new Set(notes.map(({ id }) => id));
  return [...ids].filter(([, id]) => shown.has(id)).map(([fact]) => fact);
}

/** Confidence over age, a scale of seven days, nothing else: what a bot without this recall would show. */
function mostRecent(facts: readonly Fact[], nowMs: number): string[] {
  const score = ({ session }: Fact) => CONFIDENCE / (1 + (nowMs - atMs(session)) / DAY_MS / 7);
  return facts
    .map((fact, n) => ({ id: fact.id, score: score(fact), n }))
    .sort((a, b) => b.score - a.score || b.n - a.n)
    .slice(0, SHOWN)
    .map(({ id }) => id);
}

/** Writes what is known by then, as memory would; note ids by fact. */
function given(db: Db, last: number): Map<string, number> {
  const insert = db.prepare(
    `INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, topics, words, confidence, importance, status,
       source_kind, created_at, last_confirmed_at)
     VALUES (?, 'viewer', ?, ?, ?, ?, ?, ?, ?, 'active', 'extracted', ?, ?)`,
  );
  const known = scenario.facts.filter(({ session }) => session <= last);
  return new Map(
    known.map(({ id, about, session, fact, note: { kind, importance, topics } }) => {
      const words = readStems(`${fact} ${topics.join(" ")}`).join(" ");
      const at = atMs(session);
      const { lastInsertRowid } = insert.run(
        scenario.channel,
        about,
        kind,
        fact,
        topics.join(", "),
        words,
        CONFIDENCE,
        getImportance(importance),
        at,
        at,
      );
      return [id, Number(lastInsertRowid)];
    }),
  );
}

function knownBy(last: number, login: string): Fact[] {
  return scenario.facts.filter(({ about, session }) => about === login && session <= last);
}

function atMs(session: number): number {
  return START_MS + (scenario.sessions[session]?.day ?? 0) * DAY_MS;
}
