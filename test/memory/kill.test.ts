import { expect, test } from "vitest";
import { randomFrom } from "../stand-ins/random.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { killMemory } from "./kill-memory.ts";

test("killed four times at random moments, then drained: each event is in one episode, each window paid once", async () => {
  const seed = Date.now() % 100_000;
  const result = await killMemory(temporaryFolder(), {
    kills: 4,
    windows: 20,
    random: randomFrom(seed),
  });
  expect(result, `seed ${seed}`).toMatchObject({
    integrity: "ok",
    uncovered: 0,
    miscounted: 0,
    paidTwice: 0,
    paidBeyond: 0,
    halfWritten: 0,
  });
  expect(result.kills).toBe(4);
  expect(result.summarisedBefore).toBeGreaterThan(2);
}, 90_000);
