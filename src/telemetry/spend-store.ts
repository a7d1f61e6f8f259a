import type { Db } from "../platform/database/open-database.ts";

interface Sum extends Omit<CallsRow, "model" | "purpose"> {}

/** What calls to language models cost. */
export interface Spend extends Sum {
  readonly byModel: readonly (Sum & { readonly model: string })[];
  readonly byPurpose: readonly (Sum & { readonly purpose: string })[];
  /** Of all tokens, those for summaries, notes and recaps. */
  readonly memoryTokenShare: number;
  /** The same of the money; null where no price is known. */
  readonly memoryDollarShare: number | null;
}

const NOTHING: Sum = {
  calls: 0,
  failed: 0,
  tokensIn: 0,
  tokensCached: 0,
  tokensOut: 0,
  dollars: null,
  unpriced: 0,
};
const MEMORY: ReadonlySet<string> = new Set(["summarise", "extract"]);

export function spendOf(rows: readonly CallsRow[]): Spend {
  const total = rows.reduce(plus, NOTHING);
  const memory = rows.filter(({ purpose }) => MEMORY.has(purpose)).reduce(plus, NOTHING);
  const tokens = (sum: Sum): number => sum.tokensIn + sum.tokensOut;
  return {
    ...total,
    byModel: grouped(rows, ({ model }) => model).map(([model, sum]) => ({ model, ...sum })),
    byPurpose: grouped(rows, ({ purpose }) => purpose).map(([purpose, sum]) => ({
      purpose,
      ...sum,
    })),
    memoryTokenShare: tokens(total) === 0 ? 0 : tokens(memory) / tokens(total),
    memoryDollarShare:
      total.dollars === null || total.dollars === 0 ? null : (memory.dollars ?? 0) / total.dollars,
  };
}

function grouped(
  rows: readonly CallsRow[],
  nameOf: (row: CallsRow) => string,
): (readonly [string, Sum])[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) sums.set(nameOf(row), plus(sums.get(nameOf(row)) ?? NOTHING, row));
  return [...sums].sort(
    ([, one], [, other]) => (other.dollars ?? 0) - (one.dollars ?? 0) || other.calls - one.calls,
  );
}

/** No known price on either side stays no known price: money is never made up. */
function plus(one: Sum, other: Sum): Sum {
  const dollars =
    one.dollars === null && other.dollars === null
      ? null
      : (one.dollars ?? 0) + (other.dollars ?? 0);
  return {
    calls: one.calls + other.calls,
    failed: one.failed + other.failed,
    tokensIn: one.tokensIn + other.tokensIn,
    tokensCached: one.tokensCached + other.tokensCached,
    tokensOut: one.tokensOut + other.tokensOut,
    dollars,
    unpriced: one.unpriced + other.unpriced,
  };
}

/** Calls to one model for one purpose. */
interface CallsRow {
  readonly model: string;
  readonly purpose: string;
  readonly calls: number;
  readonly failed: number;
  readonly tokensIn: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  /** null where no price is known of the model. */
  readonly dollars: number | null;
  /** Answered calls whose price was not known. */
  readonly unpriced: number;
}

interface CallsStore {
  between(fromMs: number, toMs: number): readonly CallsRow[];
  /** Why calls failed, how often. */
  failures(
    fromMs: number,
    toMs: number,
  ): readonly { readonly name: string; readonly value: number }[];
}

/** What calls to language models came to. They belong to no channel. */
export function callsStore(db: Db): CallsStore {
  const between = db.prepare<[number, number], CallsRow>(
    `SELECT model, purpose, count(*) AS calls, sum(outcome <> 'ok') AS failed,
       coalesce(sum(prompt_tokens), 0) AS tokensIn, coalesce(sum(cached_tokens), 0) AS tokensCached,
       coalesce(sum(output_tokens), 0) AS tokensOut, sum(dollars) AS dollars,
       sum(dollars IS NULL AND outcome = 'ok') AS unpriced
     FROM llm_calls WHERE created_at >= ? AND created_at <= ? GROUP BY model, purpose ORDER BY model, purpose`,
  );
  const failures = db.prepare<[number, number], { name: string; value: number }>(
    `SELECT outcome AS name, count(*) AS value FROM llm_calls
     WHERE created_at >= ? AND created_at <= ? AND outcome <> 'ok' GROUP BY outcome ORDER BY value DESC, name`,
  );
  return {
    between: (fromMs, toMs) => between.all(fromMs, toMs),
    failures: (fromMs, toMs) => failures.all(fromMs, toMs),
  };
}
