import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Daemon } from "../daemon/daemon.ts";
import { claimRehearsalFolder } from "../lab/rehearsal/data-folder.ts";
import { type MemoryShown, memoryShown } from "../lab/rehearsal/memory-shown-store.ts";
import { rehearse as runRehearsal } from "../lab/rehearsal/rehearsal.ts";
import { REHEARSAL_BOT } from "../lab/rehearsal/settings.ts";
import { openLog } from "../log.ts";
import { readEnvironment } from "../platform/config/environment.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { type Painter, painter } from "./paint.ts";
import type { Terminal } from "./terminal.ts";

export interface RehearseOptions {
  readonly speed: number;
  readonly seed: number;
  readonly port: number;
  readonly streams: number;
  /** Length of each stream. */
  readonly minutes: number;
  /** null: a temporary folder, gone afterwards. */
  readonly data: string | null;
}

const DATABASE_FILE = "forgetmenot.db";
/** Of what a stream taught so much is shown. */
const LEARNED_SHOWN = 8;

/** Shows a rehearsal in the terminal: the chat, the replies, a live line of counts, and a summary at the end. */
export async function rehearse(options: RehearseOptions, terminal: Terminal): Promise<void> {
  const paint = painter(terminal, readEnvironment().wantsColour);
  const dataDir =
    options.data === null ? mkdtempSync(join(tmpdir(), "forgetmenot-")) : resolve(options.data);
  try {
    const configFile = claimRehearsalFolder(dataDir);
    await runRehearsal(
      {
        ...options,
        dataDir,
        log: openLog("warn"),
        stop: terminal.stop,
        onBeat: (beat) => {
          const line = paint.beat(beat);
          if (line !== null) paint.above(line);
        },
        onBotSaid: (text) => paint.above(paint.reply(REHEARSAL_BOT, text)),
        onTick: (daemon) => paint.below(countsLine(daemon)),
      },
      {
        open: (daemon) => welcome(daemon, options, paint),
        next: (stream) => {
          paint.above("");
          paint.above(
            `The bot was stopped, a night went by, and it starts again: stream ${stream}.`,
          );
        },
        ending: (daemon, lastBeganAtMs) =>
          farewell(daemon, paint, [
            ...(options.streams > 1 ? memoryLines(dataDir, lastBeganAtMs) : []),
            ...(options.data === null ? DELETED : whereItIs(dataDir, configFile)),
          ]),
      },
    );
  } finally {
    if (options.data === null) rmSync(dataDir, { recursive: true, force: true });
  }
}

function welcome(daemon: Daemon, { speed }: RehearseOptions, paint: Painter): void {
  const page = daemon.pageUrl === null ? "" : ` Status page: ${daemon.pageUrl}`;
  paint.above(
    `A rehearsal: the real bot in a simulated channel${speed === 1 ? "" : `, ${speed} times as fast`}. Nothing leaves this machine; a rule-based offline model answers.`,
  );
  paint.above(
    `To go live: npm run setup. It asks what it needs, and README.md says what that is.${page} Ctrl-C ends it.`,
  );
  paint.above("");
}

function countsLine(daemon: Daemon): string {
  const { channels, counts, replies } = daemon.status();
  const pace = channels[0];
  const refused = (replies.byState["refused"] ?? 0) + (replies.byState["silent"] ?? 0);
  return [
    `${pace?.messagesPerMinute ?? 0} messages/min (${pace?.pace ?? "quiet"})`,
    `${counts.events} events`,
    `${counts.viewers} people`,
    `${counts.episodes} episodes`,
    `${counts.notes} notes`,
    `${counts.replies} replies`,
    `${refused} not sent`,
  ].join(" · ");
}

function farewell(daemon: Daemon, paint: Painter, last: readonly string[]): void {
  const { counts, replies, notices } = daemon.status();
  const reasons = Object.entries(replies.byReason).map(([reason, count]) => `${count} ${reason}`);
  paint.end([
    "",
    "The rehearsal is over.",
    `  ${counts.events} events from ${counts.viewers} people; raw chat would be gone in 24 hours`,
    `  ${counts.replies} replies sent; not sent: ${reasons.join(", ") || "none"}`,
    `  ${counts.episodes} episodes and ${counts.notes} notes remembered`,
    ...notices.map(({ severity, message }) => `  ${severity}: ${message}`),
    ...last,
  ]);
}

const DELETED = ["  Its database was temporary and is deleted; --data FOLDER keeps one."];

/** With a command that can be typed as it stands, from any folder. */
function whereItIs(dataDir: string, configFile: string): string[] {
  return [
    `  Its database is in ${dataDir}. To see what it learned:`,
    `    forgetmenot memory list -c "${configFile}"`,
    "  The same -c goes with `report`, `status`, `memory candidates` and so on. Where `npm link` was not run,",
    "  `node dist/main.js` stands for `forgetmenot`, in the folder of the program.",
  ];
}

/** What the last stream showed of those before it. */
function memoryLines(dataDir: string, lastBeganAtMs: number): string[] {
  const db = openDatabase(join(dataDir, DATABASE_FILE), { readOnly: true });
  try {
    return memoryText(memoryShown(db, lastBeganAtMs));
  } finally {
    db.close();
  }
}

function memoryText({ learned, linesLeft, recap, greeting, corrections }: MemoryShown): string[] {
  const more = learned.length - LEARNED_SHOWN;
  return [
    "",
    "What memory did:",
    `  Of the stream before, ${linesLeft} lines of chat are left; it taught ${learned.length} notes:`,
    ...learned.slice(0, LEARNED_SHOWN).map(({ id, fact }) => `    [${id}] ${fact}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    ...(recap === null ? [] : [`  Its recap: ${recap}`]),
    ...(greeting === null
      ? ["  Nobody was told what it knew of them."]
      : [
          `  In this stream it knew ${greeting.name} by note ${greeting.noteId}:`,
          ...(greeting.line === null ? [] : [`    ${greeting.name}: ${greeting.line}`]),
          `    ▸ ${REHEARSAL_BOT}: ${greeting.reply}`,
        ]),
    corrections.length === 0
      ? "  Nothing that it knew was corrected."
      : "  What it knew was corrected, and the old note stands behind the new one:",
    ...corrections.map(
      ({ before, after }) => `    [${before.id}] ${before.fact}  →  [${after.id}] ${after.fact}`,
    ),
    "",
  ];
}
