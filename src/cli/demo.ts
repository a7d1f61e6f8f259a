import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readTextAges } from "../chat/event-reads-store.ts";
import { CONFIG_FILE, formatCommand, getProgramCommand } from "../config/environment.ts";
import type { Daemon } from "../daemon/daemon.ts";
import { claimRehearsalFolder, REHEARSAL_BOT } from "../demo/data-folder.ts";
import { checkProofs, readMemory, runRehearsal } from "../demo/rehearsal.ts";
import type { Beat } from "../demo/script.ts";
import { makeFence } from "../language/fence.ts";
import { openLog } from "../log.ts";
import { type Dashboard, openDashboard } from "../page/server.ts";
import { describeTakenPort } from "../page/setup.ts";
import { promptSecrets } from "../reply/reply-service.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { withFolder } from "./open-folder.ts";
import { type SetupPlace, serveSetupAndRun } from "./setup.ts";
import { linesIf, openBrowser, Painter, type Terminal, waitForAbort } from "./terminal.ts";

interface DemoOptions {
  readonly speed: number;
  readonly port: number;
  /** Default: a temporary folder, deleted afterwards. */
  readonly data?: string;
}

const REMEMBERED_SHOWN = 14;
const NOTES_SAMPLE = 4;

/**
 * Shows the demo in the terminal and on the page, and at the end the notes and their origin. For a user who watches, the
 * page then stays open: see `ending`. *Go live* on the page ends the demo and serves setup for `setupPlace`.
 */
export async function runDemo(
  options: DemoOptions,
  terminal: Terminal,
  setupPlace: SetupPlace = { config: CONFIG_FILE },
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
    await serveSetupAndRun({ ...setupPlace, page }, terminal);
  } finally {
    await page.close();
  }
}

interface ShownDemo extends DemoOptions {
  readonly page: Dashboard;
  readonly control: Readonly<Record<"goLive" | "quit", () => void>>;
}

