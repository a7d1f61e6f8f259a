import { z } from "zod";
import { ledgerForgetter } from "../actions/ledger-store.ts";
import { eventForgetter, ownTextRemover } from "../chat/event-rows-store.ts";
import { momentWriter } from "../chat/moment-store.ts";
import { accountStore, accountWriter, identityStore, KNOWN_IDS } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { runtimeStore } from "../database/runtime-store.ts";
import type { KeyedHash } from "../language/people.ts";
import { NOTE_SUBJECTS } from "../memory/note-reads-store.ts";
import { memoryForgetter, removalStore } from "../memory/removal-store.ts";
import { replyForgetter } from "../reply/reply-store.ts";
import { unnamer } from "./unname-store.ts";

/** What was removed about one viewer. */
export interface Forgotten {
  /** Every account of the viewer. */
  readonly userIds: readonly string[];
  readonly notes: number;
  /** Chat messages whose text or author was still stored. */
  readonly messages: number;
}

/** The runtime value that says since when (epoch ms) backups and exports may hold a forgotten viewer. */
const STALE_COPIES = "stale_copies";
/** The runtime value that is true if copies of any age may hold a viewer who was first seen later. */
const DOUBTFUL_COPIES = "doubtful_copies";

export type ForgetStore = ReturnType<typeof forgetStore>;

/**
 * Forgets viewers. `saveRecord` runs inside each transaction, before the commit: it writes the record file, so that a
 * lost database cannot bring anybody back. If it throws, nothing is forgotten.
 */
export function forgetStore(
  db: Db,
  hash: KeyedHash,
  now: () => number,
  saveRecord: () => void = () => undefined,
) {
  const identities = identityStore(db, now);
  const accounts = accountStore(db);
  const people = accountWriter(db);
  const forgetMessages = eventForgetter(db, now);
  const removeOwn = ownTextRemover(db);
  const removal = removalStore(db, now);
  const memory = memoryForgetter(db, now);
  const moments = momentWriter(db);
  const replies = replyForgetter(db);
  const ledger = ledgerForgetter(db);
  const unname = unnamer(db);
  const copies = staleCopies(db, now);
  const rows = tombstones(db);
  const forget = (userId: string, names: readonly string[]) => {
    const before = rows.changes.get();
    const userIds = identities.accountsOf(userId);
    const known = userIds.flatMap((id) => accounts.byId(id) ?? []);
    const named = known.map((one) => ({
      userId: one.userId,
      names: [one.login, one.displayName],
    }));
    let messages = 0;
    for (const id of userIds) {
      messages += forgetMessages(id);
      removeOwn(replies.answersTo(id), now());
    }
    // Notes that rest on today's messages go first, as for every removed message.
    removal.settle();
    const notes = userIds.map(memory).reduce((sum, count) => sum + count, 0);
    for (const id of userIds) {
      replies.anonymise(id, hash.person(id));
      ledger(id, hash.person(id));
      moments.forget(id);
      identities.unlink(id);
      people.remove(id);
    }
    unname([...named, ...userIds.map((id) => ({ userId: id, names: [] })), { userId, names }]);
    const tombstone = rows.changes.get() === before ? rows.first : rows.renewed;
    for (const id of userIds) tombstone.run(hash.person(id), now());
    return { userIds, notes, messages, sinceMs: known.map(({ firstSeenAtMs }) => firstSeenAtMs) };
  };
  return {
    /**
     * Forgets everything about one viewer, by all their accounts, in one transaction over every table. Cooldowns, caps,
     * opt-outs and suppressed topics stay under a keyed hash. A second time it changes nothing; for an unknown viewer it
     * only stores the tombstone. `names`: further names to remove from sentences. Afterwards a cleanup is due, and
     * copies made since the viewer was first seen are stale; all of them after an import or a restore.
     */
    forget: (userId: string, names: readonly string[] = []): Forgotten =>
      db
        .transaction(() => {
          const { sinceMs, ...forgotten } = forget(userId, names);
          copies.markStale(sinceMs);
          saveRecord();
          return forgotten;
        })
        .immediate(),
    /**
     * Forgets every viewer of this database whose hash is among these: for a restored copy. Backups stay as they are: the
     * viewers left them when they were forgotten first.
     */
    forgetHashed: (whos: ReadonlySet<string>): void => {
      if (whos.size === 0) return;
      db.transaction(() => {
        for (const id of rows.everybody.all()) if (whos.has(hash.person(id))) forget(id, []);
      }).immediate();
    },
  };
}

/** Remembers in the database since when copies of it may hold a forgotten viewer. */
export function staleCopies(db: Db, now: () => number) {
  const runtime = runtimeStore(db, now);
  const shape = z.strictObject({ sinceMs: z.int(), forgets: z.int() }).nullable();
  const read = () => runtime.read(STALE_COPIES, shape)?.value ?? null;
  const isAnyDoubtful = () => runtime.read(DOUBTFUL_COPIES, z.boolean())?.value === true;
  return {
    /** Since when copies may hold a forgotten viewer, and how many forgets that covers; null if no copy is stale. */
    read,
    /** Notes a forget. `firstSeenMs`: when each of the viewer's accounts was first seen. */
    markStale: (firstSeenMs: readonly number[]): void => {
      const sinceMs = isAnyDoubtful() ? [0] : firstSeenMs;
      if (sinceMs.length === 0) return;
      const before = read();
      runtime.write(STALE_COPIES, {
        sinceMs: Math.min(before?.sinceMs ?? now(), ...sinceMs),
        forgets: (before?.forgets ?? 0) + 1,
      });
    },
    /** Notes an import or a restore: copies older than `first_seen_at` may hold a viewer, until all are replaced. */
    markDoubtful: (): void => runtime.write(DOUBTFUL_COPIES, true),
    /** Notes that copies were replaced, unless another forget came since `seen` was read. */
    settle: (seen: { readonly sinceMs: number; readonly forgets: number }): void => {
      if (read()?.forgets !== seen.forgets) return;
      runtime.write(STALE_COPIES, null);
      if (seen.sinceMs === 0) runtime.write(DOUBTFUL_COPIES, false);
    },
  };
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

/** Follows who was forgotten, by any process. Rows stay for ever; it remembers only how far they were read. */
export function forgetLog(db: Db) {
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
    /** Returns the hashes of viewers who were forgotten since the last call. */
    reread: (): ReadonlySet<string> => {
      const rows = unread();
      const news = rows.filter(({ id }) => !own.has(id));
      read(rows);
      return new Set(news.map(({ who }) => who));
    },
    /** This process forgot these itself: `reread` leaves them out. */
    heardOf: (whos: readonly string[]): void => {
      const rows = unread();
      for (const { id, who } of rows) if (whos.includes(who)) own.add(id);
      if (rows.every(({ id }) => own.has(id))) read(rows);
    },
    /** Returns the viewers who spoke in any channel since a time. */
    seenSince: (sinceMs: number) => seen.all(sinceMs),
  };
}
