import { expect, test } from "vitest";
import { randomFrom } from "../stand-ins/random.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { runSeeker, storedTexts } from "./brute-force.ts";
import { memoryRig, spoken, summaryJson } from "./memory-rig.ts";

const MINUTE_MS = 60_000;
const CALL_MS = 8_000;
const LOOK_EVERY_MS = 180_000;
const STEP_MS = 150; // 400 messages a minute
const RAID_MS = 20 * MINUTE_MS;

/** A channel in a raid, on a clock of its own: whoever lets time pass, chat arrives meanwhile. */
function raid() {
  const written: number[] = [];
  const llm = scriptedLlm(() => {
    const before = written.length;
    pass(CALL_MS);
    if (sinceStartMs() < RAID_MS)
      expect(written.length - before).toBe(Math.floor(CALL_MS / STEP_MS));
    return summaryJson();
  });
  const rig = memoryRig(llm);
  const startMs = rig.clock.nowMs;
  const sinceStartMs = () => rig.clock.nowMs - startMs;
  const pass = (ms: number): void => {
    for (const endMs = rig.clock.nowMs + ms; rig.clock.nowMs < endMs; ) {
      const stepMs = Math.min(STEP_MS, endMs - rig.clock.nowMs);
      rig.clock.nowMs += stepMs;
      if (stepMs < STEP_MS || sinceStartMs() > RAID_MS) continue;
      const id = rig.events.add(
        spoken(written.length % 40, `raider line ${written.length}`, `r-${written.length}`),
      );
      written.push(rig.clock.nowMs);
      expect(id).not.toBeNull();
    }
  };
  const waiting = () =>
    rig.rows<{ n: number; oldest: number | null }>(
      "SELECT count(*) AS n, min(created_at) AS oldest FROM events WHERE memorable = 1 AND episode_id IS NULL",
    )[0] ?? { n: 0, oldest: null };
  return { rig, llm, written, pass, sinceStartMs, waiting };
}

test("a raid of 400 a minute for 20 minutes is summarised at 8 s a call, and leaves no backlog ten minutes later", async () => {
  const { rig, llm, written, pass, sinceStartMs, waiting } = raid();
  rig.setLive(true);
  let oldestMs = 0;
  while (sinceStartMs() < RAID_MS + 10 * MINUTE_MS) {
    pass(LOOK_EVERY_MS);
    oldestMs = Math.max(oldestMs, rig.clock.nowMs - (waiting().oldest ?? rig.clock.nowMs));
    await rig.memory.run();
    if (sinceStartMs() > RAID_MS + LOOK_EVERY_MS + MINUTE_MS) break;
  }
  expect(sinceStartMs()).toBeLessThan(RAID_MS + 10 * MINUTE_MS);
  expect(written.length).toBeGreaterThanOrEqual(7_900);
  expect(rig.rows("SELECT count(*) AS n FROM events")).toEqual([{ n: written.length }]);
  expect(waiting().n).toBeLessThan(25);
  expect(oldestMs).toBeLessThan(10 * MINUTE_MS);
  expect(rig.rows("SELECT sum(event_count) AS n FROM episodes")).toEqual([
    { n: written.length - waiting().n },
  ]);
  expect(llm.requests.length).toBeLessThan(written.length / 100 + 20);
  expect(rig.rows("SELECT max(event_count) AS n FROM episodes")).toEqual([{ n: 100 }]);
  expect(rig.counters.read()["memory.lines_unread"]).toBeUndefined();
});

const WORDS = (
  "harbour lantern ladder oar biscuit uncle clock spoon lake sister roof goose market ribbon kettle bridge night " +
  "window orange pencil tunnel basket whistle blanket corner summer quiet heavy broken yellow early never always " +
  "вчера лодка брат сестра окно старый 昨日は 公園 妹と 鯉に 오늘은 친구와 호수"
).split(" ");
const OPENINGS = [
  "",
  "",
  "@sailor_2 ",
  "sailor_3, ",
  "@stranger99 ",
  "LUL LUL ",
  "«Ну» ",
  "WAIT! ",
];

test("a model that copies whole messages into topic, summary and claims leaves no run of them", async () => {
  const random = randomFrom(20);
  const llm = scriptedLlm(({ tail }) => {
    if (tail.includes("notes on the stream")) return JSON.stringify({ recap: tail.slice(0, 900) });
    const lines = [...tail.matchAll(/^(P\d+|STREAMER)(?: \(known\))?: (.+)$/gm)];
    const pick = () => random.pick(lines)[2] ?? "";
    const claims = lines.slice(0, 30).map(([, label, text], at) => ({
      subject: random.pick([label ?? "", "channel", "bit"]),
      quotes: [text ?? "", lines[(at + 1) % lines.length]?.[2] ?? ""],
      statement: random.pick([
        text ?? "",
        `${label} said ${text}`,
        `${text} ${pick()}`,
        (text ?? "").toUpperCase(),
      ]),
    }));
    const summary = random.pick([
      `${pick()}. ${pick()}. ${pick()}.`,
      `They spoke of boats. ${pick()}`,
      `${pick().replaceAll(" ", "  ")} ${pick()}`,
    ]);
    return JSON.stringify({ topic: pick(), summary, claims });
  });
  const rig = memoryRig(llm);
  const said: string[] = [];
  for (let window = 0; window < 20; window += 1) {
    rig.setLive(window % 10 < 8);
    for (let n = 0; n < 30; n += 1) {
      const words = Array.from({ length: random.int(1, 24) }, () => random.pick(WORDS));
      const text = `${random.pick(OPENINGS)}${words.join(" ")}`;
      said.push(text);
      rig.say(random.int(0, 5), text);
    }
    await rig.memory.run();
  }
  const texts = storedTexts(rig.db).filter(({ place }) =>
    /^(episode|stream_sessions|counters|notices)/.test(place),
  );
  // As it is stored, and as it is read: names in for tokens.
  const named = texts.map(({ text }) => text.replaceAll(/\{u:100(\d)\}/g, "sailor_$1"));
  const holdsRun = runSeeker([...texts.map(({ text }) => text), ...named]);
  expect([...new Set(said)].filter(holdsRun)).toEqual([]);
  // The checker itself can tell: what the model wrote is full of them.
  const answers = llm.requests.map(({ tail }) => tail);
  expect([...new Set(said)].filter(runSeeker(answers)).length).toBeGreaterThan(20);
  expect(
    rig.rows<{ n: number }>("SELECT count(*) AS n FROM episodes")[0]?.n,
  ).toBeGreaterThanOrEqual(20);
  expect(rig.counters.read("compaction.copied")["compaction.copied"]).toBeGreaterThan(12);
});
