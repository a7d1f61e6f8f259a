import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, CommanderError } from "commander";
import { expect, test } from "vitest";
import { buildProgram } from "../src/cli/program.ts";
import { toConfig } from "../src/config/load.ts";
import { estimateStream, getPrice } from "../src/models/call-store.ts";
import { quietTerminal } from "./stand-ins/command.ts";

const readme = read("README.md");
const commandPage = read("docs/commands.md");
const cost = read("docs/cost.md");
const map = read("src/README.md");
const pages = [
  "README.md",
  "src/README.md",
  "CHANGELOG.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const program = anew();

const commands = commandsOf(program);

test.each(pages)("what %s has for PowerShell works in it: no &&, and npm.cmd for npm", (page) => {
  const blocks = [...read(page).matchAll(/```powershell\n([\s\S]*?)```/g)].map(([, one]) => one);
  expect(blocks.join("").match(/&&|\bnpm(?!\.cmd)\b/g) ?? []).toEqual([]);
});

test.each(pages)("every command in %s is one, with its options and enough arguments", (page) => {
  expect(commandsIn(page).flatMap(({ line, words }) => troubleOf(line, words))).toEqual([]);
});

test.each(pages)("every script of npm in %s is one", (page) => {
  const { scripts } = JSON.parse(read("package.json"));
  const named = codeIn(page).flatMap((code) => [...code.matchAll(/npm(?:\.cmd)? run ([\w:-]+)/g)]);
  expect(named.map(([, name = ""]) => name).filter((name) => !(name in scripts))).toEqual([]);
});

test("commands are seen at all, and what is wrong with one is told", () => {
  expect(commandsIn("README.md").length).toBeGreaterThan(3);
  expect(pages.flatMap(commandsIn).length).toBeGreaterThan(60);
  const troubles = ["nothing", "memory shwo 1", "status --jsn", "safe maybe", "report x"];
  expect(troubles.flatMap((line) => troubleOf(line, line.split(" ")))).toHaveLength(5);
});

test("every command stands in docs/commands.md, and no other", () => {
  const told = [...commandPage.matchAll(/^\| `forgetmenot ([^`]+)` \|/gm)].map(([, name]) => name);
  expect(commands.length).toBeGreaterThan(4);
  expect(told.sort()).toEqual(commands.map(({ name }) => name).sort());
});

test.each(commands)(
  "docs/commands.md has every option of $name, and no other",
  ({ name, flags }) => {
    const row = commandPage
      .split("\n")
      .find((line) => line.startsWith(`| \`forgetmenot ${name}\` |`));
    const told = [...(row ?? "").matchAll(/`(-[^`]+)`/g)].map(([, flag]) => flag);
    // Documented once, above the table.
    expect(told.sort()).toEqual(flags.filter((flag) => flag !== CONFIG_FLAG).sort());
  },
);

test("the pages tell the default model, its price and the caps as they are", () => {
  const { llm, dashboard, prompt, replies } = toConfig({ channel: "a" }, ".");
  const price = getPrice(llm.model, {});
  expect(readme).toContain(`\`${llm.model}\``);
  for (const dollars of [price?.input, price?.cached, price?.output]) {
    expect(cost).toContain(`$${dollars?.toFixed(2)}`);
  }
  const stream = { hours: 4, answers: 100 };
  const { answers = 0, memory = 0 } = price === null ? {} : estimateStream(price, stream);
  const [all, ofMemory, ofAnswers] = [answers + memory, memory, answers].map((n) => n.toFixed(2));
  expect(cost).toContain(`$${all}: $${ofMemory} for memory, $${ofAnswers} for answers`);
  expect(readme).toContain(`at most ${Math.round((memory / stream.hours) * 100)} cents an hour`);
  const { memoryShare, ...caps } = llm.caps;
  for (const [cap, limit] of Object.entries(caps)) {
    const row = cells(cost, `\`${cap}\``);
    expect(row.map(toNumber)).toEqual([limit, limit * (1 - memoryShare)]);
  }
  expect(commandPage).toContain(`(${shown(prompt.budgetTokens)} tokens, yours to change)`);
  expect(commandPage).toContain(`within ${replies.continuationSeconds} seconds`);
  expect(readme).toContain(`http://127.0.0.1:${dashboard.port}/`);
});

