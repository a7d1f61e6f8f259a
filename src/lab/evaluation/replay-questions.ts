import type { Ticket } from "../../reply/reply-queue.ts";
import type { KnownFact, Run } from "./replay-run.ts";
import type { ScenarioFact } from "./scenario.ts";
import type { StrategyName } from "./strategies.ts";
import type { Asked } from "./timeline.ts";

export interface Asking {
  readonly heard: Ticket;
  readonly asked: Asked;
  readonly session: number;
}

/** Lets every strategy make its prompt for one question, from the same database, and writes down what it showed. */
export async function askAll(run: Run, { heard, asked, session }: Asking): Promise<void> {
  const wanted = asked.needs.map((need) => [need].flat().flatMap((id) => run.known.get(id) ?? []));
  const outdated = outdatedBy(run, wanted.flat(), session);
  const shown = new Map<StrategyName, boolean[]>();
  for (const name of run.strategies) {
    const memory = await run.strategy(name, heard);
    const shows = ({ fact, subjectId, holds }: KnownFact): boolean =>
      memory.noteIds.includes(run.noteIds.get(fact.id) ?? -1) ||
      run.tiers.shownIn(memory, subjectId, holds);
    shown.set(
      name,
      wanted.map((some) => some.some(shows)),
    );
    const cost = run.costs.get(name);
    if (cost === undefined) continue;
    cost.loreTokens.push(memory.loreTokens);
    cost.stale += outdated.filter(shows).length;
    cost.fellBack += memory.fellBack ? 1 : 0;
  }
  recordNeeds(run, { wanted, shown, question: asked.question, session });
}

interface Answered {
  readonly wanted: readonly (readonly KnownFact[])[];
  readonly shown: ReadonlyMap<StrategyName, readonly boolean[]>;
  readonly question: number;
  readonly session: number;
}

function recordNeeds(run: Run, { wanted, shown, question, session }: Answered): void {
  wanted.forEach((some, at) => {
    const lastTold = Math.max(...some.map(({ fact }) => lastToldIn(fact, session)));
    const notes = some.flatMap((one) => notesOf(run, one));
    const [first] = some;
    run.needs.push({
      question,
      session,
      age: session - lastTold,
      hasNote: notes.length > 0,
      shown: Object.fromEntries([...shown].map(([name, each]) => [name, each[at] ?? false])),
    });
    if (first === undefined) return;
    const all = run.tiers.activeCount(first.subjectId);
    run.othersMin = Math.min(run.othersMin, all - new Set(notes).size);
    const isShown = shown.get("shipped")?.[at] ?? false;
    for (const { fact } of some)
      run.asked.set(fact.id, (run.asked.get(fact.id) ?? false) || isShown);
  });
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
