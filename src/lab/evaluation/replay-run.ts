import type { Llm } from "../../platform/models/model-port.ts";
import type { BotLine } from "./audit.ts";
import { type OutcomeStore, outcomeStore } from "./eval-outcome-store.ts";
import { type GivenNotes, givenNotes } from "./given-store.ts";
import { type Recognise, recogniser, wordsReadOnce } from "./recognise.ts";
import type { ReplayRoom } from "./replay-room.ts";
import type { Scenario, ScenarioFact } from "./scenario.ts";
import type { StrategyName } from "./strategies.ts";
import { type StrategyRoom, strategyRoom } from "./strategy-room.ts";
import { type TierStore, tierStore } from "./tiers-store.ts";
import { speakersOf } from "./timeline.ts";

export interface ReplayInput {
  readonly scenario: Scenario;
  readonly strategies: readonly StrategyName[];
  readonly llm: Llm;
  /** How the model is called in the figures. */
  readonly model: string;
  /** Keys of a configuration that hold here too. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A fact of the scenario, and how it is found again. */
export interface KnownFact {
  readonly fact: ScenarioFact;
  /** Null for the channel's. */
  readonly subjectId: string | null;
  readonly holds: Recognise;
}

/** One thing that a question needed, and which strategies showed it. */
export interface Need {
  /** Place of the question in the scenario. */
  readonly question: number;
  readonly session: number;
  /** Sessions since it was last told. */
  readonly age: number;
  /** Whether there was an active note of it to be found. */
  readonly hasNote: boolean;
  readonly shown: Readonly<Partial<Record<StrategyName, boolean>>>;
}

/** What one strategy cost, over all questions. */
export interface StrategyCost {
  /** Estimated tokens of the notes about the speaker, by question. */
  readonly loreTokens: number[];
  /** Times that a fact stood in a prompt although it was no longer true. */
  stale: number;
  /** Questions for which the order of the database served, because the model gave none. */
  fellBack: number;
}

/** A replay under way. */
export interface Run extends ReplayInput {
  readonly room: ReplayRoom;
  readonly tiers: TierStore;
  readonly given: GivenNotes;
  readonly outcomes: OutcomeStore;
  readonly strategy: StrategyRoom;
  readonly known: ReadonlyMap<string, KnownFact>;
  /** Notes of the facts that were given, by fact. */
  readonly noteIds: Map<string, number>;
  readonly needs: Need[];
  readonly costs: Map<StrategyName, StrategyCost>;
  /** Facts that a question needed: whether the bot's own prompt showed them. */
  readonly asked: Map<string, boolean>;
  /** Facts that somebody said, and that a note held at the end of a session. */
  readonly told: Set<string>;
  readonly noted: Set<string>;
  readonly human: string[];
  readonly bot: (BotLine & { readonly id: number })[];
  /** Active notes of an asker besides what was needed, the least so far. */
  othersMin: number;
  nextMemoryMs: number;
}

export function openRun(input: ReplayInput, room: ReplayRoom): Run {
  const { scenario } = input;
  const speakers = speakersOf(scenario);
  const { db } = room.stores;
  const wordsOf = wordsReadOnce();
  const known = scenario.facts.map((fact): [string, KnownFact] => [
    fact.id,
    { fact, subjectId: speakers.get(fact.about)?.userId ?? null, holds: recogniser(fact, wordsOf) },
  ]);
  return {
    ...input,
    room,
    tiers: tierStore(db, room.channel),
    given: givenNotes(db, room.channel, () => room.clock.nowMs),
    outcomes: outcomeStore(db),
    strategy: strategyRoom(room, input.llm),
    known: new Map(known),
    noteIds: new Map(),
    needs: [],
    costs: new Map(
      input.strategies.map((name) => [name, { loreTokens: [], stale: 0, fellBack: 0 }]),
    ),
    asked: new Map(),
    told: new Set(),
    noted: new Set(),
    human: [],
    bot: [],
    othersMin: Number.POSITIVE_INFINITY,
    nextMemoryMs: 0,
  };
}
