import { expect, test } from "vitest";
import type { ActionTurn } from "../../src/actions/gather.ts";
import { ActionRoom } from "../../src/actions/room.ts";
import { NO_ROLES } from "../chat/say.ts";
import { addRow, addViewer } from "../stand-ins/rows.ts";
import {
  BOB,
  CARL,
  CHANNEL,
  MOD,
  NO_LIMITS,
  OTHER_MOD,
  openRig,
  removed,
  replyTo,
  STREAMER,
  VIEWER,
} from "./rig.ts";

const TIMEOUT = "[action timeout user=bob seconds=600]";
const REQUEST = "bob is spoiling again, do something";
const QUESTION = "Time out bob for 600 s? Reply yes or write !yes";

type Rig = Awaited<ReturnType<typeof openRig>>;

/** A moderator asked for it in words of their own, and the question stands in chat. */
async function withQuestion(span = TIMEOUT, words = REQUEST, more: Partial<ActionTurn> = {}) {
  const rig = await openRig({ isSteady: true });
  const outcomes = await rig.ask(MOD, words, span, more);
  expect(outcomes).toMatchObject([{ decision: "hold", reason: "needs_yes", outcome: null }]);
  return { ...rig, question: rig.send() };
}

function last(rig: Pick<Rig, "review">) {
  return rig.review.list({ limit: 1 })[0];
}

test("what a model proposes about others waits for its requester's yes, and says what a yes does", async () => {
  const rig = await withQuestion();
  expect(rig.question).toBe(QUESTION);
  expect(rig.acts()).toEqual([]);
  expect(last(rig)).toMatchObject({ decision: "hold", waitsFor: "requester", endedAs: null });
  expect(await rig.line(MOD, "!yes")).toBe(true);
  expect(last(rig)).toMatchObject({ decision: "run", reason: "confirmed", endedAs: "yes" });
  expect(rig.acts()).toMatchObject([{ body: { data: { user_id: BOB, duration: 600 } } }]);
  expect(await rig.line(MOD, "!yes")).toBe(false);
  expect(rig.acts()).toHaveLength(1);
});

test("sent by IRC, a question has no id: its very words in the reply tell it", async () => {
  const rig = await openRig();
  await rig.ask(MOD, REQUEST, TIMEOUT);
  expect(rig.state.question?.onSending()).toBe(true);
  rig.state.question?.onSent({ kind: "sent", messageId: null, via: "irc" });
  rig.clock.nowMs += 1_000;
  const parent = { messageId: "whatever", userId: "77" };
  expect(await rig.line(MOD, "yes", { parent: { ...parent, text: "Hello there" } })).toBe(false);
  expect(await rig.line(MOD, "yes", { parent })).toBe(false);
  expect(await rig.line(MOD, "yes", { parent: { ...parent, text: `@Moss ${QUESTION}` } })).toBe(
    true,
  );
  expect(rig.acts()).toHaveLength(1);
});

test("a no declines", async () => {
  const rig = await withQuestion();
  expect(await rig.line(MOD, "@automark nope", replyTo("question-1"))).toBe(true);
  expect(last(rig)).toMatchObject({ decision: "refuse", reason: "declined", endedAs: "declined" });
  expect(await rig.line(MOD, "!yes")).toBe(false);
  expect(rig.acts()).toEqual([]);
});

test("a question that was not sent in time is dropped, and counts against nobody", async () => {
  const rig = await openRig();
  await rig.ask(MOD, REQUEST, TIMEOUT);
  rig.send("expired");
  expect(last(rig)).toMatchObject({ reason: "unsent", endedAs: "withdrawn" });
  expect(await rig.line(MOD, "!yes")).toBe(false);
});

test("a clock that is set back gives a question no longer life", async () => {
  const rig = await withQuestion();
  rig.clock.nowMs -= 3_600_000;
  expect(await rig.room.settleHeld()).toEqual([]);
  rig.clock.nowMs += 60_000;
  expect(await rig.room.settleHeld()).toMatchObject([{ reason: "unanswered" }]);
  expect(rig.acts()).toEqual([]);
});

test("a restart ends an open question", async () => {
  const rig = await withQuestion();
  rig.ledger.settleUnfinished();
  const restarted = new ActionRoom(rig.parts);
  expect(await rig.line(MOD, "!yes", {}, restarted)).toBe(false);
  expect(last(rig)).toMatchObject({ reason: "restarted", endedAs: "withdrawn" });
});

