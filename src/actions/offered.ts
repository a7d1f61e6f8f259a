import { ACTION_NAMES, type ActionName } from "../platform/config/names.ts";
import type { ActionPolicy } from "./action-policy.ts";
import { CATALOGUE } from "./catalogue.ts";
import { type ExecuteParts, loginFor } from "./execute.ts";

/**
 * The lines that tell the model what it may propose in a channel, in the catalogue's order: nothing whose class is
 * off, that is denied, or that neither a log-in nor memory may do. `streamerId` is null where it is not known.
 */
export function offeredLines(
  policy: ActionPolicy,
  { logins, memory }: ExecuteParts,
  channel: string,
  streamerId: string | null,
): string[] {
  return configured(policy)
    .filter((name) => {
      const { class: actionClass, scope, token } = CATALOGUE[name];
      if (actionClass === "memory") return memory !== null;
      if (scope === null) return true;
      if (streamerId === null) return false;
      return (
        loginFor(logins, token, channel, streamerId)?.identity()?.scopes.includes(scope) ?? false
      );
    })
    .map((name) => CATALOGUE[name].line);
}

/** The most that can be offered with this configuration, whatever Twitch allows. */
export function offerableLines(policy: ActionPolicy): string[] {
  return configured(policy).map((name) => CATALOGUE[name].line);
}

/** The actions that the configuration allows, safe mode aside, in the catalogue's order. */
export function configuredActions({
  classes,
  denylist,
}: Pick<ActionPolicy, "classes" | "denylist">): ActionName[] {
  return ACTION_NAMES.filter(
    (name) => classes[CATALOGUE[name].class] !== "off" && !denylist.actions.includes(name),
  );
}

function configured(policy: ActionPolicy): ActionName[] {
  return policy.safeMode ? [] : configuredActions(policy);
}
