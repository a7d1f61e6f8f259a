import type { Db } from "../database/open-database.ts";
import { prepareStatements } from "../database/statements.ts";
import { ANONYMOUS_IDS, type Spoken, type SpokenKind } from "./normalise.ts";

/** An event that Twitch itself reported about a viewer, without chat text. */
export interface StoredMoment {
  readonly id: number;
  readonly kind: MomentKind;
  readonly userId: string;
  /** Raiders, months, gifts, streams in a row or bits, by kind. */
  readonly amount: number | null;
  readonly atMs: number;
}

const MOMENT_KINDS = [
  "raid",
  "sub",
  "resub",
  "gift",
  "mystery_gift",
  "streak",
  "announcement",
  "cheer",
] as const satisfies readonly SpokenKind[];
export type MomentKind = (typeof MOMENT_KINDS)[number];

const YEAR_MS = 365 * 86_400_000;
const COLUMNS = "moments.id, kind, user_id AS userId, amount, at AS atMs";

/** Moments of a channel, newest first. */
export function prepareMomentReads(db: Db) {
  const sql = prepareStatements(db);
  return {
    ofViewer: sql.all<[channel: string, userId: string, limit: number], StoredMoment>(
      `SELECT ${COLUMNS} FROM moments WHERE channel = ? AND user_id = ? ORDER BY at DESC, id DESC LIMIT ?`,
    ),
    ofStream: sql.all<[sessionId: number, limit: number], StoredMoment>(
      `SELECT ${COLUMNS} FROM moments WHERE session_id = ? ORDER BY at DESC, id DESC LIMIT ?`,
    ),
    /** Everything of these viewers, a JSON list of ids, oldest first. */
    record: sql.all<
      [ids: string],
      { channel: string; kind: string; amount: number | null; atMs: number }
    >(
      `SELECT channel, kind, amount, at AS atMs FROM moments
       WHERE user_id IN (SELECT value FROM json_each(?)) ORDER BY at, id`,
    ),
    between: sql.all<[channel: string, fromMs: number, toMs: number, limit: number], StoredMoment>(
      `SELECT ${COLUMNS} FROM moments WHERE channel = ? AND at BETWEEN ? AND ? ORDER BY at DESC, id DESC LIMIT ?`,
    ),
    /** The latest of each kind: one night's gifts do not hide a year. */
    latest: sql.all<[{ channel: string; limit: number }], StoredMoment>(
      `SELECT ${COLUMNS} FROM json_each('${JSON.stringify(MOMENT_KINDS)}') CROSS JOIN moments
       WHERE moments.id IN (SELECT one.id FROM moments AS one WHERE one.channel = :channel AND one.kind = json_each.value
         ORDER BY one.at DESC, one.id DESC LIMIT :limit)
       ORDER BY at DESC, moments.id DESC`,
    ),
  };
}

export function prepareMomentWrites(db: Db) {
  const sql = prepareStatements(db);
  const add = sql.run<
    [
      {
        channel: string;
        sessionId: number | null;
        kind: MomentKind;
        userId: string;
        amount: number | null;
        atMs: number;
      },
    ]
  >(
    `INSERT INTO moments (channel, session_id, kind, user_id, amount, at)
     VALUES (:channel, :sessionId, :kind, :userId, :amount, :atMs)`,
  );
  const expire = sql.run<[number, number]>(
    "DELETE FROM moments WHERE id IN (SELECT id FROM moments WHERE at <= ? LIMIT ?)",
  );
  return {
    /** Stores the moment that an event is, if it is one. Call it in the transaction that stores the event. */
    add: (event: Spoken, sessionId: number | null, atMs: number): void => {
      const kind = MOMENT_KINDS.find((one) => one === event.kind);
      const { userId } = event.person;
      if (kind === undefined || event.isPartOfGift || event.isKnownBot) return;
      if (ANONYMOUS_IDS.has(userId)) return;
      add({ channel: event.channel, sessionId, kind, userId, amount: event.amount, atMs });
    },
    /** Removes the moments of a banned viewer in one channel. */
    removeIn: sql.run<[channel: string, userId: string]>(
      "DELETE FROM moments WHERE channel = ? AND user_id = ?",
    ),
    forget: sql.run<[userId: string]>("DELETE FROM moments WHERE user_id = ?"),
    /** Removes up to `limit` moments that are a year old. */
    expire: (nowMs: number, limit: number): number => expire(nowMs - YEAR_MS, limit),
  };
}
