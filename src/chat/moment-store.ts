import type { Db } from "../database/open-database.ts";
import { Sql } from "../database/statements.ts";
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

/** Stores moments: raids, subs, gifts, streaks, announcements and cheers. Lists are newest first, unless noted. */
export class MomentStore {
  readonly #sql: Sql;

  constructor(db: Db) {
    this.#sql = new Sql(db);
  }

  #select(where: string, ...values: (string | number)[]): StoredMoment[] {
    return this.#sql.all(
      `SELECT ${COLUMNS} FROM moments WHERE ${where} ORDER BY at DESC, id DESC LIMIT ?`,
      ...values,
    );
  }

  ofViewer(channel: string, userId: string, limit: number): StoredMoment[] {
    return this.#select("channel = ? AND user_id = ?", channel, userId, limit);
  }

  ofStream(sessionId: number, limit: number): StoredMoment[] {
    return this.#select("session_id = ?", sessionId, limit);
  }

  between(channel: string, fromMs: number, toMs: number, limit: number): StoredMoment[] {
    return this.#select("channel = ? AND at BETWEEN ? AND ?", channel, fromMs, toMs, limit);
  }

  /** Returns a channel's latest `limit` of each kind, so that one night's gifts do not hide a year. */
  latest(channel: string, limit: number): StoredMoment[] {
    return this.#sql.all(
      `SELECT ${COLUMNS} FROM json_each('${JSON.stringify(MOMENT_KINDS)}') CROSS JOIN moments
       WHERE moments.id IN (SELECT one.id FROM moments AS one WHERE one.channel = :channel AND one.kind = json_each.value
         ORDER BY one.at DESC, one.id DESC LIMIT :limit)
       ORDER BY at DESC, moments.id DESC`,
      { channel, limit },
    );
  }

  /** Returns all moments of viewers in all channels, oldest first. `userIdsJson`: a JSON list. */
  ofViewersEverywhere(
    userIdsJson: string,
  ): { channel: string; kind: string; amount: number | null; atMs: number }[] {
    return this.#sql.all(
      `SELECT channel, kind, amount, at AS atMs FROM moments
       WHERE user_id IN (SELECT value FROM json_each(?)) ORDER BY at, id`,
      userIdsJson,
    );
  }

  /**
   * Stores the moment that an event is, if it is one. Ignores single subs of a gift to several, known bots and
   * anonymous givers. Call it in the transaction that stores the event.
   */
  add(event: Spoken, sessionId: number | null, atMs: number): void {
    const kind = MOMENT_KINDS.find((one) => one === event.kind);
    const { userId } = event.person;
    if (kind === undefined || event.isPartOfGift || event.isKnownBot) return;
    if (ANONYMOUS_IDS.has(userId)) return;
    this.#sql.run(
      `INSERT INTO moments (channel, session_id, kind, user_id, amount, at)
       VALUES (:channel, :sessionId, :kind, :userId, :amount, :atMs)`,
      { channel: event.channel, sessionId, kind, userId, amount: event.amount, atMs },
    );
  }

  /** Removes a viewer's moments in one channel. */
  removeIn(channel: string, userId: string): void {
    this.#sql.run("DELETE FROM moments WHERE channel = ? AND user_id = ?", channel, userId);
  }

  /** Removes a viewer's moments in all channels. Returns how many. */
  forget(userId: string): number {
    return this.#sql.run("DELETE FROM moments WHERE user_id = ?", userId);
  }

  /** Removes up to `limit` moments that are a year old or older. Returns how many. */
  expire(nowMs: number, limit: number): number {
    return this.#sql.run(
      "DELETE FROM moments WHERE id IN (SELECT id FROM moments WHERE at <= ? LIMIT ?)",
      ...[nowMs - YEAR_MS, limit],
    );
  }
}
