import fc from "fast-check";
import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import { readStems } from "../../src/language/stems.ts";
import { openRecall, ownNoteReader } from "../../src/memory/recall/open-recall.ts";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const CHANNEL = "pierroom";
const WORDS = "lamp boat crab kelp drum harp".split(" ");
/** Two accounts of one person, somebody else, and the channel. */
const SUBJECTS = ["1", "1", "1", "2", "2", "3", null] as const;
const OUT_OF_FORCE = ["shadow", "pending", "rejected", "stale", "superseded", "expired"] as const;
/** A viewer's cap: with room for all of them, only what may never be shown is left out. */
const NOTES_MAX = 50;
const FLOOR = 0.4;

const someNote = fc.record({
  channel: fc.constantFrom(CHANNEL, CHANNEL, CHANNEL, CHANNEL, CHANNEL, "otherroom"),
  subject: fc.constantFrom(...SUBJECTS),
  persona: fc.constantFrom(null, null, "gull", "heron"),
  status: fc.oneof(fc.constant("active" as const), fc.constantFrom(...OUT_OF_FORCE)),
  kind: fc.constantFrom("profile", "preference", "event", "constraint", "state"),
  hundredths: fc.integer({ min: 20, max: 100 }),
  importance: fc.constantFrom(0, 0.1, 0.2),
  ageDays: fc.integer({ min: 0, max: 400 }),
  expiresInDays: fc.option(fc.integer({ min: -5, max: 50 })),
  word: fc.constantFrom(...WORDS),
  topic: fc.constantFrom("", ...WORDS),
});
type SomeNote = typeof someNote extends fc.Arbitrary<infer T> ? T : never;

/** Of the first account, in force. */
const OWN_NOTE: SomeNote = {
  ...{ channel: CHANNEL, subject: "1", persona: null, status: "active", kind: "event" },
  ...{ hundredths: 80, importance: 0, ageDays: 3, expiresInDays: null, word: "lamp", topic: "" },
};

function write(db: Db, notes: readonly SomeNote[]): readonly string[] {
  db.exec("DELETE FROM semantic_notes");
  const insert = db.prepare(
    `INSERT INTO semantic_notes (id, channel, scope, subject_id, persona, kind, fact, topics, words, confidence,
       importance, status, source_kind, created_at, last_confirmed_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'extracted', 1, ?, ?)`,
  );
  return notes.map((note, index) => {
    const { subject, topic, word, ageDays, expiresInDays } = note;
    const fact = `keeps a ${word} called trinket${index}`;
    insert.run(
      index + 1,
      note.channel,
      subject === null ? "channel" : "viewer",
      subject,
      note.persona,
      note.kind,
      fact,
      topic,
      readStems(`${fact} ${topic}`).join(" "),
      note.hundredths / 100,
      note.importance,
      note.status,
      NOW_MS - ageDays * DAY_MS,
      expiresInDays === null ? null : NOW_MS + expiresInDays * DAY_MS,
    );
    return `${fact} ${topic}`;
  });
}

function room(db: Db, topics: "add" | "strict") {
  const config = toConfig(
    {
      ...{ channel: CHANNEL, bot: { login: "automark" } },
      memory: { topics, personaScope: "persona" },
      persona: { name: "gull" },
    },
    ".",
  );
  const options = { config, now: () => NOW_MS };
  const hash = createKeyedHash("key");
  const stores = {
    db,
    suppressions: new SuppressionStore(db, hash, options.now),
  };
  const recall = openRecall(options, stores);
  const told = ownNoteReader(options, stores);
  return {
    told: () => told(CHANNEL, "1").map(({ id }) => id),
    /** What a prompt shows to who says this. */
    shown: (text: string) =>
      recall
        .lore({
          ...{ channel: CHANNEL, userId: "1", nowMs: NOW_MS, limit: NOTES_MAX },
          conversation: { message: { text }, recent: [], category: "", others: [] },
        })
        .map(({ id }) => id),
  };
}

test.each(["add", "strict"] as const)(
  "!memory tells exactly what prompts show to whoever speaks of all of it, where topics %s",
  (topics) => {
    const db = openDatabase(":memory:");
    db.exec("INSERT INTO identity_aliases VALUES ('2', '1', 1)");
    const { told, shown } = room(db, topics);
    let most = 0;
    fc.assert(
      fc.property(fc.array(someNote, { maxLength: NOTES_MAX, size: "max" }), (notes) => {
        const texts = write(db, notes);
        const own = notes.flatMap((note, index) => (isOwn(note) ? [index + 1] : []));
        expect([...told()].sort(ascending)).toEqual(own);
        const all = new Set(["", ...texts].flatMap(shown));
        expect([...all].sort(ascending)).toEqual(own);
        most = Math.max(most, own.length);
      }),
      { numRuns: 40, examples: [[Array.from({ length: NOTES_MAX }, () => OWN_NOTE)]] },
    );
    expect(most).toBe(NOTES_MAX);
    db.close();
  },
);

function ascending(a: number, b: number): number {
  return a - b;
}

function isOwn({
  channel,
  subject,
  persona,
  status,
  hundredths,
  expiresInDays,
}: SomeNote): boolean {
  const isTheirs = channel === CHANNEL && (subject === "1" || subject === "2");
  if (expiresInDays !== null && expiresInDays <= 0) return false;
  return isTheirs && status === "active" && persona !== "heron" && hundredths >= FLOOR * 100;
}
