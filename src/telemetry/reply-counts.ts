// Pure: values in, values out.

import { distributionOf, type Tally, tallyMaker } from "./figures.ts";
import type { Period } from "./period-store.ts";
import { bySectionOrder } from "./plain-names.ts";
import type { ReplyFacts } from "./replies-store.ts";

type Trail = NonNullable<ReplyFacts["trail"]>;

/** What something gathers of replies, once all of them were shown to it. */
export type Collected<F extends () => { read(): unknown }> = ReturnType<ReturnType<F>["read"]>;

/** Counts replies by how they ended, and what guard and policy made of them. */
export function replyCounts() {
  const tallies = {
    byState: tallyMaker(),
    /** Why nothing was sent. */
    byReason: tallyMaker(),
    /** What asked for them: `mention`, `reply`, `command` … */
    byTrigger: tallyMaker(),
    byPace: tallyMaker(),
    guardRemoved: tallyMaker(),
    guardStopped: tallyMaker(),
    /** Proposals by decision and reason. */
    actions: tallyMaker(),
  };
  const { byState, byReason, byTrigger, byPace, guardRemoved, guardStopped, actions } = tallies;
  const counts = {
    /** Every trigger that was looked at, answered or not. */
    total: 0,
    /** Prompts that the provider counted above the budget. */
    overBudget: 0,
    damaged: 0,
    /** Prompts made of a snapshot because the database could not be read. */
    staleSnapshots: 0,
  };
  const addTrail = (trail: Trail): void => {
    byPace.add(trail.pace);
    for (const name of trail.guard.removed) guardRemoved.add(name);
    if (trail.guard.rule !== null) guardStopped.add(trail.guard.rule);
    for (const { decision, reason } of trail.actions) actions.add(`${decision} (${reason})`);
    if (trail.overBudget) counts.overBudget += 1;
    if (!trail.prefix.fresh) counts.staleSnapshots += 1;
  };
  return {
    add: ({ state, reason, trigger, trail, isDamaged }: ReplyFacts): void => {
      counts.total += 1;
      if (isDamaged) counts.damaged += 1;
      byState.add(state);
      if (reason !== null) byReason.add(reason);
      byTrigger.add(trigger);
      if (trail !== null) addTrail(trail);
    },
    read: () => {
      const read = Object.entries(tallies).map(([name, tally]) => [name, tally.read()]);
      const told: Readonly<Record<keyof typeof tallies, Tally>> = Object.fromEntries(read);
      return {
        ...counts,
        ...told,
        sent: told.byState["sent"] ?? 0,
        /** Answers that a cap did not let the model be asked for. */
        cappedReplies: told.byReason["model_cap"] ?? 0,
      };
    },
  };
}

/** How often notes and episodes stood in prompts that were sent, by id. */
export function memoryUse() {
  const notes = new Map<number, number>();
  const episodes = new Map<number, number>();
  let notesDropped = 0;
  const count = (uses: Map<number, number>, ids: readonly number[]): void => {
    for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + 1);
  };
  return {
    add: ({ state, trail }: ReplyFacts): void => {
      if (trail === null || state !== "sent") return;
      count(notes, trail.notes.kept);
      count(episodes, trail.episodes.kept);
      notesDropped += trail.notes.dropped.length;
    },
    /** `notesDropped`: places in prompts that the ladder took from notes. */
    read: () => ({ notes, episodes, notesDropped }),
  };
}

const STRETCHES = 40;

/** The period in forty stretches of the same length. */
export function timeLine({ fromMs, toMs }: Pick<Period, "fromMs" | "toMs">) {
  const lengthMs = Math.max(1, (toMs - fromMs) / STRETCHES);
  const stretches = Array.from({ length: STRETCHES }, (_, n) => ({
    fromMs: Math.floor(fromMs + n * lengthMs),
    sent: 0,
    notSent: 0,
    /** By the provider's count, or by our estimate where it did not count. */
    tokens: 0,
    asked: 0,
    askedMs: 0,
  }));
  return {
    add: ({ atMs, state, trail, latencyMs }: ReplyFacts): void => {
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
        /** Mean time in the model, ms; 0 where it was not asked. */
        latencyMs: asked === 0 ? 0 : askedMs / asked,
      })),
  };
}

