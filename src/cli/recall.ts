import { type Config, loadConfig } from "../config/load.ts";
import type { TopicMode } from "../config/names.ts";
import { hashKey } from "../config/secrets.ts";
import { openRecall } from "../daemon/recall.ts";
import { type Db, openDatabase } from "../db/open.ts";
import { Fault } from "../errors.ts";
import { eventReads } from "../events/read-store.ts";
import { viewerStore } from "../events/viewer-store.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import { loreLines } from "../prompt/sections.ts";
import { depthOf } from "../recall/depth.ts";
import type { LoreNote } from "../recall/lore-store.ts";
import type { LoreAsked, RecallStore } from "../recall/store.ts";
import { makeFence } from "../text/fence.ts";
import { keyedHash } from "../text/keyed-hash.ts";
import { fillNames } from "../text/people.ts";
import type { Terminal } from "./terminal.ts";

export interface RecallOptions {
  readonly config: string;
  readonly viewer: string;
  readonly message: string;
  readonly channel?: string;
  readonly json?: true;
}

const NEXT_SHOWN = 10;
const NOTES_MAX = 500;

/** Shows which notes a reply to a message would see, and why in that order. Asks no model, writes nothing. */
export function showRecall(options: RecallOptions, terminal: Terminal): void {
  const config = loadConfig(options.config);
  const db = openDatabase(config.databaseFile, { readOnly: true });
  try {
    const found = recallFor(options, config, db);
    terminal.print(
      options.json === true ? JSON.stringify(found, null, 2) : textOf(found, options.message),
    );
  } finally {
    db.close();
  }
}

interface Found {
  readonly viewer: string;
  readonly channel: string;
  /** Whether they opted out: then a reply sees nothing about them. */
  readonly optedOut: boolean;
  readonly topics: TopicMode;
  /** Of all lines that are shown, and what they may have. */
  readonly tokens: number;
  readonly tokensMax: number;
  /** Best first; those shown come before the others. */
  readonly notes: readonly FoundNote[];
  /** Whether `topics` says so or not. */
  readonly strictLeavesOut: readonly number[];
}

interface FoundNote extends LoreNote {
  readonly shown: boolean;
  readonly tokens: number;
}

function recallFor(options: RecallOptions, config: Config, db: Db): Found {
  const channel = channelOf(options, config);
  const viewer = viewerStore(db, () => undefined).byLogin(options.viewer.replace(/^@/, ""));
  if (viewer === null) throw noSuchViewer(options.viewer);
  const suppressions = suppressionStore(db, keyedHash(hashKey(config.dataDir)), Date.now);
  const storeFor = (mode: TopicMode): RecallStore =>
    openRecall({ config, now: Date.now }, { db, suppressions }, () => ({
      ...config.memory,
      topics: mode,
    }));
  const asked = questionOf(db, storeFor("add"), {
    channel,
    userId: viewer.userId,
    message: options.message,
  });
  const under = (mode: TopicMode): LoreNote[] => namedLore(storeFor(mode), asked);
  const { topics, recall } = config.memory;
  const all = under("add");
  const strict = new Set(under("strict").map(({ id }) => id));
  const ranked = topics === "strict" ? all.filter(({ id }) => strict.has(id)) : all;
  const depth = depthOf("normal").lore;
  const lines = loreLines(ranked.slice(0, depth), makeFence("recall".repeat(2)), recall.loreTokens);
  const tokens = new Map(lines.map((line) => [line.id, line.tokens]));
  return {
    viewer: viewer.displayName,
    channel,
    optedOut: suppressions.isOptedOut(viewer.userId),
    topics,
    tokens: lines.reduce((sum, line) => sum + line.tokens, 0),
    tokensMax: recall.loreTokens,
    notes: ranked.map((note) => ({
      ...note,
      shown: tokens.has(note.id),
      tokens: tokens.get(note.id) ?? 0,
    })),
    strictLeavesOut: all.map(({ id }) => id).filter((id) => !strict.has(id)),
  };
}

function channelOf({ channel }: RecallOptions, { channels }: Config): string {
  const named = (channel ?? channels[0] ?? "").toLowerCase().replace(/^#/, "");
  if (channels.includes(named)) return named;
  throw new Fault(`the configuration names no channel ${named}`, {
    code: "usage",
    mend: `give one that it names: ${channels.join(", ")}`,
  });
}

/** As they would stand in a prompt. */
function namedLore({ lore, displayName }: RecallStore, asked: LoreAsked): LoreNote[] {
  return lore(asked).map((note) => ({
    ...note,
    fact: fillNames(note.fact, displayName),
    topics: fillNames(note.topics, displayName),
  }));
}

/** As a reply would ask, with what is left of the speaker's last lines. */
function questionOf(
  db: Db,
  recall: RecallStore,
  { channel, userId, message }: { channel: string; userId: string; message: string },
): LoreAsked {
  const events = eventReads(db);
  const depth = depthOf("normal");
  const chat = events.recentChat(channel, depth.chat + depth.own);
  return {
    channel,
    userId,
    nowMs: Date.now(),
    limit: NOTES_MAX,
    shown: depth.lore,
    conversation: {
      message: { id: null, text: message },
      recent: events.ownRecent(channel, userId, depth.own),
      others: chat.filter((line) => line.userId !== userId).slice(-depth.chat),
      category: recall.state(channel).category,
    },
  };
}

function textOf(found: Found, message: string): string {
  const { viewer, channel, optedOut, topics, tokens, tokensMax, notes, strictLeavesOut } = found;
  const shown = notes.filter((note) => note.shown);
  const next = notes.filter((note) => !note.shown).slice(0, NEXT_SHOWN);
  return [
    `What a reply to ${viewer} in #${channel} would remember, asked: ${message}`,
    "",
    ...(shown.length === 0
      ? [optedOut ? OPTED_OUT : "Nothing."]
      : [HEADER, ...shown.map(noteLine)]),
    `${tokens} of ${tokensMax} tokens.`,
    "",
    ...(next.length === 0 ? [] : ["Next, and not shown:", HEADER, ...next.map(noteLine), ""]),
    `memory.topics is ${topics}. ${
      strictLeavesOut.length === 0
        ? "strict would leave out nothing"
        : `strict leaves out ${strictLeavesOut.join(" ")}`
    }.`,
  ].join("\n");
}

const OPTED_OUT = "Nothing: they opted out.";
const HEADER = "    note   score =  base + import + words + topics  place";
const PLACES = ["kept", "", "", "many"];

function noteLine({ id, score, terms, place, kind, fact, topics }: FoundNote): string {
  const { base, importance, lexical, topic } = terms;
  const parts = [base, importance, lexical, topic].map((term) => term.toFixed(3)).join(" + ");
  const about = topics === "" ? "" : ` (${topics})`;
  return `  ${String(id).padStart(6)}  ${score.toFixed(3)} = ${parts}  ${(PLACES[place] ?? "").padEnd(5)} ${kind.padEnd(11)} ${fact}${about}`;
}

function noSuchViewer(login: string): Fault {
  return new Fault(`nobody was seen as ${login}`, {
    code: "usage",
    mend: "give the login, as it stands in the address of the person's channel",
  });
}
