import { accountStore, identityStore, type Viewer } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { accountConflicts } from "../memory/note-decisions-store.ts";
import { localDay } from "../platform/config/local-time.ts";
import type { CommandOutput, Opened } from "./open-folder.ts";

/** Says that two accounts are one person: what was learned of either is known of both. Nothing is moved. */
export function mergeAccounts({ db, now }: Opened, login: string, into: string): CommandOutput {
  const { named, loginOf } = accountStore(db);
  const [from, main] = [named(login), named(into)];
  for (const one of [from, main]) refuseOptedOut(one);
  const identity = identityStore(db, now);
  const isMerged = identity.merge(from.userId, main.userId);
  const ids = identity.accountsOf(main.userId);
  const accounts = ids.map(loginOf);
  const conflicts = accountConflicts(db, ids);
  const both = `${from.login} and ${main.login}`;
  return {
    value: { isMerged, accounts, conflicts },
    text: [
      isMerged
        ? `${both} are one person now: ${accounts.join(", ")}; \`forgetmenot memory separate ${from.login}\` undoes it`
        : `${both} were one person already: ${accounts.join(", ")}`,
      ...conflicts.map(({ older, newer }) => {
        const [before, after] = [older, newer].map(({ fact }) => fillNames(fact, loginOf));
        return `  note ${older.id} (${before}) and note ${newer.id} (${after}) cannot both be true: \`forgetmenot memory reject ${older.id}\` lets the older one go`;
      }),
    ],
  };
}

/** Undoes one merge, and no other: what was learned of either account is known of that account again. */
export function separateAccount(
  { db, now }: Opened,
  login: string,
  from: string | undefined,
): CommandOutput {
  const { named, loginOf } = accountStore(db);
  const identity = identityStore(db, now);
  const account = named(login);
  const wanted = from === undefined ? undefined : named(from).userId;
  const fitting = identity
    .mergedInto(account.userId)
    .filter((userId) => wanted === undefined || userId === wanted);
  const [into, ...others] = fitting;
  if (into === undefined) {
    throw wrongUse(
      `${account.login} was not merged into ${from ?? "another account"}`,
      "see `forgetmenot memory merges`: name the account on the left",
    );
  }
  if (others.length > 0) {
    throw wrongUse(
      `${account.login} was merged into ${fitting.map(loginOf).join(" and ")}`,
      `say which merge to undo: \`forgetmenot memory separate ${account.login} ${loginOf(into)}\``,
    );
  }
  identity.separate(account.userId, into);
  const accounts = identity.accountsOf(account.userId).map(loginOf);
  return {
    value: { separated: account.userId, from: into, accounts },
    text:
      accounts.length === 1
        ? `${account.login} stands alone again, with what was learned from that account`
        : `${account.login} is apart from ${loginOf(into)}; one person still: ${accounts.join(", ")}`,
  };
}

/** Lists the merges, oldest first. */
export function listMerges({ db, now }: Opened): CommandOutput {
  const { loginOf } = accountStore(db);
  const merges = identityStore(db, now)
    .list()
    .map((alias) => ({ ...alias, login: loginOf(alias.userId), into: loginOf(alias.sameAs) }));
  const lines = merges.map(
    ({ login, into, createdAtMs }) => `${login} → ${into}  ${localDay(createdAtMs)}`,
  );
  return { value: merges, text: lines.length === 0 ? "No accounts are merged." : lines };
}

/** Somebody who opted out is not to be known by another account either. */
function refuseOptedOut({ login, optedOut }: Viewer): void {
  if (!optedOut) return;
  throw wrongUse(
    `${login} opted out: nothing about them is kept or put together`,
    "only they can opt in again, with !optin",
  );
}