test.each<[string, (room: Rig["room"]) => void]>([
  ["the request", (room) => room.endRemoved(removed({ messageId: "request-20" }))],
  ["the question", (room) => room.endRemoved(removed({ messageId: "question-1" }))],
  ["the question, sent by IRC", (room) => room.endDeleted(CHANNEL, QUESTION)],
  ["the requester's words", (room) => room.endRemoved(removed({ userId: MOD }))],
  ["the target's words, by a time-out", (room) => room.endRemoved(removed({ userId: BOB }))],
  ["all of chat", (room) => room.endRemoved(removed({}))],
])("the removal of %s ends it", async (_name, remove) => {
  const rig = await withQuestion();
  rig.room.endRemoved(removed({ messageId: "another" }));
  rig.room.endRemoved(removed({ userId: CARL }));
  expect(last(rig)).toMatchObject({ decision: "hold" });
  remove(rig.room);
  expect(last(rig)).toMatchObject({ reason: "withdrawn", endedAs: "withdrawn" });
  expect(await rig.line(MOD, "!yes")).toBe(false);
  expect(rig.acts()).toEqual([]);
});

test("pause, safe mode and a class that is switched off end it", async () => {
  for (const reason of ["paused", "safe_mode", "class_off"] as const) {
    const rig = await withQuestion();
    if (reason !== "class_off") rig.switches.set(reason, true, "cli");
    else
      rig.policy.now = {
        ...rig.policy.now,
        classes: { ...rig.policy.now.classes, moderation: "off" },
      };
    expect(await rig.room.settleHeld()).toMatchObject([{ decision: "refuse", reason }]);
    expect(await rig.line(MOD, "!yes")).toBe(false);
    expect(rig.acts()).toEqual([]);
  }
});

test("all is judged again at the yes, but whom it is about and for how long", async () => {
  const protectedNow = await withQuestion();
  protectedNow.db.exec(`UPDATE viewer_channels SET is_moderator = 1 WHERE user_id = '${BOB}'`);
  await protectedNow.line(MOD, "!yes");
  expect(last(protectedNow)).toMatchObject({
    decision: "refuse",
    reason: "protected",
    endedAs: "yes",
  });
  expect(protectedNow.said).toEqual(["Not done: bob is protected"]);

  const demoted = await withQuestion();
  const person = { userId: MOD, login: "moss", displayName: "Moss", roles: NO_ROLES };
  await demoted.line(MOD, "!yes", { person });
  expect(last(demoted)).toMatchObject({ decision: "refuse", reason: "not_allowed" });

  const renamed = await withQuestion();
  renamed.db.exec(`UPDATE viewers SET login = 'robert' WHERE user_id = '${BOB}';
    UPDATE viewers SET login = 'bob' WHERE user_id = '${CARL}'`);
  await renamed.line(MOD, "!yes");
  expect(renamed.acts()).toMatchObject([{ body: { data: { user_id: BOB } } }]);
  expect([...protectedNow.acts(), ...demoted.acts()]).toEqual([]);
});

test("a newer question of a moderator takes the place of an open one", async () => {
  const rig = await withQuestion();
  await rig.ask(OTHER_MOD, "carl as well please", "[action timeout user=carl]");
  expect(rig.send()).toBe("Time out carl for 60 s? Reply yes or write !yes");
  expect(rig.review.list({ limit: 2 })).toMatchObject([
    { decision: "hold" },
    { reason: "replaced", endedAs: "replaced" },
  ]);
  expect(await rig.line(MOD, "!yes")).toBe(false);
  await rig.line(OTHER_MOD, "!yes");
  expect(rig.acts()).toMatchObject([{ body: { data: { user_id: CARL } } }]);
});

test("one question in thirty seconds a requester, and none in a raid", async () => {
  const rig = await withQuestion();
  await rig.line(MOD, "!yes");
  expect(await rig.ask(MOD, "carl too", "[action warn user=carl]")).toMatchObject([
    { decision: "refuse", reason: "question_cooldown" },
  ]);
  rig.clock.nowMs += 30_000;
  rig.state.isRaid = true;
  expect(await rig.ask(MOD, "carl too", "[action warn user=carl]")).toMatchObject([
    { reason: "raid" },
  ]);
  rig.state.isRaid = false;
  expect(await rig.ask(MOD, "carl too", "[action warn user=carl]")).toMatchObject([
    { decision: "hold" },
  ]);
});

