import fc from "fast-check";
import { expect, test } from "vitest";
import { actionRoom } from "../../src/actions/room.ts";
import { INNOCENT } from "./innocent-lines.ts";
import { MODERATORS_TALK, REQUESTS } from "./moderators-talk.ts";
import { BOB, CHANNEL, MOD, OTHER_MOD, openRig, START_MS, STREAMER, VIEWER } from "./rig.ts";

const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 999,
  perStream: 999,
};
const FREE = { timeout: OPEN, warn: OPEN, delete: OPEN, shoutout: OPEN };

test("a model that moderates on every line gets nothing done that nobody said yes to", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  const lines = [...INNOCENT, ...MODERATORS_TALK];
  const asked: number[] = [];
  for (const words of lines) {
    rig.clock.nowMs += 7_000;
    await rig.room.settleHeld();
    expect([words, await rig.line(MOD, `@automark ${words}`)]).toEqual([words, false]);
    const span = words.includes("carl") ? "[action timeout user=carl]" : "[action delete user=bob]";
    await rig.ask(MOD, words, span);
    if (rig.send() !== null) asked.push(rig.clock.nowMs);
  }
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(rig.acts()).toEqual([]);
  expect(asked).toHaveLength(2);
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(30_000);
});

test("each of a hundred natural requests runs at once, or is asked for with the right target and length", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  const wrong: unknown[] = [];
  for (const { line, action, login, seconds } of REQUESTS) {
    rig.clock.nowMs += 31_000;
    const before = rig.acts().length;
    if (!(await rig.line(MOD, line))) {
      await rig.ask(MOD, line.replace("@automark ", ""), `[action ${action} user=${login}]`);
      const question = rig.send();
      const isRight =
        question?.includes(login) === true &&
        (action !== "timeout" || question.includes(`${seconds ?? 60} s`));
      if (!isRight) wrong.push([line, question]);
      await rig.line(MOD, "!yes");
    }
    const { action: ran, targetLogin, outcome } = rig.review.list({ limit: 1 })[0] ?? {};
    if (ran !== action || targetLogin !== login || outcome !== "done")
      wrong.push([line, rig.review.list({ limit: 1 })[0]]);
    if (rig.acts().length !== before + 1) wrong.push([line, "not once"]);
  }
  expect(REQUESTS).toHaveLength(100);
  expect(wrong).toEqual([]);
  expect(rig.clock.nowMs).toBeGreaterThan(START_MS);
});

const CARL = "34";
const LOGINS = { [BOB]: "bob", [CARL]: "carl" } as const;
type Target = keyof typeof LOGINS;
const people = fc.constantFrom(MOD, OTHER_MOD, STREAMER, VIEWER);
const target = fc.constantFrom<Target>(BOB, CARL);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("propose"), who: people, target }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("command"), who: people, target }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("answer"),
      who: people,
      text: fc.constantFrom("!yes", "!no", "yes", "@automark yes", "@automark yes but not him"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("remove"), who: fc.oneof(people, target) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("role"),
      who: fc.constantFrom(MOD, OTHER_MOD, BOB, CARL),
      isModerator: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause"), isOn: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.constantFrom(1_000, 12_000, 31_000) }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

test("over five hundred interleavings, whatever ran was ordered or confirmed by somebody entitled, on that target", async () => {
  const rig = await openRig({ policy: { limits: FREE } });
  let ran = 0;
  let asked = 0;
  /** One interleaving, beside a model of it that knows only what was said by whom. */
  const play = async (steps: readonly Step[]): Promise<void> => {
    rig.db.exec("DELETE FROM action_log");
    rig.switches.set("paused", false, "cli");
    const mods = new Set([MOD, OTHER_MOD]);
    const setRole = (who: string, isModerator: boolean) => {
      if (isModerator) mods.add(who);
      else mods.delete(who);
      rig.db
        .prepare("UPDATE viewer_channels SET is_moderator = ? WHERE user_id = ?")
        .run(isModerator ? 1 : 0, who);
    };
    for (const who of [MOD, OTHER_MOD]) setRole(who, true);
    for (const who of [BOB, CARL]) setRole(who, false);
    rig.clock.nowMs += 86_400_000;
    rig.db.prepare("UPDATE viewers SET last_seen_at = ?").run(rig.clock.nowMs);
    rig.db.prepare("UPDATE viewer_channels SET last_seen_at = ?").run(rig.clock.nowMs);
    let room = actionRoom(rig.parts);
    let open: { who: string; target: Target; untilMs: number } | null = null;
    const may = (who: string) => who === STREAMER || mods.has(who);
    const line = async (who: string, text: string) => {
      const login = `user${who}`;
      const roles = {
        broadcaster: who === STREAMER,
        moderator: mods.has(who),
        vip: false,
        subscriber: false,
      };
      const person = { userId: who, login, displayName: login, roles };
      return rig.line(who, text, { person }, room);
    };
    for (const one of steps) {
      const before = rig.acts().length;
      let entitled: Target | null = null;
      const isPaused = rig.parts.switches().paused;
      if (one.kind === "wait" && "ms" in one) rig.clock.nowMs += one.ms;
      if (one.kind === "pause" && "isOn" in one) rig.switches.set("paused", one.isOn, "cli");
      if (one.kind === "role" && "isModerator" in one) setRole(one.who, one.isModerator);
      if (one.kind === "restart") {
        rig.ledger.settleUnfinished();
        room = actionRoom(rig.parts);
        open = null;
      }
      if (one.kind === "remove" && "who" in one) {
        room.withdraw({ channel: CHANNEL, userId: one.who });
        if (open !== null && [open.who, open.target].includes(one.who as Target)) open = null;
      }
      if (one.kind === "command" && "target" in one) {
        const isFree = !isPaused && may(one.who) && !mods.has(one.target);
        if (isFree) entitled = one.target;
        await line(one.who, `@automark timeout ${LOGINS[one.target]} 60`);
      }
      if (one.kind === "propose" && "target" in one) {
        const turn = rig.turnOf(one.who, `do something about ${LOGINS[one.target]}`);
        const span = `[action timeout user=${LOGINS[one.target]}]`;
        const handled = await room.handle({ ...turn, messageId: null }, [span]);
        await handled.outcomes;
        if (handled.question?.onSending() === true) {
          handled.question.sent({ kind: "sent", messageId: "q", via: "helix" });
          open = { who: one.who, target: one.target, untilMs: rig.clock.nowMs + 30_000 };
          asked += 1;
        }
      }
      if (one.kind === "answer" && "text" in one) {
        const isYes = one.text === "!yes" || one.text === "@automark yes";
        const isMine = open !== null && open.who === one.who && rig.clock.nowMs < open.untilMs;
        if (isMine && isYes && !isPaused && open !== null && may(one.who) && !mods.has(open.target))
          entitled = open.target;
        await line(one.who, one.text);
        if (isMine && (isYes || one.text === "!no")) open = null;
      }
      await room.settleHeld();
      const done = rig.acts().slice(before);
      ran += done.length;
      expect(done.length).toBeLessThanOrEqual(entitled === null ? 0 : 1);
      for (const { body } of done)
        expect(body).toMatchObject({ data: { user_id: entitled, duration: 60 } });
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), play), {
    numRuns: 500,
  });
  expect(ran).toBeGreaterThan(100);
  expect(asked).toBeGreaterThan(200);
}, 240_000);
