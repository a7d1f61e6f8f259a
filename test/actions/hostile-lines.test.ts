import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { addressFinder } from "../../src/chat/addressed.ts";
import { extractActions, parseAction } from "../../src/language/action-syntax.ts";
import { cleanLine, collapseRepeats, cutText } from "../../src/language/clean.ts";
import { fold } from "../../src/language/fold.ts";
import { namesToRedact } from "../../src/language/people.ts";
import { labelPeople } from "../../src/memory/labels.ts";
import { growth } from "../language/growth.ts";
import { MOD, openRig, READER } from "./rig.ts";

const UNITS = [
  ...["5m ", "5m", "60 ", "10m:", "mute bob 5m 5m ", "[", "[action ", "[[(", "]", '"', "\\"],
  ...["a\u0301\u0302\u0327", "\u200d", "\u200d\u0301", "\ufe0f", "क्\u200d", "👩\u200d", "🏿"],
  ...[
    "1",
    "1.",
    "1:2,",
    "٣",
    "аbя漢か",
    "bob漢",
    "@bob",
    "@",
    ": ",
    " | ",
    ".",
    "! ",
    "no ",
    "yes.",
  ],
];
const hear = addressFinder(["automark", "mark"]);
const [name] = namesToRedact([{ userId: "7", names: ["alice_7"] }]);
const labels = labelPeople([{ userId: "7", login: "bob", displayName: "Bob漢" }], [], ["mark"]);

const FUNCTIONS: readonly (readonly [string, (line: string) => unknown])[] = [
  [
    "reading a command",
    (line) => READER.command({ text: `@automark mute ${line}`, repliesTo: null }, () => []),
  ],
  ["reading an answer", (line) => READER.answer(line, true)],
  ["parsing an action", (line) => parseAction(`[action timeout user=${line}]`)],
  ["taking out actions", extractActions],
  ["cleaning", cleanLine],
  ["cutting", (line) => cutText(line, 450)],
  ["collapsing repeats", collapseRepeats],
  ["folding letters", fold],
  ["folding look-alikes", (line) => fold(line, { lookAlikes: true })],
  ["finding the bot's name", hear],
  ["taking out a name", (line) => name?.takeOut(line)],
  ["hiding names", labels.hide],
];

test.each(FUNCTIONS)("%s takes time in proportion to a hostile line", (_name, run) => {
  const wrong = UNITS.filter((unit) => growth(run, unit, 50) >= 40);
  expect(wrong).toEqual([]);
});

test("a hostile line with ten proposals silences the daemon for 100 ms at most", async () => {
  const rig = await openRig();
  const spans = Array.from({ length: 10 }, () => "[action timeout user=bob seconds=600]");
  await rig.ask(MOD, "warm up", spans);
  for (const unit of ["5m ", "[", "\u200d\u0301", "bob漢"]) {
    const line = unit.repeat(500).slice(0, 480);
    const silentMs: number[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      const silence = monitorEventLoopDelay({ resolution: 1 });
      silence.enable();
      await rig.ask(MOD, line, spans);
      await rig.line(MOD, `@automark mute ${line}`);
      silence.disable();
      silentMs.push(silence.max / 1_000_000);
    }
    expect([unit, Math.min(...silentMs) <= 100]).toEqual([unit, true]);
  }
});
