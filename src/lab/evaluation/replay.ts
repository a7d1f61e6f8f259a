import type { Llm } from "../../platform/models/model-port.ts";
import type { Ticket } from "../../reply/reply-queue.ts";
import {
  audit,
  type BotLine,
  promptMeasures,
  type Recognise,
  recogniser,
  wordsReadOnce,
} from "./measures.ts";
import { openReplayRoom, type ReplayRoom } from "./replay-room.ts";
import { type GivenFact, givenNotes, replayedStore, tierStore } from "./replay-store.ts";
import type { Scenario, ScenarioFact, ScenarioQuestion } from "./scenario.ts";
import type { StrategyName } from "./strategies.ts";
import { strategyRoom } from "./strategy-room.ts";
import { type Moment, type Session, speakersOf, timeline } from "./timeline.ts";

/** What a scenario measured. */
export type Replayed = ReturnType<typeof resultOf>;
/** How far a fact that somebody told in chat came. */
export type FactFate = Replayed["fates"][number];

const MEMORY_EVERY_MS = 180_000;

/** Replays a scenario through the real pipeline, over a database in memory. The same input gives the same figures. */
export async function replay(input: ReplayInput): Promise<Replayed> {
  const room = openReplayRoom(input);
  try {
    const run = openRun(input, room);
    for (const session of timeline(input.scenario)) await playSession(run, session);
    return resultOf(run);
  } finally {
    await room.close();
  }
}

