import { expect, test } from "vitest";
import { prepareGuard } from "../../src/reply/guard.ts";
import { FINE_ANSWERS, MORE_FINE_ANSWERS, MORE_ODD_ANSWERS, ODD_ANSWERS } from "./odd-answers.ts";

const prepared = prepareGuard({
  allowedHosts: [],
  forbidden: { bannedWords: [] },
  secretTexts: [],
  voiceTexts: [],
  markers: [],
  ownNames: ["automark", "Mark"],
});
/** Wendy asked; the others wrote before. */
const TAIL =
  "~f~ chat\nOlaf: hi\npim_99: hello\nMark (you) to Wendy: hi\n~f~ now\nWendy, to you: tips?\n";
const guard = (raw: string) => prepared(raw, { tail: TAIL });

test("there are sixty odd answers and thirty fine ones", () => {
  expect([ODD_ANSWERS.length, FINE_ANSWERS.length]).toEqual([60, 30]);
});

test.each([...ODD_ANSWERS, ...MORE_ODD_ANSWERS])("is clean or silent: %j", (raw, sent) => {
  const guarded = guard(raw);
  expect(guarded.ok ? guarded.text : null).toBe(sent);
  if (guarded.ok) expect(guarded.removed).not.toEqual([]);
});

test.each([...FINE_ANSWERS, ...MORE_FINE_ANSWERS])("is sent word for word: %j", (text) => {
  expect(guard(text)).toEqual({ ok: true, text, removed: [], proposals: [] });
});

test("an answer of 100 kB that repeats ends with a whole sentence", () => {
  const sentences = Array.from({ length: 7 }, (_, n) => `The crab of tower ${n} owns a lantern.`);
  const round = `${sentences.join(" ")} `;
  const guarded = guard(round.repeat(100_000 / round.length));
  expect(guarded.ok ? guarded.text : "").toMatch(/owns a lantern\.$/);
  const short = guard("Crabs walk sideways all night. ".repeat(4_000));
  expect(short.ok ? short.text : "").toBe("Crabs walk sideways all night.");
});
