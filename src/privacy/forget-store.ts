import { ledgerForgetter } from "../actions/ledger-store.ts";
import { eventForgetter, ownTextRemover } from "../chat/event-write-store.ts";
import { momentWriter } from "../chat/moment-store.ts";
import {
  accountStore,
  accountWriter,
  identityStore,
  KNOWN_IDS,
  type Viewer,
} from "../chat/viewer-store.ts";
import type { KeyedHash } from "../language/people.ts";
import type { UnnamedPerson } from "../language/unname.ts";
import { NOTE_SUBJECTS } from "../memory/note-lists-store.ts";
import { memoryForgetter, removalStore } from "../memory/removal-store.ts";
import type { Db } from "../platform/database/open-database.ts";
import { replyForgetter } from "../reply/reply-store.ts";
import { unnamer } from "./unname-store.ts";

/** Who is going out of every sentence by a command beside the bot, or without it: a start goes on where it was cut off. */
export const FORGETTING_BY_COMMAND = "forgetting_by_command";

/** What was said later may be in the making of an answer or a summary, which hear of it when it goes. */
const SETTLED_MS = 15 * 60_000;
/** Lines to a step: some ms. */
const STEP_EVENTS_MAX = 50;

/** What went with a person. */
interface Forgotten {
  /** Every account of theirs. */
  readonly userIds: readonly string[];
  readonly notes: number;
}

export interface ForgetStore {
  /**
   * Forgets everything about one person, by any of their accounts, in one transaction over every table. What must
   * outlive it (cooldowns, caps, opt-outs, suppressed topics) stays under a keyed hash. A second time it changes
   * nothing; for somebody who was never seen, the tombstone is all there is. `names`: what the caller knows them by,
   * beside what is stored. `unname` of the store takes their names out of every sentence, then or later. Bytes of what went may be left in the file until it is vacuumed, which is due from now on.
   */
  forget(userId: string, names?: readonly string[]): Forgotten;
  /**
   * Takes what somebody said longer ago than a quarter of an hour, and what was learned from it, a few ms a step; each
   * belongs into a transaction. `forget` does the rest at once: after this it holds up nobody, whoever it is.
   */
  thin(userId: string): Generator<void>;
  /** Forgets everybody whose hash is among these, as far as this database knows them: after a restore. */
  forgetHashed(whos: ReadonlySet<string>): readonly Forgotten[];
  /** Something of theirs went that their forgetting left for later: what it says of the file holds from now on. */
  finished(userIds: readonly string[]): void;
}

export function forgetStore(
  db: Db,
  hash: KeyedHash,
  now: () => number,
  unname: (people: readonly UnnamedPerson[]) => void = unnamer(db),
): ForgetStore {
  const identities = identityStore(db, now);
  const accounts = accountStore(db);
  const people = accountWriter(db);
  const chat = eventForgetter(db, now);
  const removeOwn = ownTextRemover(db);
  const removal = removalStore(db, now);
  const memory = memoryForgetter(db);
  const moments = momentWriter(db);
  const replies = replyForgetter(db);
  const ledger = ledgerForgetter(db);
  const rows = tombstones(db);
  const forgetSaid = (userId: string): void => {
    chat(userId);
    removeOwn(replies.answersTo(userId), now());
  };
  const forget = (userId: string, names: readonly string[]): Forgotten => {
    const before = rows.changes.get();
    const userIds = identities.accountsOf(userId);
    const known = userIds.map((id) => ({ userId: id, names: namesOf(accounts.byId(id)) }));
    for (const id of userIds) forgetSaid(id);
    // What was learned from their words of the last day goes first, as for every text that is taken away.
    removal.settle();
    const notes = userIds.map(memory).reduce((sum, count) => sum + count, 0);
    for (const id of userIds) {
      replies.anonymise(id, hash.person(id));
      ledger(id, hash.person(id));
      moments.forget(id);
      identities.unlink(id);
      people.remove(id);
    }
    unname([...known, { userId, names }]);
    const tombstone = rows.changes.get() === before ? rows.first : rows.renewed;
    for (const id of userIds) tombstone.run(hash.person(id), now());
    return { userIds, notes };
  };
  return {
    thin: function* thin(userId) {
      const beforeMs = now() - SETTLED_MS;
      for (const id of identities.accountsOf(userId)) {
        while (chat(id, { beforeMs, max: STEP_EVENTS_MAX }) > 0) {
          removal.settle(STEP_EVENTS_MAX);
          yield;
        }
      }
    },
    forget: (userId, names = []) => db.transaction(() => forget(userId, names)).immediate(),
    finished: (userIds) => {
      for (const id of userIds) rows.renewed.run(hash.person(id), now());
    },
    forgetHashed: (whos) =>
      db
        .transaction(() => {
          const known = rows.everybody.all().filter((id) => whos.has(hash.person(id)));
          return known.map((id) => forget(id, []));
        })
        .immediate(),
  };
}

