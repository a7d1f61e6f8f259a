import { expect, test } from "vitest";
import { NoteStore } from "../../src/memory/note-store.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openHouse } from "../stand-ins/house.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const MODERATOR = { userId: "900", login: "orla", displayName: "Orla", badges: "moderator/1" };

async function openUnlearned() {
  const house = await openHouse();
  const add = house.db.prepare(
    `INSERT INTO semantic_notes (channel, scope, kind, fact, confidence, status, source_kind, created_at, last_confirmed_at)
     VALUES (?, 'channel', 'event', ?, 0.9, ?, 'episode', ?, ?) RETURNING id`,
  );
  const addNote = (fact: string, status: string) =>
    Number(add.pluck().get(CHANNEL, fact, status, house.now(), house.now()));
  const note = addNote("the cat is called Biscuit", "active");
  house.model.enqueue(geminiSays({ text: "it is Biscuit" }));
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
  db.prepare(
    "INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, created_at) VALUES (90, ?, 'window', 1, 0, 0, 0)",
  ).run(CHANNEL);
  for (const [n, id] of [note, waiting].entries()) {
    db.prepare(
      "INSERT INTO episode_claims (episode_id, n, scope, statement, event_ids_json) VALUES (90, ?, 'channel', 's', '[]')",
    ).run(n);
    db.prepare("INSERT INTO claim_carriers (episode_id, n, user_id) VALUES (90, ?, ?)").run(
      n,
      MODERATOR.userId,
    );
    db.prepare(
      "INSERT INTO note_evidence (note_id, episode_id, claim_n, method, confidence, created_at) VALUES (?, 90, ?, 'extracted', 1, 0)",
    ).run(id, n);
  }
  expect(new NoteStore(db, house.now).promoteProven(CHANNEL, ["event"])).toEqual([waiting]);
  expect([statusOf(note), statusOf(waiting)]).toEqual(["shadow", "active"]);
});
