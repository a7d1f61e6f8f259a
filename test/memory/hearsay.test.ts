import { expect, test } from "vitest";
import { isHearsay } from "../../src/memory/hearsay.ts";

function isBorneOut(statement: string, ...said: string[]): boolean {
  const line = { userId: "1", isStreamer: false, toBot: false };
  const own = said.map((text, id) => ({ ...line, id, text }));
  return !isHearsay(statement, { userId: "1", own, lines: own });
}

test.each([
  ["P1 plays chess", "i play chess every night", true],
  ["P1 plays chess", "i do not play chess any more", false],
  ["P1 does not play chess any more", "i do not play chess any more", true],
  ["P1 plays only go", "i don't play chess any more, only go", true],
  ["P1 plays chess", "i don't play chess any more, only go", false],
  ["P1 drinks tea", "no coffee for me. tea, always tea", true],
  ["P1 играет в теннис", "в шахматы больше не играю, только теннис", true],
])("%s, by %s: %s", (statement, said, expected) => {
  expect(isBorneOut(statement, said)).toBe(expected);
});
