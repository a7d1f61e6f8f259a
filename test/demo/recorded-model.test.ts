import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "../../src/config/environment.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openRecordedModel } from "../../src/demo/recorded-model.ts";
import { checkProofs } from "../../src/demo/rehearsal.ts";
import { makeEvenings, makeRecording } from "../../src/demo/script.ts";
import { makeFence } from "../../src/language/fence.ts";
import { extractSchema } from "../../src/memory/note-prompt.ts";
import { summarySchema } from "../../src/memory/summary-prompt.ts";
import { promptSecrets } from "../../src/reply/reply-service.ts";
import { openBotFolder } from "../cli/bot-folder.ts";
import { picture, proofs, rows, said, script } from "./recorded.ts";

const { marker } = makeFence("0".repeat(12));
const model = openRecordedModel(makeRecording());

/** The tail of a reply's prompt: a message of Gus, and notes about him. */
function replyTo(message: string, notes: readonly string[] = []) {
  const tail = [
    `${marker} what you remember about GridlockGus`,
    ...notes,
    `${marker} current message`,
    `GridlockGus, to you: ${message}`,
    `${marker} your one-line answer as automark`,
  ].join("\n");
  return model.ask({ purpose: "reply", prefix: "", tail, estimatedTokens: 1 });
}

test("a recorded answer is given only if its note is in the prompt", async () => {
  const asked = "@automark what rank was i again?";
  expect(await replyTo(asked, ["7 is silver 2 in Gridlock Rally (Nov 2026)"])).toMatchObject({
    text: "Silver 2 in Gridlock Rally. I'd frame it.",
  });
  expect(await replyTo(asked)).toMatchObject({ text: "I don't know that yet." });
});

test("an answer that proves a forget is not given while the note is in the prompt", async () => {
  const asked = "@automark what do you know about me?";
  expect(await replyTo(asked)).toMatchObject({ text: expect.stringContaining("Not a thing") });
  const notes = ["4 restores old pinball machines"];
  expect(await replyTo(asked, notes)).not.toMatchObject({
    text: expect.stringContaining("Not a thing"),
  });
});

test("a correction names the note that the prompt shows", async () => {
  const asked = "@automark not bergen any more, i moved to utrecht!";
  const notes = ["12 lives in Bergen, where it rains sideways (Nov 2026)"];
  expect(await replyTo(asked, notes)).toMatchObject({
    text: expect.stringContaining("[action correct note=12 "),
  });
});

test("any other question is answered from the note that shares its words", async () => {
  const notes = ["3 collects thimbles", "5 plays the tuba"];
  expect(await replyTo("@automark do i play the tuba?", notes)).toMatchObject({
    text: "I only remember this: plays the tuba.",
  });
});

test("chat of the script becomes claims, any other chat none", async () => {
  const claimsOf = async (...lines: readonly string[]) => {
    const tail = [`${marker} chat`, ...lines, `${marker} end of chat`].join("\n");
    const schema = summarySchema;
    return model.ask({ purpose: "summarise", prefix: "", tail, schema, estimatedTokens: 1 });
  };
  expect(
    await claimsOf("P3 (known): my cat is called Marmalade and she has opinions"),
  ).toMatchObject({
    value: { claims: [{ subject: "P3", statement: "P3 has a cat called Marmalade" }] },
  });
  expect(await claimsOf("P3: my dog is called Biscuit")).toMatchObject({ value: { claims: [] } });
});

test("a change replaces the viewer's older note, and no other viewer's", async () => {
  const relationTo = async (subject: string) => {
    const tail = [
      `${marker} claims`,
      "[1] P2: reached gold 1 in Gridlock Rally",
      `${marker} notes`,
      `[9] ${subject}: is silver 2 in Gridlock Rally`,
      `${marker} end`,
    ].join("\n");
    const schema = extractSchema;
    return model.ask({ purpose: "extract", prefix: "", tail, schema, estimatedTokens: 1 });
  };
  expect(await relationTo("P2")).toMatchObject({
    value: { notes: [{ claims: [1], relation: "replaces", note: 9 }] },
  });
  expect(await relationTo("P4")).toMatchObject({ value: { notes: [{ relation: "new" }] } });
});

test("the picture was drawn from this version and script: `npm run docs:rehearsal`", () => {
  const made = JSON.parse(/<metadata>(.*)<\/metadata>/.exec(picture)?.[1] ?? "{}");
  expect(made).toEqual({
    version: VERSION,
    script: createHash("sha256").update(JSON.stringify(script)).digest("hex"),
  });
});

test("the picture of a report is of this version, and begins with people", () => {
  const drawn = readFileSync("docs/report.svg", "utf8");
  const made = JSON.parse(/<metadata>(.*)<\/metadata>/.exec(drawn)?.[1] ?? "{}");
  expect(made.version).toBe(VERSION);
  const lines = [...drawn.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = ""]) => text);
  expect(lines.slice(1, 8).join("\n")).toMatch(/^People\n {2}talked to it/im);
  expect(lines.join("\n")).not.toMatch(/p50|viewer_cooldown|superseded/);
});

test("the recording shows what is said in this script, all of it and nothing else", () => {
  const over = rows.findIndex(({ text }) => text === "The demo is over.");
  const shown = rows.slice(0, over).filter(({ kind, text }) => kind === "say" && text !== "");
  expect(shown.length).toBeGreaterThan(30);
  expect(shown.map(({ text }) => text).sort()).toEqual(said.map(({ row }) => row).sort());
});

test("every question about memory in the recording is answered, by the bot's next words", () => {
  expect(proofs().filter(({ kind }) => kind === "memory").length).toBeGreaterThan(4);
  expect(proofs().filter(({ answer }) => answer === null)).toEqual([]);
});

test("what the recording says it showed is what it shows", () => {
  for (const [kind, told] of [
    ["memory", "Questions answered from a note"],
    ["order", "Orders that came to nothing"],
    ["forgotten", "Forgotten on request"],
  ]) {
    const count = proofs().filter((one) => one.kind === kind).length;
    expect(rows.map(({ text }) => text)).toContain(`${told}: ${count} of ${count}`);
  }
});

test.for([
  ["silence", "", false],
  ["a piece of the prompt", "Sure: one chat message in your voice: one line of plain text", false],
  ["the prompt's first words", "You are b, a chat bot in the Twitch chat of here.", false],
  ["a refusal", "Nice try. I only do this one job, and I like it.", true],
] as const)("an order answered with %s", ([, answer, held]) => {
  const { db, file } = openBotFolder();
  const script = makeEvenings();
  const answers = new Map(script.map(({ index }) => [index, [answer]]));
  const secrets = promptSecrets(loadConfig(file), makeFence("0".repeat(12)));
  const orders = checkProofs(db, script, answers, secrets).filter(({ kind }) => kind === "order");
  expect(orders.length).toBeGreaterThan(1);
  expect(orders.filter((one) => one.held !== held)).toEqual([]);
});
