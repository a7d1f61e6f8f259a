import { type Account, accountStore } from "../chat/account-store.ts";
import { identityStore } from "../chat/identity-store.ts";
import { Fault } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { type AccountConflict, accountConflicts } from "../memory/account-conflicts-store.ts";
import { loadConfig } from "../platform/config/load.ts";
import { localDay } from "../platform/config/local-time.ts";
import type { Db } from "../platform/database/open-database.ts";
import { existingDatabase } from "./existing-database.ts";
import type { ChangeOptions } from "./operator-service.ts";
import type { Terminal } from "./terminal.ts";

/** Says that two accounts are one person: what was learned of either is known of both. Nothing is moved. */
export function mergeAccounts(
  { login, into }: { readonly login: string; readonly into: string },
  { config, json }: ChangeOptions,
  terminal: Terminal,
): void {
  withDatabase(config, (db) => {
    const accounts = accountStore(db);
    const [from, main] = [accounts.named(login), accounts.named(into)];
    for (const one of [from, main]) refuseOptedOut(one);
    const identity = identityStore(db, Date.now);
    const isMerged = identity.merge(from.userId, main.userId);
    const ids = identity.accountsOf(main.userId);
    const together = ids.map(accounts.loginOf);
    const conflicts = accountConflicts(db, ids);
    if (json === true)
      return terminal.print(JSON.stringify({ isMerged, accounts: together, conflicts }, null, 2));
    terminal.print(
      isMerged
        ? `${from.login} and ${main.login} are one person now: ${together.join(", ")}; \`memory separate ${from.login}\` undoes it`
        : `${from.login} and ${main.login} were one person already: ${together.join(", ")}`,
    );
    for (const conflict of conflicts) terminal.print(conflictLine(conflict, accounts.loginOf));
  });
}

function conflictLine(
  { older, newer }: AccountConflict,
  nameOf: (userId: string) => string,
): string {
  const [before, after] = [older, newer].map(({ fact }) => fillNames(fact, nameOf));
  return `  note ${older.id} (${before}) and note ${newer.id} (${after}) cannot both be true: \`memory reject ${older.id}\` lets the older one go`;
}

/** Undoes a merge: each account has what was learned from it, and nothing else. */
export function separateAccount(
  login: string,
  { config, json }: ChangeOptions,
  terminal: Terminal,
): void {
  withDatabase(config, (db) => {
    const account = accountStore(db).named(login);
    if (!identityStore(db, Date.now).separate(account.userId)) {
      throw new Fault(`${account.login} was not merged into another account`, {
        code: "usage",
        mend: "see `forgetmenot memory merges`: name the account on the left",
      });
    }
    if (json === true)
      return terminal.print(JSON.stringify({ separated: account.userId }, null, 2));
    terminal.print(`${account.login} stands alone again, with what was learned from that account`);
  });
}

/** Lists the merges, oldest first. */
export function listMerges({ config, json }: ChangeOptions, terminal: Terminal): void {
  withDatabase(config, (db) => {
    const { loginOf } = accountStore(db);
    const merges = identityStore(db, Date.now)
      .list()
      .map((alias) => ({ ...alias, login: loginOf(alias.userId), into: loginOf(alias.sameAs) }));
    if (json === true) return terminal.print(JSON.stringify(merges, null, 2));
    terminal.print(
      merges.length === 0
        ? "No accounts are merged."
        : merges
            .map(({ login, into, createdAtMs }) => `${login} → ${into}  ${localDay(createdAtMs)}`)
            .join("\n"),
    );
  });
}

/** Somebody who opted out is not to be known by another account either. */
function refuseOptedOut({ login, optedOut }: Account): void {
  if (!optedOut) return;
  throw new Fault(`${login} opted out: nothing about them is kept or put together`, {
    code: "usage",
    mend: "only they can opt in again, with !optin",
  });
}

function withDatabase(configFile: string, work: (db: Db) => void): void {
  const db = existingDatabase(loadConfig(configFile).databaseFile);
  try {
    work(db);
  } finally {
    db.close();
  }
}
