import { expect, onTestFinished, test } from "vitest";
import { patientLlm } from "../../src/daemon/stores.ts";
import { writeGate } from "../../src/platform/database/write-gate.ts";
import type { Llm } from "../../src/platform/models/model-port.ts";
import { forgetStore } from "../../src/privacy/forget-store.ts";
import { openWorkbench } from "../platform/models/workbench.ts";
import { type MemoryRig, memoryRig, summaryJson } from "./memory-rig.ts";

const SILENCE_MS = 31 * 60_000;
const GEESE = "I fear geese";
const KITES = "I own three kites";
const CLAIMS = [
  { subject: "P1", statement: "P1 fears geese", quotes: [GEESE] },
  { subject: "P2", statement: "P2 owns three kites", quotes: [KITES] },
];
const USAGE = { promptTokens: 80, cachedTokens: 0, outputTokens: 20 };

/**
 * The questions for a purpose that reach the model, where something happens while the first of them waits for somebody's
 * answer, and for the file that is written anew after it.
 */
async function sentFor(
  purpose: "summarise" | "extract",
  act: (rig: MemoryRig, messageId: string) => unknown,
): Promise<string[]> {
  const bench = openWorkbench();
  onTestFinished(bench.close);
  const file = writeGate();
  const sent: string[] = [];
  const gate = bench.gate(async (call) => {
    if (call.purpose === purpose) sent.push(call.tail);
    const text = call.purpose === "extract" ? '{"notes":[]}' : summaryJson(CLAIMS);
    return { ok: true, text, finish: "stop", usage: USAGE };
  });
  const patient = patientLlm(gate, file);
  let isFirst = true;
  const llm: Llm = {
    ask: (request) => {
      if (request.purpose !== purpose || !isFirst) return patient.ask(request);
      isFirst = false;
      let answered = (): void => undefined;
      void file.hold(() => new Promise<void>((resolve) => (answered = resolve)));
      void file.close().then(file.open);
      const answer = patient.ask(request);
      expect(request.tail).toContain("geese");
      act(rig, messageId);
      answered();
      return answer;
    },
  };
  const rig = memoryRig(llm, undefined, { notes: true });
  const messageId = rig.say(1, GEESE);
  rig.say(2, KITES);
  rig.sayMany(30);
  for (let run = 0; run < 3; run += 1) {
    await rig.memory.run();
    rig.clock.nowMs += SILENCE_MS;
  }
  expect(isFirst).toBe(false);
  return sent;
}

const ACTS = [
  [
    "forgotten",
    ({ db, hash, clock }: MemoryRig) =>
      void forgetStore(db, hash, () => clock.nowMs).forget("1001"),
  ],
  [
    "removed",
    ({ events }: MemoryRig, messageId: string) => events.remove({ by: "message", messageId }),
  ],
] as const;

const PURPOSES = ["summarise", "extract"] as const;

test.each(PURPOSES.flatMap((purpose) => ACTS.map((act) => [purpose, ...act] as const)))(
  "a question to %s that waits for the file is not sent with what was %s meanwhile, but asked anew without it",
  async (purpose, _, act) => {
    const sent = await sentFor(purpose, act);
    expect(sent.filter((tail) => tail.includes("geese"))).toEqual([]);
    expect(sent.filter((tail) => tail.includes("three kites"))).toHaveLength(1);
  },
);

test.each(PURPOSES)(
  "a question to %s that waits for the file is not sent after a pause",
  async (purpose) => {
    expect(await sentFor(purpose, ({ switches }) => switches.set("paused", true, "test"))).toEqual(
      [],
    );
  },
);
