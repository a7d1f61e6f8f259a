import { expect, test } from "vitest";
import { actionRoom } from "../../src/actions/room.ts";
import { BOB, CHANNEL, MOD, openRig, STREAMER, START_MS, VIEWER } from "../actions/rig.ts";
import { say } from "../events/say.ts";

const T = "[action timeout user=bob seconds=60]";
function add(rig: any, userId: string, login: string, displayName: string, text: string | null, removed = false, roles = { broadcaster: false, moderator: false, vip: false, subscriber: false }) {
  rig.events.add(say(text ?? "hi", { messageId: `x${userId}${Math.random()}`, person: { userId, login, displayName, roles } }));
  rig.events.flush();
  if (removed) rig.db.prepare("UPDATE events SET text = NULL WHERE user_id = ?").run(userId);
}
const show = (n: string, o: any, rig: any) => console.log("RES", n, "→", JSON.stringify(o.map((x: any) => `${x.decision} ${x.reason} ${x.outcome}`)), "acts", rig.acts().length);

test("display names", async () => {
  const rig = await openRig();
  for (const [id, name, gone] of [["51", "禁言木の実", true], ["52", "禁言木の実", false], ["53", "木の実黙らせて", true]] as const) {
    add(rig, id, `att${id}`, name, "hello", gone);
    show(`native display name ${name} gone=${gone}`, await rig.ask(MOD, `@${name} @automark what a nice evening`, "[action timeout user=木の実 seconds=60]"), rig);
    show(`native display name bare ${name} gone=${gone}`, await rig.ask(MOD, `@automark greet ${name}`, "[action timeout user=木の実 seconds=60]"), rig);
  }
  for (const name of ["全員に伝えて", "公告", "クリップして", "投票開始"]) {
    const rig2 = await openRig();
    add(rig2, "51", "att51", name, "hello", true);
    show(`none-target name ${name}`, await rig2.ask(MOD, `@${name} @automark evening`, ["[action announce text=\"buy my merch\"]", "[action clip]"]), rig2);
    show(`none-target bare ${name}`, await rig2.ask(MOD, `@automark say hi to ${name}`, ["[action announce text=\"buy my merch\"]", "[action clip]"]), rig2);
  }
  // login crafted as words
  for (const login of ["mute_bob", "mute", "timeout", "time", "clip_that", "shoutout", "a_minute", "off", "him", "everyone"]) {
    const rig3 = await openRig();
    add(rig3, "51", login, login, "hello", false);
    show(`login ${login}`, await rig3.ask(MOD, `@${login} bob @automark good evening`, [T, "[action announce text=\"buy my merch\"]"]), rig3);
    show(`login2 ${login}`, await rig3.ask(MOD, `@automark tell ${login} bob is nice`, [T, "[action shoutout user=bob]"]), rig3);
    show(`login3 ${login}`, await rig3.ask(MOD, `@automark mute ${login} bob is nice`, [T]), rig3);
  }
});
test("seconds", async () => {
  const rig = await openRig();
  for (const w of ["timeout bob for 1 second", "timeout bob 1s", "timeout bob 1", "timeout bob for one second", "timeout bob 30", "timeout bob for half a minute", "timeout bob for two and a half minutes", "bobを1秒タイムアウトして", "timeout bob for a sec", "timeout bob for ten seconds", "timeout bob for twenty seconds", "timeout bob for forty-five seconds", "gib bob eine halbe minute timeout", "timeout bob 00:30", "timeout bob for 1.5 minutes", "timeout bob thirty seconds", "timeout bob for a few seconds","timeout bob for 90secs"]) {
    rig.clock.nowMs += 20_000;
    const n = rig.acts().length;
    const o = await rig.ask(MOD, `@automark ${w}`, "[action timeout user=bob seconds=600]");
    const a = rig.acts()[n] as any;
    console.log("SEC", w, "→", o[0]?.reason, a?.body?.data?.duration);
  }
});
test("clock", async () => {
  const rig = await openRig();
  show("first", await rig.ask(VIEWER, "@automark clip that", "[action clip]"), rig);
  rig.clock.nowMs -= 3_600_000;
  show("clock back 1h", await rig.ask(BOB, "@automark clip that", "[action clip]"), rig);
  rig.clock.nowMs -= 86_400_000 * 30;
  show("clock back 30d", await rig.ask(BOB, "@automark clip that", "[action clip]"), rig);
  const room2 = actionRoom(rig.parts);
  rig.clock.nowMs = START_MS + 1000;
  rig.ledger.settleUnfinished();
  show("restart", await room2.handle({ channel: CHANNEL, replyId: null, requesterId: BOB, isAsked: true, words: ["@automark clip that"], repliesToId: null, untrusted: [] }, ["[action clip]"]), rig);
  // stream session that began in the future
  const rig2 = await openRig({ policy: { limits: { clip: { actionSeconds: 0, requesterSeconds: 0, perHour: 100, perStream: 2 } } } });
  rig2.db.prepare("UPDATE stream_sessions SET started_at = ?").run(START_MS + 7_200_000);
  for (let i = 0; i < 4; i++) { rig2.clock.nowMs += 1000; show(`future session ${i}`, await rig2.ask(VIEWER, "@automark clip that", "[action clip]"), rig2); }
});
test("approvals", async () => {
  const mk = async () => {
    const rig = await openRig({ policy: { classes: { memory: "live", chat: "live", stream: "live", moderation: "approve" } } });
    const o = await rig.ask(MOD, "@automark timeout bob", T);
    const [row] = rig.review.list({ limit: 1 });
    return { rig, id: row!.id, o };
  };
  { const { rig, id, o } = await mk(); show("held", o, rig);
    console.log("RES approve", rig.review.answer(id, "approve"), rig.review.answer(id, "approve"), rig.review.answer(id, "refuse"));
    show("settle twice", (await Promise.all([rig.room.settleHeld(), rig.room.settleHeld()])).flat(), rig);
    show("settle again", await rig.room.settleHeld(), rig); console.log("RES approve after run", rig.review.answer(id, "approve")); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); const room2 = actionRoom(rig.parts); rig.ledger.settleUnfinished(); show("restart after approve (new room)", await room2.settleHeld(), rig); show("old room", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.clock.nowMs += 120_000; console.log("RES late approve", rig.review.answer(id, "approve")); show("late", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); rig.policy.now = { ...rig.policy.now, classes: { ...rig.policy.now.classes, moderation: "off" } }; show("class off", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); rig.policy.now = { ...rig.policy.now, classes: { ...rig.policy.now.classes, moderation: "dry_run" } }; show("dry_run", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); rig.policy.now = { ...rig.policy.now, allowlist: ["bob"] }; show("allowlist", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); rig.room.withdraw({ channel: null, userId: BOB }); show("withdrawn", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); add(rig, MOD, "moss", "Moss", "hi"); show("requester demoted", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); add(rig, BOB, "bob", "Bob", "hi", false, { broadcaster: false, moderator: true, vip: false, subscriber: false }); show("target promoted", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); add(rig, BOB, "robert", "Robert", "hi"); add(rig, "99", "bob", "Bob", "hi"); show("renamed + other bob", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); add(rig, BOB, "robert", "Robert", "hi"); show("renamed", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); rig.switches.set("paused", true, "x"); show("paused", await rig.room.settleHeld(), rig); rig.switches.set("paused", false, "x"); show("unpaused", await rig.room.settleHeld(), rig); }
  { const { rig, id } = await mk(); rig.review.answer(id, "approve"); rig.clock.nowMs -= 3_600_000; show("clock back approve", await rig.room.settleHeld(), rig); }
  { const { rig } = await mk(); rig.clock.nowMs -= 3_600_000; show("clock back, no answer", await rig.room.settleHeld(), rig); rig.clock.nowMs += 3_600_000 + 119_000; show("119 s", await rig.room.settleHeld(), rig); }
});
test("ledger faults", async () => {
  for (const [n, sql] of [["insert trigger", "CREATE TRIGGER z BEFORE INSERT ON action_log BEGIN SELECT RAISE(ABORT,'x'); END"], ["update trigger", "CREATE TRIGGER z BEFORE UPDATE ON action_log BEGIN SELECT RAISE(ABORT,'x'); END"], ["ro", "PRAGMA query_only=1"], ["counters", "DROP TABLE counters"], ["viewers", "PRAGMA foreign_keys=0; DROP TABLE viewer_channels"], ["switches", "DROP TABLE switches"], ["sessions", "DROP TABLE stream_sessions"], ["insert ignored", "CREATE TRIGGER z BEFORE INSERT ON action_log BEGIN SELECT RAISE(IGNORE); END"]] as const) {
    const rig = await openRig();
    try { rig.db.exec(sql); } catch (e) { console.log("RES sql", n, String(e)); }
    const turn = { channel: CHANNEL, replyId: null, requesterId: VIEWER, isAsked: true, words: ["@automark clip that"], repliesToId: null, untrusted: [] };
    show(n, await rig.room.handle(turn, ["[action clip]"]), rig);
    show(`${n} again`, await rig.room.handle(turn, ["[action clip]"]), rig);
  }
});
test("idempotency and channels", async () => {
  const rig = await openRig({ policy: { limits: { clip: { actionSeconds: 0, requesterSeconds: 0 } } } });
  const turn = { channel: CHANNEL, replyId: null, requesterId: VIEWER, isAsked: true, words: ["@automark clip that"], repliesToId: null, untrusted: [] };
  show("same twice", [...await rig.room.handle(turn, ["[action clip]"]), ...await rig.room.handle(turn, ["[action clip]"])], rig);
  show("unknown channel", await rig.room.handle({ ...turn, channel: "other" }, ["[action clip]"]), rig);
  show("not asked", await rig.room.handle({ ...turn, requesterId: STREAMER, isAsked: false }, ["[action clip]", T]), rig);
  show("unseen requester", await rig.room.handle({ ...turn, requesterId: "12345" }, ["[action clip]", T]), rig);
});
