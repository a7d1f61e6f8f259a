import { expect, test } from "vitest";
import { forget, openWorld, say, type World } from "./person-world.ts";

/** So long a pause closes a window. */
const QUIET_MS = 31 * 60_000;

/** Two people who speak of a third one, who spoke before. */
async function talkOfThird(meanwhile: (world: World) => void): Promise<World> {
  const world = openWorld(3);
  const [one, two, third] = world.bodies;
  if (one === undefined || two === undefined || third === undefined) throw new Error("nobody");
  for (let n = 0; n < 9; n += 1) say(world, third, null);
  await world.rig.memory.run();
  for (let n = 0; n < 9; n += 1) say(world, n % 2 === 0 ? one : two, n === 3 ? third : null);
  world.rig.clock.nowMs += QUIET_MS;
  world.meanwhile.act = () => meanwhile(world);
  await world.rig.memory.run();
  return world;
}

const SUMMARIES = "SELECT summary FROM episodes ORDER BY id";

test("a summary names somebody who was spoken of", async () => {
  const { rig, bodies } = await talkOfThird(() => undefined);
  const [, last] = rig.rows<{ summary: string }>(SUMMARIES);
  expect(last?.summary).toContain(`{u:${bodies[2]?.userId}}`);
});

test("a summary that was written while somebody in it was forgotten is thrown away, and written anew without them", async () => {
  const world = await talkOfThird((one) => {
    const third = one.bodies[2];
    if (third !== undefined) forget(one, third);
  });
  const [, last] = world.rig.rows<{ summary: string }>(SUMMARIES);
  expect(last?.summary).toContain("was at pier");
  expect(last?.summary).not.toContain(world.bodies[2]?.userId);
  expect(world.shown.filter((tail) => tail.includes("and P3 or P3 may know"))).toHaveLength(1);
});
