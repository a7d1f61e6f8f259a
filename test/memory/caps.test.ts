import { expect, test } from "vitest";
import { IdentityStore } from "../../src/chat/viewer-store.ts";
import { memorySchema } from "../../src/config/schema.ts";
import { NoteReader } from "../../src/memory/note-reads-store.ts";
import { NoteReview } from "../../src/memory/note-review-store.ts";
import { listFreeKinds } from "../../src/memory/note-settings.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { createPrefixSnapshots } from "../../src/memory/recall/snapshot.ts";
import { learningRig } from "./learning-rig.ts";
import { CHANNEL, STRANGER } from "./memory-rig.ts";
import { ANN, BOB, operatorRig } from "./operator-rig.ts";
import { addNote } from "./recall/memories.ts";

const HOUR_MS = 3_600_000;
const TRADES = "baker roofer tailor cooper miller weaver potter joiner mason glazier".split(" ");
const TOWNS = "Bergen Turku Porto Lyon Ghent Malmo Cork Graz Bari Gdansk".split(" ");
const GOODS = "kites lamps stamps spoons clocks maps shells coins bells masks".split(" ");

test("in one stream five hundred lines of two attackers push out none of ninety-eight honest claims of others", async () => {
  const rig = learningRig((claims) =>
    claims.map(({ n, text }) => ({
      claims: [n],
      kind: "preference",
      importance: text.includes("trades") ? "low" : "high",
    })),
  );
  rig.setLive(true);
  const honest = Array.from({ length: 98 }, (_, at) => ({
    person: 20 + (at % 49),
    fact: `trades ${GOODS[at % 10]} in ${TOWNS[Math.floor(at / 10)]}`,
  }));
  for (let line = 0; line < 500; line += 1) {
    rig.say(1 + (line % 2), `I say: owns ${GOODS[line % 5]} number ${line}`);
    const said = line % 5 === 0 ? honest[line / 5] : undefined;
    if (said !== undefined) rig.say(said.person, `I say: ${said.fact}`);
  }
  for (let look = 0; look < 4; look += 1) {
    await rig.memory.run();
    rig.clock.nowMs += HOUR_MS / 2;
  }
  const active = rig.notes().filter(({ status }) => status === "active");
  const kept = honest.filter(({ person, fact }) =>
    active.some((note) => note.fact === `{u:${1_000 + person}} ${fact}`),
  );
  expect(kept).toHaveLength(98);
  for (const attacker of ["1001", "1002"]) {
    expect(active.filter(({ who }) => who === attacker).length).toBeLessThanOrEqual(10);
  }
});

test("a stream makes twenty notes of the channel and ten jokes, and neither uses up the other's places", () => {
  const rig = operatorRig();
  const written = (scope: "channel" | "bit", count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => {
      const fact = `the ${TRADES[at % 10]} of ${TOWNS[Math.floor(at / 10)]} is ${scope}`;
      const { verdict } = rig.learn(fact, {
        ...{ subjectId: null, scope, carriers: 3 },
        kind: scope === "bit" ? "running_bit" : "profile",
      });
      return verdict.reason;
    });
  const bits = written("bit", 12);
  expect(bits).toEqual([...Array(10).fill("new"), "bit_rate", "bit_rate"]);
  const facts = written("channel", 22);
  expect(facts).toEqual([...Array(20).fill("new"), "channel_rate", "channel_rate"]);
  const counts =
    "SELECT scope, count(*) AS n FROM semantic_notes WHERE status = 'active' GROUP BY scope";
  expect(rig.all(counts)).toEqual([
    { scope: "bit", n: 10 },
    { scope: "channel", n: 20 },
  ]);
});

test.each([
  ["at the same millisecond", 0],
  ["a millisecond apart", 1],
  ["five hours apart, in a stream of two days", 5 * HOUR_MS],
])("a cap of five notes a stream lets five through, %s", (_, stepMs) => {
  const rig = operatorRig({ perViewerAndStream: 5 });
  const streams = rig.db.prepare("INSERT INTO stream_sessions (channel, started_at) VALUES (?, ?)");
  const begin = () => Number(streams.run(CHANNEL, rig.clock.nowMs).lastInsertRowid);
  const learnTen = (what: string, sessionId: number) =>
    TRADES.map((trade) => {
      rig.clock.nowMs += stepMs;
      return rig.learn(`${what} a ${trade}`, {}, sessionId).verdict.reason;
    });
  const expected = [...Array(5).fill("new"), ...Array(5).fill("subject_rate")];
  const first = begin();
  expect(learnTen("knows", first)).toEqual(expected);
  expect(rig.rows()).toHaveLength(5);
  // Another stream has a cap of its own, even if it begins at the same millisecond.
  expect(learnTen("employs", begin())).toEqual(expected);
  // A late summary of the first stream finds its cap used up.
  expect(rig.learn("owns a lamp", {}, first).verdict.reason).toBe("subject_rate");
});

