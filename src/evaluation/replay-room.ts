import { setImmediate as macrotask } from "node:timers/promises";
import { Ledger } from "../actions/ledger-store.ts";
import { ChannelStore } from "../chat/channel-store.ts";
import { TEXT_LIFETIME_MS } from "../chat/event-removal-store.ts";
import { EventStore } from "../chat/event-store.ts";
import { MomentStore } from "../chat/moment-store.ts";
import { makeOwnMessage, type Spoken } from "../chat/normalise.ts";
import { openViewerStore } from "../chat/viewer-store.ts";
import { toConfig } from "../config/load.ts";
import { findPersona } from "../config/personas.ts";
import { NoticeBoard } from "../database/notices-store.ts";
import { type Db, openDatabase, truncateWal } from "../database/open-database.ts";
import { Counters } from "../database/runtime-store.ts";
import { makeFence } from "../language/fence.ts";
import { createKeyedHash, makePersonToken } from "../language/people.ts";
import { readStems } from "../language/stems.ts";
import { openLog } from "../log.ts";
import { SaidEpisodes, StoredTexts } from "../memory/episode-store.ts";
import { Memory } from "../memory/memory-loop.ts";
import { type NewNote, ReplayedNotes } from "../memory/note-reads-store.ts";
import { getImportance } from "../memory/note-settings.ts";
import { NoteStore } from "../memory/note-store.ts";
import { createPaceReader } from "../memory/recall/pace.ts";
import { type LoreAsked, type RecallParts, RecallStore } from "../memory/recall/recall-store.ts";
import { type LoreNote, PLACES } from "../memory/recall/weigh.ts";
import { SuppressionStore } from "../memory/suppression-store.ts";
import { LlmCallStore } from "../models/call-store.ts";
import type { Llm } from "../models/model-port.ts";
import { sweep } from "../privacy/retention.ts";
import { openConfiguredGuard, ReplyService } from "../reply/reply-service.ts";
import { ReplyStore } from "../reply/reply-store.ts";
import { prepareLastTrailRead } from "../reply/reply-view-store.ts";
import { readTrail, type Trail } from "../reply/trail.ts";
import { readBacklog } from "../telemetry/report-store.ts";
import type { Recognise } from "./replay.ts";
import type { Scenario, ScenarioFact, ScenarioSpeaker, Session } from "./scenario.ts";

/** The choice of a speaker's notes: the bot's (`shipped`), or the first version's, by confidence over age (`seed`). */
export type StrategyName = "seed" | "shipped";

const BOT = "automark";
const BOT_USER_ID = "9001";
const ROOM_ID = "77";
const PACE_WINDOW_MS = 60_000;
/** The fence marker. It is fixed, since a random one would change the estimates from run to run. */
const FENCE_MARKER = "evaluation0";

/**
 * Runs the program's own parts from a chat message to a recorded reply, over a database in memory and a clock that is
 * set.
 */
export class ReplayRoom {
  readonly channel: string;
  readonly clock;
  readonly db: Db;
  readonly memory;
  readonly #stores;
  readonly #service;
  readonly #lastTrail;
  #lines = 0;