test("whoever declined or ignored two questions gives commands until the stream ends", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  const ask = async (who: string) => {
    rig.clock.nowMs += 61_000;
    await rig.room.settleHeld();
    const outcomes = await rig.ask(who, REQUEST, TIMEOUT);
    rig.send();
    return outcomes[0]?.reason;
  };
  expect(await ask(MOD)).toBe("needs_yes");
  await rig.line(MOD, "!no");
  expect([await ask(MOD), await ask(MOD)]).toEqual(["needs_yes", "questions_ignored"]);
  expect(await ask(OTHER_MOD)).toBe("needs_yes");
  expect(await rig.order(MOD, "@automark timeout bob 60")).toMatchObject({ outcome: "done" });
});

test("a deletion takes the message replied to, or the last one before the request", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  rig.speak(BOB, "first", "m1");
  rig.speak(BOB, "second", "m2");
  await rig.order(MOD, "@Bob @automark delete", replyTo("m1", BOB));
  await rig.order(MOD, "@automark delete bob");
  rig.speak(MOD, "that one of bob has to go", "request");
  const eventId = Number(rig.db.prepare("SELECT max(id) FROM events").pluck().get());
  rig.speak(BOB, "sorry", "m3");
  await rig.ask(MOD, "that one of bob has to go", "[action delete user=bob]", { eventId });
  expect(rig.send()).toBe("Delete the last message of bob? Reply yes or write !yes");
  rig.speak(BOB, "really", "m4");
  await rig.line(MOD, "!yes");
  expect(rig.acts().map(({ query }) => query["message_id"])).toEqual(["m1", "m2", "m2"]);
  expect(rig.db.prepare("SELECT message_id FROM action_log ORDER BY id").pluck().all()).toEqual([
    "m1",
    "m2",
    "m2",
  ]);
});

test("what an action made is kept with it", async () => {
  const rig = await openRig({ botId: STREAMER });
  await rig.order(VIEWER, "@automark clip");
  await rig.order(MOD, "@automark poll: more tea? | yes | no");
  await rig.order(VIEWER, "@automark marker: boss");
  expect(rig.review.list({ limit: 3 }).map(({ result }) => result)).toEqual([
    "marker-1",
    "poll-1",
    "https://clips.twitch.tv/StandInClip",
  ]);
});

test("a command that is refused is answered in one line, viewers once a minute", async () => {
  const rig = await openRig();
  for (let at = 0; at < 3; at += 1) await rig.order(VIEWER, "@automark timeout bob 60");
  expect(rig.said).toEqual(["Not done: only moderators may ask for that"]);
  rig.clock.nowMs += 60_000;
  await rig.order(MOD, "@automark timeout teastream 60");
  await rig.order(MOD, "@automark timeout violet 60");
  expect(rig.said).toEqual([
    "Not done: only moderators may ask for that",
    "Not done: teastream is protected",
  ]);
  rig.switches.set("paused", true, "cli");
  rig.clock.nowMs += 60_000;
  expect(await rig.order(MOD, "@automark timeout bob 60")).toMatchObject({ reason: "paused" });
  expect(rig.said).toHaveLength(2);
});

test("in approve the streamer's answer is the consent: a command waits for it, and nobody is asked", async () => {
  const classes = { memory: "live", chat: "off", stream: "off", moderation: "approve" } as const;
  const rig = await openRig({ policy: { classes, limits: NO_LIMITS } });
  expect(await rig.order(MOD, "@automark timeout bob 60")).toMatchObject({
    decision: "hold",
    waitsFor: "streamer",
  });
  await rig.ask(MOD, REQUEST, TIMEOUT);
  expect(rig.send()).toBeNull();
  for (const { id } of rig.review.list({ limit: 2 })) rig.review.answer(id, "approve");
  await rig.room.settleHeld();
  expect(rig.acts()).toHaveLength(2);
  expect(last(rig)).toMatchObject({ reason: "approved", endedAs: "yes" });
});

test.each([
  ...["timeout", "timeout him", "mute le", "mute den mal bitte", "shoutout", "warn"],
  ...["timeout porfa", "warn: bob, no insults", "timeout 60: bob", "timeout bob 60"],
])("whoever reports somebody is not silenced by a reply that names nobody: %s", async (text) => {
  const rig = await openRig();
  rig.speak(CARL, "that guy keeps insulting me", "report");
  expect(await rig.line(MOD, `@Carl @automark ${text}`, replyTo("report", CARL))).toBe(true);
  rig.send();
  expect(rig.acts()).toEqual([]);
});

