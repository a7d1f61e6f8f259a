import type { Db } from "../platform/database/open-database.ts";

export interface PolicyRow {
  readonly number: number;
  readonly source: string;
  readonly atMs: number;
}

/** A function that gives the policies accepted in (fromMs, toMs], oldest first. */
export function policiesBetween(db: Db): (fromMs: number, toMs: number) => readonly PolicyRow[] {
  const rows = db.prepare<[number, number], PolicyRow>(
    `SELECT number, source, created_at AS atMs FROM policy_history
     WHERE created_at > ? AND created_at <= ? ORDER BY number`,
  );
  return (fromMs, toMs) => rows.all(fromMs, toMs);
}
