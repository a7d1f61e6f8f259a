import { accountWriter, optedOutIds } from "../chat/viewer-store.ts";
import type { KeyedHash } from "../language/people.ts";
import { formsIn, formsOfFact, topicForms } from "../language/topic.ts";
import type { Db } from "../platform/database/open-database.ts";
import { counterStore } from "../platform/database/runtime-store.ts";
import { WISHES_REMOVED } from "../platform/database/vacuum-queue.ts";

/** What memory may not learn: of whom nothing, and of whom not what. All by keyed hash. */
export interface SuppressionStore {
  /** Whether nothing may be kept of a person. From memory: `reread` after another process wrote. */
  isOptedOut(userId: string): boolean;
  /** Whether a person asked that nothing like this fact about them is learned. */
  isSuppressed(userId: string, fact: string): boolean;
  /** Keeps a topic from being learned. False where the words say nothing, or are too many for a topic. */
  suppressTopic(userId: string, topic: string): boolean;
  /** Keeps a fact that goes, and what says nearly the same, from being learned again; backups will lose it, too. */
  suppressFact(userId: string, fact: string): void;
  /** Takes back what keeps a fact from being learned: the person now asks to keep it. Gives what was taken back. */
  lift(userId: string, fact: string): readonly string[];
  /** Undoes `lift`. */
  restore(userId: string, lifted: readonly string[]): void;
  /**
   * From now on nothing is kept of a person. The names, where they are given, stay, so that what others say of them is
   * kept out of memory; `!forgetme` takes them too.
   */
  optOut(person: OptingOut): void;
  /** Whether the person was opted out. */
  optIn(userId: string): boolean;
  reread(): void;
}

interface OptingOut {
  readonly userId: string;
  readonly login?: string;
  readonly displayName?: string;
}

export function suppressionStore(db: Db, hash: KeyedHash, now: () => number): SuppressionStore {
  const rows = statements(db);
  const counters = counterStore(db);
  const people = accountWriter(db);
  const outIds = optedOutIds(db);
  let hashes: ReadonlySet<string> = new Set();
  let ids: ReadonlySet<string> = new Set();
  const reread = (): void => {
    hashes = new Set(rows.optedOut.all());
    ids = new Set(outIds());
  };
  reread();
  const suppress = (userId: string, forms: readonly string[]): void => {
    db.transaction(() => {
      const who = hash.person(userId);
      for (const form of forms) rows.add.run(who, hash.topic(userId, form), now());
    })();
  };
  const matching = (userId: string, fact: string): string[] => {
    const topics = new Set(rows.topics.all(hash.person(userId)));
    if (topics.size === 0) return [];
    return formsIn(fact)
      .map((form) => hash.topic(userId, form))
      .filter((topic) => topics.has(topic));
  };
  return {
    isOptedOut: (userId) => ids.has(userId) || (hashes.size > 0 && hashes.has(hash.person(userId))),
    isSuppressed: (userId, fact) => matching(userId, fact).length > 0,
    suppressTopic: (userId, topic) => {
      const forms = topicForms(topic);
      suppress(userId, forms);
      return forms.length > 0;
    },
    suppressFact: (userId, fact) => {
      suppress(userId, formsOfFact(fact));
      counters.bump(WISHES_REMOVED);
    },
    lift: (userId, fact) => {
      const lifted = matching(userId, fact);
      for (const topic of lifted) rows.remove.run(hash.person(userId), topic);
      return lifted;
    },
    restore: (userId, lifted) => {
      for (const topic of lifted) rows.add.run(hash.person(userId), topic, now());
    },
    optOut: ({ userId, login, displayName }) => {
      db.transaction(() => {
        rows.add.run(hash.person(userId), null, now());
        if (login === undefined || displayName === undefined) return;
        people.add({ userId, login, displayName }, now());
        people.setOptedOut(userId, true);
      })();
      reread();
    },
    optIn: (userId) => {
      const undone = db.transaction(() => {
        const isLifted = rows.removeAll.run(hash.person(userId)).changes > 0;
        return people.setOptedOut(userId, false) || isLifted;
      })();
      reread();
      return undone;
    },
    reread,
  };
}

function statements(db: Db) {
  return {
    optedOut: db.prepare<[], string>("SELECT who FROM suppressions WHERE topic IS NULL").pluck(),
    topics: db
      .prepare<[string], string>(
        "SELECT topic FROM suppressions WHERE who = ? AND topic IS NOT NULL",
      )
      .pluck(),
    add: db.prepare<[string, string | null, number]>(
      "INSERT INTO suppressions (who, topic, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    ),
    remove: db.prepare<[string, string]>("DELETE FROM suppressions WHERE who = ? AND topic = ?"),
    removeAll: db.prepare<[string]>("DELETE FROM suppressions WHERE who = ? AND topic IS NULL"),
  };
}
