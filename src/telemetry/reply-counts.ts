// Pure: values in, values out.
import type { ReplyFacts } from "./reply-facts.ts";
import { type Tally, tallyMaker } from "./tally.ts";

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
