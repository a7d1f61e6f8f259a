import type { Db } from "./open-database.ts";

/**
 * Returns makers of functions from SQL. A maker prepares its statement once, when it is called. Named parameters are
 * given as one object, to which `shared` adds the values that every statement may use, such as the time. SQLite refuses
 * extra arguments, so write `ids.map((id) => find(id))`, not `ids.map(find)`.
 */
export function prepareStatements(db: Db, shared: () => object = () => ({})) {
  const bind = (values: unknown[]): unknown[] => {
    const [named] = values;
    return typeof named === "object" && named !== null ? [{ ...shared(), ...named }] : values;
  };
  return {
    /** All rows. */
    all: <Values extends unknown[], Row>(sql: string) => {
      const statement = db.prepare<unknown[], Row>(sql);
      return (...values: Values): Row[] => statement.all(...bind(values));
    },
    /** Returns the first row; null if there is none. */
    one: <Values extends unknown[], Row>(sql: string) => {
      const statement = db.prepare<unknown[], Row>(sql);
      return (...values: Values): Row | null => statement.get(...bind(values)) ?? null;
    },
    /** The first column of all rows. */
    values: <Values extends unknown[], Value>(sql: string) => {
      const statement = db.prepare<unknown[], Value>(sql).pluck();
      return (...values: Values): Value[] => statement.all(...bind(values));
    },
    /** Returns the first column of the first row; null if there is none. */
    value: <Values extends unknown[], Value>(sql: string) => {
      const statement = db.prepare<unknown[], Value>(sql).pluck();
      return (...values: Values): Value | null => statement.get(...bind(values)) ?? null;
    },
    /** Changes rows; gives how many. */
    run: <Values extends unknown[]>(sql: string) => {
      const statement = db.prepare<unknown[]>(sql);
      return (...values: Values): number => statement.run(...bind(values)).changes;
    },
    /** Writes a row; gives its number. */
    insert: <Values extends unknown[]>(sql: string) => {
      const statement = db.prepare<unknown[]>(sql);
      return (...values: Values): number => Number(statement.run(...bind(values)).lastInsertRowid);
    },
  };
}
