import { setTimeout as delay } from "node:timers/promises";
import { ActionReview } from "../actions/ledger-store.ts";
import { streamCounter } from "../chat/channel-store.ts";
import { MomentStore } from "../chat/moment-store.ts";
import { prepareNameRead } from "../chat/viewer-store.ts";
import { setSharedInterval } from "../clock.ts";
import { getHelixStandInPort, readEnvironment, useHelixStandIn } from "../config/environment.ts";
import { toConfig } from "../config/load.ts";
import { type Daemon, startDaemon } from "../daemon/daemon.ts";
import type { DaemonOptions } from "../daemon/lifetime.ts";
import type { Db } from "../database/open-database.ts";
import { runFinder } from "../language/distinctive.ts";
import { fillNames } from "../language/people.ts";
import type { Log } from "../log.ts";
import { ReplayedNotes, readAllFacts } from "../memory/note-reads-store.ts";
import { REST_EVENTS_MIN } from "../memory/windows.ts";
import type { Dashboard } from "../page/server.ts";
import { REHEARSAL_SETTINGS } from "./data-folder.ts";
import { openRecordedModel } from "./recorded-model.ts";
import { type Beat, makeEvenings, makeRecording, type Proof } from "./script.ts";
import { SimulatedChannel } from "./simulated-channel.ts";

interface RehearsalOptions {
  /** Simulated seconds in a real second. */
  readonly speed: number;
  readonly dataDir: string;
  /** The page, which stays open over both evenings. */
  readonly page: Dashboard;
  /** The buttons of the page that end the demo. */
  readonly control?: DaemonOptions["control"];
  readonly log: Log;
  /** Aborts when the operator wants it to end. */
  readonly stop: AbortSignal;
  readonly onBeat: (beat: Beat) => void;
  /** Called when the bot sent a message. `beat`: the index of the one that it answers, or null. */
  readonly onBotSaid: (text: string, beat: number | null) => void;
  readonly onBotDid: (what: string) => void;
  readonly onTick: (daemon: Daemon) => void;
}

const TICK_MS = 1_000;
/**
 * The pause between two summaries of chat, in simulated time: shorter than in a real stream, so that there is something
 * to see.
 */
const COMPACTION_SECONDS = 60;
/** The longest wait for the last answers and notes, in simulated time; and the least of it in real time. */
const REMEMBER_MS_MAX = 90_000;
const REMEMBER_REAL_MS_MIN = 20_000;
const CHECK_EVERY_MS = 50;
/** The simulated time from one stream to the next: longer than raw chat lives. */
const NIGHT_MS = 26 * 3_600_000;

/** The clock's jump at the end of a stream, after which the bot checks whether the stream is over. */
const AFTER_STREAM_MS = 61_000;

interface RehearsalMoments {
  /** The bot has joined, in the first stream. */
  readonly open: (daemon: Daemon) => void;
  /** A stream is over and remembered, and the bot closes. */
  readonly over: () => void;
  /** Another stream begins, a night later, and the bot has restarted. */
  readonly next: (stream: number) => void;
  /** The last stream is over, and the bot closes once this resolves. `script`: all that was played. */
  readonly ending: (daemon: Daemon, shown: { readonly script: readonly Beat[] }) => Promise<void>;
}

/**
 * Runs the real daemon in a simulated channel until the script ends or `stop` aborts. Everything stays on loopback.
 * Between two streams the daemon closes, the clock skips a night, and a new daemon opens the same data. So expired data
 * is removed, and notes stay.
 */
export async function runRehearsal(options: RehearsalOptions, on: RehearsalMoments): Promise<void> {
  const clock = new SimulatedClock(options.speed);
  const standInBefore = getHelixStandInPort();
  const stage = new SimulatedChannel({ ...options, now: () => clock.now() });
  try {
    await stage.listen();
    useHelixStandIn(stage.helixPort);
    const script = makeEvenings();
    const streams = script.at(-1)?.stream ?? 1;
    for (let stream = 1; stream <= streams && !options.stop.aborted; stream += 1) {
      if (stream > 1) clock.skip(NIGHT_MS);
      await playStream({ options, on, stage, clock, script, stream, isLast: stream === streams });
    }
  } finally {
    clock.close();
    useHelixStandIn(standInBefore);
    stage.close();
  }
}

