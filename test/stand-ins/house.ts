import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Environment, useHelixStandIn } from "../../src/config/environment.ts";
import { type JsonObject, mergeJson } from "../../src/config/json-tree.ts";
import { toConfig } from "../../src/config/load.ts";
import { type Daemon, startDaemon } from "../../src/daemon/daemon.ts";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { openLog } from "../../src/log.ts";
import type { Wait } from "../../src/twitch/bounded-call.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { geminiSays } from "./gemini-server.ts";
import type { PlayedLine } from "./irc-lines.ts";
import {
  buildTown,
  CHANNEL,
  configFileOf,
  MODEL_KEY,
  type Town,
  type TownGiven,
  TWITCH_TOKEN,
} from "./town.ts";
import { until } from "./until.ts";
import { workingModel } from "./working-model.ts";

/** Builds a town that goes when the test ends. */
export async function openTown(given: TownGiven = {}): Promise<Town> {
  const town = await buildTown(temporaryFolder(), given);
  onTestFinished(town.close);
  return town;
}

export interface HouseGiven extends TownGiven {
  /** Keys in place of the usual ones. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Keys of `llm` beside the usual ones. */
  readonly llm?: Readonly<Record<string, unknown>>;
  readonly environment?: Partial<Environment>;
  /** Without it nobody sets the town's clock back. */
  readonly monotonicNow?: () => number;
  readonly sinceBootMs?: () => number;
  readonly random?: () => number;
  /** The daemon reads its configuration from a file, and watches it. */
  readonly watched?: true;
}

/** A running daemon in a town. */
export interface House extends Town {
  readonly daemon: Daemon;
  /** A connection of its own to the daemon's database. */
  readonly db: Db;
  /** Where the configuration stands, if the daemon watches it. */
  readonly configFile: string;
  /** The log's lines. */
  readonly logged: readonly string[];
  /** How often the daemon took over another configuration. */
  takenOver(): number;
  /** Writes keys to the file that the daemon watches, beside those that stand there, and waits until it took them over. */
  reload(changes: JsonObject): Promise<void>;
  say(line: Partial<PlayedLine> & { readonly text: string }): string;
  /** The model says each of these once, in order. */
  think(...texts: readonly string[]): void;
  /** Every row of `replies`, in order. */
  replies(): readonly ReplyRow[];
  /** Resolves when `count` replies have ended. */
  ended(count: number): Promise<readonly ReplyRow[]>;
  close(): Promise<void>;
}

interface ReplyRow {
  readonly id: number;
  readonly userId: string;
  readonly state: string;
  readonly reason: string | null;
  readonly text: string | null;
  readonly messageId: string | null;
  readonly eventId: number | null;
  readonly trail: string | null;
}

/**
 * Opens a town and a daemon in it, joined and told whether the channel is live. Unless a clock is given its time goes
 * thirty times as fast as the wall's: Twitch wants a second between two messages of the bot.
 */
export async function openHouse(given: HouseGiven = {}): Promise<House> {
  return enter(await openTown({ ...fastTime(SPEED), ...given }), given);
}

const SPEED = 30;

