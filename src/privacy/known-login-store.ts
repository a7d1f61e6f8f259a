import type { Db } from "../platform/database/open-database.ts";

/** Whom a login means in a channel: nobody who was seen there, one person, or more than one. */
export type LoginHolder =
  | { readonly kind: "unknown" | "ambiguous" }
  | {
      readonly kind: "one";
      readonly userId: string;
      readonly login: string;
      readonly displayName: string;
    };

/**
 * Finds who has a login, to the letter, among those who were seen in a channel. A login passes from one account to
 * another: where two were seen with it, it means neither.
 */
export function knownLogins(db: Db): (channel: string, login: string) => LoginHolder {
  const find = db.prepare<
    [string, string],
    { userId: string; login: string; displayName: string; isHere: number }
  >(
    `SELECT v.user_id AS userId, v.login, v.display_name AS displayName, c.user_id IS NOT NULL AS isHere
     FROM viewers v LEFT JOIN viewer_channels c ON c.user_id = v.user_id AND c.channel = ?
     WHERE v.login = ?`,
  );
  return (channel, login) => {
    const holders = find.all(channel, login);
    const [holder] = holders;
    if (holder === undefined || holder.isHere === 0) return { kind: "unknown" };
    const { isHere: _, ...person } = holder;
    return holders.length > 1 ? { kind: "ambiguous" } : { kind: "one", ...person };
  };
}
