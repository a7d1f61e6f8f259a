import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readTextAges } from "../chat/event-reads-store.ts";
import { CONFIG_FILE, formatCommand } from "../config/command-line.ts";
import { getProgramCommand, readEnvironment } from "../config/environment.ts";
import type { Daemon } from "../daemon/daemon.ts";
import { claimRehearsalFolder, REHEARSAL_BOT } from "../demo/data-folder.ts";
import { measureMemoryShown, readMemory, type ShownProof } from "../demo/memory-shown.ts";
import { runRehearsal } from "../demo/rehearsal.ts";
import { makeFence } from "../language/fence.ts";
import { openLog } from "../log.ts";
import { type Dashboard, openDashboard } from "../page/server.ts";
import { describeTakenPort } from "../page/setup.ts";
import { promptSecrets } from "../reply/reply-service.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { withFolder } from "./open-folder.ts";
import { openPainter, type Painter } from "./paint.ts";
import { type SetupPlace, serveSetupAndRun } from "./setup.ts";
import {
  EXIT_FAILED,
  linesIf,
  makeExit,
  openBrowser,
  type Terminal,
  waitForAbort,
} from "./terminal.ts";

interface DemoOptions {
  readonly speed: number;
  readonly port: number;
  /** Default: a temporary folder, deleted afterwards. */
  readonly data?: string;
}

const REMEMBERED_SHOWN = 14;
/** Notes that are shown between the evenings. */
const NOTES_SAMPLE = 4;

/**
 * Shows the demo in the terminal and on the page: the chat, the answers, and at the end what the bot remembers and from
 * where. It then keeps its page open: until Enter at a keyboard, in an unzipped folder until *Quit* on the page. *Go
 * live* on the page leads to setup. Ends with 1 if the bot did not show what the script asks for.
 */
export async function runDemo(
  options: DemoOptions,
  terminal: Terminal,
  next: SetupPlace = { config: CONFIG_FILE },
): Promise<void> {
  const page = await openDashboard(options.port);
  const live = new AbortController();
  const quit = new AbortController();
  const stop = AbortSignal.any([terminal.stop, live.signal, quit.signal]);
  const control = { goLive: () => live.abort(), quit: () => quit.abort() };
  try {
    await showInFolder({ ...options, page, control }, { ...terminal, stop });
    if (!live.signal.aborted || terminal.stop.aborted) return;
    terminal.print("Setup is next, in the browser.");
    await serveSetupAndRun({ ...next, page }, terminal);
  } finally {
    await page.close();
  }
}

interface ShownDemo extends DemoOptions {
  readonly page: Dashboard;
  readonly control: Readonly<Record<"goLive" | "quit", () => void>>;
}

