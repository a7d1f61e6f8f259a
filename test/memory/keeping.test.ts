import process from "node:process";
import { expect, test } from "vitest";
import { EventReads } from "../../src/chat/event-reads-store.ts";
import type { SpokenKind } from "../../src/chat/normalise.ts";
import { openViewerStore } from "../../src/chat/viewer-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { expireUnproven } from "../../src/memory/episode-texts-store.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { createPrefixSnapshots } from "../../src/memory/recall/snapshot.ts";
import { assemblePrompt } from "../../src/reply/assemble.ts";
import { readTail } from "../../src/reply/read.ts";
import { ReplyStore } from "../../src/reply/reply-store.ts";
import { fence, persona } from "../reply/prompt/prompt-parts.ts";
import { makeTicket } from "../reply/queue-rig.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { learningRig } from "./learning-rig.ts";
import { CHANNEL, memoryRig, STRANGER, summaryJson } from "./memory-rig.ts";

const DAY_MS = 86_400_000;
const SILENCE_MS = 31 * 60_000;

/** What the prefix of a prompt shows of the channel: notes, and sentences of episodes. */
function prefixOf({ db, clock }: Pick<ReturnType<typeof memoryRig>, "db" | "clock">): string {
  const { snapshot } = createPrefixSnapshots(new RecallStore(db), () => clock.nowMs)(CHANNEL);
  return JSON.stringify(snapshot);
}

/** Two silences: after one a window is summarised, after the other its claims become notes. */
async function summariseAndExtract({ clock, memory }: ReturnType<typeof memoryRig>): Promise<void> {
  for (let run = 0; run < 2; run += 1) {
    clock.nowMs += SILENCE_MS;
    await memory.run();
  }
}

test("memory that is off asks the model nothing", async () => {
  const llm = scriptedLlm(summaryJson());
  const rig = memoryRig(llm, openDatabase(":memory:"), { notes: true, mode: "off" });
  rig.sayMany(120);
  rig.setLive(false);
  await rig.memory.run();
  expect(llm.requests).toHaveLength(0);
});

test("a note goes to the shadow when a message that lent it a word is removed", async () => {
  const llm = scriptedLlm(({ purpose, tail }) => {
    if (purpose === "extract") {
      return JSON.stringify({ notes: [{ claims: [1], relation: "new", kind: "preference" }] });
    }
    const label = /^(P\d+) \(known\): i play bass/m.exec(tail)?.[1] ?? "";
    const statement = `${label} plays bass at the lighthouse every friday`;
    return summaryJson([
      { subject: label, statement, quotes: ["i play bass and drums there every friday evening"] },
    ]);
  });
  const rig = memoryRig(llm, openDatabase(":memory:"), { notes: true });
  rig.sayMany(25);
  const lent = rig.say(2, "that lighthouse is open again tonight");
  rig.say(3, "nobody told me the lighthouse was so loud");
  rig.say(1, "i play bass and drums there every friday evening");
  await summariseAndExtract(rig);
  const status = "SELECT status FROM semantic_notes";
  expect(rig.rows(status)).toEqual([{ status: "active" }]);
  rig.events.remove({ by: "message", messageId: lent });
  expect(rig.rows(status)).toEqual([{ status: "shadow" }]);
});

test("what ran out while the program was off is over at its start", async () => {
  const rig = learningRig((claims) =>
    claims.map(({ n }) => ({ claims: [n], relation: "new", kind: "event", lifetime: "1d" })),
  );
  await rig.learn("packs for a trip");
  expect(rig.notes()).toMatchObject([{ status: "active" }]);
  rig.clock.nowMs += 3 * DAY_MS;
  await rig.restart();
  expect(rig.notes()).toMatchObject([{ status: "expired" }]);
});

test("a joke lives thirty days with a stream, however long the channel pauses", async () => {
  const rig = learningRig((claims) =>
    claims.map(({ n }) => ({ claims: [n], relation: "new", kind: "running_bit" })),
  );
  await rig.joke("the crab drives", [1, 2]);
  const nextDay = (isStream: boolean): void => {
    rig.clock.nowMs += DAY_MS;
    if (isStream) rig.setLive(true);
    if (isStream) rig.setLive(false);
    rig.memory.sweep();
  };
  for (let day = 0; day < 60; day += 1) nextDay(false);
  for (let day = 0; day < 29; day += 1) nextDay(true);
  expect(rig.notes()[0]?.status).toBe("active");
  for (let day = 0; day < 4; day += 1) nextDay(true);
  expect(rig.notes()[0]?.status).toBe("expired");
});

