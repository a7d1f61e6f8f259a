import { eventReads } from "../chat/event-read-store.ts";
import { accountStore } from "../chat/viewer-store.ts";
import { openRecall } from "../daemon/stores.ts";
import { wrongUse } from "../errors.ts";
import { makeFence } from "../language/fence.ts";
import { fillNames, keyedHash } from "../language/people.ts";
import { RECENT_LINES_MAX } from "../memory/recall/query-terms.ts";
import type { LoreAsked, RecallStore } from "../memory/recall/recall-store.ts";
import { RERANK_POOL } from "../memory/recall/rerank.ts";
import { depthOf, type LoreNote, type Pace, PLACE_NAMES } from "../memory/recall/weigh.ts";
import { suppressionStore } from "../memory/suppression-store.ts";
import type { Config } from "../platform/config/load.ts";
import type { TopicMode } from "../platform/config/names.ts";
import { hashKey } from "../platform/config/secrets.ts";
import type { Db } from "../platform/database/open-database.ts";
import { loreLines } from "../reply/prompt/sections.ts";
import { plural } from "../telemetry/figures.ts";
import { type CommandOutput, channelName, type Opened } from "./open-folder.ts";
import { when } from "./terminal.ts";

interface RecallOptions {
  readonly viewer: string;
  readonly message: string;
  readonly pace: Pace;
  readonly channel?: string;
}

const NEXT_SHOWN = 10;
const NOTES_MAX = 500;

/** Shows which notes a reply to a message would see, and why in that order. Asks no model, writes nothing. */
export function showRecall({ config, db }: Opened, options: RecallOptions): CommandOutput {
  const found = recallFor(options, config, db);
  return { value: found, text: linesOf(found, options.message) };
}

type Found = ReturnType<typeof recallFor>;

function recallFor(options: RecallOptions, config: Config, db: Db) {
  const channel = channelOf(options, config);
  const viewer = accountStore(db).named(options.viewer);
  const hash = keyedHash(hashKey(config.dataDir));
  const suppressions = suppressionStore(db, hash, Date.now);
  const storeFor = (mode: TopicMode): RecallStore =>
    openRecall({ config, now: Date.now }, { db, suppressions }, () => ({
      ...config.memory,
      topics: mode,
    }));
  const asked = questionOf(db, storeFor("add"), { channel, userId: viewer.userId }, options);
  const { topics, recall } = config.memory;
  const shownMax = depthOf(options.pace).lore;
  const all = namedLore(storeFor("add"), asked);
  const strict = new Set(namedLore(storeFor("strict"), asked).map(({ id }) => id));
  const ranked = topics === "strict" ? all.filter(({ id }) => strict.has(id)) : all;
  const fence = makeFence("recall".repeat(2));
  const lines = loreLines(ranked.slice(0, shownMax), fence, recall.loreTokens);
  const tokens = new Map(lines.map((line) => [line.id, line.tokens]));
  return {
    viewer: viewer.displayName,
    channel,
    /** Then a reply sees nothing about them. */
    optedOut: suppressions.isOptedOut(viewer.userId),
    topics,
    rerank: recall.rerank,
    pace: options.pace,
    shownMax,
    /** How many lines that they wrote before were held against the notes, beside the message. */
    recentLines: asked.conversation.recent.length,
    /** Of all lines that are shown, and what they may have. */
    tokens: lines.reduce((sum, line) => sum + line.tokens, 0),
    tokensMax: recall.loreTokens,
    /** Best first; those shown come before the others. */
    notes: ranked.map((note) => ({
      ...note,
      shown: tokens.has(note.id),
      tokens: tokens.get(note.id) ?? 0,
    })),
    /** Whether `topics` says so or not. */
    strictLeavesOut: all.map(({ id }) => id).filter((id) => !strict.has(id)),
  };
}

function channelOf({ channel }: RecallOptions, { channels }: Config): string {
  const named = channelName(channel ?? channels[0] ?? "");
  if (channels.includes(named)) return named;
  throw wrongUse(
    `the configuration names no channel ${named}`,
    `give one that it names: ${channels.join(", ")}`,
  );
}

/** As they would stand in a prompt. */
function namedLore({ lore, namesFor }: RecallStore, asked: LoreAsked): LoreNote[] {
  const nameOf = namesFor(asked.userId);
  return lore(asked).map((note) => ({
    ...note,
    fact: fillNames(note.fact, nameOf),
    topics: fillNames(note.topics, nameOf),
  }));
}

/** As a reply would ask, with what is left of the speaker's last lines. */
function questionOf(
  db: Db,
  recall: RecallStore,
  { channel, userId }: { readonly channel: string; readonly userId: string },
  { message, pace }: RecallOptions,
): LoreAsked {
  const events = eventReads(db);
  const depth = depthOf(pace);
  const chat = events.recentChat(channel, depth.chat + depth.own);
  return {
    channel,
    userId,
    nowMs: Date.now(),
    limit: NOTES_MAX,
    shown: depth.lore,
    conversation: {
      message: { id: null, text: message },
      recent: events.ownRecent(channel, userId, Math.min(depth.own, RECENT_LINES_MAX)),
      others: chat.filter((line) => line.userId !== userId).slice(-depth.chat),
      category: recall.state(channel).category,
    },
  };
}

const HEADER = "    note   score =  base + import + words + topics  place";

function linesOf(found: Found, message: string): string[] {
  const { topics, notes, recentLines, strictLeavesOut } = found;
  const shown = notes.filter((note) => note.shown);
  const next = notes.filter((note) => !note.shown).slice(0, NEXT_SHOWN);
  const nothing = found.optedOut ? "Nothing: they opted out." : "Nothing.";
  const leftOut =
    strictLeavesOut.length === 0
      ? "strict would leave out nothing"
      : `strict leaves out ${strictLeavesOut.join(" ")}`;
  return [
    `What a reply to ${found.viewer} in #${found.channel} would remember, asked: ${message}`,
    `At a ${found.pace} pace a prompt shows up to ${plural(found.shownMax, "note")}.`,
    ...when(
      recentLines > 0,
      `Taken into account beside the message: their last ${recentLines === 1 ? "line" : `${recentLines} lines`} in chat.`,
    ),
    ...when(
      found.rerank === "on",
      `memory.recall.rerank is on: a model may put the first ${RERANK_POOL} in another order, which is not asked for here.`,
    ),
    "",
    ...(shown.length === 0 ? [nothing] : [HEADER, ...shown.map(noteLine)]),
    `${found.tokens} of ${found.tokensMax} tokens.`,
    "",
    ...when(next.length > 0, "Next, and not shown:", HEADER, ...next.map(noteLine), ""),
    `memory.topics is ${topics}. ${leftOut}.`,
  ];
}

function noteLine({ id, score, terms, place, kind, fact, topics }: LoreNote): string {
  const { base, importance, lexical, topic } = terms;
  const parts = [base, importance, lexical, topic].map((term) => term.toFixed(3)).join(" + ");
  const about = topics === "" ? "" : ` (${topics})`;
  return `  ${String(id).padStart(6)}  ${score.toFixed(3)} = ${parts}  ${(PLACE_NAMES[place] ?? "").padEnd(8)} ${kind.padEnd(11)} ${fact}${about}`;
}
