import {
  makeAnswer,
  makeMessageKey,
  makeUnsentFailure,
  openRecordedModel,
} from "../demo/recorded-model.ts";
import { fold } from "../language/fold.ts";
import { readStems } from "../language/stems.ts";
import { makeFactKey } from "../memory/fact-key.ts";
import type { Llm } from "../models/model-port.ts";
import type { Trail } from "../reply/trail.ts";
import { calculateShare, type Share } from "../telemetry/figures.ts";
import {
  confirmNotes,
  giveNotes,
  ReplayRoom,
  type StrategyName,
  type SubjectFact,
  Tiers,
} from "./replay-room.ts";
import {
  getSpeakers,
  layOutTimeline,
  type Scenario,
  type ScenarioFact,
  type Session,
  type TimelineStep,
} from "./scenario.ts";

/** Age groups of a question's facts, in sessions since the last mention. */
export const AGES = ["0", "1-2", "3-9", "10+"] as const;
const AGES_FROM = [0, 1, 3, 10];
type Age = (typeof AGES)[number];

export type Evaluation = Awaited<ReturnType<typeof evaluate>>;

/**
 * Replays each scenario once with each strategy, and sums up. `recall` has figures of each strategy; all others are the
 * last strategy's. The same input and model answers give the same figures to the last digit.
 */
export async function evaluate(input: {
  scenarios: readonly Scenario[];
  /** At least one. */
  strategies: readonly StrategyName[];
  /** Makes the model for each replay, because the scripted one uses its answers up. */
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

/**
 * Measures which share of the needed facts the prompts of one strategy's replays showed: of those with a note
 * (`ranking`, and by age), and of all (`everything`).
 */
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
    everything: share(needs),
    loreTokensMean: calculateMean(replays.flatMap(({ loreTokens }) => loreTokens)),
    stale: replays.reduce((sum, { stale }) => sum + stale, 0),
  };
}

/** Counts how many facts that were said in chat reached an episode, a note and, if asked for, a prompt. */
function countSurvival(fates: readonly FactFate[]) {
  const stored = fates.filter(({ event }) => event);
  const asked = stored.filter(({ prompt }) => prompt !== null);
  return {
    told: stored.length,
    episode: stored.filter(({ episode }) => episode).length,
    note: stored.filter(({ note }) => note).length,
    asked: asked.length,
    prompt: asked.filter(({ prompt }) => prompt === true).length,
  };
}

type ReplayResult = Awaited<ReturnType<typeof replay>>;
/** The tiers of memory that a viewer's fact reached. */
type FactFate = ReplayResult["fates"][number];

/** One need of a question: a fact, or several of which one is enough. */
interface Need {
  /** Sessions since its last mention; not finite if it has none. */
  readonly age: number;
  readonly hasNote: boolean;
  readonly isShown: boolean;
}

const MEMORY_EVERY_MS = 180_000;

