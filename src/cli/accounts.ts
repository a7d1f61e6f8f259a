import { type Accounts, accountStore, identityStore, type Viewer } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { type AccountConflict, accountConflicts } from "../memory/note-decisions-store.ts";
import { localDay } from "../platform/config/local-time.ts";
import { changing, type Options, tell } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

/** Says that two accounts are one person: what was learned of either is known of both. Nothing is moved. */
export function mergeAccounts(
  { login, into }: { readonly login: string; readonly into: string },
  options: Options,
  terminal: Terminal,
): void {
  changing(options.config, ({ db, now }) => {
    const accounts = accountStore(db);
    const [from, main] = [accounts.named(login), accounts.named(into)];
    for (const one of [from, main]) refuseOptedOut(one);
    const identity = identityStore(db, now);
    const isMerged = identity.merge(from.userId, main.userId);
    const ids = identity.accountsOf(main.userId);
    const together = ids.map(accounts.loginOf);
    const conflicts = accountConflicts(db, ids);
    tell(terminal, options, { isMerged, accounts: together, conflicts }, () => [
      isMerged
        ? `${from.login} and ${main.login} are one person now: ${together.join(", ")}; \`forgetmenot memory separate ${from.login}\` undoes it`
        : `${from.login} and ${main.login} were one person already: ${together.join(", ")}`,
      ...conflicts.map((conflict) => conflictLine(conflict, accounts.loginOf)),
    ]);
  });
}

function conflictLine(
  { older, newer }: AccountConflict,
  nameOf: (userId: string) => string,
): string {
  const [before, after] = [older, newer].map(({ fact }) => fillNames(fact, nameOf));
  return `  note ${older.id} (${before}) and note ${newer.id} (${after}) cannot both be true: \`forgetmenot memory reject ${older.id}\` lets the older one go`;
}

/** Undoes one merge, and no other: what was learned of either account is known of that account again. */
export function separateAccount(
  { login, from }: { readonly login: string; readonly from: string | undefined },
  options: Options,
  terminal: Terminal,
): void {
  changing(options.config, ({ db, now }) => {
    const accounts = accountStore(db);
    const identity = identityStore(db, now);
    const account = accounts.named(login);
    const into = mergeOf(account, from, identity.mergedInto(account.userId), accounts);
    identity.separate(account.userId, into);
    const together = identity.accountsOf(account.userId).map(accounts.loginOf);
    tell(terminal, options, { separated: account.userId, from: into, accounts: together }, () =>
      together.length === 1
        ? `${account.login} stands alone again, with what was learned from that account`
        : `${account.login} is apart from ${accounts.loginOf(into)}; one person still: ${together.join(", ")}`,
    );
  });
}

/** Into which account: the one that is named, or the only one. */
function mergeOf(
  { login }: Viewer,
  from: string | undefined,
  merges: readonly string[],
  { named, loginOf }: Accounts,
): string {
  const wanted = from === undefined ? undefined : named(from).userId;
  const fitting = merges.filter((userId) => wanted === undefined || userId === wanted);
  const [only, ...others] = fitting;
  if (only === undefined) {
    throw wrongUse(
      `${login} was not merged into ${from ?? "another account"}`,
      "see `forgetmenot memory merges`: name the account on the left",
    );
  }
  if (others.length === 0) return only;
  throw wrongUse(
    `${login} was merged into ${fitting.map(loginOf).join(" and ")}`,
    `say which merge to undo: \`forgetmenot memory separate ${login} ${loginOf(only)}\``,
  );
}

/** Lists the merges, oldest first. */
export function listMerges(options: Options, terminal: Terminal): void {
  changing(options.config, ({ db, now }) => {
    const { loginOf } = accountStore(db);
    const merges = identityStore(db, now)
      .list()
      .map((alias) => ({ ...alias, login: loginOf(alias.userId), into: loginOf(alias.sameAs) }));
    tell(terminal, options, merges, () =>
      merges.length === 0
        ? "No accounts are merged."
        : merges.map(
            ({ login, into, createdAtMs }) => `${login} → ${into}  ${localDay(createdAtMs)}`,
          ),
    );
  });
}

/** Somebody who opted out is not to be known by another account either. */
function refuseOptedOut({ login, optedOut }: Viewer): void {
  if (!optedOut) return;
  throw wrongUse(
    `${login} opted out: nothing about them is kept or put together`,
    "only they can opt in again, with !optin",
  );
}