/** What prompts were made of. */
export function promptUse() {
  const ladder = new Map<string, ReturnType<typeof stepsOf>>();
  const errors = new Map<string, number[]>();
  const sections = new Map<string, number>();
  const before = new Map<string, Trail["prefix"]>();
  const modelMs: number[] = [];
  const turnMs: number[] = [];
  const sums = { prompts: 0, prefixTokens: 0, changes: 0, cuts: 0 };
  const addPrefix = (channel: string, prefix: Trail["prefix"]): void => {
    const last = before.get(channel);
    before.set(channel, prefix);
    if (last === undefined || last.hash === prefix.hash) return;
    sums[last.version === prefix.version ? "cuts" : "changes"] += 1;
  };
  const addTrail = (channel: string, trail: Trail): void => {
    sums.prompts += 1;
    sums.prefixTokens += trail.prefix.tokens;
    for (const [name, tokens] of Object.entries(trail.sections))
      sections.set(name, (sections.get(name) ?? 0) + tokens);
    addPrefix(channel, trail.prefix);
    for (const { section, from, to, savedTokens } of trail.ladder) {
      const key = `${trail.messageKind} ${section}`;
      const steps = ladder.get(key) ?? stepsOf(trail.messageKind, section);
      ladder.set(key, steps);
      steps.fired += 1;
      steps.droppedLines += from - to;
      steps.savedTokens += savedTokens;
    }
    if (trail.promptTokens === null || trail.promptTokens === 0) return;
    const model = trail.model ?? "unknown";
    const known = errors.get(model) ?? [];
    errors.set(model, known);
    known.push(trail.estimatedTokens / trail.promptTokens - 1);
  };
  return {
    add: ({ channel, trail, latencyMs, atMs, sentAtMs }: ReplyFacts): void => {
      if (trail !== null) addTrail(channel, trail);
      if (latencyMs !== null) modelMs.push(latencyMs);
      if (sentAtMs !== null) turnMs.push(sentAtMs - atMs);
    },
    read: () => {
      const steps = [...ladder.values()].sort((one, other) => other.fired - one.fired);
      const total = sumOf([...sections.values()]);
      const means = [...sections]
        .sort(([one], [other]) => bySectionOrder(one, other))
        .map(([name, tokens]): [string, number] => [name, tokens / sums.prompts]);
      return {
        prompts: sums.prompts,
        /** Mean estimated tokens of each, in the prompt's order. */
        sections: Object.fromEntries(means),
        prefix: {
          /** Of all estimated tokens, those in the stable prefix. */
          share: total === 0 ? 0 : sums.prefixTokens / total,
          /** Replies whose prefix was of another version or pace than the one before it in its channel. */
          changes: sums.changes,
          /** Replies for which the ladder cut the prefix that the one before it had whole, or the other way round. */
          cuts: sums.cuts,
        },
        ladder: steps,
        ladderFired: sumOf(steps.map(({ fired }) => fired)),
        ladderSavedTokens: sumOf(steps.map(({ savedTokens }) => savedTokens)),
        estimates: [...errors].flatMap(([model, values]) => estimateError(model, values)),
        /** Time in the language model, ms. */
        modelLatency: distributionOf(modelMs),
        /** From the trigger's turn to the message in chat, ms. */
        turnLatency: distributionOf(turnMs),
      };
    },
  };
}

function stepsOf(messageKind: string, section: string) {
  return { messageKind, section, fired: 0, droppedLines: 0, savedTokens: 0 };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** How far estimates lay from what the provider counted: 0.1 is a tenth too many. */
function estimateError(model: string, values: readonly number[]) {
  const error = distributionOf(values);
  const within = (limit: number): number =>
    values.filter((value) => Math.abs(value) <= limit).length / values.length;
  if (error === null) return [];
  return [
    {
      model,
      error,
      /** Prompts by error: one bin for each percent from -15 to 15, the last ones open. */
      histogram: histogramOf(values),
      /** Shares of replies within so many percent. */
      within: { "2": within(0.02), "5": within(0.05), "10": within(0.1) },
    },
  ];
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
