import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { REHEARSAL_BOT, REHEARSAL_CHANNEL } from "../../../src/lab/rehearsal/data-folder.ts";
import { writeEvenings } from "../../../src/lab/rehearsal/script.ts";
import { VERSION } from "../../../src/platform/config/environment.ts";

const picture = readFileSync("docs/rehearsal.svg", "utf8");
const rows = [...picture.matchAll(/<text class="(\w+)"[^>]*>(.*)<\/text>/g)].map(
  ([, kind, text = ""]) => ({ kind, text: text.replaceAll("&gt;", ">").replaceAll("&lt;", "<") }),
);
const script = writeEvenings(REHEARSAL_CHANNEL, REHEARSAL_BOT);

test("the recording was made from this version and these lines: `npm run docs:rehearsal` makes it anew", () => {
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

test("every question about memory in the recording is answered, by the bot's next words", () => {
  const questions = script.filter((beat) => beat.kind === "message" && beat.proves !== undefined);
  expect(questions.length).toBeGreaterThan(6);
  const unanswered = questions.filter((beat) => {
    if (beat.kind !== "message" || beat.proves?.kind !== "memory") return false;
    const at = rows.findIndex(({ text }) =>
      text.includes(`${beat.person.displayName}  ${beat.text}`),
    );
    const next = rows.slice(at + 1, at + 4).filter(({ kind }) => kind === "bot");
    const { words } = beat.proves;
    return at < 0 || !next.some(({ text }) => text.toLowerCase().includes(words.toLowerCase()));
  });
  expect(unanswered).toEqual([]);
});
