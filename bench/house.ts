/**
 * How large the house is, and how many of its files a line of chat passes: the figures of a tree that a newcomer can
 * read, each beside its goal. `npm run house` counts files and lines, and watches the running daemon; `-- --list` names
 * the files behind each figure, `-- --still` leaves the daemon out. Exit code 1 where a goal is missed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, normalize, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { geminiSays, openGeminiServer } from "../test/stand-ins/gemini-server.ts";
import type { ModelServer } from "../test/stand-ins/model-server.ts";
import { compileProgram } from "../test/stand-ins/program.ts";
import { BOT, CHANNEL } from "./bench-names.ts";
import type { BotProcess } from "./bot-process.ts";
import { type Figure, report } from "./figures.ts";
import { type LoopbackChannel, openLoopbackChannel } from "./loopback-channel.ts";

const SMALL_LINES_MAX = 60;
/** A batch of chat is written a second after its first line, so both are over by then. */
const PERIOD_MS = 2_500;
/** How often each kind of line is said; what every repetition ran belongs to it. */
const REPETITIONS = 4;
const LONGEST_SHOWN = 8;
const OUTER_ROOMS = ["lab", "cli", "page"];
const ANSWERED_MS_MAX = 10_000;

interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly code: string;
  readonly imports: readonly string[];
}

interface Counted {
  readonly figure: Figure;
  /** What `--list` shows below it. */
  readonly names: readonly string[];
}

function countTree(): Counted[] {
  const files = readTree("src");
  const inner = files.filter(({ path }) => !OUTER_ROOMS.includes(roomOf(path)));
  const aboutNotes = files.filter(({ code }) => code.includes("semantic_notes"));
  const small = smallWithOneImporter(files);
  const twice = basenamesTwice(files);
  const longest = [...files].sort((a, b) => b.lines - a.lines).slice(0, LONGEST_SHOWN);
  return [
    atMost("files in src", 320, files.length, roomSizes(files)),
    atMost("lines in src", 40_000, linesOf(files), []),
    atMost("files without lab, cli, page", 230, inner.length, []),
    atMost("lines without lab, cli, page", 28_000, linesOf(inner), []),
    atMost("files that name the notes' table", 8, aboutNotes.length, paths(aboutNotes)),
    atMost(`files under ${SMALL_LINES_MAX} lines that one other imports`, 25, small.length, small),
    atMost("basenames that occur twice", 3, twice.length, twice),
    atMost("lines of the longest file", 400, longest[0]?.lines ?? 0, paths(longest)),
  ];
}

function atMost(name: string, bar: number, value: number, names: readonly string[]): Counted {
  return { figure: { name, value, unit: "", digits: 0, bar: { atMost: bar } }, names };
}

/** The code of `folder`; data, and what runs in a browser, aside. */
function readTree(folder: string): SourceFile[] {
  const root = fileURLToPath(new URL(`../${folder}`, import.meta.url));
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readSource(root, path.split(sep).join("/")));
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const targets = [...code.matchAll(/(?:from |^import |\bimport\()"(\.[^"]+)"/gm)];
  const imports = targets.map(([, target = ""]) =>
    normalize(join(dirname(path), target))
      .split(sep)
      .join("/"),
  );
  return { path, lines: text.split("\n").length - 1, code, imports };
}

