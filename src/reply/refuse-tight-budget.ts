import { offerableLines } from "../actions/logins.ts";
import { Fault } from "../errors.ts";
import { type Fence, makeFence } from "../language/fence.ts";
import type { Config } from "../platform/config/load.ts";
import { estimatedBudget, floorTokens } from "./prompt/floor.ts";

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
