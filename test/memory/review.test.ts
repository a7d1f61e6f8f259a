import { expect, test } from "vitest";
import { EpisodeReview } from "../../src/memory/episode-texts-store.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { memoryRig, summaryJson } from "./memory-rig.ts";

const STATE = "SELECT kind, stage, status, attempts FROM episodes";

test("a gap that is retried is summarised at the next look, once, while its chat is there", async () => {
  const llm = scriptedLlm({ failure: "invalid_json" });
  const rig = memoryRig(llm);
  rig.sayMany(25);
  for (let look = 0; look < 5; look += 1) {
    await rig.memory.run();
    rig.clock.nowMs += 31 * 60_000;
  }
  expect(rig.rows(STATE)).toMatchObject([{ kind: "gap", status: "failed" }]);
  const review = new EpisodeReview(rig.db);
  expect(review.retry(1)).toBe(true);
  llm.enqueue(
    summaryJson([{ subject: "P1", quotes: ["about the lamp"], statement: "P1 tells of the lamp" }]),
  );
  await rig.memory.run();
  expect(review.episode(1)).toMatchObject({
    kind: "window",
    stage: expect.not.stringContaining("claimed"),
    eventCount: 25,
    people: ["Sailor_0", "Sailor_1", "Sailor_2", "Sailor_3", "Sailor_4"],
  });
  expect(review.retry(1)).toBe(false);
  expect(review.retry(2)).toBe(false);
});

test("an episode whose extraction failed keeps its summary when it is retried, also when its chat is gone", async () => {
  const rig = memoryRig(scriptedLlm(summaryJson()));
  rig.sayMany(25);
  await rig.memory.run();
  rig.db.exec(
    "UPDATE episodes SET stage = 'summarised', status = 'failed', attempts = 5; UPDATE events SET text = NULL",
  );
  expect(new EpisodeReview(rig.db).retry(1)).toBe(true);
  expect(rig.rows(STATE)).toEqual([
    { kind: "window", stage: "summarised", status: "pending", attempts: 0 },
  ]);
});

test("an episode that waits for its next try is due at once when it is retried", async () => {
  const llm = scriptedLlm({ failure: "network" });
  const rig = memoryRig(llm);
  rig.sayMany(25);
  await rig.memory.run();
  llm.enqueue(summaryJson());
  await rig.memory.run();
  expect(rig.rows(STATE)).toMatchObject([{ stage: "claimed" }]);
  new EpisodeReview(rig.db).retry(1);
  await rig.memory.run();
  expect(rig.rows(STATE)).toEqual([expect.not.objectContaining({ stage: "claimed" })]);
});