test.each(["time him out", "silencialo", "замуть его", "dale un timeout"])(
  "other words in a reply are left to the model: %s",
  async (text) => {
    const rig = await openRig();
    const reply = replyTo("hello-34", CARL);
    expect(await rig.line(MOD, `@Carl @automark ${text}`, reply)).toBe(false);
    const repliesTo = { messageId: "hello-34", userId: CARL };
    await rig.ask(MOD, text, "[action timeout user=carl]", { repliesTo });
    expect(rig.send()).toBe("Time out carl for 60 s? Reply yes or write !yes");
    await rig.line(MOD, "!yes");
    expect(rig.acts()).toMatchObject([{ body: { data: { user_id: CARL } } }]);
  },
);

const MINUTE_OFF = "[action timeout user=bob]";

test("twenty moderators who are asked at once: one question is open, and only its own yes counts", async () => {
  const rig = await openRig({ policy: { limits: NO_LIMITS } });
  const mods = Array.from({ length: 20 }, (_, at) => `8${at}`);
  for (const id of mods) {
    addViewer(rig.db, id, `Mod${id}`, null);
    addRow(rig.db, "viewer_channels", { channel: CHANNEL, user_id: id, is_moderator: 1 });
  }
  const turns = mods.map((id) => rig.turnOf(id, REQUEST, { messageId: `request-${id}` }));
  const asked = await Promise.all(turns.map((turn) => rig.room.handle(turn, [MINUTE_OFF])));
  await Promise.all(asked.map(({ outcomes }) => outcomes));
  const sent = asked.filter(
    ({ instead }) => instead?.kind === "question" && instead.question.onSending(),
  );
  expect(sent).toHaveLength(1);
  for (const { instead } of sent)
    if (instead?.kind === "question")
      instead.question.onSent({ kind: "sent", messageId: "question", via: "helix" });
  rig.clock.nowMs += 1_000;
  for (const id of mods) {
    const person = {
      ...{ userId: id, login: `mod${id}`, displayName: `Mod${id}` },
      roles: { ...NO_ROLES, moderator: true },
    };
    await rig.line(id, "!yes", { person });
  }
  expect(rig.acts()).toHaveLength(1);
  const ends = rig.review.list({ limit: 50 }).map(({ endedAs }) => endedAs);
  expect(ends.filter((ended) => ended === "replaced")).toHaveLength(19);
  expect(ends.filter((ended) => ended === "yes")).toHaveLength(1);
});

test("a viewer is asked one thing about their memory at a time, beside what a moderator is asked", async () => {
  const rig = await openRig();
  await rig.ask(MOD, REQUEST, MINUTE_OFF);
  rig.send();
  const forget = "[action forget note=5]";
  expect(await rig.ask(VIEWER, "drop it", forget)).toMatchObject([{ decision: "hold" }]);
  rig.send();
  rig.clock.nowMs += 6_000;
  expect(await rig.ask(VIEWER, "drop it", forget)).toMatchObject([{ reason: "question_open" }]);
  expect(await rig.line(MOD, "!yes")).toBe(true);
  expect(await rig.line(VIEWER, "!yes")).toBe(true);
  expect(rig.acts()).toHaveLength(1);
  expect(rig.remembered).toEqual([["forget", CHANNEL, VIEWER, 5]]);
});

test("whoever is asked something else says no second yes to what they were asked before", async () => {
  const rig = await openRig();
  await rig.ask(MOD, REQUEST, MINUTE_OFF);
  rig.clock.nowMs += 4_900;
  expect(rig.send()).toBe("Time out bob for 60 s? Reply yes or write !yes");
  rig.clock.nowMs += 25_200;
  await rig.ask(MOD, "and never mind music", '[action forget topic="music"]');
  expect(rig.send()).toContain("music");
  expect(await rig.line(MOD, "!yes")).toBe(true);
  expect(await rig.line(MOD, "!yes")).toBe(false);
  expect(rig.acts()).toEqual([]);
  expect(rig.review.list({ limit: 2 })).toMatchObject([
    { action: "forget", reason: "confirmed" },
    { action: "timeout", reason: "replaced", endedAs: "replaced" },
  ]);
});