  constructor(input: {
    scenario: Scenario;
    llm: Llm;
    strategy: StrategyName;
    /** Keys of a configuration. */
    settings?: Readonly<Record<string, unknown>>;
  }) {
    const { scenario, llm, strategy, settings = {} } = input;
    const { channel, pace } = scenario;
    const replies = { viewerCooldownSeconds: 0, channelCooldownSeconds: 0, continuationSeconds: 0 };
    const bot = { login: BOT, aliases: ["mark"] };
    const config = toConfig({ ...settings, channel, bot, replies }, ".", "the configuration");
    const clock = { nowMs: Date.parse(scenario.startsAt) };
    const stores = openStores(channel, () => clock.nowMs);
    const { db, events, channels } = stores;
    const switches = () => ({ paused: false, safeMode: false, readOnly: false });
    const shared = { ...stores, config, llm, fence: makeFence(FENCE_MARKER), switches };
    this.channel = channel;
    this.clock = clock;
    this.db = db;
    this.#stores = stores;
    this.#lastTrail = prepareLastTrailRead(db);
    this.memory = new Memory({
      ...shared,
      flush: events.flush,
      breathe: () => macrotask(),
      isOver: () => channels.isLive(channel) === false,
    });
    const recall = new (strategy === "seed" ? SeedRecall : RecallStore)(db, {
      settings: () => config.memory,
      personaOf: () => findPersona(config, channel).memoryScope,
    });
    const naturalPace = createPaceReader(() => events.pace(channel, PACE_WINDOW_MS));
    let sent = 0;
    this.#service = new ReplyService({
      ...shared,
      recall,
      guard: openConfiguredGuard(config, shared.fence),
      actions: {
        handle: () => Promise.resolve({ instead: null, outcomes: Promise.resolve([]) }),
        endQuestionTo: () => undefined,
        listOffered: () => [],
      },
      // Everything is sent at once.
      outbox: {
        offer: async ({ onSending }) => {
          if (!onSending()) return { kind: "withdrawn" };
          sent += 1;
          return { kind: "sent", messageId: `said-${sent}`, via: "helix" };
        },
        delayMs: () => 0,
      },
      isShut: () => false,
      handleError: () => false,
      random: () => 0.5,
      // A wait costs no time: the clock jumps to its end.
      wait: async (ms) => {
        clock.nowMs += ms;
      },
      paceOf: () => pace ?? naturalPace(channel),
      botUserId: () => BOT_USER_ID,
      onSaid: (_, { text, messageId }) => {
        events.add(makeOwnMessage({ channel, userId: BOT_USER_ID, login: BOT, text, messageId }));
      },
    });
  }

  /** Begins a stream: sets the clock, removes expired data, and marks the channel as live. */
  async begin({ startsAtMs, title, category }: Session): Promise<void> {
    const { channels, sweep: sweepStores } = this.#stores;
    this.clock.nowMs = startsAtMs;
    await sweepStores();
    const live = { title, category, isLive: true, startedAtMs: startsAtMs };
    channels.refresh(this.channel, { twitchId: ROOM_ID, language: null, ...live });
  }

  /** Marks the channel as offline. */
  end(): void {
    const over = { title: "", category: "", isLive: false, startedAtMs: null };
    this.#stores.channels.refresh(this.channel, { twitchId: ROOM_ID, language: null, ...over });
  }

  /** Stores a message to the chat, not to the bot. Nothing answers it. */
  say(by: ScenarioSpeaker, text: string): void {
    this.#stores.events.add(this.#makeMessage(by, text), false);
  }

  /**
   * Asks the bot, and waits until its reply has ended, sent or not; the clock jumps over its waits. Returns the reply's
   * trail; null if no prompt was made. Throws if the bot does not take the text as addressed to it.
   */
  async ask(by: ScenarioSpeaker, text: string): Promise<Trail | null> {
    const { events, replies } = this.#stores;
    const message = this.#makeMessage(by, `@${BOT} ${text}`);
    const heard = this.#service.hear(message);
    const event = events.add(message, heard.addressed !== null);
    const ended = new Promise<void>((resolve) => {
      replies.end = resolve;
    });
    if (!this.#service.answer(heard, event))
      throw new Error("a question of a scenario was not heard");
    await ended;
    // Lets the rest of the turn finish.
    await macrotask();
    const read = readTrail(this.#lastTrail(this.channel));
    return read.kind === "read" ? read.trail : null;
  }

  async close(): Promise<void> {
    await this.#service.close();
    await this.memory.close();
    this.#stores.events.close();
    this.db.close();
  }

  #makeMessage({ userId, login, name, role }: ScenarioSpeaker, text: string): Spoken {
    this.#lines += 1;
    const roles = {
      broadcaster: role === "streamer",
      moderator: role === "moderator",
      vip: role === "vip",
      subscriber: false,
    };
    return {
      kind: "message",
      channel: this.channel,
      text,
      memorable: true,
      messageId: `line-${this.#lines}`,
      person: { userId, login, displayName: name, roles },
      parent: null,
      amount: null,
      sentAtMs: null,
      isBotItself: false,
      isKnownBot: false,
    };
  }
}