async function showInFolder(options: ShownDemo, terminal: Terminal): Promise<void> {
  const { data } = options;
  const dataDir = data === undefined ? mkdtempSync(join(tmpdir(), "forgetmenot-")) : data;
  try {
    const configFile = claimRehearsalFolder(dataDir);
    const isGood = await playDemo(options, terminal, { dataDir, configFile });
    if (!isGood) throw makeExit(EXIT_FAILED);
  } finally {
    if (data === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

type Place = Readonly<Record<"dataDir" | "configFile", string>>;

async function playDemo(options: ShownDemo, terminal: Terminal, place: Place): Promise<boolean> {
  const { dataDir, configFile } = place;
  const paint = openPainter(terminal, readEnvironment().wantsColour);
  const answers = new Map<number, string[]>();
  const readLines = () => withFolder(configFile, "read", ({ db }) => readTextAges(db, 0).texts);
  const readNotes = () => withFolder(configFile, "read", ({ db }) => readMemory(db));
  let linesBefore = 0;
  let isGood = true;
  await runRehearsal(
    {
      speed: options.speed,
      page: options.page,
      control: options.control,
      dataDir,
      log: openLog("warn", paint.logged),
      stop: terminal.stop,
      onBeat: (beat) => paint.above(paint.beat(beat)),
      onBotSaid: (text, beat) => {
        if (beat !== null) answers.set(beat, [...(answers.get(beat) ?? []), text]);
        paint.above(paint.reply(REHEARSAL_BOT, text));
      },
      onBotDid: (what) => paint.above(paint.event(`${REHEARSAL_BOT} ${what}`)),
      onTick: (daemon) => {
        const messages = daemon.status().channels[0]?.messagesPerMinute ?? 0;
        paint.below(`${formatPlural(messages, "message")} a minute`);
      },
    },
    {
      open: (daemon) => printWelcome(daemon, options, paint, isWatched(terminal)),
      over: () => {
        linesBefore = readLines();
      },
      next: (stream) => {
        const notes = readNotes();
        paint.above(
          "",
          `A night went by, and the bot starts again: stream ${stream}. Of ${formatPlural(linesBefore, "line")} of chat, ${readLines()} are left.`,
          `What is left: ${formatPlural(notes.length, "note")}, among them: ${notes
            .slice(0, NOTES_SAMPLE)
            .map(({ fact }) => fact)
            .join("; ")}.`,
          "",
        );
      },
      ending: async (daemon, { script }) => {
        const shown = withFolder(configFile, "read", ({ config, db }) => {
          const secrets = promptSecrets(config, makeFence("0".repeat(12)));
          return measureMemoryShown(db, script, answers, secrets);
        });
        const isCut = terminal.stop.aborted;
        isGood = isCut || shown.every(({ held }) => held);
        paint.end(describeEnd(daemon, isCut ? [] : listProofs(shown), options, place));
        await waitForEnd(terminal, daemon, paint);
      },
    },
  );
  return isGood;
}

async function printWelcome(
  daemon: Daemon,
  { speed, page }: ShownDemo,
  paint: Painter,
  isWatched: boolean,
): Promise<void> {
  const pace = speed === 1 ? "" : `, ${speed} times as fast`;
  paint.above(
    `A demo: the real bot in a simulated channel${pace}. Nothing leaves this machine.`,
    "The chat is a script, and the model's answers were recorded for it. Memory, checks and actions are real.",
    "Two evenings, 100 seconds: what viewers say on the first, they ask for on the second.",
    ...linesIf(page.isMoved, describeTakenPort(page.url)),
  );
  const link = await daemon.pageLink();
  if (link !== null) {
    paint.above(`Watch it on the page (this link works once): ${link}`);
    if (isWatched) openBrowser(link);
  }
  paint.above("");
}

function describeEnd(
  daemon: Daemon,
  proofs: readonly string[],
  { data }: DemoOptions,
  { dataDir, configFile }: Place,
): string[] {
  const { counts, notices } = daemon.status();
  const notes = withFolder(configFile, "read", ({ db }) => readMemory(db));
  const more = notes.length - REMEMBERED_SHOWN;
  return [
    "",
    "The demo is over.",
    `  ${formatPlural(counts.viewers, "viewer")} chatted; the bot sent ${formatPlural(counts.replies, "reply")}.`,
    ...proofs,
    "",
    `What it remembers (${formatPlural(notes.length, "note")}), and from where:`,
    ...notes.slice(0, REMEMBERED_SHOWN).map(({ id, fact, stream, lines, before }) => {
      const origin = lines === 0 ? "said to the bot" : `${formatPlural(lines, "line")} summarised`;
      const instead = before === null ? "" : `; before: ${before}`;
      return `  [${id}] ${fact}  (stream ${stream ?? "?"}, ${origin}${instead})`;
    }),
    ...linesIf(more > 0, `  and ${more} more`),
    "",
    ...notices.map(({ severity, message }) => `  ${severity}: ${message}`),
    ...(data === undefined
      ? ["  The demo's database was temporary and is deleted; --data FOLDER keeps one."]
      : // With a command that can be typed as it stands, from any folder.
        [
          `  The demo's database is in ${dataDir}. To see what the bot learned:`,
          `    ${formatCommand("memory list", configFile)}`,
          "  The same --config goes with `report`, `status` and so on.",
        ]),
    `  To go live: ${formatCommand("setup")}`,
  ];
}

/** Counts what the bot showed, and lists what it did not. */
function listProofs(shown: readonly ShownProof[]): string[] {
  const tally = (kind: ShownProof["kind"], what: string) => {
    const all = shown.filter((one) => one.kind === kind);
    const held = all.filter((one) => one.held);
    return linesIf(all.length > 0, `  ${what}: ${held.length} of ${all.length}`);
  };
  return [
    ...tally("memory", "Questions answered from a note"),
    ...tally("moment", "Raids remembered"),
    ...tally("order", "Orders that came to nothing"),
    ...tally("forgotten", "Forgotten on request"),
    ...shown
      .filter(({ held }) => !held)
      .map(({ name, asked, answer }) => `  NOT SHOWN: ${name}: ${asked} → ${answer || "silence"}`),
  ];
}

/** True at a terminal, and in an unzipped folder: a double click there may open no terminal. */
function isWatched({ isTerminal }: Terminal): boolean {
  return isTerminal || getProgramCommand() !== null;
}

/** Keeps the page open for a user who watches: until Enter if there is a keyboard, else until *Quit* on the page. */
async function waitForEnd(terminal: Terminal, daemon: Daemon, paint: Painter): Promise<void> {
  if (terminal.stop.aborted) return;
  const person = terminal.person?.() ?? null;
  if (person === null && !isWatched(terminal)) return;
  const stay = `  The page stays open at ${daemon.pageUrl}, with the button Go live.`;
  paint.end([
    stay,
    `  ${person === null ? "Quit on the page ends" : "Press Enter to end"} the demo.`,
  ]);
  const stopped = waitForAbort(terminal.stop);
  if (person === null) return await stopped;
  const lines = createInterface({ input: person.input });
  const entered = new Promise<void>((resolve) => {
    lines.once("line", resolve).once("close", resolve);
  });
  await Promise.race([entered, stopped]);
  lines.close();
}