test("a sentence of strangers is in no prompt, and goes after thirty days", async () => {
  const llm = scriptedLlm(summaryJson([], "The crew feasted on zanzibar turnips."));
  const rig = memoryRig(llm);
  for (let n = 0; n < 30; n += 1) rig.say(STRANGER + (n % 4), "zanzibar turnips for the feast");
  rig.setLive(false);
  await rig.memory.run();
  const texts = "SELECT summary, unproven FROM episodes";
  const unproven = "The crew feasted on zanzibar turnips.";
  expect(rig.rows(texts)).toEqual([{ summary: "", unproven }]);
  expect(prefixOf(rig)).not.toContain("zanzibar");
  expireUnproven(rig.db, rig.clock.nowMs - 30 * DAY_MS, 10);
  expect(rig.rows(texts)).toEqual([{ summary: "", unproven }]);
  expireUnproven(rig.db, rig.clock.nowMs + 1, 10);
  expect(rig.rows(texts)).toEqual([{ summary: "", unproven: "" }]);
});

test("a joke that a model calls joking becomes a note as any other does", async () => {
  const llm = scriptedLlm(({ purpose }) => {
    if (purpose === "extract") {
      return JSON.stringify({ notes: [{ claims: [1], kind: "running_bit" }] });
    }
    const quotes = ["the crab drives"];
    return summaryJson([{ subject: "bit", statement: "the crab drives", how: "joking", quotes }]);
  });
  const rig = memoryRig(llm, openDatabase(":memory:"), { notes: true });
  rig.sayMany(25);
  for (const person of [1, 2]) rig.say(person, "the crab drives");
  await summariseAndExtract(rig);
  expect(rig.rows("SELECT status FROM semantic_notes")).toEqual([{ status: "active" }]);
});

test("of forty attempts of new accounts at most one is in another's prompt, and what regulars say is", async () => {
  // Ten jokes, ten channel facts, ten sentences of a summary and ten texts of a moment, each by one or two new accounts.
  const llm = scriptedLlm(({ purpose, tail }) => {
    if (purpose === "extract") {
      const claims = [...(tail.split(" notes\n")[0] ?? "").matchAll(/^\[(\d+)\]/gm)];
      const notes = claims.map(([, n]) => ({ claims: [Number(n)], kind: "event" }));
      return JSON.stringify({ notes });
    }
    const said = [...tail.matchAll(/^[^:\n]+: (JOKE|FACT|SUM) (.+)$/gm)];
    const claims = said.flatMap(([, what = "", text = ""]) =>
      what === "SUM"
        ? []
        : [{ subject: what === "JOKE" ? "bit" : "channel", statement: text, quotes: [text] }],
    );
    const sentences = said.flatMap(([, what, text = ""]) =>
      what === "SUM" ? `It was ${text}.` : [],
    );
    return summaryJson(claims, sentences.join(" "));
  });
  const rig = memoryRig(llm, openDatabase(":memory:"), { notes: true });
  const window = async (text: string, crew: readonly number[], kind: SpokenKind = "message") => {
    rig.sayMany(25);
    for (const person of crew) rig.say(person, text, false, { kind, amount: 5 });
    await summariseAndExtract(rig);
  };
  for (let n = 0; n < 40; n += 1) {
    const crew = n % 8 < 4 ? [STRANGER + n] : [STRANGER + n, STRANGER + n + 1];
    const what = ["JOKE ", "FACT ", "SUM ", ""][n % 4];
    const kind = n % 4 === 3 ? "resub" : "message";
    await window(`${what}poison${n} runs the oar${n}`, crew, kind);
    rig.clock.nowMs += DAY_MS; // no cap of a stream keeps the next out
  }
  await window("JOKE the crab drives", [1, 2]);
  await window("FACT the soup is loud", [0]);
  const prompt = promptOf(rig);
  const poisoned = Array.from({ length: 40 }, (_, n) => n).filter((n) =>
    prompt(`why poison${n} and oar${n}?`)
      .replace(/why poison.*/g, "")
      .includes(`poison${n} `),
  );
  expect(rig.rows("SELECT DISTINCT kind FROM moments")).toEqual([{ kind: "resub" }]);
  process.stdout.write(`poison in another's prompt: ${poisoned.length} of 40\n`);
  expect(poisoned.length).toBeLessThanOrEqual(1);
  expect(prompt("why the crab?")).toContain("the crab drives");
  expect(prompt("what about the soup?")).toContain("the soup is loud");
});

/** The prompt that a regular's question gets, as the program assembles it. */
function promptOf({ db, clock }: Pick<ReturnType<typeof memoryRig>, "db" | "clock">) {
  const now = () => clock.nowMs;
  const recall = new RecallStore(db);
  const parts = {
    ...{
      events: new EventReads(db),
      viewers: openViewerStore(db, () => undefined),
      recall,
      now,
    },
    ...{ replies: new ReplyStore(db, now), paceOf: () => "normal" as const },
  };
  const settings = { persona, fence, budgetTokens: 4_000, offered: [] };
  return (question: string): string => {
    const taken = createPrefixSnapshots(recall, now)(CHANNEL);
    const asked = { channel: CHANNEL, userId: "1001", question };
    const ticket = makeTicket({ ...asked, atMs: clock.nowMs });
    const read = readTail(parts, ticket, taken.snapshot);
    const input = { taken, ...read, messageKind: "mention", correction: 1 };
    const { prompt } = assemblePrompt(input, settings);
    return prompt.prefix + prompt.tail;
  };
}
