// Pure: values in, values out.

import { type Distribution, distributionOf, type Tally, tallyMaker } from "./figures.ts";
import type { Period } from "./period-store.ts";
import { bySectionOrder } from "./plain-names.ts";
import type { ReplyFacts } from "./replies-store.ts";

export interface ReplyCounts {
  /** Every trigger that was looked at, answered or not. */
  readonly total: number;
  readonly sent: number;
  readonly byState: Tally;
  /** Why nothing was sent. */
  readonly byReason: Tally;
  /** What asked for them: `mention`, `reply`, `command` … */
  readonly byTrigger: Tally;
  readonly byPace: Tally;
  /** What the guard took out of answers that were said. */
  readonly guardRemoved: Tally;
  /** The rule that stopped an answer. */
  readonly guardStopped: Tally;
  /** Proposals by decision and reason. */
  readonly actions: Tally;
  /** Prompts that the provider counted above the budget. */
  readonly overBudget: number;
  /** Records that cannot be read. */
  readonly damaged: number;
  /** Prompts made of a snapshot because the database could not be read. */
  readonly staleSnapshots: number;
  /** Answers that a cap did not let the model be asked for. */
  readonly cappedReplies: number;
}

export interface Collector<T> {
  add(reply: ReplyFacts): void;
  read(): T;
}

/** Counts replies by how they ended, and what guard and policy made of them. */
export function replyCounts(): Collector<ReplyCounts> {
  const [byState, byReason, byTrigger, byPace] = four();
  const [guardRemoved, guardStopped, actions] = four();
  const counts = { total: 0, overBudget: 0, damaged: 0, staleSnapshots: 0 };
  const addTrail = (trail: NonNullable<ReplyFacts["trail"]>): void => {
    byPace.add(trail.pace);
    for (const name of trail.guard.removed) guardRemoved.add(name);
    if (trail.guard.rule !== null) guardStopped.add(trail.guard.rule);
    for (const { decision, reason } of trail.actions) actions.add(`${decision} (${reason})`);
    if (trail.overBudget) counts.overBudget += 1;
    if (!trail.prefix.fresh) counts.staleSnapshots += 1;
  };
  return {
    add: ({ state, reason, trigger, trail, isDamaged }) => {
      counts.total += 1;
      if (isDamaged) counts.damaged += 1;
      byState.add(state);
      if (reason !== null) byReason.add(reason);
      byTrigger.add(trigger);
      if (trail !== null) addTrail(trail);
    },
    read: () => ({
      ...counts,
      sent: byState.read()["sent"] ?? 0,
      byState: byState.read(),
      byReason: byReason.read(),
      byTrigger: byTrigger.read(),
      byPace: byPace.read(),
      guardRemoved: guardRemoved.read(),
      guardStopped: guardStopped.read(),
      actions: actions.read(),
      cappedReplies: byReason.read()["model_cap"] ?? 0,
    }),
  };
}

function four() {
  return [tallyMaker(), tallyMaker(), tallyMaker(), tallyMaker()] as const;
}

/** How often notes and episodes stood in prompts that were sent, by id. */
export interface MemoryUse {
  readonly notes: ReadonlyMap<number, number>;
  readonly episodes: ReadonlyMap<number, number>;
  /** Places in prompts that the ladder took from notes. */
  readonly notesDropped: number;
}

export function memoryUse(): Collector<MemoryUse> {
  const notes = new Map<number, number>();
  const episodes = new Map<number, number>();
  let notesDropped = 0;
  const count = (uses: Map<number, number>, ids: readonly number[]): void => {
    for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + 1);
  };
  return {
    add: ({ state, trail }) => {
      if (trail === null || state !== "sent") return;
      count(notes, trail.notes.kept);
      count(episodes, trail.episodes.kept);
      notesDropped += trail.notes.dropped.length;
    },
    read: () => ({ notes, episodes, notesDropped }),
  };
}

/** A stretch of a period. */
export interface Stretch {
  readonly fromMs: number;
  readonly sent: number;
  readonly notSent: number;
  /** By the provider's count, or by our estimate where it did not count. */
  readonly tokens: number;
  /** Mean time in the model, ms; 0 where it was not asked. */
  readonly latencyMs: number;
}

const STRETCHES = 40;

/** The period in forty stretches of the same length. */
export function timeLine({ fromMs, toMs }: Pick<Period, "fromMs" | "toMs">): Collector<Stretch[]> {
  const lengthMs = Math.max(1, (toMs - fromMs) / STRETCHES);
  const stretches = Array.from({ length: STRETCHES }, (_, n) => ({
    fromMs: Math.floor(fromMs + n * lengthMs),
    sent: 0,
    notSent: 0,
    tokens: 0,
    asked: 0,
    askedMs: 0,
  }));
  return {
    add: ({ atMs, state, trail, latencyMs }) => {
      const stretch = stretches[Math.min(STRETCHES - 1, Math.floor((atMs - fromMs) / lengthMs))];
      if (stretch === undefined) return;
      if (state === "sent") stretch.sent += 1;
      else stretch.notSent += 1;
      stretch.tokens += trail === null ? 0 : (trail.promptTokens ?? trail.estimatedTokens);
      stretch.asked += latencyMs === null ? 0 : 1;
      stretch.askedMs += latencyMs ?? 0;
    },
    read: () =>
      stretches.map(({ asked, askedMs, ...stretch }) => ({
        ...stretch,
        latencyMs: asked === 0 ? 0 : askedMs / asked,
      })),
  };
}

