import fc from "fast-check";
import { expect, test } from "vitest";
import { ActionRoom } from "../../src/actions/room.ts";
import { BOB, CARL, MOD, NO_LIMITS, OTHER_MOD, openRig, removed, STREAMER, VIEWER } from "./rig.ts";

type Target = typeof BOB | typeof CARL;
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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("swap") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("fail") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause"), isOn: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("wait"),
      ms: fc.constantFrom(1_000, 12_000, 31_000, -3_600_000),
    }),
  },
);

/** Twitch acts, and says that it failed. */
const FAILS = { kind: "status", status: 500, acted: true } as const;

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Rig = Awaited<ReturnType<typeof openRig>>;

/** What a bystander knows: who moderates, and who was asked about whom until when. */
interface World {
  readonly rig: Rig;
  readonly mods: Set<string>;
  /** Who has which login: the two may swap them. */
  readonly logins: Record<Target, string>;
  room: ActionRoom;
  open: {
    readonly who: string;
    readonly target: Target;
    readonly fromMs: number;
    readonly untilMs: number;
  } | null;
  asked: number;
}

const may = ({ mods }: World, who: string) => who === STREAMER || mods.has(who);
const isPaused = ({ rig }: World) => rig.parts.switches().paused;

function line({ rig, mods, room }: World, who: string, text: string): Promise<boolean> {
  const login = `user${who}`;
  const roles = {
    broadcaster: who === STREAMER,
    moderator: mods.has(who),
    vip: false,
    subscriber: false,
  };
  return rig.line(who, text, { person: { userId: who, login, displayName: login, roles } }, room);
}

function setRole({ rig, mods }: World, who: string, isModerator: boolean): void {
  if (isModerator) mods.add(who);
  else mods.delete(who);
  rig.db
    .prepare("UPDATE viewer_channels SET is_moderator = ? WHERE user_id = ?")
    .run(isModerator ? 1 : 0, who);
}

async function order(world: World, who: string, target: Target): Promise<Target | null> {
  const isFree = !isPaused(world) && may(world, who) && !world.mods.has(target);
  const told = world.rig.said.length;
  await line(world, who, `@automark timeout ${world.logins[target]} 60`);
  // A later message of the bot ends the question.
  if (world.rig.said.length > told && world.open?.who === who) world.open = null;
  return isFree ? target : null;
}

async function propose(world: World, who: string, target: Target): Promise<null> {
  const turn = world.rig.turnOf(who, `do something about ${world.logins[target]}`, {
    messageId: null,
  });
  const handled = await world.room.handle(turn, [`[action timeout user=${world.logins[target]}]`]);
  await handled.outcomes;
  if (handled.instead?.kind !== "question" || !handled.instead.question.onSending()) return null;
  handled.instead.question.onSent({ kind: "sent", messageId: "q", via: "helix" });
  const nowMs = world.rig.parts.now();
  world.open = { who, target, fromMs: nowMs + 1_000, untilMs: nowMs + 60_000 };
  world.asked += 1;
  return null;
}

async function answer(world: World, who: string, text: string): Promise<Target | null> {
  const { open, rig, mods } = world;
  const isYes = text === "!yes";
  const nowMs = rig.parts.now();
  const isMine = open?.who === who && nowMs >= open.fromMs && nowMs < open.untilMs;
  const mine = isMine ? open : null;
  const isEntitled = isYes && !isPaused(world) && may(world, who);
  await line(world, who, text);
  if (mine !== null && (isYes || text === "!no")) world.open = null;
  return mine !== null && isEntitled && !mods.has(mine.target) ? mine.target : null;
}

function rename({ rig, logins }: World, bob: string, carl: string): void {
  Object.assign(logins, { [BOB]: bob, [CARL]: carl });
  const set = rig.db.prepare(
    "UPDATE viewers SET login = @login, display_name = @login WHERE user_id = @id",
  );
  for (const id of [BOB, CARL] as const) set.run({ id, login: logins[id] });
}

function remove(world: World, who: string): void {
  world.room.endRemoved(removed({ userId: who }));
  if (who === world.open?.who || who === world.open?.target) world.open = null;
}

/** Does one step; on whom something may run because of it, null for nobody. */
async function take(world: World, one: Step): Promise<Target | null> {
  if ("target" in one)
    return one.kind === "command"
      ? order(world, one.who, one.target)
      : propose(world, one.who, one.target);
  if ("text" in one) return answer(world, one.who, one.text);
  if ("isModerator" in one) setRole(world, one.who, one.isModerator);
  else if ("who" in one) remove(world, one.who);
  else if ("ms" in one) world.rig.clock.nowMs += one.ms;
  else if ("isOn" in one) world.rig.switches.set("paused", one.isOn, "cli");
  else if (one.kind === "swap") rename(world, world.logins[CARL], world.logins[BOB]);
  else if (one.kind === "fail") world.rig.server.failNext("/mock/moderation/bans", FAILS);
  else {
    world.rig.ledger.settleUnfinished();
    world.room = new ActionRoom(world.rig.parts);
    world.open = null;
  }
  return null;
}

function begin(rig: Rig): World {
  const { db, clock, switches } = rig;
  db.exec("DELETE FROM action_log");
  switches.set("paused", false, "cli");
  clock.nowMs += 200_000_000;
  db.prepare("UPDATE viewers SET last_seen_at = ?").run(rig.parts.now());
  db.prepare("UPDATE viewer_channels SET last_seen_at = ?").run(rig.parts.now());
  const world = {
    ...{ rig, mods: new Set<string>(), logins: { [BOB]: "", [CARL]: "" }, open: null, asked: 0 },
    room: new ActionRoom(rig.parts),
  };
  rename(world, "bob", "carl");
  for (const who of [MOD, OTHER_MOD, BOB, CARL])
    setRole(world, who, who === MOD || who === OTHER_MOD);
  return world;
}

test("over five hundred interleavings, whatever ran was ordered or confirmed by somebody entitled, on that target", async () => {
  const rig = await openRig({ isSteady: true, policy: { limits: NO_LIMITS } });
  const seen = { ran: 0, asked: 0 };
  const play = async (steps: readonly Step[]): Promise<void> => {
    const world = begin(rig);
    for (const one of steps) {
      const before = rig.acts().length;
      const entitled = await take(world, one);
      await world.room.settleHeld();
      const done = rig.acts().slice(before);
      seen.ran += done.length;
      expect(done.length).toBeLessThanOrEqual(entitled === null ? 0 : 1);
      for (const { body } of done)
        expect(body).toMatchObject({ data: { user_id: entitled, duration: 60 } });
    }
    seen.asked += world.asked;
  };
  const steps = fc.array(step, { minLength: 5, maxLength: 25 });
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: 500 });
  expect(seen.ran).toBeGreaterThan(100);
  expect(seen.asked).toBeGreaterThan(200);
}, 240_000);
