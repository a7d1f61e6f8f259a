import { Fault } from "../errors.ts";
import { localDay } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";

export interface Account {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly optedOut: boolean;
}

export interface Accounts {
  /**
   * The account that an operator names: by login, with or without `@`, or by `id:` and its Twitch user id. Throws a Fault
   * for one that was never seen, and for a login that passed from one account to another: only the id tells which.
   */
  named(name: string): Account;
  /** What an account is called; its id where it is not known any more. */
  loginOf(userId: string): string;
}

const BY_ID = /^id:(.+)$/i;

export function accountStore(db: Db): Accounts {
  const columns = `user_id AS userId, login, display_name AS displayName, opted_out AS optedOut,
    last_seen_at AS lastSeenAtMs`;
  const byId = db.prepare<[string], AccountRow>(`SELECT ${columns} FROM viewers WHERE user_id = ?`);
  const byLogin = db.prepare<[string], AccountRow>(
    `SELECT ${columns} FROM viewers WHERE login = ? ORDER BY last_seen_at DESC`,
  );
  return {
    named: (name) => {
      const id = BY_ID.exec(name.trim())?.[1];
      const login = name.trim().replace(/^@/, "").toLowerCase();
      const found = id === undefined ? byLogin.all(login) : [byId.get(id)];
      const [row, ...others] = found;
      if (row === undefined) throw nobody(name);
      if (others.length > 0) throw ambiguous(login, [row, ...others]);
      const { lastSeenAtMs: _, ...account } = row;
      return { ...account, optedOut: row.optedOut === 1 };
    },
    loginOf: (userId) => byId.get(userId)?.login ?? `id:${userId}`,
  };
}

interface AccountRow extends Omit<Account, "optedOut"> {
  readonly optedOut: number;
  readonly lastSeenAtMs: number;
}

function nobody(name: string): Fault {
  return new Fault(`nobody called ${name} was seen`, {
    code: "usage",
    mend: "give the login as it stands in chat, or the Twitch user id as id:12345",
  });
}

function ambiguous(login: string, rows: readonly (AccountRow | undefined)[]): Fault {
  const told = rows.flatMap((row) =>
    row === undefined ? [] : [`id:${row.userId} (seen ${localDay(row.lastSeenAtMs)})`],
  );
  return new Fault(`${login} was the login of ${told.length} accounts`, {
    code: "usage",
    mend: `say which one: ${told.join(" or ")}`,
  });
}