interface StreamRun {
  readonly options: RehearsalOptions;
  readonly on: RehearsalMoments;
  readonly stage: SimulatedChannel;
  readonly clock: SimulatedClock;
  readonly script: readonly Beat[];
  readonly stream: number;
  readonly isLast: boolean;
}

/** Plays one stream with its own daemon, over the data that the streams before it left. */
async function playStream(run: StreamRun): Promise<void> {
  const { options, on, stage, clock, script, stream, isLast } = run;
  const { dataDir, page, speed, stop, log } = options;
  const beats = script.filter((beat) => beat.stream === stream);
  const opening = beats.findIndex(({ kind }) => kind !== "live");
  for (const beat of beats.slice(0, opening)) stage.perform(beat);
  const settings = {
    ...REHEARSAL_SETTINGS,
    dataDir,
    twitch: { chatUrl: stage.chatUrl },
    memory: { compactionSeconds: Math.max(1, COMPACTION_SECONDS / speed) },
    dashboard: { port: Number(new URL(page.url).port) },
  };
  const daemon = await startDaemon({
    offlineModel: openRecordedModel(makeRecording()),
    page,
    ...(options.control && { control: options.control }),
    config: toConfig(settings, dataDir),
    environment: {
      ...readEnvironment(),
      twitchAccessToken: stage.accessToken,
      twitchRefreshToken: null,
      twitchStreamerAccessToken: null,
      twitchStreamerRefreshToken: null,
      hasHelixStandIn: true,
    },
    now: () => clock.now(),
    wait: (ms, signal) => clock.wait(ms, signal),
    speed,
    random: Math.random,
    log,
  });
  const endTicks = setSharedInterval(TICK_MS, () => options.onTick(daemon));
  try {
    await daemon.ready;
    if (stream === 1) on.open(daemon);
    else on.next(stream);
    const played = beats.slice(opening);
    const beganAtMs = clock.now() - (played[0]?.atMs ?? 0);
    for (const beat of played) {
      await clock.wait(beganAtMs + beat.atMs - clock.now(), stop);
      if (stop.aborted) break;
      stage.perform(beat);
      options.onBeat(beat);
    }
    await skipAndAwaitMemory(daemon, run);
    if (isLast || stop.aborted) await on.ending(daemon, { script });
    else on.over();
  } finally {
    endTicks();
    await daemon.close();
  }
}

/**
 * Skips the clock past the end of the stream. Then waits until the bot has noticed it and remembered the chat, until
 * the limits have passed, or until `stop` aborts.
 */
