import { offerableLines } from "../../actions/execute.ts";
import { Fault } from "../../errors.ts";
import { type Fence, makeFence } from "../../language/fence.ts";
import { OWN_LINES_MAX } from "../../memory/recall/weigh.ts";
import type { Config } from "../../platform/config/load.ts";
import { LINE_TOKENS_MAX, type Persona, prefixSections, tailSections } from "./sections.ts";

/** Added to every estimate before it is held against the budget. */
const HEADROOM = 1.05;
/** No login takes more tokens than this one. */
const CHANNEL = `${"1_".repeat(12)}1`;
/** Where the speaker's name stands: in the speaker's line, over their messages, before each, before the current one. */
const NAMES = OWN_LINES_MAX + 3;

/** What is told of a speaker at its longest. */
const LONGEST_VISITS = {
  sinceMs: 0,
  streams: 100_000,
  messages: 10_000_000,
  lastHereMs: 0,
  nowMs: 365 * 86_400_000,
};

/** How many estimated tokens a prompt may have, given the budget and the model's correction factor. */
export function estimatedBudget(budgetTokens: number, correction: number): number {
  return Math.floor(budgetTokens / (HEADROOM * correction));
}

/**
 * Tokens of the part that is never trimmed, with every line at its maximum: persona, rules, channel, speaker,
 * own messages and the current message. Start-up refuses a budget that this does not fit into. `offered`: the most
 * actions that the rules may list.
 */
function floorTokens(persona: Persona, fence: Fence, offered: readonly string[] = []): number {
  const line = { id: 1, name: "m", text: "" };
  const state = {
    title: "x",
    category: "x",
    isLive: true,
    prefixVersion: 0,
    sessionId: 1,
    recap: "x",
  };
  const prefix = prefixSections(
    persona,
    { channel: CHANNEL, version: 0, state, notes: [], episodes: [] },
    fence,
    offered,
  );
  const tail = tailSections(
    {
      pace: "raid",
      speaker: { name: "m", standing: "newcomer", visits: LONGEST_VISITS },
      lore: [],
      own: Array.from({ length: OWN_LINES_MAX }, () => line),
      chat: [],
      thread: [],
      replies: [],
      current: line,
      continues: true,
    },
    persona,
    fence,
  );
  const fixed = [...prefix, ...tail]
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ headerTokens, lines }) => [headerTokens, ...lines.map(({ tokens }) => tokens)])
    .reduce((sum, tokens) => sum + tokens, 0);
  const { name, title, episode, own, current } = LINE_TOKENS_MAX;
  return fixed + NAMES * name + 2 * title + episode + OWN_LINES_MAX * own + current;
}

/** As long as every process's own: only its length counts. */
const ANY_FENCE: Fence = makeFence("0".repeat(12));

/**
 * Throws a Fault where the part of a prompt that is never trimmed does not fit into the budget. `correction` is the
 * model's factor from our estimate to its count; 1 while nothing is known.
 */
export function refuseTightBudget(config: Config, correction: number): void {
  const { persona, personas, prompt, actions } = config;
  const offered = offerableLines(actions);
  const floors = [persona, ...personas].map((one) => floorTokens(one, ANY_FENCE, offered));
  const floor = Math.max(...floors);
  const available = estimatedBudget(prompt.budgetTokens, correction);
  if (floor <= available) return;
  const needed = Math.ceil((floor / available) * prompt.budgetTokens);
  throw new Fault(
    `prompt.budgetTokens is ${prompt.budgetTokens}: the part that is never trimmed needs ${needed}`,
    { code: "config", mend: "shorten the longest persona's voice, or raise prompt.budgetTokens" },
  );
}
