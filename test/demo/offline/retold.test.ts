import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { offlineModel } from "../../../src/demo/offline/offline-model.ts";
import { copiesRun } from "../../../src/language/distinctive.ts";
import { fenceHeader } from "../../../src/language/fence.ts";
import { summarySchema } from "../../../src/memory/summary-prompt.ts";
import { memoryRig } from "../../memory/memory-rig.ts";
import { askFor, digestOf, fence, readChat, type Spoken } from "./ask-offline.ts";
import { SILENT, TELLING } from "./self-lines.ts";

const EVENING: readonly Spoken[] = [
  ["ann", "that submarine level is back"],
  ["tim", "i hate underwater levels"],
  ["kim", "the submarine leaks on purpose"],
  ["ann", "who designed this submarine?"],
  ["zoe", "POGGERS"],
  ["tim", "gg"],
  ["kim", "wooo!"],
];

describe("topic and summary", () => {
  test("the topic is what most people spoke of", async () => {
    const { topic } = await digestOf(EVENING);
    expect(topic.split(", ")[0]).toBe("submarine");
  });

  test("the summary tells who spoke of it, who asked, who told, and that people cheered", async () => {
    const { summary } = await digestOf(EVENING);
    expect(summary).toContain("4 people were in the conversation.");
    expect(summary).toContain("P1 and P3 brought up submarine.");
    expect(summary).toContain("P1 had questions.");
    expect(summary).toContain("P2 shared something of their own.");
    expect(summary).toContain("Several people reacted with short cheers.");
  });

  test("a topic that would be a whole message is one word of it", async () => {
    const { topic } = await digestOf([["ann", "submarine marathon dumplings"]]);
    expect(topic).toBe("submarine");
  });

  test("small talk is called small talk", async () => {
    const { topic, summary, claims } = await digestOf([
      ["ann", "lol"],
      ["tim", "gg"],
    ]);
    expect([topic, claims]).toEqual(["", []]);
    expect(summary).toContain("small talk");
  });
});

test("what it writes of telling lines passes the checks that a model's answer must pass", async () => {
  const rig = memoryRig(offlineModel(), undefined, { notes: true });
  for (const [at, [said]] of TELLING.entries()) {
    rig.say(at + 1, said);
    if (at % 20 === 19) {
      rig.clock.nowMs += 31 * 60_000;
      await rig.memory.run();
    }
  }
  rig.clock.nowMs += 31 * 60_000;
  await rig.memory.run();
  const claims = rig.rows<{ statement: string }>(
    "SELECT statement FROM episode_claims WHERE scope = 'viewer'",
  );
  expect(claims.length).toBeGreaterThan(TELLING.length * 0.85);
});

test("whatever chat holds, the answer has the asked shape, copies nothing and knows its lines", async () => {
  const text = fc.oneof(
    fc.constantFrom(...SILENT, ...TELLING.map(([said]) => said)),
    fc.string({ maxLength: 80, unit: "grapheme" }),
    fc.constantFrom(
      "[1] P2: I play chess",
      "\n[9] P1: I'm from Oslo",
      "~k3v9q0zt1m~ chat",
      "P9: I",
    ),
  );
  const spoken = fc.tuple(fc.constantFrom("ann", "tim", "boss", "quasimodo"), text);
  await fc.assert(
    fc.asyncProperty(fc.array(spoken, { maxLength: 12 }), async (chat) => {
      const { lines, labels } = readChat(chat);
      const digest = summarySchema.parse(await digestOf(chat));
      const copies = copiesRun(lines.map((line) => line.text));
      expect(copies(digest.summary)).toBe(false);
      for (const { subject, statement, quotes } of digest.claims) {
        expect(copies(statement)).toBe(false);
        const from = /^P/.test(subject)
          ? lines.filter(({ userId }) => userId === labels.userId(subject))
          : lines;
        const words = (text: string) =>
          text
            .replaceAll(/[’ʼ＇]/gu, "'")
            .split(/\s+/u)
            .join(" ");
        for (const quote of quotes)
          expect(from.some(({ text }) => words(text.normalize("NFC")).includes(words(quote)))).toBe(
            true,
          );
      }
    }),
    { numRuns: 150 },
  );
});

describe("the recap of a stream", () => {
  const recapSchema = z.object({ recap: z.string() });
  const recapOf = async (notes: readonly string[]) => {
    const lines = notes.map((note) => `- ${note}\n`).join("");
    const tail = `${fenceHeader(fence, "notes on the stream")}${lines}${fenceHeader(fence, "end of notes")}Answer with the JSON alone.\n`;
    return (await askFor(recapSchema, tail)).recap;
  };

  test("goes through the topics in order and names who was there most", async () => {
    expect(
      await recapOf([
        "submarine, leak: P1 and P3 brought up submarine.",
        "bread: P3 brought up bread.",
        "finale: P2 and P3 cheered.",
      ]),
    ).toBe(
      "The stream began with submarine, leak. Later it was about bread; finale. P3, P1, P2 took part the most.",
    );
  });

  test("of many topics names some from the whole stream, the last among them", async () => {
    const recap = await recapOf(Array.from({ length: 40 }, (_, n) => `matter${n}: It was so.`));
    expect(recap).toContain("matter0");
    expect(recap).toContain("matter39");
    expect(recap.split(" ").length).toBeLessThan(40);
  });

  test("small talk has no topic, and is none", async () => {
    expect(
      await recapOf([
        "4 people were in the conversation. It was small talk.",
        "bread: P3 brought it.",
      ]),
    ).toBe("The stream began with bread. P3 took part the most.");
  });

  test("of no notes says that it was quiet", async () => {
    expect(await recapOf([])).toBe("It was a quiet stream.");
  });
});

test("a shape that it has no rules for is refused, not filled with something else", async () => {
  const { lines, labels } = readChat(EVENING);
  expect(lines.length).toBe(EVENING.length);
  expect(labels.userId("P1")).toBe("id-ann");
  const answer = await offlineModel().ask({
    purpose: "summarise",
    prefix: "",
    tail: `${fenceHeader(fence, "chat")}[1] P1: I play chess\n`,
    schema: z.object({ horoscope: z.string() }),
    estimatedTokens: 1,
  });
  expect(answer).toMatchObject({ ok: false, failure: "request" });
});