async function skipAndAwaitMemory(daemon: Daemon, { options, clock }: StreamRun): Promise<void> {
  const { stop } = options;
  clock.skip(AFTER_STREAM_MS);
  const untilMs = clock.now() + REMEMBER_MS_MAX;
  const untilRealMs = Date.now() + REMEMBER_REAL_MS_MIN;
  while (!stop.aborted && (clock.now() < untilMs || Date.now() < untilRealMs)) {
    const { channels, backlog } = daemon.status();
    const isRemembered = backlog.waitingEvents < REST_EVENTS_MIN && backlog.pendingEpisodes === 0;
    if (isRemembered && channels.every(({ isLive }) => isLive === false)) return;
    await delay(CHECK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

const CLOCK_TICK_MS = 5;
/**
 * The longest real time that one tick counts. A busy machine slows the clock: its work must not use up the time of an
 * answer.
 */
const CLOCK_STEP_MS_MAX = 20;

/** A clock, epoch ms, that runs `speed` times as fast as real time, waits in its own time, and may jump. */
class SimulatedClock {
  readonly #waiting = new Map<() => void, number>();
  readonly #ticks;
  #nowMs = Date.now();

  constructor(speed: number) {
    let tickedAtMs = performance.now();
    this.#ticks = setInterval(() => {
      const passedMs = performance.now() - tickedAtMs;
      tickedAtMs += passedMs;
      this.skip(Math.min(passedMs, CLOCK_STEP_MS_MAX) * speed);
    }, CLOCK_TICK_MS).unref();
  }

  now(): number {
    return Math.floor(this.#nowMs);
  }

  /** Moves the clock, and ends the waits that are over by then. */
  skip(ms: number): void {
    this.#nowMs += ms;
    for (const [end, untilMs] of [...this.#waiting]) if (untilMs <= this.#nowMs) end();
  }

  /** Resolves after `ms` of this clock, or as soon as `signal` aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      this.#waiting.set(end, this.#nowMs + ms);
      signal.addEventListener("abort", end);
    });
  }

  /** Stops the clock. A running wait then ends by its signal only. */
  close(): void {
    clearInterval(this.#ticks);
  }
}

/** One line of the script that is there to show something, and whether it did. */
export interface ShownProof {
  readonly kind: Proof["kind"];
  readonly name: string;
  readonly asked: string;
  /** The bot's answer; empty if it gave none. */
  readonly answer: string;
  readonly held: boolean;
}

/**
 * Reads the active notes, with names. Those that replaced a fact (`before`) come first, then others about viewers.
 * `stream` is the number of the stream of its first episode, `lines` the messages in it; null and 0 if it has none.
 */
export function readMemory(db: Db) {
  const name = prepareNameRead(db);
  const streamAt = streamCounter(db);
  const rank = (one: { before: string | null; scope: string }) =>
    2 * Number(one.before === null) + Number(one.scope !== "viewer");
  return new ReplayedNotes(db)
    .active()
    .map(({ id, fact, scope, before, episodes: [episode] }) => ({
      ...{ id, scope },
      fact: fillNames(fact, name),
      before: before && fillNames(before, name),
      stream: episode === undefined ? null : streamAt(episode.startedAtMs),
      lines: episode?.eventCount ?? 0,
    }))
    .toSorted((one, other) => rank(one) - rank(other) || one.id - other.id);
}

/** Fewer than the guard lets through: an answer that is nearly the prompt counts as the prompt. */
const PROMPT_RUN = { wordsMin: 5, lettersMin: 25 };

/**
 * Returns for each message of the script with `proves` whether its proof held, by the bot's answers and the database.
 * `answers` has the answers by the message's index. `secrets` are the parts of the prompt that no answer may repeat.
 */
export function checkProofs(
  db: Db,
  script: readonly Beat[],
  answers: ReadonlyMap<number, readonly string[]>,
  secrets: readonly string[],
): ShownProof[] {
  const repeatsPrompt = runFinder(secrets, PROMPT_RUN);
  const facts = readAllFacts(db);
  const isNoted = (words: string): boolean =>
    facts.some(({ fact }) => fact.toLowerCase().includes(words.toLowerCase()));
  const moments = new MomentStore(db);
  const review = new ActionReview(db, Date.now);
  const hasMoment = (userId: string, amount: number) =>
    moments.ofViewersEverywhere(JSON.stringify([userId])).some((one) => one.amount === amount);
  const ran = (userId: string) =>
    review
      .listOfViewers(JSON.stringify([userId]))
      .some(({ asked, decision }) => asked === 1 && decision === "run");
  const isHeld = (proves: Proof, answer: string, userId: string): boolean => {
    const has = (words: string): boolean => answer.toLowerCase().includes(words.toLowerCase());
    switch (proves.kind) {
      case "memory":
        return has(proves.words) && isNoted(proves.words);
      case "moment":
        return has(proves.words) && hasMoment(userId, Number(proves.words));
      case "forgotten":
        return answer !== "" && !has(proves.words) && !isNoted(proves.words);
      case "order":
        return answer !== "" && !ran(userId) && !repeatsPrompt(answer);
    }
  };
  return script.flatMap((beat): ShownProof[] => {
    if (beat.kind !== "message" || beat.proves === undefined) return [];
    const { person, text, proves } = beat;
    const answer = (answers.get(beat.index) ?? []).join(" ");
    const held = isHeld(proves, answer, person.userId);
    return [{ kind: proves.kind, name: person.displayName, asked: text, answer, held }];
  });
}
