import { expect, test } from "vitest";
import { openRecordedModel } from "../../src/demo/recorded-model.ts";
import { recordEvenings } from "../../src/demo/script.ts";
import { makeFence } from "../../src/language/fence.ts";
import { extractSchema } from "../../src/memory/note-prompt.ts";
import { summarySchema } from "../../src/memory/summary-prompt.ts";

const { marker } = makeFence("0".repeat(12));
const model = openRecordedModel(recordEvenings());

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
