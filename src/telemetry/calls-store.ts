import type { Db } from "../platform/database/open-database.ts";

/** Calls to one model for one purpose. */
export interface CallsRow {
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

export interface CallsStore {
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
