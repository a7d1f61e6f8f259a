import { prepareAccountWrites, prepareOptedOutIds } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import type { KeyedHash } from "../language/people.ts";
import { findTopicForms, readFactForms, readTopicForms } from "../language/topic.ts";

interface OptingOut {
  readonly userId: string;
  readonly login?: string;
  readonly displayName?: string;
}

const ADD =
  "INSERT INTO suppressions (who, topic, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";

/** The rows of suppressed topics, and of viewers who opted out (`topic` null). */
export function suppressionRows(db: Db) {
  const sql = prepareStatements(db);
  return {
    all: sql.all<[], { who: string; topic: string | null; atMs: number }>(
      "SELECT who, topic, created_at AS atMs FROM suppressions ORDER BY who, topic",
    ),
    add: sql.run<[who: string, topic: string | null, atMs: number]>(ADD),
  };
}

/** Counts the entries of viewers, given as a JSON list of hashes. */
export function suppressionCounts(db: Db) {
  const sql = prepareStatements(db);
  const counts = sql.one<[whos: string], { optOuts: number; topics: number }>(
    `SELECT count(*) - count(topic) AS optOuts, count(topic) AS topics FROM suppressions
     WHERE who IN (SELECT value FROM json_each(?))`,
  );
  return (whos: string) => counts(whos) ?? { optOuts: 0, topics: 0 };
}

export type SuppressionStore = ReturnType<typeof openSuppressionStore>;

/**
 * Stores who opted out, and which topics viewers had forgotten, as keyed hashes. Calls `saveRecord` inside each
 * transaction, before the commit; if it throws, nothing changes.
 */
export function openSuppressionStore(
  db: Db,
  hash: KeyedHash,
  now: () => number,
  saveRecord: () => void = () => undefined,
) {
  const sql = prepareStatements(db);
  const topicsOf = sql.values<[who: string], string>(
    "SELECT topic FROM suppressions WHERE who = ? AND topic IS NOT NULL",
  );
  const hashesOut = sql.values<[], string>("SELECT who FROM suppressions WHERE topic IS NULL");
  const add = sql.run<[who: string, topic: string | null, atMs: number]>(ADD);
  const remove = sql.run<[who: string, topic: string | null]>(
    "DELETE FROM suppressions WHERE who = ? AND topic IS ?",
  );
  const people = prepareAccountWrites(db);
  const idsOut = prepareOptedOutIds(db);
  const readOut = () => ({ hashes: new Set(hashesOut()), ids: new Set(idsOut()) });
  let out = readOut();
  const reread = (): void => {
    out = readOut();
  };
  const change = <T>(work: () => T): T =>
    db.transaction(() => {
      const done = work();
      saveRecord();
      return done;
    })();
  const suppress = (userId: string, topics: readonly string[]): void =>
    change(() => {
      for (const topic of topics) add(hash.person(userId), topic, now());
    });
  const hashForms = (userId: string, forms: readonly string[]): string[] =>
    forms.map((form) => hash.topic(userId, form));
  const findMatching = (userId: string, fact: string): string[] => {
    const topics = new Set(topicsOf(hash.person(userId)));
    if (topics.size === 0) return [];
    return hashForms(userId, findTopicForms(fact)).filter((topic) => topics.has(topic));
  };
  return {
    /** Returns true if the viewer had such a fact forgotten. */
    isSuppressed: (userId: string, fact: string): boolean => findMatching(userId, fact).length > 0,
    /** Suppresses a topic. Returns false if the text has no topic words, or too many. */
    suppressTopic: (userId: string, topic: string): boolean => {
      const forms = readTopicForms(topic);
      suppress(userId, hashForms(userId, forms));
      return forms.length > 0;
    },
    /** Suppresses a removed fact, and facts that say nearly the same. */
    suppressFact: (userId: string, fact: string): void =>
      suppress(userId, hashForms(userId, readFactForms(fact))),
    /** Lifts the suppressions of a fact, because the viewer asks to keep it. Returns the lifted ones. */
    lift: (userId: string, fact: string): readonly string[] => {
      const lifted = findMatching(userId, fact);
      if (lifted.length > 0)
        change(() => {
          for (const topic of lifted) remove(hash.person(userId), topic);
        });
      return lifted;
    },
    /** Undoes `lift`. */
    restore: suppress,
    /**
     * Returns true if nothing about the viewer may be stored. Reads from memory: call `reread` after another process
     * wrote.
     */
    isOptedOut: (userId: string): boolean =>
      out.ids.has(userId) || (out.hashes.size > 0 && out.hashes.has(hash.person(userId))),
    /**
     * Opts a viewer out. Given names stay stored, so that others' facts about them are refused. `!forgetme` removes
     * them too.
     */
    optOut: ({ userId, login, displayName }: OptingOut): void => {
      change(() => {
        add(hash.person(userId), null, now());
        if (login === undefined || displayName === undefined) return;
        people.add({ userId, login, displayName }, now());
        people.setOptedOut(userId, true);
      });
      reread();
    },
    /** Returns true if the viewer was opted out. */
    optIn: (userId: string): boolean => {
      const wasOut = change(() => {
        const isLifted = remove(hash.person(userId), null) > 0;
        return people.setOptedOut(userId, false) || isLifted;
      });
      reread();
      return wasOut;
    },
    reread,
  };
}