function namesOf(account: Viewer | null): string[] {
  return account === null ? [] : [account.login, account.displayName];
}

function tombstones(db: Db) {
  return {
    changes: db.prepare<[], number>("SELECT total_changes()").pluck(),
    first: db.prepare<[string, number]>(
      "INSERT INTO forgets (who, forgotten_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
    ),
    // A row of its own, behind all others: so `forgetLog` sees what is new.
    renewed: db.prepare<[string, number]>(
      "INSERT OR REPLACE INTO forgets (who, forgotten_at) VALUES (?, ?)",
    ),
    everybody: db
      .prepare<[], string>(
        `${KNOWN_IDS} UNION SELECT user_id FROM episode_participants
         UNION SELECT subject_id FROM episode_claims WHERE subject_id IS NOT NULL
         UNION ${NOTE_SUBJECTS}
         UNION SELECT user_id FROM events WHERE user_id IS NOT NULL UNION SELECT user_id FROM replies
         UNION SELECT user_id FROM moments UNION SELECT user_id FROM claim_carriers
         UNION SELECT requested_by FROM action_log WHERE requested_by IS NOT NULL
         UNION SELECT target_id FROM action_log WHERE target_id IS NOT NULL`,
      )
      .pluck(),
  };
}

/** Who was forgotten, as far as this process has heard of it. */
export interface ForgetLog {
  /** Hashes of those who were forgotten since it was last read. */
  reread(): ReadonlySet<string>;
  /** This process has forgotten them itself: `reread` does not give them. */
  heardOf(whos: readonly string[]): void;
  /** People who spoke in any channel since a time. */
  seenSince(sinceMs: number): string[];
}

/** Of the rows, which stay for ever, it remembers no more than how far they were read. */
export function forgetLog(db: Db): ForgetLog {
  const newest = db.prepare<[], number | null>("SELECT max(rowid) FROM forgets").pluck();
  const later = db.prepare<[number], { id: number; who: string }>(
    "SELECT rowid AS id, who FROM forgets WHERE rowid > ? ORDER BY rowid",
  );
  const seen = db
    .prepare<[number], string>(
      `SELECT DISTINCT v.user_id FROM channel_state c
       JOIN viewer_channels v ON v.channel = c.channel AND v.last_seen_at >= ?`,
    )
    .pluck();
  let readTo = newest.get() ?? 0;
  /** Rows of this process behind that: another's stands between them. */
  const own = new Set<number>();
  const unread = () => later.all(readTo);
  const read = (rows: ReturnType<typeof unread>): void => {
    readTo = rows.at(-1)?.id ?? readTo;
    own.clear();
  };
  return {
    reread: () => {
      const rows = unread();
      const news = rows.filter(({ id }) => !own.has(id));
      read(rows);
      return new Set(news.map(({ who }) => who));
    },
    heardOf: (whos) => {
      const rows = unread();
      for (const { id, who } of rows) if (whos.includes(who)) own.add(id);
      if (rows.every(({ id }) => own.has(id))) read(rows);
    },
    seenSince: (sinceMs) => seen.all(sinceMs),
  };
}
