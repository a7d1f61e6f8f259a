import fc from "fast-check";
import { expect, test } from "vitest";
import { makeFence } from "../../../src/language/fence.ts";
import { createLineMemory } from "../../../src/reply/assemble.ts";
import { makeTailSections, type TailInput } from "../../../src/reply/prompt/sections.ts";
import { EMPTY_TAIL } from "./prompt-parts.ts";

const FENCE = makeFence("0123456789ab");
const PERSONA = { name: "Mark", voice: "Brief." };

test("whatever stood in the prompts before, each line says what it would say had there been none", () => {
  const id = fc.integer({ min: 1, max: 4 });
  const words = fc.constantFrom("", "rain", "bees bees", "a long walk home ".repeat(30));
  const line = fc.record({ id, name: fc.constantFrom("Ann", "Anna"), text: words });
  const note = fc.record({
    id,
    fact: words,
    topics: fc.constantFrom("", "bees"),
    kind: fc.constant("event"),
    score: fc.constant(1),
    createdAtMs: fc.constantFrom(0, 40 * 86_400_000),
  });
  const tail = fc.record({
    own: fc.array(line, { maxLength: 3 }),
    chat: fc.array(line, { maxLength: 4 }),
    lore: fc.array(note, { maxLength: 4 }),
    replies: fc.array(fc.record({ id, text: words }), { maxLength: 3 }),
    thread: fc.array(fc.record({ id, name: words, text: words, isRepliedTo: fc.boolean() }), {
      maxLength: 3,
    }),
  });
  fc.assert(
    fc.property(fc.array(tail, { maxLength: 4 }), (tails) => {
      const memory = createLineMemory();
      for (const made of tails) {
        const input = inputOf(made);
        const remembered = makeTailSections(input, PERSONA, FENCE, memory());
        expect(remembered).toEqual(makeTailSections(input, PERSONA, FENCE));
      }
    }),
  );
});

test("a line is made once while prompt after prompt shows it, and anew after one that did not", () => {
  const memory = createLineMemory();
  let made = 0;
  const show = (): void => {
    const source = ["said", 7, "Ann", 60, "hm"];
    memory()(source, () => {
      made += 1;
      return { text: "Ann: hm\n", tokens: 4, ids: [7] };
    });
  };
  show();
  show();
  expect(made).toBe(1);
  memory();
  show();
  expect(made).toBe(2);
});

function inputOf(some: Pick<TailInput, "own" | "chat" | "lore" | "replies" | "thread">): TailInput {
  return {
    ...EMPTY_TAIL,
    ...some,
  };
}