test("!memory counts notes that newer ones replaced", () => {
  const rig = operatorRig();
  const { noteId } = rig.learn("owns a lamp");
  const { nowMs } = rig.clock;
  const people = new IdentityStore(rig.db, () => nowMs);
  const notes = new NoteReader(rig.db, () => nowMs);
  const count = (userId = ANN) => notes.countReplaced(CHANNEL, people.accountsOf(userId));
  expect(count()).toBe(0);
  rig.learn("sold the lamp", { relation: "replaces", noteId });
  expect([count(), count(BOB)]).toEqual([1, 0]);
  // Of every account of the person.
  people.merge(BOB, ANN);
  expect([count(), count(BOB)]).toEqual([1, 1]);
});

test("thirty facts of the streamer take no place of learned ones", () => {
  const rig = operatorRig({ channelNotes: 20 });
  const factOf = (n: number) =>
    `the shelf holds ${GOODS[n % 10]} from ${TOWNS[Math.floor(n / 10) % 10]}`;
  for (let n = 0; n < 20; n += 1) {
    addNote(rig.db, { channel: CHANNEL, id: 1_000 + n, fact: `lot ${n} of the auction` });
  }
  const ids = Array.from({ length: 30 }, (_, n) => rig.add(factOf(n), null));
  rig.operator.pin(ids, true);
  expect(rig.rows().filter(({ status }) => status !== "active")).toEqual([]);
  rig.operator.pin(ids, false);
  expect(rig.rows().filter(({ status }) => status !== "active")).toEqual([]);
  const learned = rig.learn("the door of the hall is green", { subjectId: null, scope: "channel" });
  expect(rig.row(learned.noteId ?? 0)).toMatchObject({ status: "active" });
  const gone = rig.rows().filter(({ status }) => status === "expired");
  expect(gone.map(({ source }) => source)).toEqual(["extracted"]);
});

test("a joke of two known people is in the prefix at once, one of strangers waits", async () => {
  const rig = learningRig();
  const inPrefix = prefixOf(rig);
  await rig.joke("the soup is loud", [STRANGER, STRANGER + 1, STRANGER + 2]);
  await rig.joke("the crab drives", [1, 2]);
  expect(rig.notes().map(({ fact, status }) => [fact, status])).toEqual([
    ["the soup is loud", "shadow"],
    ["the crab drives", "active"],
  ]);
  expect(inPrefix()).toEqual(["the crab drives"]);
});

test("a joke of strangers becomes active when two of them return in a later stream", async () => {
  const rig = learningRig();
  const crew = [STRANGER, STRANGER + 1, STRANGER + 2];
  rig.setLive(true);
  for (const person of crew) for (let n = 0; n < 3; n += 1) rig.say(person, `ahoy ${n}`);
  await rig.joke("the soup is loud", crew);
  const review = new NoteReview(rig.db, () => rig.clock.nowMs);
  const policy = memorySchema.parse({});
  const waiting = () => review.countWaitingForRegulars(listFreeKinds(policy));
  rig.memory.sweep();
  expect([rig.notes()[0]?.status, waiting()]).toEqual(["shadow", 1]);
  // Neither what was unlearned waits for regulars, nor what the streamer approves.
  rig.db.exec("UPDATE semantic_notes SET status_before = 'active'");
  expect(waiting()).toBe(0);
  rig.db.exec("UPDATE semantic_notes SET status_before = NULL");
  expect([waiting(), review.countWaitingForRegulars([])]).toEqual([1, 0]);
  expect(listFreeKinds({ ...policy, mode: "shadow" })).toEqual([]);
  rig.setLive(false);
  rig.clock.nowMs += 24 * HOUR_MS;
  rig.setLive(true);
  for (const person of crew.slice(1)) rig.say(person, "ahoy again");
  rig.events.flush();
  rig.memory.sweep();
  expect([rig.notes()[0]?.status, waiting()]).toEqual(["active", 0]);
});

/** What the prefix shows of the channel now. */
function prefixOf({ db, clock }: ReturnType<typeof learningRig>): () => readonly string[] {
  const snapshots = createPrefixSnapshots(new RecallStore(db), () => clock.nowMs);
  return () => snapshots(CHANNEL).snapshot.notes.map(({ fact }) => fact);
}
