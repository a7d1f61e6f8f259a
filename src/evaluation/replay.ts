import { answerOf, failUnsent, makeMessageKey, openRecordedModel } from "../demo/recorded-model.ts";
import { fold } from "../language/fold.ts";
import { readStems } from "../language/stems.ts";
import { makeFactKey } from "../memory/fact-key.ts";
import type { Llm } from "../models/model-port.ts";
import type { Trail } from "../reply/trail.ts";
import { calculateShare, type Share } from "../telemetry/figures.ts";
import { openGivenNotes, openTierStore, ReplayRoom, type StrategyName } from "./replay-room.ts";
import {
  getSpeakers,
  layOutTimeline,
  type Scenario,
  type ScenarioFact,
  type ScenarioQuestion,
  type Session,
  type TimelineStep,
} from "./scenario.ts";

/** Age groups of a question's facts, in sessions since the last mention. */
export const AGES = ["0", "1-2", "3-9", "10+"] as const;
const AGES_FROM = [0, 1, 3, 10];
type Age = (typeof AGES)[number];

export type Evaluation = Awaited<ReturnType<typeof evaluate>>;

/**
 * Replays each scenario once a strategy and sums up. Figures that are not about one strategy are those of the last.
 * The same input gives the same figures to the last digit.
 */
export async function evaluate(input: {
  scenarios: readonly Scenario[];
  /** At least one. */
  strategies: readonly StrategyName[];
  /** Makes the model for a replay: the scripted one uses its answers up. */
  llmFor: (scenario: Scenario) => Llm;
  model: string;
  settings?: Readonly<Record<string, unknown>>;
  /** Called before each scenario; may throw to stop. */
  onScenario?: (name: string) => void;
}) {
  const { strategies, model, settings = {} } = input;
  const replays: ReplayResult[] = [];
  for (const scenario of input.scenarios) {
    input.onScenario?.(scenario.name);
    for (const strategy of strategies)
      replays.push(await replay({ scenario, strategy, llm: input.llmFor(scenario), settings }));
  }
  const measureAll = (some: readonly ReplayResult[]) =>
    strategies.map((strategy) =>
      measureRecall(
        strategy,
        some.filter((one) => one.strategy === strategy),
      ),
    );
  const last = replays.filter(({ strategy }) => strategy === strategies.at(-1));
  return {
    model,
    strategies,
    recall: measureAll(replays),
    survival: countSurvival(last.flatMap(({ fates }) => fates)),
    scenarios: last.map(({ scenario, prompts, audit, episodes, othersMin, fates }) => ({
      ...{ scenario, model, prompts, audit, episodes, othersMin },
      recall: measureAll(replays.filter((one) => one.scenario === scenario)),
      survival: countSurvival(fates),
    })),
  };
}

/** Measures how many needed facts one strategy's prompts showed. */
function measureRecall(strategy: StrategyName, replays: readonly ReplayResult[]) {
  const needs = replays.flatMap((one) => one.needs);
  const noted = needs.filter(({ hasNote }) => hasNote);
  const share = (some: readonly Need[]): Share =>
    calculateShare(some.filter(({ isShown }) => isShown).length, some.length);
  const byAge = AGES.map((age, n) => {
    const [from = 0, before = Infinity] = [AGES_FROM[n], AGES_FROM[n + 1]];
    const ofAge = noted.filter((need) => Math.max(0, need.age) >= from && need.age < before);
    return [age, share(ofAge)];
  });
  return {
    strategy,
    byAge: Object.fromEntries(byAge) as Readonly<Record<Age, Share>>,
    /** Share of the facts that had a note: quality of the ranking. */
    ranking: share(noted),
    /** Of everything, whether or not a note of it was ever made. */
    everything: share(needs),
    loreTokensMean: calculateMean(replays.flatMap(({ loreTokens }) => loreTokens)),
    stale: replays.reduce((sum, { stale }) => sum + stale, 0),
  };
}

/** Counts how far the stated facts came. */
function countSurvival(fates: readonly FactFate[]) {
  const stored = fates.filter(({ event }) => event);
  const asked = stored.filter(({ prompt }) => prompt !== null);
  return {
    told: stored.length,
    episode: stored.filter(({ episode }) => episode).length,
    note: stored.filter(({ note }) => note).length,
    /** Facts that someone asked for. */
    asked: asked.length,
    prompt: asked.filter(({ prompt }) => prompt === true).length,
  };
}

