import { accountWriter, optedOutIds } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import type { KeyedHash } from "../language/people.ts";
import { formsIn, formsOfFact, topicForms } from "../language/topic.ts";

interface OptingOut {
  readonly userId: string;
  readonly login?: string;
  readonly displayName?: string;
}

export type SuppressionStore = ReturnType<typeof suppressionStore>;

/**
 * What memory may not learn: who opted out, and which topics viewers had forgotten. All by keyed hash. `saveRecord` runs
 * inside each transaction, before the commit; if it throws, nothing is changed.
 */
export function suppressionStore(
  db: Db,
  hash: KeyedHash,
  now: () => number,
  saveRecord: () => void = () => undefined,
) {
  return { ...topicsOf(db, hash, now, saveRecord), ...optedOut(db, hash, now, saveRecord) };
}

const ADD =
  "INSERT INTO suppressions (who, topic, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";

function topicsOf(db: Db, hash: KeyedHash, now: () => number, saveRecord: () => void) {
  const sql = statements(db);
  const topicsOfWho = sql.values<[string], string>(
    "SELECT topic FROM suppressions WHERE who = ? AND topic IS NOT NULL",
  );
  const add = sql.run<[string, string, number]>(ADD);
  const remove = sql.run<[string, string]>("DELETE FROM suppressions WHERE who = ? AND topic = ?");
  const suppress = (userId: string, topics: readonly string[]): void =>
    db.transaction(() => {
      for (const topic of topics) add(hash.person(userId), topic, now());
      saveRecord();
    })();
  const hashed = (userId: string, forms: readonly string[]): string[] =>
    forms.map((form) => hash.topic(userId, form));
  const matching = (userId: string, fact: string): string[] => {
    const topics = new Set(topicsOfWho(hash.person(userId)));
    if (topics.size === 0) return [];
    return hashed(userId, formsIn(fact)).filter((topic) => topics.has(topic));
  };
  return {
    /** Whether a person asked that nothing like this fact about them is learned. */
    isSuppressed: (userId: string, fact: string): boolean => matching(userId, fact).length > 0,
    /** Keeps a topic from being learned. False where the words say nothing, or are too many for a topic. */
    suppressTopic: (userId: string, topic: string): boolean => {
      const forms = topicForms(topic);
      suppress(userId, hashed(userId, forms));
      return forms.length > 0;
    },
    /** Keeps a removed fact, and what says nearly the same, from being learned again. */
    suppressFact: (userId: string, fact: string): void => {
      suppress(userId, hashed(userId, formsOfFact(fact)));
    },
    /** Takes back what keeps a fact from being learned: the person now asks to keep it. Gives what was taken back. */
    lift: (userId: string, fact: string): readonly string[] => {
      const lifted = matching(userId, fact);
      if (lifted.length === 0) return lifted;
      db.transaction(() => {
        for (const topic of lifted) remove(hash.person(userId), topic);
        saveRecord();
      })();
      return lifted;
    },
    /** Undoes `lift`. */
    restore: suppress,
  };
}

function optedOut(db: Db, hash: KeyedHash, now: () => number, saveRecord: () => void) {
  const sql = statements(db);
  const hashesOut = sql.values<[], string>("SELECT who FROM suppressions WHERE topic IS NULL");
  const add = sql.run<[string, null, number]>(ADD);
  const remove = sql.run<[string]>("DELETE FROM suppressions WHERE who = ? AND topic IS NULL");
  const people = accountWriter(db);
  const idsOut = optedOutIds(db);
  const read = () => ({ hashes: new Set(hashesOut()), ids: new Set(idsOut()) });
  let out = read();
  const reread = (): void => {
    out = read();
  };
  return {
    /** Whether nothing may be kept of a person. From memory: `reread` after another process wrote. */
    isOptedOut: (userId: string): boolean =>
      out.ids.has(userId) || (out.hashes.size > 0 && out.hashes.has(hash.person(userId))),
    /**
     * From now on nothing is kept of a person. The names, where they are given, stay, so that what others say of them is
     * kept out of memory; `!forgetme` takes them too.
     */
    optOut: ({ userId, login, displayName }: OptingOut): void => {
      db.transaction(() => {
        add(hash.person(userId), null, now());
        if (login !== undefined && displayName !== undefined) {
          people.add({ userId, login, displayName }, now());
          people.setOptedOut(userId, true);
        }
        saveRecord();
      })();
      reread();
    },
    /** Whether the person was opted out. */
    optIn: (userId: string): boolean => {
      const undone = db.transaction(() => {
        const isLifted = remove(hash.person(userId)) > 0;
        const wasOut = people.setOptedOut(userId, false) || isLifted;
        saveRecord();
        return wasOut;
      })();
      reread();
      return undone;
    },
    reread,
  };
}
