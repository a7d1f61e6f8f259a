import { actionNamed, CATALOGUE } from "./catalogue.ts";
import type { Parsed } from "./grammar.ts";
import type { Facts } from "./policy-facts.ts";

/** What the reply guard says of one text. */
export type GuardVerdict =
  | { readonly ok: true; readonly text: string; readonly removed: readonly string[] }
  | { readonly ok: false };

/** Mends of the guard that show that the text was to be more than a text. */
const TELLTALE_MENDS = new Set(["action", "thought", "lead"]);

/** The arguments with their texts as the guard lets them pass; null for what is no known action. */
export function guardArgs(parsed: Parsed, guard: (text: string) => GuardVerdict): Facts["texts"] {
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  if (parsed.kind === "malformed" || name === null) return null;
  const args: Record<string, string> = { ...parsed.args };
  for (const key of CATALOGUE[name].texts) {
    const written = parsed.args[key];
    const guarded = written === undefined ? [] : written.split("|").map(guard);
    if (!guarded.every(isClean)) return { kind: "refused" };
    if (written !== undefined) args[key] = guarded.map(({ text }) => text).join("|");
  }
  return { kind: "passed", args };
}

function isClean(verdict: GuardVerdict): verdict is Extract<GuardVerdict, { ok: true }> {
  return verdict.ok && !verdict.removed.some((mend) => TELLTALE_MENDS.has(mend));
}