/** Calls `end` after each reply is recorded, sent or refused. */
class WatchedReplies extends ReplyStore {
  end = (): void => undefined;

  override finish(...turn: Parameters<ReplyStore["finish"]>): void {
    super.finish(...turn);
    this.end();
  }

  override refuse(...turn: Parameters<ReplyStore["refuse"]>): void {
    super.refuse(...turn);
    this.end();
  }
}

function openStores(channel: string, now: () => number) {
  const db = openDatabase(":memory:");
  const log = openLog("silent");
  const notices = new NoticeBoard(db, now, log);
  const counters = new Counters(db);
  const channels = new ChannelStore(db, now);
  channels.ensure(channel);
  const hash = createKeyedHash("evaluation");
  const suppressions = new SuppressionStore(db, hash, now);
  const { isOptedOut } = suppressions;
  const replies = new WatchedReplies(db, now, { isOptedOut });
  const events = new EventStore(db, {
    now,
    expiryMs: TEXT_LIFETIME_MS,
    streamOf: (channel) => channels.runningStream(channel),
    isOptedOut,
  });
  const calls = new LlmCallStore(db);
  const ledger = new Ledger(db, now, hash.person);
  const moments = new MomentStore(db);
  const stored = { db, moments, events, replies, ledger, calls, counters, notices, now };
  const breathe = () => Promise.resolve();
  const emptyWal = () => truncateWal(db);
  return {
    ...{ channel, log, channels, hash, suppressions, ...stored },
    viewers: openViewerStore(db, events.flush),
    sweep: () => sweep({ ...stored, breathe, emptyWal }),
  };
}

/** Chooses the notes about a speaker as the first version did: by confidence over age. Ignores the message. */
class SeedRecall extends RecallStore {
  readonly #notes: ReplayedNotes;

  constructor(db: Db, parts: RecallParts) {
    super(db, parts);
    this.#notes = new ReplayedNotes(db);
  }

  override lore({ channel, userId, nowMs }: LoreAsked): LoreNote[] {
    return this.#notes.seed({ channel, userId, nowMs }).map((note) => {
      const terms = { base: note.score, importance: 0, lexical: 0, topic: 0 };
      const lastConfirmedAtMs = note.createdAtMs;
      return { ...note, terms, propertyValue: null, lastConfirmedAtMs, place: PLACES.best };
    });
  }

  override loreOrLast(asked: LoreAsked) {
    return { notes: this.lore(asked), fresh: true };
  }
}

const PLAIN_EVIDENCE = { method: "extracted", model: null, promptVersion: null } as const;
const CONFIRMED = { property: null, lifetime: null, happensOn: null };

/** A fact of the scenario. `subjectId`: a user id, or null for the channel. */
export interface SubjectFact {
  readonly fact: ScenarioFact;
  readonly subjectId: string | null;
}

/**
 * Writes facts that have a `note` as notes, without a model and without the write policy, and skips the others. So
 * ranking can be measured alone. One episode is their evidence. Returns note ids by fact id.
 */