/** Measures of one replay of a scenario. */
type ReplayResult = Awaited<ReturnType<typeof replay>>;
/** The tiers of memory that a viewer's fact reached. */
type FactFate = ReplayResult["fates"][number];

/** One thing that a question needed. */
interface Need {
  /** Sessions since its last mention. */
  readonly age: number;
  /** True if an active note of it existed. */
  readonly hasNote: boolean;
  readonly isShown: boolean;
}

const MEMORY_EVERY_MS = 180_000;

/** Replays a scenario over a database in memory. The same input gives the same figures. */
export async function replay(input: {
  scenario: Scenario;
  llm: Llm;
  strategy: StrategyName;
  /** Keys of a configuration. */
  settings?: Readonly<Record<string, unknown>>;
}) {
  const { scenario } = input;
  const room = new ReplayRoom(input);
  try {
    const run = openRun(scenario, room);
    for (const session of layOutTimeline(scenario)) await playSession(run, session);
    const { known, noteIds, tiers } = run;
    const fates = [...known].filter(([id]) => !noteIds.has(id));
    const active = tiers.activeNotes();
    const keyOf = ({ subjectId, fact }: (typeof active)[number]) =>
      JSON.stringify([subjectId, makeFactKey(fact)]);
    return {
      scenario: scenario.name,
      strategy: input.strategy,
      needs: run.needs,
      /** Estimated tokens of the notes about the speaker, by question. */
      loreTokens: run.trails.map(({ sections }) => sections["lore"] ?? 0),
      /** Number of times that a prompt showed a fact which was no longer true. */
      stale: run.stale,
      fates: fates.map(([fact, { subjectId, holds }]) => ({
        fact,
        /** True if someone said it in chat. */
        event: run.told.has(fact),
        /** True if a claim or a summary of an episode holds it. */
        episode: tiers.isClaimed(subjectId, holds),
        /** True if a note held it at the end of some session. */
        note: run.noted.has(fact),
        /** True if a prompt showed it to a viewer who asked for it; null if no viewer did. */
        prompt: run.asked.get(fact) ?? null,
      })),
      prompts: measurePrompts(run.trails),
      /** Active notes, notes that repeat another one of their subject, and notes without evidence. */
      audit: {
        activeNotes: active.length,
        duplicates: active.length - new Set(active.map(keyOf)).size,
        orphans: active.filter(({ evidence }) => evidence === 0).length,
      },
      episodes: tiers.counts(),
      /** The fewest active notes that a requester had besides the needed ones. */
      othersMin: Number.isFinite(run.othersMin) ? run.othersMin : 0,
    };
  } finally {
    await room.close();
  }
}

/** A fact of the scenario, and how to recognise it. */
interface KnownFact {
  readonly fact: ScenarioFact;
  /** User id; null for the channel. */
  readonly subjectId: string | null;
  readonly holds: Recognise;
}

type Run = ReturnType<typeof openRun>;

function openRun(scenario: Scenario, room: ReplayRoom) {
  const speakers = getSpeakers(scenario);
  const known = scenario.facts.map((fact): [string, KnownFact] => {
    const subjectId = speakers.get(fact.about)?.userId ?? null;
    return [fact.id, { fact, subjectId, holds: makeRecogniser(fact) }];
  });
  return {
    scenario,
    room,
    tiers: openTierStore(room.db, room.channel),
    given: openGivenNotes(room.db, room.channel, () => room.clock.nowMs),
    known: new Map(known),
    /** Note ids of the given facts, by fact id. */
    noteIds: new Map<string, number>(),
    needs: [] as Need[],
    /** Trails of the questions' prompts, in order. */
    trails: [] as Trail[],
    /** Needed facts by id: whether a prompt showed them. */
    asked: new Map<string, boolean>(),
    /** Facts that someone said, and facts that a note held at the end of a session. */
    told: new Set<string>(),
    noted: new Set<string>(),
    stale: 0,
    othersMin: Number.POSITIVE_INFINITY,
    nextMemoryMs: 0,
  };
}