test.each(pages)("every link and picture in %s leads somewhere", (page) => {
  const broken = linksIn(page).filter(({ file, anchor }) => {
    if (!existsSync(file)) return true;
    return anchor !== "" && !anchorsOf(file).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test("the links are seen at all", () => {
  expect(pages.flatMap(linksIn).length).toBeGreaterThan(8);
});

test("src/README.md has every room, in the architecture's order", () => {
  const architecture = /const ROOMS = \[([^\]]+)\]/.exec(read("test/architecture.test.ts"))?.[1];
  const rooms = [...(architecture ?? "").matchAll(/"([^"]+)"/g)].map(([, room]) => room);
  const told = [...map.matchAll(/^\| `([\w.-]+)\/?`/gm)].map(([, room]) => room);
  expect(rooms.length).toBeGreaterThan(10);
  expect(told).toEqual(rooms);
});

test("src/README.md names a file for each of its eleven promises", () => {
  const part = map.split("\n## ").find((text) => text.startsWith("Promises")) ?? "";
  const promises = part.split(/^(?=\d+\. \*\*)/m).slice(1);
  expect(promises.map((text) => Number.parseInt(text, 10))).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
  ]);
  for (const promise of promises) expect(promise).toMatch(/`[\w./-]+\.(ts|sql)`/);
});

test.each([
  ["README.md", 900],
  ["src/README.md", 1_200],
])("%s has at most %i words", (page, limit) => {
  expect(wordsIn(page)).toBeLessThanOrEqual(limit);
});

test("the pages of docs have at most 12,000 words", () => {
  const counts = pages.filter((page) => page.startsWith("docs/")).map(wordsIn);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(12_000);
});

test("src/README.md explains at most fifteen terms", () => {
  const part = map.split("\n## ").find((text) => text.startsWith("Glossary")) ?? "";
  const terms = part.match(/^\| \*\*/gm) ?? [];
  expect(terms.length).toBeGreaterThan(8);
  expect(terms.length).toBeLessThanOrEqual(15);
});

test("every file that src/README.md names is there", () => {
  const named = [...map.matchAll(/`([\w./-]+\.(?:tsx?|sql|md))`/g)].map(([, path]) => path ?? "");
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join("src", path)))).toEqual([]);
});

test("the lock file sends nobody to another registry", () => {
  const elsewhere = [...read("package-lock.json").matchAll(/"resolved": "([^"]*)"/g)]
    .map(([, url]) => url ?? "")
    .filter((url) => !/^https:\/\/registry\.npmjs\.org\//.test(url));
  expect(elsewhere).toEqual([]);
});

/** What stands as code: in backquotes, and in blocks, which hold several commands in a line. */
function codeIn(page: string): string[] {
  const [text, blocks] = [read(page).replaceAll(/^```[\s\S]*?^```/gm, ""), blocksIn(page)];
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) =>
    code.replaceAll(/\s+/g, " "),
  );
  return [...spans, ...blocks.flatMap((block) => block.split(/\n|;|&&/))].map((code) =>
    code.trim(),
  );
}