export function giveNotes(
  { db, channel, clock: { nowMs } }: ReplayRoom,
  given: readonly SubjectFact[],
): ReadonlyMap<string, number> {
  const facts = given.flatMap(({ fact: { id, fact, note }, subjectId }) =>
    note === undefined ? [] : [{ id, fact, note, subjectId }],
  );
  if (facts.length === 0) return new Map();
  const notes = new NoteStore(db, () => nowMs);
  const episodes = new SaidEpisodes(db, "import");
  const write = db.transaction(() => {
    const episodeId = episodes.begin(channel, null, nowMs);
    return facts.map(({ id, fact, note, subjectId }, n): [string, number] => {
      const { kind, topics, confidence, importance } = note;
      const ofChannel = kind === "running_bit" ? "bit" : "channel";
      const written: NewNote = {
        ...{ channel, subjectId, kind, confidence, importance: getImportance(importance) },
        scope: subjectId === null ? ofChannel : "viewer",
        fact: subjectId === null ? fact : `${makePersonToken(subjectId)} ${fact}`,
        topics: topics.join(", "),
        words: readStems(`${fact} ${topics.join(" ")}`).join(" "),
        ...{ persona: null, status: "active", source: "extracted", expiresAtMs: null },
        ...CONFIRMED,
      };
      const claimN = n + 1;
      const { scope, source } = written;
      episodes.claim(episodeId, claimN, { scope, subjectId, kind, fact: written.fact, source });
      const evidence = { ...PLAIN_EVIDENCE, episodeId, claimN, confidence };
      return [id, notes.insert(written, [evidence])];
    });
  });
  return new Map(write());
}

/** Confirms notes, as if a later session had said the same. */
export function confirmNotes(
  { db, channel, clock: { nowMs } }: ReplayRoom,
  noteIds: readonly number[],
): void {
  if (noteIds.length === 0) return;
  const notes = new NoteStore(db, () => nowMs);
  db.transaction(() => {
    const episodeId = new SaidEpisodes(db, "import").begin(channel, null, nowMs);
    const evidence = { ...PLAIN_EVIDENCE, episodeId, claimN: null, confidence: 1 };
    for (const id of noteIds) notes.confirm(id, [evidence], CONFIRMED);
  })();
}

/** Reads what each tier of memory holds in a channel. `subjectId` is null for the channel itself. */
export class Tiers {
  readonly #channel;
  readonly #texts;
  readonly #notes;
  readonly #db;

  constructor({ db, channel }: ReplayRoom) {
    this.#channel = channel;
    this.#texts = new StoredTexts(db);
    this.#notes = new ReplayedNotes(db);
    this.#db = db;
  }

  /** Returns the active notes, each with the number of episodes that support it. */
  activeNotes() {
    const active = this.#notes.active();
    return active.map(({ episodes, ...note }) => ({ ...note, evidence: episodes.length }));
  }

  /** Counts the episodes, the gaps (chat that could not be summarised), and the events that no episode has yet. */
  counts() {
    return { ...this.#texts.counts(), unsummarised: readBacklog(this.#db).waitingEvents };
  }

  /** Returns true if a claim about the subject holds a fact; for the channel also if a summary does. */
  isClaimed(subjectId: string | null, holds: Recognise): boolean {
    const texts = [...this.#texts.claims(this.#channel), ...this.#texts.summaries(this.#channel)];
    return texts.some((row) => row.subjectId === subjectId && holds(row.text));
  }

  /** Returns the active notes on a subject. Their text is fact and topics. */
  heldNotes(subjectId: string | null) {
    return this.#notes.held(this.#channel, subjectId);
  }

  /**
   * Returns true if one of the shown notes is about the subject and holds a fact; for the channel also if a shown
   * episode's summary does.
   */
  isShown(
    shown: { notes: readonly number[]; episodes: readonly number[] },
    subjectId: string | null,
    holds: Recognise,
  ): boolean {
    const notes = shown.notes.map((id) => this.#notes.one(id));
    if (notes.some((row) => row?.subjectId === subjectId && holds(row.text))) return true;
    const summaries = subjectId === null ? this.#texts.summaries(this.#channel) : [];
    return summaries.some(({ id, text }) => shown.episodes.includes(id) && holds(text));
  }
}