async function playSession(run: Run, session: Session): Promise<void> {
  const { room, scenario } = run;
  await room.begin(session);
  const known = [...run.known.values()];
  if (scenario.notes !== "made") {
    const due = known.flatMap(({ fact, subjectId }) =>
      fact.session === session.n && fact.note !== undefined
        ? [{ fact, note: fact.note, subjectId }]
        : [],
    );
    for (const [id, noteId] of run.given.give(due)) run.noteIds.set(id, noteId);
    const again = known.filter(({ fact }) => fact.again.includes(session.n));
    run.given.confirm(again.flatMap(({ fact }) => run.noteIds.get(fact.id) ?? []));
  }
  run.nextMemoryMs = session.startsAtMs + MEMORY_EVERY_MS;
  for (const moment of session.moments) {
    await passTo(run, session.startsAtMs + moment.atMs);
    await play(run, session.n, moment);
  }
  await passTo(run, session.startsAtMs + session.lengthMs);
  room.end();
  if (scenario.notes === "given") return;
  await room.memory.run();
  room.memory.sweep();
  for (const [id, { fact, subjectId, holds }] of run.known) {
    const isDue = fact.session <= session.n && !run.noted.has(id);
    if (isDue && run.tiers.notesWith(subjectId, holds).length > 0) run.noted.add(id);
  }
}

/** Sets the clock. Memory runs every three minutes, as in the daemon. */
async function passTo(run: Run, atMs: number): Promise<void> {
  const { clock, memory } = run.room;
  while (run.nextMemoryMs <= atMs) {
    clock.nowMs = run.nextMemoryMs;
    run.nextMemoryMs += MEMORY_EVERY_MS;
    if (run.scenario.notes !== "given") await memory.run();
  }
  clock.nowMs = atMs;
}

async function play(run: Run, session: number, moment: TimelineStep): Promise<void> {
  switch (moment.kind) {
    case "line":
      for (const [id, { fact, subjectId, holds }] of run.known) {
        const isOwn = subjectId === null || subjectId === moment.by.userId;
        if (fact.session === session && isOwn && holds(moment.text)) run.told.add(id);
      }
      run.room.say(moment.by, moment.text);
      return;
    case "ask": {
      const { by, asked } = moment;
      const trail = await run.room.ask(by, asked.text);
      if (trail !== null) run.trails.push(trail);
      recordNeeds(run, asked, session, trail);
    }
  }
}

/** Records for each need of a question whether the prompt showed it. */
function recordNeeds(
  run: Run,
  { needs }: ScenarioQuestion,
  session: number,
  trail: Trail | null,
): void {
  const shown = { notes: trail?.notes.kept ?? [], episodes: trail?.episodes.kept ?? [] };
  const isShown = ({ fact, subjectId, holds }: KnownFact): boolean =>
    shown.notes.includes(run.noteIds.get(fact.id) ?? -1) ||
    run.tiers.isShown(shown, subjectId, holds);
  for (const need of needs) {
    // One of these facts is enough.
    const facts = [need].flat().flatMap((id) => run.known.get(id) ?? []);
    const notes = new Set(
      facts.flatMap(({ fact, subjectId, holds }) => {
        const given = run.noteIds.get(fact.id);
        return given === undefined ? run.tiers.notesWith(subjectId, holds) : [given];
      }),
    );
    const sessionsOfFacts = facts.flatMap(({ fact }) => [
      fact.session,
      ...fact.again.filter((at) => at <= session),
    ]);
    const hit = facts.some(isShown);
    run.needs.push({
      age: session - Math.max(...sessionsOfFacts),
      hasNote: notes.size > 0,
      isShown: hit,
    });
    run.stale += findOutdated(run, facts).filter(isShown).length;
    const others = run.tiers.activeCount(facts[0]?.subjectId ?? null) - notes.size;
    run.othersMin = Math.min(run.othersMin, others);
    for (const { fact } of facts) run.asked.set(fact.id, run.asked.get(fact.id) === true || hit);
  }
}

/** Returns the facts that these replaced, and those replaced before. */
function findOutdated(run: Run, facts: readonly KnownFact[]): KnownFact[] {
  const outdated = new Set<KnownFact>();
  const follow = ({ fact: { replaces = "" } }: KnownFact): void => {
    const old = run.known.get(replaces);
    if (old === undefined || outdated.has(old)) return;
    outdated.add(old);
    follow(old);
  };
  facts.forEach(follow);
  return [...outdated];
}