/** Plays the demo in the folder `data`; without one, in a temporary folder, which it then deletes. */
async function showInFolder(options: ShownDemo, terminal: Terminal): Promise<void> {
  const { control, data, page, speed } = options;
  const dataDir = data ?? mkdtempSync(join(tmpdir(), "forgetmenot-"));
  try {
    const show = new DemoShow(options, terminal, claimRehearsalFolder(dataDir));
    const { paint } = show;
    await runRehearsal(
      {
        ...{ speed, page, control, dataDir, stop: terminal.stop },
        log: openLog("warn", (line) => paint.printLogged(line)),
        onBeat: (beat) => paint.printBeat(beat),
        onBotSaid: (text, beat) => show.printAnswer(text, beat),
        onBotDid: (what) => paint.printEvent(`${REHEARSAL_BOT} ${what}`),
        onTick: (daemon) => {
          const messages = daemon.status().channels[0]?.messagesPerMinute ?? 0;
          paint.below(`${formatPlural(messages, "message")} a minute`);
        },
      },
      show,
    );
  } finally {
    if (data === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

class DemoShow {
  readonly paint: Painter;
  readonly #options: ShownDemo;
  readonly #terminal: Terminal;
  readonly #configFile: string;
  /** The bot's answers, by the number of their beat. */
  readonly #answers = new Map<number, string[]>();
  #linesBefore = 0;

  constructor(options: ShownDemo, terminal: Terminal, configFile: string) {
    this.#options = options;
    this.#terminal = terminal;
    this.#configFile = configFile;
    this.paint = new Painter(terminal);
  }

  /**
   * Prints what the bot sent. Keeps it in memory for `#listProofs`, by the number of the beat that it answers; null
   * if it answers none.
   */
  printAnswer(text: string, beat: number | null): void {
    if (beat !== null) this.#answers.set(beat, [...(this.#answers.get(beat) ?? []), text]);
    this.paint.printReply(REHEARSAL_BOT, text);
  }

  /** Prints the welcome, with a link to the page. Opens the link in the browser for a user who watches. */
  open(daemon: Daemon): void {
    const { speed, page } = this.#options;
    const pace = speed === 1 ? "" : `, ${speed} times as fast`;
    this.paint.above(
      `A demo: the real bot in a simulated channel${pace}. Nothing leaves this machine.`,
      "The chat is a script, and the model's answers were recorded for it. Memory, checks and actions are real.",
      "Two evenings, 100 seconds: what viewers say on the first, they ask for on the second.",
      ...linesIf(page.isMoved, describeTakenPort(page.url)),
    );
    const link = daemon.pageLink();
    if (link !== null) {
      this.paint.above(`Watch it on the page (this link works once): ${link}`);
      if (this.#isWatched()) openBrowser(link);
    }
    this.paint.above("");
  }

  /** Keeps the number of lines of chat that are stored at the end of an evening, for `next` to print. */
  over(): void {
    this.#linesBefore = this.#countLines();
  }

  /**
   * Prints before every stream but the first: its number, the lines of chat that are still stored, and up to four
   * notes.
   */
  next(stream: number): void {
    const notes = this.#readNotes();
    const some = notes.slice(0, NOTES_SAMPLE).map(({ fact }) => fact);
    this.paint.above(
      "",
      `A night went by, and the bot starts again: stream ${stream}. Of ${formatPlural(this.#linesBefore, "line")} of chat, ${this.#countLines()} are left.`,
      `What is left: ${formatPlural(notes.length, "note")}, among them: ${some.join("; ")}.`,
      "",
    );
  }

  /**
   * Prints what the bot remembers, and its proofs. Then waits, with the page open, until Enter, Ctrl-C, or *Quit* or
   * *Go live* on the page. After a stopped demo it prints no proofs and does not wait, nor if no user watches.
   */
  async ending(daemon: Daemon, { script }: { readonly script: readonly Beat[] }): Promise<void> {
    const { stop } = this.#terminal;
    const isStopped = stop.aborted;
    this.paint.end(this.#describeEnd(daemon, isStopped ? [] : this.#listProofs(script)));
    if (isStopped) return;
    const person = this.#terminal.person();
    if (person === null && !this.#isWatched()) return;
    this.paint.end([
      `  The page stays open at ${daemon.pageUrl}, with the button Go live.`,
      `  ${person === null ? "Quit on the page ends" : "Press Enter to end"} the demo.`,
    ]);
    const stopped = waitForAbort(stop);
    if (person === null) return await stopped;
    const lines = createInterface({ input: person.input });
    const entered = new Promise<void>((resolve) => {
      lines.once("line", resolve).once("close", resolve);
    });
    await Promise.race([entered, stopped]);
    lines.close();
  }

  /** True at a terminal, and in an unzipped folder: a double click there may open no terminal. */
  #isWatched(): boolean {
    return this.#terminal.isTerminal || getProgramCommand() !== null;
  }

  #countLines(): number {
    return withFolder(this.#configFile, "read", ({ db }) => readTextAges(db, 0).texts);
  }

  #readNotes() {
    return withFolder(this.#configFile, "read", ({ db }) => readMemory(db));
  }

  /** Formats for each kind of proof that the script asks for: how many of them the bot gave. */
  #listProofs(script: readonly Beat[]): string[] {
    const shown = withFolder(this.#configFile, "read", ({ config, db }) => {
      const secrets = promptSecrets(config, makeFence("0".repeat(12)));
      return checkProofs(db, script, this.#answers, secrets);
    });
    return PROOFS.flatMap(([kind, title]) => {
      const all = shown.filter((one) => one.kind === kind);
      const held = all.filter((one) => one.held);
      return linesIf(all.length > 0, `  ${title}: ${held.length} of ${all.length}`);
    });
  }

  #describeEnd(daemon: Daemon, proofs: readonly string[]): string[] {
    const { counts, notices } = daemon.status();
    const notes = this.#readNotes();
    const more = notes.length - REMEMBERED_SHOWN;
    return [
      "",
      "The demo is over.",
      `  ${formatPlural(counts.viewers, "viewer")} chatted; the bot sent ${formatPlural(counts.replies, "reply")}.`,
      ...proofs,
      "",
      `What it remembers (${formatPlural(notes.length, "note")}), and from where:`,
      ...notes.slice(0, REMEMBERED_SHOWN).map(({ id, fact, stream, lines, before }) => {
        const origin =
          lines === 0 ? "said to the bot" : `${formatPlural(lines, "line")} summarised`;
        const instead = before === null ? "" : `; before: ${before}`;
        return `  [${id}] ${fact}  (stream ${stream ?? "?"}, ${origin}${instead})`;
      }),
      ...linesIf(more > 0, `  and ${more} more`),
      "",
      ...notices.map(({ severity, message }) => `  ${severity}: ${message}`),
      ...(this.#options.data === undefined
        ? ["  The demo's database was temporary and is deleted; --data FOLDER keeps one."]
        : [
            `  The demo's database is in ${this.#options.data}. To see what the bot learned:`,
            `    ${formatCommand("memory list", this.#configFile)}`,
            "  The same --config goes with `report`, `status` and so on.",
          ]),
      `  To go live: ${formatCommand("setup")}`,
    ];
  }
}

const PROOFS = [
  ["memory", "Questions answered from a note"],
  ["moment", "Raids remembered"],
  ["order", "Orders that came to nothing"],
  ["forgotten", "Forgotten on request"],
] as const;
