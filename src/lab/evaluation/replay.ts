import { type Audit, audit } from "./audit.ts";
import type { OutcomeStore } from "./eval-outcome-store.ts";
import type { GivenFact } from "./given-store.ts";
import { type PromptMeasures, promptMeasures } from "./prompt-measures.ts";
import { askAll } from "./replay-questions.ts";
import { openReplayRoom } from "./replay-room.ts";
import { type Need, openRun, type ReplayInput, type Run, type StrategyCost } from "./replay-run.ts";
import type { StrategyName } from "./strategies.ts";
import { type Moment, type Session, timeline } from "./timeline.ts";

/** How far a fact that somebody told in chat came. */
export interface FactFate {
  readonly fact: string;
  /** Whether somebody said it in chat at all. */
  readonly event: boolean;
  /** Whether a checked claim, or a summary, of an episode holds it. */
  readonly episode: boolean;
  /** Whether a note held it, at the end of some session. */
  readonly note: boolean;
  /** Whether the bot's own prompt showed it to anyone who asked; null where nobody did. */
  readonly prompt: boolean | null;
}

export interface Replayed {
  readonly scenario: string;
  readonly model: string;
  readonly needs: readonly Need[];
  readonly costs: Readonly<Partial<Record<StrategyName, StrategyCost>>>;
  readonly fates: readonly FactFate[];
  readonly prompts: PromptMeasures;
  readonly audit: Audit;
  readonly episodes: ReturnType<OutcomeStore["counts"]>;
  /** Active notes of an asker besides what was needed: the least over all questions. */
  readonly othersMin: number;
}

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
        askAll(run, { heard, asked: moment.asked, session: session.n }),
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

function resultOf(run: Run): Replayed {
  const made = [...run.known.values()].filter(({ fact }) => !run.noteIds.has(fact.id));
  const fates = made.map(
    ({ fact, subjectId, holds }): FactFate => ({
      fact: fact.id,
      event: run.told.has(fact.id),
      episode: run.tiers.isClaimed(subjectId, holds),
      note: run.noted.has(fact.id),
      prompt: run.asked.get(fact.id) ?? null,
    }),
  );
  return {
    scenario: run.scenario.name,
    model: run.model,
    needs: run.needs,
    costs: Object.fromEntries(run.costs),
    fates,
    prompts: promptMeasures(run.outcomes.replies().map(({ trail }) => trail)),
    audit: audit(run.outcomes.activeNotes(), run.bot, run.human),
    episodes: run.outcomes.counts(),
    othersMin: Number.isFinite(run.othersMin) ? run.othersMin : 0,
  };
}