/** Measures prompts by their trails, in order. Tokens are estimates before correction. */
function measurePrompts(trails: readonly Trail[]) {
  const sizes = trails.map(({ sections }) =>
    Object.values(sections).reduce((sum, tokens) => sum + tokens, 0),
  );
  const prefixShares = trails.map(({ prefix }, at) => prefix.tokens / Math.max(1, sizes[at] ?? 1));
  const changes = trails.filter(
    ({ prefix }, at) => at > 0 && prefix.hash !== trails[at - 1]?.prefix.hash,
  );
  const names = trails.flatMap(({ sections, ladder }) => [
    ...Object.keys(sections),
    ...ladder.map(({ section }) => section),
  ]);
  const sections = [...new Set(names)].sort().map((name) => {
    const present = trails.filter((trail) => (trail.sections[name] ?? 0) > 0);
    const cut = trails.filter(({ ladder }) => ladder.some(({ section }) => section === name));
    const shares = { present: present.length / trails.length, cut: cut.length / trails.length };
    return [name, shares] as const;
  });
  return {
    prompts: trails.length,
    tokensMean: calculateMean(sizes),
    tokensMax: Math.max(0, ...sizes),
    /** Mean share of the tokens that the prefix had. */
    prefixShare: calculateMean(prefixShares),
    callsPerPrefixChange: trails.length / Math.max(1, changes.length),
    overBudget: trails.filter(({ overBudget }) => overBudget).length,
    /** By section: the share of prompts that had it, and the share in which the ladder cut it. */
    sections: Object.fromEntries(sections),
  };
}

/** Says whether a sentence holds a fact. */
export type Recognise = (sentence: string) => boolean;

/** Share of a fact's words that recognises it if it has no `words`. */
const WORDS_SHARE = 0.6;

/**
 * Recognises a fact in a claim, note or summary, without a model: one word of each group of `words`, and none of
 * `without`, in any case. Without `words`, three in five of the fact's own words.
 */
export function makeRecogniser({ fact, words = [], without }: ScenarioFact): Recognise {
  if (words.length > 0) {
    const groups = words.map((group) => group.map((one) => fold(one)));
    const forbidden = without.map((one) => fold(one));
    return (sentence) => {
      const folded = fold(sentence);
      const has = (word: string): boolean => folded.includes(word);
      return groups.every((group) => group.some(has)) && !forbidden.some(has);
    };
  }
  const own = [...new Set(readStems(fact))];
  const needed = Math.ceil(own.length * WORDS_SHARE);
  return (sentence) => {
    const there = new Set(readStems(sentence));
    return own.length > 0 && own.filter((word) => there.has(word)).length >= needed;
  };
}

/** 0 for no values. */
function calculateMean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A model that gives a scenario's answers, each once unless it says `again`; "empty" if none fits. */
export function openScriptedModel(answers: Scenario["answers"]): Llm {
  const used = new Set<Scenario["answers"][number]>();
  return {
    ask: async (request) => {
      const fitting = answers.find(
        (one) =>
          one.purpose === request.purpose &&
          !used.has(one) &&
          (one.when === undefined || `${request.prefix}${request.tail}`.includes(one.when)),
      );
      if (fitting === undefined) return failUnsent("scripted", "empty");
      if (!fitting.again) used.add(fitting);
      const { text = "", json } = fitting;
      return answerOf("scripted", request, { text, value: json });
    },
  };
}

/**
 * Opens a model that knows a scenario's facts: it claims a fact when its line is in a window, and replaces the fact
 * that `replaces` names. So the figures measure recall and the write policy, not how well a model reads.
 */
export function openFactsModel({ facts, sessions }: Scenario): Llm {
  const recorded = facts.map((fact) => {
    const { about, session, note, replaces } = fact;
    const holds = makeRecogniser(fact);
    const lines = sessions[session]?.lines ?? [];
    const factLines = lines.filter(
      ({ by, text }) => (about === "channel" || by === about) && holds(text),
    );
    const keys = new Set(factLines.map(({ text }) => makeMessageKey(text)));
    const old = facts.find(({ id }) => id === replaces)?.fact;
    return {
      key: fact.id,
      about: about === "channel" ? ("channel" as const) : ("viewer" as const),
      statement: fact.fact,
      kind: note?.kind ?? ("preference" as const),
      topics: note?.topics ?? [],
      ...(old === undefined ? {} : { replaces: old }),
      isToldBy: (text: string) => keys.has(makeMessageKey(text)),
    };
  });
  return openRecordedModel({ facts: recorded, streams: [], replies: [] });
}