function blocksIn(page: string): string[] {
  return [...read(page).matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
}

const CALLED = /^(?:node dist\/main\.js|npm(?:\.cmd)? start --|forgetmenot) (.+)$/;

/** Commands of the program, as a page has somebody type them; `<reply>` and `…` stand for anything. */
function commandsIn(page: string): { readonly line: string; readonly words: readonly string[] }[] {
  return codeIn(page).flatMap((line) => {
    const typed = CALLED.exec(line)?.[1]?.replace(/ #.*$/, "");
    if (typed === undefined || typed.startsWith("…")) return [];
    return [{ line, words: typed.match(/"[^"]*"|'[^']*'|\S+/g) ?? [] }];
  });
}

/** What the program says to such a line, had it nothing to do but understand it; a bare name may lack arguments. */
function troubleOf(line: string, words: readonly string[]): string[] {
  const understood = anew();
  for (const command of [understood, ...leavesOf(understood)])
    command.action(() => {
      // What the default takes no notice of is a command that there is not.
      if (command === understood && command.args.length > 0) command.error("no such command");
    });
  const typed = words
    .filter((word) => word !== "…")
    .map((word) => word.replaceAll(/^["']|["']$/g, ""));
  try {
    understood.parse(
      typed.map((word) => STANDS_FOR.find(([form]) => form.test(word))?.[1] ?? word),
      { from: "user" },
    );
    return [];
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const isBare = commands.some(({ name }) => name.split(" <")[0] === typed.join(" "));
    return isBare || TOLD.has(thrown.code) ? [] : [`${line}: ${thrown.message}`];
  }
}

const STANDS_FOR: readonly (readonly [form: RegExp, word: string])[] = [
  [/^<state>$/, "on"],
  [/^(?:[A-Z]+|<.+>|.+…)$/, "12"],
];
/** Ends after help or the version. */
const TOLD: ReadonlySet<string> = new Set([
  "commander.help",
  "commander.helpDisplayed",
  "commander.version",
]);

function leavesOf(parent: Command): Command[] {
  return parent.commands.flatMap((one) => (one.commands.length > 0 ? leavesOf(one) : [one]));
}

function anew(): Command {
  return buildProgram(quietTerminal().terminal);
}

interface CommandLine {
  /** As it is typed, with the commands it stands under and its arguments. */
  readonly name: string;
  readonly flags: readonly string[];
}

const CONFIG_FLAG = "-c, --config <file>";

/** Every command that does something, whether it stands under another or not. */
function commandsOf(parent: Command, above: readonly string[] = []): CommandLine[] {
  return parent.commands.flatMap((command) => {
    // A default command that help hides is typed as the command above.
    const isHidden = !parent.createHelp().visibleCommands(parent).includes(command);
    const words = isHidden ? above : [...above, command.name()];
    if (command.commands.length > 0) return commandsOf(command, words);
    const places = command.registeredArguments.map((argument) => `<${argument.name()}>`);
    const name = [...words, ...places].join(" ");
    return [{ name, flags: command.options.map(({ flags }) => flags) }];
  });
}

interface Link {
  readonly link: string;
  readonly file: string;
  readonly anchor: string;
}

/** Links into this project: relative ones, and those to a heading of the same page. */
function linksIn(page: string): Link[] {
  return [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = ""]) => {
    const [path = "", anchor = ""] = link.split("#");
    return { link, file: path === "" ? page : join(dirname(page), path), anchor };
  });
}

function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The cells after the first one, of the row whose first begins with `name`. */
function cells(page: string, name: string): string[] {
  const row = page.split("\n").find((line) => line.startsWith(`| ${name}`)) ?? "";
  return row
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());
}

function toNumber(cell: string): number {
  return Number(cell.replaceAll(/[$,]/g, ""));
}

function shown(count: number): string {
  return count.toLocaleString("en-US");
}

function wordsIn(page: string): number {
  return read(page)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function read(file: string): string {
  return readFileSync(file, "utf8").replaceAll("\r\n", "\n");
}

test("README.md opens with what the bot does and a picture of it, and has the two commands", () => {
  const opening = readme.split("\n## ")[0] ?? "";
  expect(opening).toMatch(/^# ForgetMeNot\n\nA Twitch chat bot/);
  expect(readme).toContain("npm ci && npm start");
  expect(readme).toContain("npm ci && npm test");
  expect(opening).toContain("(docs/rehearsal.svg)");
});

test.each([
  [
    "Windows",
    "powershell",
    /\b(?:sudo|apt|brew|export|chmod|source|sh)\b|&&|\|\||\.\/|~\/|\/dev\/|\bnpm(?!\.cmd)/,
  ],
  ["macOS", "sh", /\bapt\b|winget|\.cmd|\$env:/],
  ["Linux", "sh", /\bbrew\b|winget|\.cmd|\$env:/],
])(
  "README.md has %s installed in three lines: Node, the code, the bot",
  (system, shell, foreign) => {
    const [, part = ""] = readme.split(`**${system}**`);
    const [, kind, block = ""] = /```(\w*)\n([\s\S]*?)```/.exec(part) ?? [];
    const [node, code, bot, ...more] = block.trim().split("\n");
    expect(kind).toBe(shell);
    expect(node).toMatch(/install .*node/i);
    expect(node).toMatch(/\bgit\b/i);
    expect(code).toMatch(/^git clone ADDRESS forgetmenot(?: &&|;) cd forgetmenot$/);
    expect(bot).toMatch(/^npm(?:\.cmd)? ci(?: &&|;) npm(?:\.cmd)? start$/);
    expect(more).toEqual([]);
    expect(block).not.toMatch(foreign);
  },
);

test.each([
  "local-first",
  "daemon",
  "events",
  "episode",
  "semantic notes",
  "compaction",
  "prompt assembler",
  "prefix and tail",
  "drop ladder",
  "policy engine",
  "token usage",
])("README.md introduces the term %s", (term) => {
  expect(readme).toMatch(new RegExp(`\\*\\*[^*]*${term}\\*\\*`));
});

test("README.md names the oldest Node that will do, as package.json does", () => {
  const engines = /"node": ">=([\d.]+)"/.exec(readFileSync("package.json", "utf8"))?.[1];
  expect(engines).toBeDefined();
  expect(readme).toContain(`${engines} or newer`);
});