async function playSession(run: Run, session: Session): Promise<void> {
  const { room, scenario } = run;
  room.clock.nowMs = session.startsAtMs;
  await room.stores.sweep();
  room.begin(session);
  run.nextMemoryMs = session.startsAtMs + MEMORY_EVERY_MS;
  for (const moment of session.moments) {
    await passTo(run, session.startsAtMs + moment.atMs);
    await happen(run, session, moment);
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

/** Memory looks at what waits every three minutes, as the daemon lets it. */
async function passTo(run: Run, atMs: number): Promise<void> {
  const { clock, memory } = run.room;
  while (run.nextMemoryMs <= atMs) {
    clock.nowMs = run.nextMemoryMs;
    run.nextMemoryMs += MEMORY_EVERY_MS;
    if (run.scenario.notes !== "given") await memory.run();
  }
  clock.nowMs = atMs;
}

async function happen(run: Run, session: Session, moment: Moment): Promise<void> {
  switch (moment.kind) {
    case "line":
      run.human.push(moment.text);
      for (const [id, { fact, subjectId, holds }] of run.known) {
        const isOwn = subjectId === null || subjectId === moment.by.userId;
        if (fact.session === session.n && isOwn && holds(moment.text)) run.told.add(id);
      }
      run.room.say(moment.by, moment.text);
      return;
    case "give":
      return giveNotes(run, session.n);
    case "ask": {
      run.human.push(moment.asked.text);
      const ticket = await run.room.ask(moment.by, moment.asked.text, (heard) =>
        askAll(run, heard, moment.asked, session.n),
      );
      const last = run.bot.at(-1)?.id ?? 0;
      run.bot.push(...run.outcomes.saidSince(last));
      if (ticket === null) throw new Error("a question of a scenario was not heard");
    }
  }
}

function giveNotes(run: Run, session: number): void {
  if (run.scenario.notes === "made") return;
  const due = [...run.known.values()].flatMap(({ fact, subjectId }): GivenFact[] =>
    fact.session === session && fact.note !== undefined
      ? [{ fact, note: fact.note, subjectId }]
      : [],
  );
  for (const [id, noteId] of run.given.give(due)) run.noteIds.set(id, noteId);
  const again = [...run.known.values()]
    .filter(({ fact }) => fact.again.includes(session))
    .flatMap(({ fact }) => run.noteIds.get(fact.id) ?? []);
  run.given.confirm(again);
}

function resultOf(run: Run) {
  const made = [...run.known].filter(([id]) => !run.noteIds.has(id));
  return {
    scenario: run.scenario.name,
    model: run.model,
    needs: run.needs,
    costs: Object.fromEntries(run.costs) as Partial<Record<StrategyName, StrategyCost>>,
    fates: made.map(([fact, { subjectId, holds }]) => ({
      fact,
      /** Whether somebody said it in chat at all. */
      event: run.told.has(fact),
      /** Whether a checked claim, or a summary, of an episode holds it. */
      episode: run.tiers.isClaimed(subjectId, holds),
      /** Whether a note held it, at the end of some session. */
      note: run.noted.has(fact),
      /** Whether the bot's own prompt showed it to anyone who asked; null where nobody did. */
      prompt: run.asked.get(fact) ?? null,
    })),
    prompts: promptMeasures(run.outcomes.trails()),
    audit: audit(run.outcomes.activeNotes(), run.bot, run.human),
    episodes: run.outcomes.counts(),
    /** Active notes of an asker besides what was needed: the least over all questions. */
    othersMin: Number.isFinite(run.othersMin) ? run.othersMin : 0,
  };
}

/** Lets every strategy make its prompt for one question, from the same database, and writes down what it showed. */
async function askAll(
  run: Run,
  heard: Ticket,
  asked: ScenarioQuestion,
  session: number,
): Promise<void> {
  const wanted = asked.needs.map((need) => [need].flat().flatMap((id) => run.known.get(id) ?? []));
  const outdated = outdatedBy(run, wanted.flat(), session);
  const shown = new Map<StrategyName, boolean[]>();
  for (const [name, cost] of run.costs) {
    const memory = await run.strategy(name, heard);
    const shows = ({ fact, subjectId, holds }: KnownFact): boolean =>
      memory.noteIds.includes(run.noteIds.get(fact.id) ?? -1) ||
      run.tiers.shownIn(memory, subjectId, holds);
    shown.set(
      name,
      wanted.map((some) => some.some(shows)),
    );
    cost.loreTokens.push(memory.loreTokens);
    cost.stale += outdated.filter(shows).length;
    cost.fellBack += memory.fellBack ? 1 : 0;
  }
  for (const [at, some] of wanted.entries()) {
    const shownBy = Object.fromEntries([...shown].map(([name, each]) => [name, each[at] ?? false]));
    recordNeed(run, some, session, shownBy);
  }
}

function recordNeed(
  run: Run,
  some: readonly KnownFact[],
  session: number,
  shown: Need["shown"],
): void {
  const lastTold = Math.max(...some.map(({ fact }) => lastToldIn(fact, session)));
  const notes = some.flatMap((one) => notesOf(run, one));
  run.needs.push({ shown, age: session - lastTold, hasNote: notes.length > 0 });
  const [first] = some;
  if (first === undefined) return;
  const others = run.tiers.activeCount(first.subjectId) - new Set(notes).size;
  run.othersMin = Math.min(run.othersMin, others);
  for (const { fact } of some)
    run.asked.set(fact.id, run.asked.get(fact.id) === true || shown.shipped === true);
}

function notesOf(run: Run, { fact, subjectId, holds }: KnownFact): number[] {
  const given = run.noteIds.get(fact.id);
  return given === undefined ? run.tiers.notesWith(subjectId, holds) : [given];
}

function lastToldIn({ session, again }: ScenarioFact, until: number): number {
  return Math.max(session, ...again.filter((at) => at <= until));
}

/** What the needed facts took the place of, and what that had taken the place of before. */
function outdatedBy(run: Run, wanted: readonly KnownFact[], session: number): KnownFact[] {
  const before = wanted.flatMap(({ fact }) => {
    const old = fact.replaces === undefined ? undefined : run.known.get(fact.replaces);
    return old === undefined || fact.session > session ? [] : [old];
  });
  return before.length === 0 ? [] : [...before, ...outdatedBy(run, before, session)];
}

interface ReplayInput {
  readonly scenario: Scenario;
  readonly strategies: readonly StrategyName[];
  readonly llm: Llm;
  /** How the model is called in the figures. */
  readonly model: string;
  /** Keys of a configuration that hold here too. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A fact of the scenario, and how it is found again. */
interface KnownFact {
  readonly fact: ScenarioFact;
  /** Null for the channel's. */
  readonly subjectId: string | null;
  readonly holds: Recognise;
}

/** One thing that a question needed, and which strategies showed it. */
export interface Need {
  /** Sessions since it was last told. */
  readonly age: number;
  /** Whether there was an active note of it to be found. */
  readonly hasNote: boolean;
  readonly shown: Readonly<Partial<Record<StrategyName, boolean>>>;
}

/** What one strategy cost, over all questions. */
interface StrategyCost {
  /** Estimated tokens of the notes about the speaker, by question. */
  readonly loreTokens: number[];
  /** Times that a fact stood in a prompt although it was no longer true. */
  stale: number;
  /** Questions for which the order of the database served, because the model gave none. */
  fellBack: number;
}

/** A replay under way. */
type Run = ReturnType<typeof openRun>;

function openRun(input: ReplayInput, room: ReplayRoom) {
  const { scenario } = input;
  const speakers = speakersOf(scenario);
  const { db } = room.stores;
  const wordsOf = wordsReadOnce();
  const known = scenario.facts.map((fact): [string, KnownFact] => [
    fact.id,
    { fact, subjectId: speakers.get(fact.about)?.userId ?? null, holds: recogniser(fact, wordsOf) },
  ]);
  const costs = input.strategies.map((name): [StrategyName, StrategyCost] => [
    name,
    { loreTokens: [], stale: 0, fellBack: 0 },
  ]);
  return {
    ...input,
    room,
    tiers: tierStore(db, room.channel),
    given: givenNotes(db, room.channel, () => room.clock.nowMs),
    outcomes: replayedStore(db),
    strategy: strategyRoom(room, input.llm),
    known: new Map(known),
    /** Notes of the facts that were given, by fact. */
    noteIds: new Map<string, number>(),
    needs: [] as Need[],
    costs: new Map(costs),
    /** Facts that a question needed: whether the bot's own prompt showed them. */
    asked: new Map<string, boolean>(),
    /** Facts that somebody said, and that a note held at the end of a session. */
    told: new Set<string>(),
    noted: new Set<string>(),
    human: [] as string[],
    bot: [] as (BotLine & { readonly id: number })[],
    /** Active notes of an asker besides what was needed, the least so far. */
    othersMin: Number.POSITIVE_INFINITY,
    nextMemoryMs: 0,
  };
}
