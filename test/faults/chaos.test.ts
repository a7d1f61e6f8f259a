import { expect, test } from "vitest";
import { episodeStore } from "../../src/memory/episode-store.ts";
import { CHANNEL, memoryRig, START_MS } from "../memory/memory-rig.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { coveredTwice, wrongIn } from "../stand-ins/chaos-result.ts";
import { chaosRun } from "../stand-ins/chaos-run.ts";
import { slope } from "../stand-ins/heap-watch.ts";
import { openTown } from "../stand-ins/house.ts";
import { randomFrom } from "../stand-ins/random.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { launchIn } from "../stand-ins/town.ts";

/** One run of many: `npm run soak` takes another each time. */
const SEED = 11;
const main = builtProgram();

test(`twenty seconds of faults at random lose nothing that was acknowledged (seed ${SEED})`, async () => {
  const town = await openTown({ isWorkingModel: true, scopes: ["user:write:chat", "clips:edit"] });
  const launch = launchIn(town, main, { memory: { compactionSeconds: 2, noteSeconds: 2 } });
  const result = await chaosRun(town, launch, { ms: 20_000, random: randomFrom(SEED) });
  expect(result).toMatchObject({
    wishesLost: [],
    notForgotten: [],
    lost: { episodes: [], decisions: [], notes: [] },
    answeredTwice: 0,
    unsettled: 0,
    coveredTwice: 0,
    integrity: "ok",
    exit: 0,
    answersAgain: true,
  });
  expect(result.wishes).toBeGreaterThan(0);
  expect(result.seen.decisions).toBeGreaterThan(0);
}, 300_000);

test("an event that a second episode claims is seen, and one whose text went is not missed", () => {
  const rig = memoryRig(scriptedLlm());
  const { db } = rig;
  rig.sayMany(50);
  rig.rows("SELECT 1");
  const episodes = episodeStore(db, () => START_MS);
  const window = { channel: CHANNEL, kind: "window", count: 25, userId: null } as const;
  const first = episodes.claim(window);
  episodes.claim(window);
  db.exec("UPDATE events SET text = NULL WHERE id = 1");
  expect(first).not.toBeNull();
  expect(coveredTwice(db)).toBe(0);
  db.prepare("UPDATE events SET episode_id = NULL WHERE episode_id = ? AND id > 20").run(first);
  expect(coveredTwice(db)).toBe(1);
  episodes.claim(window);
  expect(coveredTwice(db)).toBe(1);
});

test("a run that saw nothing, or whose memory nobody measured, proves nothing", () => {
  const none = { episodes: [], decisions: [], notes: [] };
  const counts = { lines: 9, wishes: 2, forgotten: 1, answers: 4, answeredTwice: 0, unsettled: 0 };
  const flat = { kbPerHour: 90, errorKb: 40 };
  const climbing = { kbPerHour: 190, errorKb: 40 };
  const good = {
    ...{ ...counts, faults: {}, wishesLost: [], notForgotten: [], lost: none, coveredTwice: 0 },
    ...{ seen: { episodes: 1, decisions: 1, notes: 1 }, integrity: "ok", exit: 0, logBytes: 9 },
    ...{
      answersAgain: true,
      growth: { live: flat, code: climbing, external: flat, resident: climbing },
    },
  };
  const hour = 3_600_000;
  expect(wrongIn(good, hour)).toEqual([]);
  expect(wrongIn({ ...good, wishes: 0 }, hour)).toEqual(["no wish was answered"]);
  expect(wrongIn({ ...good, forgotten: 0 }, hour)).toEqual(["nobody was forgotten"]);
  expect(wrongIn({ ...good, seen: { ...good.seen, decisions: 0 } }, hour)).toEqual([
    "a kind of row was never seen",
  ]);
  expect(wrongIn({ ...good, growth: null }, 60_000)).toEqual([]);
  const grown = ["memory grows, or was not measured"];
  expect(wrongIn({ ...good, growth: null }, hour)).toEqual(grown);
  for (const live of [climbing, { kbPerHour: 0, errorKb: 300 }])
    expect(wrongIn({ ...good, growth: { ...good.growth, live } }, hour)).toEqual(grown);
});

test("a heap that grows by five megabytes an hour is told from one that only moves", () => {
  const random = randomFrom(5);
  const runs = (kbPerHour: number) =>
    [0, 1_500_000].map((fromMs) =>
      Array.from({ length: 150 }, (_, at) => {
        const atMs = fromMs + at * 10_000;
        const live = 2e7 + fromMs + (kbPerHour * 1024 * atMs) / 3_600_000 + random.int(-2e5, 2e5);
        return { atMs, live, code: 0, external: 0, resident: 0 };
      }),
    );
  const [still, grows] = [slope(runs(0), "live"), slope(runs(5_000), "live")];
  expect(Math.abs(still?.kbPerHour ?? 9e9)).toBeLessThan(3 * (still?.errorKb ?? 0));
  expect(grows?.kbPerHour).toBeGreaterThan(3 * (grows?.errorKb ?? 9e9));
  expect(slope([], "live")).toBeNull();
});
