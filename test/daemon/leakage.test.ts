import fc from "fast-check";
import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { createKeyedHash } from "../../src/language/people.ts";
import { readStems } from "../../src/language/stems.ts";
import { NoteStore } from "../../src/memory/note-store.ts";
import { openRecall } from "../../src/memory/recall/recall-store.ts";
import { SuppressionStore } from "../../src/memory/suppression-store.ts";
import { asking } from "../memory/recall/memories.ts";
import { type House, openHouse } from "../stand-ins/house.ts";
import { addRow } from "../stand-ins/rows.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const ALICE = { userId: "8101", login: "alice", displayName: "Alice" };

/** A note about the speaker of each, and one about the channel. */
function fill({ db }: House): void {
  const own = { channel: CHANNEL, created_at: Date.now(), last_confirmed_at: Date.now() };
  const [key, bell] = ["{u:8101} hides the zeppelin key", "the harbour bell rings thrice"];
  addRow(db, "semantic_notes", { ...own, subject_id: ALICE.userId, fact: key });
  addRow(db, "semantic_notes", { ...own, scope: "bit", fact: bell });
}

async function promptFor(house: House, line: Parameters<House["say"]>[0]): Promise<string> {
  const count = house.model.requests.length;
  house.think(`an answer of its own, number ${count}`);
  house.say(line);
  await until(() => house.model.requests.length > count);
  await house.ended(count + 1);
  return JSON.stringify(house.model.requests[count]?.body);
}

const OTHERS = [
  ["a login with one character more", { userId: "8102", login: "alice_", displayName: "alice_" }],
  ["a name in letters that look alike", { userId: "8103", login: "a1ice", displayName: "Аlice" }],
  [
    "a display name that is another's login",
    { userId: "8104", login: "zara", displayName: "Alice" },
  ],
  ["a login that was another's before", { userId: "8105", login: "alice", displayName: "Alice" }],
  ["an id that begins like another's", { userId: "810", login: "bo", displayName: "Bo" }],
] as const;

test("a viewer who resembles another sees no lore of theirs", async () => {
  const house = await openHouse({ config: { replies: { channelCooldownSeconds: 0 } } });
  house.say({ ...ALICE, text: "good evening" });
  await until(
    () => house.db.prepare("SELECT 1 FROM viewers WHERE user_id = '8101'").get() !== undefined,
  );
  fill(house);
  for (const [what, other] of OTHERS) {
    const text = "@automark what do you know of me, Alice?";
    const prompt = await promptFor(house, { ...other, text });
    expect(prompt, what).not.toContain("zeppelin");
    expect(prompt, what).toContain("harbour bell");
    const asked = house.say({ ...other, text: "!memory" });
    const answer = () => house.said.find(({ replyTo }) => replyTo === asked)?.text;
    await until(() => answer() !== undefined);
    expect(answer(), what).not.toContain("zeppelin");
  }
});

test("lore stays with its account through a rename", async () => {
  const house = await openHouse({
    config: { replies: { channelCooldownSeconds: 0, viewerCooldownSeconds: 0 } },
  });
  house.say({ ...ALICE, text: "good evening" });
  await until(
    () => house.db.prepare("SELECT 1 FROM viewers WHERE user_id = '8101'").get() !== undefined,
  );
  fill(house);
  const renamed = { userId: ALICE.userId, login: "alicia", displayName: "Alicia" };
  const heir = { userId: "8109", login: "alice", displayName: "Alice" };
  expect(await promptFor(house, { ...renamed, text: "@automark it is me" })).toContain(
    "hides the zeppelin key",
  );
  expect(await promptFor(house, { ...heir, text: "@automark it is me" })).not.toContain("zeppelin");
});

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const PIER = "pierroom";
const WORDS = "lamp boat crab kelp drum harp".split(" ");
/** Two accounts of one person, somebody else, and the channel. */
const SUBJECTS = ["1", "1", "1", "2", "2", "3", null] as const;
const OUT_OF_FORCE = ["shadow", "pending", "rejected", "stale", "superseded", "expired"] as const;
/** A viewer's cap: with room for all of them, only what may never be shown is left out. */
const NOTES_MAX = 50;
const FLOOR = 0.4;

const someNote = fc.record({
  channel: fc.constantFrom(PIER, PIER, PIER, PIER, PIER, "otherroom"),
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
  ...{ channel: PIER, subject: "1", persona: null, status: "active", kind: "event" },
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
      ...{ channel: PIER, bot: { login: "automark" } },
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
  return {
    told: () => recall.ownNotes(PIER, "1", NOW_MS).map(({ id }) => id),
    /** What a prompt shows to who says this. */
    shown: (text: string) =>
      recall.lore(asking(text, { channel: PIER, userId: "1", nowMs: NOW_MS })).map(({ id }) => id),
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
  const isTheirs = channel === PIER && (subject === "1" || subject === "2");
  if (expiresInDays !== null && expiresInDays <= 0) return false;
  return isTheirs && status === "active" && persona !== "heron" && hundredths >= FLOOR * 100;
}

const MODERATOR = { userId: "900", login: "orla", displayName: "Orla", badges: "moderator/1" };

async function openUnlearned() {
  const house = await openHouse();
  const addNote = (fact: string, status: string) =>
    addRow(house.db, "semantic_notes", {
      ...{ channel: CHANNEL, scope: "channel", kind: "event", fact, status },
      ...{ created_at: house.now(), last_confirmed_at: house.now() },
    });
  const note = addNote("the cat is called Biscuit", "active");
  house.think("it is Biscuit");
  house.say({ text: "@automark what is the cat called?" });
  await house.ended(1);
  const statusOf = house.db
    .prepare<[number], string>("SELECT status FROM semantic_notes WHERE id = ?")
    .pluck();
  return { house, note, addNote, statusOf: (id: number) => statusOf.get(id) };
}

test("a moderator takes the channel notes of the last answer back to shadow", async () => {
  const { house, note, statusOf } = await openUnlearned();
  house.say({ text: "!bot unlearn" });
  expect(statusOf(note)).toBe("active");
  house.say({ ...MODERATOR, text: "!bot unlearn" });
  await until(() => statusOf(note) === "shadow");
  await until(() => house.said.some(({ text }) => text.includes("1 channel note")));
  const before = house.db.prepare("SELECT status_before FROM semantic_notes").pluck();
  expect(before.get()).toBe("active");
});

test("known viewers who said it bring back a waiting note, never one that was unlearned", async () => {
  const { house, note, addNote, statusOf } = await openUnlearned();
  house.say({ ...MODERATOR, text: "!bot unlearn" });
  await until(() => statusOf(note) === "shadow");
  const waiting = addNote("the dog is called Toffee", "shadow");
  const { db } = house;
  const moderators = db
    .prepare("SELECT count(*) FROM viewer_channels WHERE user_id = ? AND is_moderator = 1")
    .pluck();
  await until(() => moderators.get(MODERATOR.userId) === 1);
  addRow(db, "episodes", { id: 90, channel: CHANNEL });
  for (const [n, id] of [note, waiting].entries()) {
    addRow(db, "episode_claims", { episode_id: 90, n, scope: "channel", statement: "s" });
    addRow(db, "claim_carriers", { episode_id: 90, n, user_id: MODERATOR.userId });
    addRow(db, "note_evidence", { note_id: id, episode_id: 90, claim_n: n });
  }
  expect(new NoteStore(db, house.now).promoteProven(CHANNEL, ["event"])).toBe(1);
  expect([statusOf(note), statusOf(waiting)]).toEqual(["shadow", "active"]);
});