/** What prompts were made of. */
export interface PromptUse {
  readonly prompts: number;
  /** Mean estimated tokens of each section, in the prompt's order. */
  readonly sections: Readonly<Record<string, number>>;
  readonly prefix: {
    /** Of all estimated tokens, those in the stable prefix. */
    readonly share: number;
    /** Replies whose prefix was of another version or pace than the one before it in its channel. */
    readonly changes: number;
    /** Replies for which the ladder cut the prefix that the one before it had whole, or the other way round. */
    readonly cuts: number;
  };
  readonly ladder: readonly LadderUse[];
  /** Of all its steps together. */
  readonly ladderFired: number;
  readonly ladderSavedTokens: number;
  readonly estimates: readonly EstimateError[];
  /** Time in the language model, ms. */
  readonly modelLatency: Distribution | null;
  /** From the trigger's turn to the message in chat, ms. */
  readonly turnLatency: Distribution | null;
}

interface LadderUse {
  readonly messageKind: string;
  readonly section: string;
  readonly fired: number;
  readonly droppedLines: number;
  readonly savedTokens: number;
}

/** How far estimates lay from what the provider counted: 0.1 is a tenth too many. */
interface EstimateError {
  readonly model: string;
  readonly error: Distribution;
  /** Prompts by error: one bin for each percent from -15 to 15, the last ones open. */
  readonly histogram: readonly number[];
  /** Shares of replies within ±2, ±5 and ±10 %. */
  readonly within: Readonly<Record<"2" | "5" | "10", number>>;
}

type Trail = NonNullable<ReplyFacts["trail"]>;

export function promptUse(): Collector<PromptUse> {
  const ladder = new Map<string, LadderUse>();
  const errors = new Map<string, number[]>();
  const sections = new Map<string, number>();
  const before = new Map<string, Trail>();
  const modelMs: number[] = [];
  const turnMs: number[] = [];
  const sums = { prompts: 0, prefixTokens: 0, changes: 0, cuts: 0 };
  const addPrefix = (channel: string, trail: Trail): void => {
    const last = before.get(channel);
    before.set(channel, trail);
    if (last === undefined || last.prefix.hash === trail.prefix.hash) return;
    const isCut = last.prefix.version === trail.prefix.version;
    if (isCut) sums.cuts += 1;
    else sums.changes += 1;
  };
  const addTrail = (channel: string, trail: Trail): void => {
    sums.prompts += 1;
    sums.prefixTokens += trail.prefix.tokens;
    for (const [name, tokens] of Object.entries(trail.sections))
      sections.set(name, (sections.get(name) ?? 0) + tokens);
    addPrefix(channel, trail);
    for (const step of trail.ladder) addStep(ladder, trail.messageKind, step);
    if (trail.promptTokens === null || trail.promptTokens === 0) return;
    const model = trail.model ?? "unknown";
    const known = errors.get(model) ?? [];
    known.push(trail.estimatedTokens / trail.promptTokens - 1);
    errors.set(model, known);
  };
  return {
    add: ({ channel, trail, latencyMs, atMs, sentAtMs }) => {
      if (trail !== null) addTrail(channel, trail);
      if (latencyMs !== null) modelMs.push(latencyMs);
      if (sentAtMs !== null) turnMs.push(sentAtMs - atMs);
    },
    read: () => {
      const steps = [...ladder.values()];
      const total = [...sections.values()].reduce((sum, tokens) => sum + tokens, 0);
      const each = [...sections]
        .sort(([one], [other]) => bySectionOrder(one, other))
        .map(([name, tokens]) => [name, tokens / sums.prompts] as const);
      return {
        prompts: sums.prompts,
        sections: Object.fromEntries(each),
        prefix: {
          share: total === 0 ? 0 : sums.prefixTokens / total,
          changes: sums.changes,
          cuts: sums.cuts,
        },
        ladder: steps.sort((one, other) => other.fired - one.fired),
        ladderFired: steps.reduce((sum, { fired }) => sum + fired, 0),
        ladderSavedTokens: steps.reduce((sum, { savedTokens }) => sum + savedTokens, 0),
        estimates: [...errors].map(([model, values]) => estimateError(model, values)),
        modelLatency: distributionOf(modelMs),
        turnLatency: distributionOf(turnMs),
      };
    },
  };
}

function addStep(
  ladder: Map<string, LadderUse>,
  messageKind: string,
  { section, from, to, savedTokens }: Trail["ladder"][number],
): void {
  const key = `${messageKind} ${section}`;
  const known = ladder.get(key) ?? {
    messageKind,
    section,
    fired: 0,
    droppedLines: 0,
    savedTokens: 0,
  };
  ladder.set(key, {
    ...known,
    fired: known.fired + 1,
    droppedLines: known.droppedLines + from - to,
    savedTokens: known.savedTokens + savedTokens,
  });
}

function estimateError(model: string, values: readonly number[]): EstimateError {
  const within = (limit: number): number =>
    values.filter((value) => Math.abs(value) <= limit).length / values.length;
  const error = distributionOf(values);
  if (error === null) throw new Error("an estimate without values");
  return {
    model,
    error,
    histogram: histogramOf(values),
    within: { "2": within(0.02), "5": within(0.05), "10": within(0.1) },
  };
}

const PERCENT_MAX = 15;

function histogramOf(values: readonly number[]): number[] {
  const bins = Array.from({ length: 2 * PERCENT_MAX + 1 }, () => 0);
  for (const value of values) {
    const percent = Math.max(-PERCENT_MAX, Math.min(PERCENT_MAX, Math.round(value * 100)));
    bins[percent + PERCENT_MAX] = (bins[percent + PERCENT_MAX] ?? 0) + 1;
  }
  return bins;
}
