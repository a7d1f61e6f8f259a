import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { VERSION } from "../src/config/environment.ts";
import { makeEvenings } from "../src/demo/script.ts";
import { wrapWords } from "../src/language/clean.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const DOCS = fileURLToPath(new URL("../docs/", import.meta.url));
const COLUMNS = 112;
const ROW_PX = 19;
const TOP_PX = 66;
const WIDTH_PX = 960;
const NAME_COLUMNS = 18;

/** Plays the demo, and draws its screen and the report on it. `npm run docs:rehearsal`. */
async function record(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-recorded-"));
  try {
    const output = await call("demo", "--speed", "2", "--data", folder);
    draw("rehearsal.svg", {
      command: "npm start",
      title: "The demo in the terminal",
      about:
        "Two short streams. Viewers tell the bot things on the first evening. After a night no line of chat is left. On the second evening the bot answers from its notes, turns orders aside, and forgets a viewer who asks for it.",
      lines: (output.split("The demo's database is in")[0] ?? "").trimEnd().split("\n"),
    });
    const file = join(folder, "rehearsal.json");
    const report = await call("report", "--config", file);
    draw("report.svg", {
      command: "npm start -- report",
      title: "A report in the terminal",
      about:
        "The report of the demo's second stream: who talked to the bot, what it learned and forgot, and what it cost.",
      lines: report.replaceAll(` --config ${file}`, "").split("\n"),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Picture {
  readonly command: string;
  readonly title: string;
  readonly about: string;
  readonly lines: readonly string[];
}

function draw(name: string, { lines, ...head }: Picture): void {
  const rows = lines
    .map((line) => line.trimEnd())
    .filter((line) => !/^— |^Watch it on |^ {2}To go live/u.test(line))
    .flatMap(rowsOf);
  writeFileSync(join(DOCS, name), picture(rows, head));
  process.stdout.write(`docs/${name}: ${rows.length} rows\n`);
}

function call(...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", "tsx", MAIN, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once("exit", (code) => {
      if (code === 0) resolve(asMostType(output).trimEnd());
      else reject(new Error(`\`${args.join(" ")}\` did not show what it should:\n${output}`));
    });
  });
}

/** Writes commands as most users type them. */
function asMostType(output: string): string {
  return output
    .replaceAll(/node \S*src\/main\.ts/gu, "npm start --")
    .replaceAll(/ --config "[^"]*"/gu, "")
    .replace(/, \d+ times as fast/u, "");
}

interface Row {
  readonly kind: "say" | "bot" | "event" | "head";
  readonly text: string;
}

const KINDS: readonly (readonly [form: RegExp, kind: Row["kind"]])[] = [
  [/^ *▸/u, "bot"],
  [/^ {18}\S/u, "event"],
  [/^\S/u, "head"],
];

function rowsOf(line: string): Row[] {
  const kind = KINDS.find(([form]) => form.test(line))?.[1] ?? "say";
  const indent = kind === "head" ? 0 : NAME_COLUMNS;
  const [first = "", ...more] = wrapWords(line, COLUMNS);
  const lead = /^ */u.exec(line)?.[0] ?? "";
  const whole = first.startsWith(lead) ? first : lead + first;
  return [whole, ...more.map((text) => " ".repeat(indent) + text)].map((text) => ({ kind, text }));
}

function picture(rows: readonly Row[], { command, title, about }: Omit<Picture, "lines">): string {
  const height = TOP_PX + rows.length * ROW_PX + 10;
  const script = makeEvenings();
  const made = {
    version: VERSION,
    script: createHash("sha256").update(JSON.stringify(script)).digest("hex"),
  };
  const text = rows.map(
    (row, at) =>
      `  <text class="${row.kind}" x="20" y="${TOP_PX + at * ROW_PX}" xml:space="preserve">${escaped(row.text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH_PX} ${height}" width="${WIDTH_PX}" height="${height}" role="img" aria-labelledby="title about">
  <title id="title">${title}</title>
  <desc id="about">${about}</desc>
  <metadata>${JSON.stringify(made)}</metadata>
  <style>
    text { font: 13px ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #aab1bf; white-space: pre; }
    .bot { fill: #86d993; } .event { fill: #e3c26f; } .head { fill: #e8ebf2; }
  </style>
  <rect x="0.5" y="0.5" width="${WIDTH_PX - 1}" height="${height - 1}" rx="10" fill="#14171d" stroke="#3b404a"/>
  <text class="head" x="20" y="27">$ ${command}</text>
  <line x1="0" x2="${WIDTH_PX}" y1="42" y2="42" stroke="#2b3039"/>
${text.join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

await record();