function smallWithOneImporter(files: readonly SourceFile[]): string[] {
  const tested = new Set(
    readTree("test").flatMap(({ imports }) =>
      imports.map((path) => path.replace(/^.*\.\.\/src\//, "")),
    ),
  );
  return files
    .filter(({ lines }) => lines < SMALL_LINES_MAX)
    .flatMap(({ path, lines }) => {
      const importers = files.filter(({ imports }) => imports.includes(path));
      if (importers.length !== 1) return [];
      const note = tested.has(path) ? ", tested by itself" : "";
      return [`${path} (${lines}) ← ${importers[0]?.path}${note}`];
    });
}

function basenamesTwice(files: readonly SourceFile[]): string[] {
  const names = files.map(({ path }) => basename(path).replace(/\.[a-z]+$/, ""));
  return [...new Set(names.filter((name, n) => names.indexOf(name) !== n))];
}

function roomSizes(files: readonly SourceFile[]): string[] {
  const rooms = [...new Set(files.map(({ path }) => roomOf(path)))];
  return rooms.map((room) => {
    const own = files.filter(({ path }) => roomOf(path) === room);
    return `${room}: ${own.length} files, ${linesOf(own)} lines`;
  });
}

function roomOf(path: string): string {
  return path.split("/")[0] ?? path;
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

function paths(files: readonly SourceFile[]): string[] {
  return files.map(({ path, lines }) => `${path} (${lines})`);
}

/** A function of the program that ran: its file and where in it it begins. */
type Ran = `${string}:${number}`;

/**
 * Counts by the coverage of the daemon's own process which files a line passes: those with a function that ran each
 * time such a line was said, and never in an equal time without one, in which Twitch asks whether the connection is
 * alive. Loading a module does not count.
 */
async function countPassed(): Promise<Counted[]> {
  const folder = mkdtempSync(join(tmpdir(), "forgetmenot-built-"));
  // A file each, where its source stands: in the bundle of a release nobody could tell them apart.
  const program = { main: compileProgram(folder), flags: [] };
  const model = await openGeminiServer();
  const channel = await openLoopbackChannel(["clips:edit"]);
  try {
    const config = {
      llm: { provider: "gemini", model: "gemini-3.5-flash-lite", baseUrl: model.url },
      replies: { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 },
      log: { level: "silent" },
      actions: { classes: { stream: "live" }, limits: { clip: { actionSeconds: 0 } } },
    };
    const bot = channel.startDaemon(program, { config, before: WATCH_MODULE });
    await bot.joined;
    const passed = await watchLines({ bot, channel, model });
    await bot.stop();
    return [
      atMost("files that a stored line passes", 20, passed.stored.length, passed.stored),
      atMost("files that an answered line passes", 65, passed.answered.length, passed.answered),
      atMost("files that a line with an action passes", 80, passed.acted.length, passed.acted),
    ];
  } finally {
    await channel.close();
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Watched {
  readonly bot: BotProcess;
  readonly channel: LoopbackChannel;
  readonly model: ModelServer;
}

async function watchLines(watched: Watched) {
  const { channel, model } = watched;
  let count = 0;
  const say = (text: string): void => {
    count += 1;
    const userId = String(5_000 + count);
    channel.irc.say(CHANNEL, {
      userId,
      login: `viewer${count}`,
      displayName: `Viewer${count}`,
      text,
    });
  };
  const ask = async (text: string, answer: string): Promise<void> => {
    model.enqueue(geminiSays({ text: answer }));
    const said = channel.nextSaid();
    say(text);
    const late = delay(ANSWERED_MS_MAX, "late", { ref: false });
    if ((await Promise.race([said, late])) === "late") throw new Error("a line was not answered");
  };
  const lines = {
    stored: () => say(`the lantern number ${count} is lit again`),
    answered: () =>
      ask(`@${BOT} what is lantern ${count} made of?`, `tin number ${count}, I think`),
    acted: () =>
      ask(`@${BOT} please clip that, number ${count}`, `clipped ${count}! [action clip]`),
  };
  for (const line of Object.values(lines)) await ranDuring(watched, line);
  if (!channel.helix.requests.some(({ path }) => path.endsWith("/clips")))
    throw new Error("no clip was made");
  const idle = new Set<Ran>();
  const ran: Record<keyof typeof lines, Ran[][]> = { stored: [], answered: [], acted: [] };
  for (let n = 0; n < REPETITIONS; n += 1) {
    for (const kind of ["stored", "answered", "acted"] as const) {
      for (const one of await ranDuring(watched, () => channel.irc.ping())) idle.add(one);
      ran[kind].push(await ranDuring(watched, lines[kind]));
    }
  }
  const filesOf = (kind: keyof typeof lines): string[] => {
    const [first = [], ...others] = ran[kind];
    const always = first.filter((one) => others.every((other) => other.includes(one)));
    const own = always.filter((one) => !idle.has(one));
    return [...new Set(own.map((one) => one.slice(0, one.lastIndexOf(":"))))].sort();
  };
  return { stored: filesOf("stored"), answered: filesOf("answered"), acted: filesOf("acted") };
}

/** What of the program ran while something was done, and for a while after it. */
async function ranDuring({ bot }: Watched, act: () => unknown): Promise<Ran[]> {
  await takeCoverage(bot);
  await act();
  await delay(PERIOD_MS);
  return takeCoverage(bot);
}

/** What ran since it was last asked. */
function takeCoverage(bot: BotProcess): Promise<Ran[]> {
  return new Promise((resolve) => {
    const take = (message: { readonly ran?: Ran[] }): void => {
      if (message.ran === undefined) return;
      bot.process.off("message", take);
      resolve(message.ran);
    };
    bot.process.on("message", take);
    bot.process.send("take coverage");
  });
}

/** Runs in the daemon's process before it, and tells which functions of the program ran. */
const WATCH_MODULE = `
import { Session } from "node:inspector";
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
process.on("message", () => {
  session.post("Profiler.takePreciseCoverage", (_, { result }) => {
    const ran = result.flatMap(({ url, functions }) => {
      const [, path] = /\\/forgetmenot-built-[^/]+\\/dist\\/(.*)\\.js$/.exec(url) ?? [];
      if (path === undefined) return [];
      return functions
        .filter(({ ranges: [{ count, startOffset }] }) => count > 0 && startOffset > 0)
        .map(({ ranges: [{ startOffset }] }) => path + ":" + startOffset);
    });
    process.send({ ran });
  });
});
process.channel.unref();
`;

const { values } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    still: { type: "boolean", default: false },
  },
});
const counted = [...countTree(), ...(values.still ? [] : await countPassed())];
report(counted.map(({ figure }) => figure));
if (values.list) {
  for (const { figure, names } of counted.filter((one) => one.names.length > 0)) {
    console.log(`\n${figure.name}`);
    for (const name of names) console.log(`  ${name}`);
  }
}
process.exit();
