import { prepareAccountWrites, prepareOptedOutIds } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import type { KeyedHash } from "../language/people.ts";
import { findTopicForms, readFactForms, readTopicForms } from "../language/topic.ts";

/** Prepares SQL on suppressions. `who` is a viewer's hash; `topic` a hashed topic, or null if the viewer opted out. */
export function suppressionRows(db: Db) {
  const sql = prepareStatements(db);
  const counts = sql.one<[whos: string], { optOuts: number; topics: number }>(
    `SELECT count(*) - count(topic) AS optOuts, count(topic) AS topics FROM suppressions
     WHERE who IN (SELECT value FROM json_each(?))`,
  );
  return {
    all: sql.all<[], { who: string; topic: string | null; atMs: number }>(
      "SELECT who, topic, created_at AS atMs FROM suppressions ORDER BY who, topic",
    ),
    topicsOf: sql.values<[who: string], string>(
      "SELECT topic FROM suppressions WHERE who = ? AND topic IS NOT NULL",
    ),
    optOuts: sql.values<[], string>("SELECT who FROM suppressions WHERE topic IS NULL"),
    add: sql.run<[who: string, topic: string | null, atMs: number]>(
      "INSERT INTO suppressions (who, topic, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    ),
    remove: sql.run<[who: string, topic: string | null]>(
      "DELETE FROM suppressions WHERE who = ? AND topic IS ?",
    ),
    countOf: (whos: readonly string[]) => counts(JSON.stringify(whos)) ?? { optOuts: 0, topics: 0 },
  };
}

/**
 * Stores who opted out, and which topics viewers had forgotten, as keyed hashes. Calls `saveRecord` inside each
 * transaction, before the commit; if it throws, nothing changes.
 */
export class SuppressionStore {
  readonly #db: Db;
  readonly #hash: KeyedHash;
  readonly #now: () => number;
  readonly #saveRecord: () => void;
  readonly #rows: ReturnType<typeof suppressionRows>;
  readonly #readIdsOut: () => string[];
  #out: ReadonlySet<string> = new Set();
  #idsOut: ReadonlySet<string> = new Set();

  constructor(
    db: Db,
    hash: KeyedHash,
    now: () => number,
    saveRecord: () => void = () => undefined,
  ) {
    this.#db = db;
    this.#hash = hash;
    this.#now = now;
    this.#saveRecord = saveRecord;
    this.#rows = suppressionRows(db);
    this.#readIdsOut = prepareOptedOutIds(db);
    this.reread();
  }

  /** Reads who opted out again, after another process wrote. */
  reread(): void {
    this.#out = new Set(this.#rows.optOuts());
    this.#idsOut = new Set(this.#readIdsOut());
  }

  /** Returns true if nothing about the viewer may be stored. Reads from memory. */
  isOptedOut = (userId: string): boolean =>
    this.#idsOut.has(userId) || (this.#out.size > 0 && this.#out.has(this.#hash.person(userId)));

  /**
   * Opts a viewer out. If both names are given, it stores them, so that others' facts about the viewer are refused.
   * `!forgetme` removes them too.
   */
  optOut({
    userId,
    login,
    displayName,
  }: {
    readonly userId: string;
    readonly login?: string;
    readonly displayName?: string;
  }): void {
    this.#change(() => {
      this.#rows.add(this.#hash.person(userId), null, this.#now());
      if (login === undefined || displayName === undefined) return;
      const people = prepareAccountWrites(this.#db);
      people.add({ userId, login, displayName }, this.#now());
      people.setOptedOut(userId, true);
    });
    this.reread();
  }

  /** Returns true if the viewer was opted out. */
  optIn(userId: string): boolean {
    const wasOut = this.#change(() => {
      const isLifted = this.#rows.remove(this.#hash.person(userId), null) > 0;
      return prepareAccountWrites(this.#db).setOptedOut(userId, false) || isLifted;
    });
    this.reread();
    return wasOut;
  }

  isSuppressed(userId: string, fact: string): boolean {
    return this.#findMatching(userId, fact).length > 0;
  }

  /** Suppresses a topic. Does nothing if the text has no topic words, or too many. */
  suppressTopic(userId: string, topic: string): void {
    this.restore(userId, this.#hashForms(userId, readTopicForms(topic)));
  }

  /** Suppresses a removed fact, and facts that say nearly the same. */
  suppressFact(userId: string, fact: string): void {
    this.restore(userId, this.#hashForms(userId, readFactForms(fact)));
  }

  /** Lifts the suppressions of a fact, because the viewer asks to keep it. Returns their hashed topics. */
  lift(userId: string, fact: string): readonly string[] {
    const lifted = this.#findMatching(userId, fact);
    if (lifted.length === 0) return lifted;
    this.#change(() => {
      for (const topic of lifted) this.#rows.remove(this.#hash.person(userId), topic);
    });
    return lifted;
  }

  /** Suppresses hashed topics: undoes `lift`. */
  restore(userId: string, topics: readonly string[]): void {
    this.#change(() => {
      for (const topic of topics) this.#rows.add(this.#hash.person(userId), topic, this.#now());
    });
  }

  #change<T>(work: () => T): T {
    return this.#db.transaction(() => {
      const done = work();
      this.#saveRecord();
      return done;
    })();
  }

  #hashForms(userId: string, forms: readonly string[]): string[] {
    return forms.map((form) => this.#hash.topic(userId, form));
  }

  #findMatching(userId: string, fact: string): string[] {
    const topics = new Set(this.#rows.topicsOf(this.#hash.person(userId)));
    if (topics.size === 0) return [];
    return this.#hashForms(userId, findTopicForms(fact)).filter((topic) => topics.has(topic));
  }
}