/** Replays a scenario over a database in memory, and returns its figures. */
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
    const run = new Run(scenario, room);
    for (const session of layOutTimeline(scenario)) await run.playSession(session);
    const { known, noteIds, tiers } = run;
    const fates = [...known].filter(([id]) => !noteIds.has(id));
    const active = tiers.activeNotes();
    const keyOf = ({ subjectId, fact }: (typeof active)[number]) =>
      JSON.stringify([subjectId, makeFactKey(fact)]);
    return {
      scenario: scenario.name,
      strategy: input.strategy,
      needs: run.needs,
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
interface KnownFact extends SubjectFact {
  readonly holds: Recognise;
}

/** Plays a scenario, and records which facts memory held and which prompts showed them. */
class Run {
  readonly tiers;
  readonly known: ReadonlyMap<string, KnownFact>;
  /** Note ids of the given facts, by fact id. */
  readonly noteIds = new Map<string, number>();
  readonly needs: Need[] = [];
  /** Trails of the questions' prompts, in order. */
  readonly trails: Trail[] = [];
  /** Needed facts by id: whether a prompt showed them. */
  readonly asked = new Map<string, boolean>();
  /** Facts that someone said, and facts that a note held at the end of a session. */
  readonly told = new Set<string>();
  readonly noted = new Set<string>();
  stale = 0;
  othersMin = Number.POSITIVE_INFINITY;
  readonly #scenario;
  readonly #room;
  #nextMemoryMs = 0;

  constructor(scenario: Scenario, room: ReplayRoom) {
    const speakers = getSpeakers(scenario);
    const known = scenario.facts.map((fact): [string, KnownFact] => {
      const subjectId = speakers.get(fact.about)?.userId ?? null;
      return [fact.id, { fact, subjectId, holds: makeRecogniser(fact) }];
    });
    this.#scenario = scenario;
    this.#room = room;
    this.known = new Map(known);
    this.tiers = new Tiers(room);
  }

  /** Plays a session. Gives its notes first, unless memory makes all. Runs memory last, unless all are given. */
  async playSession(session: Session): Promise<void> {
    const { n, startsAtMs, lengthMs, moments } = session;
    const room = this.#room;
    const { notes } = this.#scenario;
    await room.begin(session);
    const known = [...this.known.values()];
    if (notes !== "made") {
      const due = known.filter(({ fact }) => fact.session === n);
      for (const [id, noteId] of giveNotes(room, due)) this.noteIds.set(id, noteId);
      const again = known.filter(({ fact }) => fact.again.includes(n));
      confirmNotes(
        room,
        again.flatMap(({ fact }) => this.noteIds.get(fact.id) ?? []),
      );
    }
    this.#nextMemoryMs = startsAtMs + MEMORY_EVERY_MS;
    for (const moment of moments) {
      await this.#passTo(startsAtMs + moment.atMs);
      await this.#play(n, moment);
    }
    await this.#passTo(startsAtMs + lengthMs);
    room.end();
    if (notes === "given") return;
    await room.memory.run();
    room.memory.sweep();
    for (const fact of known)
      if (fact.fact.session <= n && this.#findNotes(fact).length > 0) this.noted.add(fact.fact.id);
  }

  /**
   * Moves the clock to a time. Until then memory runs every three minutes, as in the daemon. It never runs if all notes
   * are given.
   */
  async #passTo(atMs: number): Promise<void> {
    const { clock, memory } = this.#room;
    while (this.#nextMemoryMs <= atMs) {
      clock.nowMs = this.#nextMemoryMs;
      this.#nextMemoryMs += MEMORY_EVERY_MS;
      if (this.#scenario.notes !== "given") await memory.run();
    }
    clock.nowMs = atMs;
  }

  /** Plays a step: records the facts in a line and adds the line to chat, or asks the bot and records each need. */
  async #play(session: number, moment: TimelineStep): Promise<void> {
    const { by } = moment;
    if (moment.kind === "line") {
      for (const [id, { fact, subjectId, holds }] of this.known) {
        const isOwn = subjectId === null || subjectId === by.userId;
        if (fact.session === session && isOwn && holds(moment.text)) this.told.add(id);
      }
      this.#room.say(by, moment.text);
      return;
    }
    const trail = await this.#room.ask(by, moment.asked.text);
    if (trail !== null) this.trails.push(trail);
    for (const need of moment.asked.needs) this.#recordNeed([need].flat(), session, trail);
  }

  /**
   * Records a need: whether the prompt showed one of the facts `ids`, which is enough. Adds the replaced facts that it
   * showed to `stale`. A null trail showed none.
   */
  #recordNeed(ids: readonly string[], session: number, trail: Trail | null): void {
    const shown = { notes: trail?.notes.kept ?? [], episodes: trail?.episodes.kept ?? [] };
    const isShown = ({ fact, subjectId, holds }: KnownFact): boolean =>
      shown.notes.includes(this.noteIds.get(fact.id) ?? -1) ||
      this.tiers.isShown(shown, subjectId, holds);
    const facts = ids.flatMap((id) => this.known.get(id) ?? []);
    const notes = new Set(
      facts.flatMap((fact) => this.noteIds.get(fact.fact.id) ?? this.#findNotes(fact)),
    );
    const sessions = facts.flatMap(({ fact: { session: first, again } }) => [first, ...again]);
    const age = session - Math.max(...sessions.filter((at) => at <= session));
    const hit = facts.some(isShown);
    this.needs.push({ age, hasNote: notes.size > 0, isShown: hit });
    const outdated = new Set<KnownFact>();
    for (const fact of facts) this.#addReplaced(fact, outdated);
    this.stale += [...outdated].filter(isShown).length;
    const others = this.tiers.heldNotes(facts[0]?.subjectId ?? null).length - notes.size;
    this.othersMin = Math.min(this.othersMin, others);
    for (const { fact } of facts) this.asked.set(fact.id, this.asked.get(fact.id) === true || hit);
  }

  /** Adds the fact that a fact replaced to `outdated`, the one which that replaced, and so on. */
  #addReplaced({ fact: { replaces = "" } }: KnownFact, outdated: Set<KnownFact>): void {
    const old = this.known.get(replaces);
    if (old === undefined || outdated.has(old)) return;
    outdated.add(old);
    this.#addReplaced(old, outdated);
  }

  /** Returns the ids of the active notes on a fact's subject that hold it. */
  #findNotes({ subjectId, holds }: KnownFact): number[] {
    const notes = this.tiers.heldNotes(subjectId);
    return notes.flatMap(({ id, text }) => (holds(text) ? [id] : []));
  }
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

/** Returns true if a sentence holds a fact. */
export type Recognise = (sentence: string) => boolean;

/** Share of a fact's words that recognises it if it has no `words`. */
const WORDS_SHARE = 0.6;

/**
 * Makes a test of whether a text holds a fact, in upper or lower case. With `words`, the text contains one of each
 * group, also within a longer word, and none of `without`. Else it has at least three in five of the fact's stems.
 */
function makeRecogniser({ fact, words = [], without }: ScenarioFact): Recognise {
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

/** Returns the mean; 0 for no values. */
function calculateMean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Opens a model that gives the first answer whose purpose and `when` fit the request. It gives each once, unless its
 * `again` is true. Fails with `empty` if none fits.
 */
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
      if (fitting === undefined) return makeUnsentFailure("scripted", "empty");
      if (!fitting.again) used.add(fitting);
      const { text = "", json } = fitting;
      return makeAnswer("scripted", request, { text, value: json });
    },
  };
}

/**
 * Opens a model that knows a scenario's facts. It claims a fact when the fact's message is in a window, and replaces
 * the fact that `replaces` names. So the figures measure recall and the write policy, not how well a model reads.
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
