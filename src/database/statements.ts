import type { RunResult, Statement } from "better-sqlite3";
import type { Db } from "./open-database.ts";

/** Values of a statement: in order, or one object with named ones. */
type Values = (string | number | null)[] | [named: object];

/** Runs SQL. Prepares each text once, when it first runs. */
export class Sql {
  readonly #db: Db;
  readonly #shared: () => object;
  readonly #forRows = new Map<string, PreparedStatement>();
  readonly #forValues = new Map<string, PreparedStatement>();

  /** `shared` returns values that every statement may name, such as the time. */
  constructor(db: Db, shared: () => object = () => ({})) {
    this.#db = db;
    this.#shared = shared;
  }

  all<Row>(sql: string, ...values: Values): Row[] {
    return this.#prepare(sql).all(this.#bind(values)) as Row[];
  }

  /** Returns the first row; null if there is none. */
  one<Row>(sql: string, ...values: Values): Row | null {
    return (this.#prepare(sql).get(this.#bind(values)) as Row) ?? null;
  }

  /** Returns the only row of an aggregate. */
  totals<Row>(sql: string, ...values: Values): Row {
    return this.#prepare(sql).get(this.#bind(values)) as Row;
  }

  /** Returns the first column of all rows. */
  values<Value>(sql: string, ...values: Values): Value[] {
    return this.#prepare(sql, this.#forValues).all(this.#bind(values)) as Value[];
  }

  /** Returns the first column of the first row; null if there is none. */
  value<Value>(sql: string, ...values: Values): Value | null {
    return (this.#prepare(sql, this.#forValues).get(this.#bind(values)) as Value) ?? null;
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: Values): number {
    return this.#prepare(sql).run(this.#bind(values)).changes;
  }

  /** Returns the id of the new row. The SQL must insert one: with `OR IGNORE`, the id may be of an earlier row. */
  insert(sql: string, ...values: Values): number {
    return Number(this.#prepare(sql).run(this.#bind(values)).lastInsertRowid);
  }

  #prepare(sql: string, cache = this.#forRows): PreparedStatement {
    const found = cache.get(sql);
    if (found !== undefined) return found;
    const statement = this.#db.prepare<unknown[]>(sql);
    if (cache === this.#forValues) statement.pluck();
    cache.set(sql, statement);
    return statement;
  }

  #bind(values: Values): unknown {
    const [named = {}] = values;
    return typeof named === "object" && named !== null ? { ...this.#shared(), ...named } : values;
  }
}

/**
 * Returns makers of functions from SQL, named like the methods of `Sql`. Named parameters are given as one object, to
 * which `shared()` is added. SQLite refuses extra arguments: write `ids.map((id) => find(id))`.
 */
export function prepareStatements(db: Db, shared: () => object = () => ({})) {
  const bind = (values: unknown[]): unknown[] => {
    const [named] = values;
    return typeof named === "object" && named !== null ? [{ ...shared(), ...named }] : values;
  };
  return {
    all: <Values extends unknown[], Row>(sql: string) => {
      const statement = db.prepare<unknown[], Row>(sql);
      return (...values: Values): Row[] => statement.all(...bind(values));
    },
    one: <Values extends unknown[], Row>(sql: string) => {
      const statement = db.prepare<unknown[], Row>(sql);
      return (...values: Values): Row | null => statement.get(...bind(values)) ?? null;
    },
    values: <Values extends unknown[], Value>(sql: string) => {
      const statement = db.prepare<unknown[], Value>(sql).pluck();
      return (...values: Values): Value[] => statement.all(...bind(values));
    },
    value: <Values extends unknown[], Value>(sql: string) => {
      const statement = db.prepare<unknown[], Value>(sql).pluck();
      return (...values: Values): Value | null => statement.get(...bind(values)) ?? null;
    },
    run: <Values extends unknown[]>(sql: string) => {
      const statement = db.prepare<unknown[]>(sql);
      return (...values: Values): number => statement.run(...bind(values)).changes;
    },
    insert: <Values extends unknown[]>(sql: string) => {
      const statement = db.prepare<unknown[]>(sql);
      return (...values: Values): number => Number(statement.run(...bind(values)).lastInsertRowid);
    },
  };
}

/** A page of a list. `next` begins the next page; null on the last one. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Makes a page of the first `limit` rows. Query one row more: `next` is null unless `rows` has more than `limit`. */
export function cutPage<T extends { readonly id: number }>(
  rows: readonly T[],
  limit: number,
): ListPage<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? String(items.at(-1)?.id) : null };
}

type PreparedStatement = Statement<unknown[], unknown>;

/** A statement that SQLite prepares at its first use. The bot has 800: one takes 6 KB and 0.1 ms, a start uses few. */
class LateStatement {
  readonly #prepare: () => PreparedStatement;
  #form: "pluck" | "raw" | null = null;
  #prepared: PreparedStatement | null = null;

  constructor(prepare: () => PreparedStatement) {
    this.#prepare = prepare;
  }

  pluck(): this {
    this.#form = "pluck";
    return this;
  }

  raw(): this {
    this.#form = "raw";
    return this;
  }

  get(...values: unknown[]): unknown {
    return this.#statement().get(...values);
  }

  all(...values: unknown[]): unknown[] {
    return this.#statement().all(...values);
  }

  iterate(...values: unknown[]): IterableIterator<unknown> {
    return this.#statement().iterate(...values);
  }

  run(...values: unknown[]): RunResult {
    return this.#statement().run(...values);
  }

  #statement(): PreparedStatement {
    if (this.#prepared === null) {
      this.#prepared = this.#prepare();
      if (this.#form !== null) this.#prepared[this.#form]();
    }
    return this.#prepared;
  }
}

/** Replaces `db.prepare`: SQLite prepares a statement at its first use, and reports wrong SQL only then. */
export function prepareLate(db: Db): void {
  const prepare = db.prepare.bind(db);
  const late = (sql: string) => new LateStatement(() => prepare(sql));
  Object.defineProperty(db, "prepare", { value: late, configurable: true });
}
