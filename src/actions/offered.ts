import { ACTION_NAMES } from "../config/names.ts";
import { CATALOGUE } from "./catalogue.ts";
import { type ActionLogins, loginFor } from "./execute.ts";
import type { ActionPolicy } from "./policy-facts.ts";

/**
 * The lines that tell the model what it may propose in a channel, in the catalogue's order: nothing whose class is
 * off, that is denied, or that no log-in may do. `streamerId` is null where it is not known.
 */
export function offeredLines(
  policy: ActionPolicy,
  logins: ActionLogins,
  channel: string,
  streamerId: string | null,
): string[] {
  return ACTION_NAMES.filter((name) => {
    const { class: actionClass, scope, token } = CATALOGUE[name];
    if (policy.safeMode || policy.classes[actionClass] === "off") return false;
    if (policy.denylist.actions.includes(name)) return false;
    if (scope === null) return true;
    if (streamerId === null) return false;
    return (
      loginFor(logins, token, channel, streamerId)?.identity()?.scopes.includes(scope) ?? false
    );
  }).map((name) => CATALOGUE[name].line);
}