/** A daemon in a town that stands, joined. */
export async function enter(
  town: Town,
  given: Omit<HouseGiven, "now" | "wait"> = {},
): Promise<House> {
  useHelixStandIn(town.helix.port);
  const logged: string[] = [];
  const takenOver = (): number =>
    logged.filter((line) => line.includes("configuration applied")).length;
  const configFile = join(dirname(town.dataDir), "config.json");
  const raw = rawConfig(town, given);
  if (given.watched === true) writeFileSync(configFile, JSON.stringify(raw, null, 2));
  const config = toConfig(raw, town.dataDir);
  const log = openLog("debug", (line) => void logged.push(line));
  const daemon = await startDaemon({
    offlineModel: workingModel(),
    config,
    ...(given.watched === true ? { configFile } : {}),
    environment: { ...ENVIRONMENT, ...given.environment },
    now: town.now,
    ...(given.monotonicNow === undefined ? {} : { monotonicNow: given.monotonicNow }),
    ...(given.sinceBootMs === undefined ? {} : { sinceBootMs: given.sinceBootMs }),
    wait: town.wait,
    speed: SPEED,
    random: given.random ?? (() => 0.5),
    log,
  });
  const db = openDatabase(config.databaseFile);
  let open = true;
  const close = async (): Promise<void> => {
    if (open) db.close();
    open = false;
    await daemon.close();
  };
  onTestFinished(close);
  await daemon.ready;
  const knowsLive = db.prepare("SELECT 1 FROM channel_state WHERE refreshed_at IS NOT NULL");
  if (config.bot.login !== null) await until(() => knowsLive.get() !== undefined);
  return {
    ...town,
    ...hand(town, db, given.channel ?? CHANNEL),
    daemon,
    db,
    configFile,
    logged,
    takenOver,
    reload: async (changes) => {
      const before = takenOver();
      const stands: unknown = JSON.parse(readFileSync(configFile, "utf8"));
      writeFileSync(configFile, JSON.stringify(mergeJson(stands, changes), null, 2));
      await until(() => takenOver() > before);
    },
    close,
  };
}

function rawConfig(town: Town, { config, llm }: HouseGiven) {
  const file = configFileOf(town, config);
  return { ...file, llm: { ...file.llm, ...llm } };
}

const ENVIRONMENT: Environment = {
  twitchAccessToken: TWITCH_TOKEN,
  twitchRefreshToken: null,
  twitchStreamerAccessToken: null,
  twitchStreamerRefreshToken: null,
  geminiApiKey: MODEL_KEY,
  openaiApiKey: null,
  hasHelixStandIn: true,
};

function hand(
  { irc, model }: Town,
  db: Db,
  channel: string,
): Pick<House, "say" | "think" | "replies" | "ended"> {
  const select = `SELECT id, user_id AS userId, state, reason, text, message_id AS messageId, event_id AS eventId,
    token_usage_json AS trail FROM replies`;
  const isEnded = "state NOT IN ('thinking', 'sending')";
  const all = db.prepare<[], ReplyRow>(`${select} ORDER BY id`);
  const ended = db.prepare<[], ReplyRow>(`${select} WHERE ${isEnded} ORDER BY id`);
  const count = db.prepare<[], number>(`SELECT count(*) FROM replies WHERE ${isEnded}`).pluck();
  return {
    say: (line) => irc.say(channel, { userId: "501", login: "rosa", displayName: "Rosa", ...line }),
    think: (...texts) => model.enqueue(...texts.map((text) => geminiSays({ text }))),
    replies: () => all.all(),
    ended: async (many) => {
      await until(() => Number(count.get()) >= many);
      return ended.all();
    },
  };
}

interface HandTime {
  readonly now: () => number;
  readonly wait: Wait;
  /** Moves the clock on, and ends the waits that are over then. */
  pass(ms: number): void;
}

/** A clock that stands until it is moved on, and the wait that goes with it: what the machine does takes no time. */
export function handTime(): HandTime {
  let nowMs = Date.now();
  const waiting = new Map<() => void, number>();
  return {
    now: () => nowMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal.aborted) return resolve();
        const end = (): void => {
          waiting.delete(end);
          signal.removeEventListener("abort", end);
          resolve();
        };
        waiting.set(end, nowMs + ms);
        signal.addEventListener("abort", end);
      }),
    pass: (ms) => {
      nowMs += ms;
      for (const [end, atMs] of [...waiting]) if (atMs <= nowMs) end();
    },
  };
}

/** How often a fast clock ticks, ms of the wall's clock. */
const TICK_MS = 2;

/**
 * A clock that runs `speed` times as fast as the wall's, and the wait that goes with it. It ticks once in a turn of the
 * event loop at most, so it stands still while the machine is busy with something else: what a slow machine needs for a
 * piece of work does not count as time that passed.
 */
export function fastTime(speed: number): { readonly now: () => number; readonly wait: Wait } {
  const { now, wait, pass } = handTime();
  const ticks = setInterval(() => pass(TICK_MS * speed), TICK_MS);
  onTestFinished(() => clearInterval(ticks));
  return { now, wait };
}
