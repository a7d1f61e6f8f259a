// Pure: values in, values out.
import { fold } from "../language/fold.ts";
import type { ProtectingRoles } from "./normalise.ts";

/** A viewer that a name may mean. `roles` as last seen in this channel; null if never seen there. */
export interface Person {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly roles: ProtectingRoles | null;
}

export type People = readonly Person[];

export type TargetProblem = "target_is_id" | "target_unknown" | "target_ambiguous";

const ID = /^@?(?:\d+|\{.*|u:.*|id[:=].*)$/iu;
const LOGIN = /^[a-z0-9_]{1,25}$/;

/**
 * Returns a name that a model wrote as a login: without `@`, in lower case. Returns null for an id, and for a name that
 * cannot be a login. Does not check whether a viewer has it.
 */
export function parseLogin(written: string): string | null {
  const name = foldName(written);
  return !ID.test(written.trim()) && LOGIN.test(name) ? name : null;
}

/**
 * Finds the one viewer that a written name means: login or display name, with or without @, in any case. A login wins
 * over display names that look like it, so that fancy letters cannot hide a viewer. Refuses an id, an unknown name, and
 * a name that two viewers match; a display name also if another viewer's name looks like it.
 */
export function resolveTarget(written: string, people: People) {
  const refuse = (reason: TargetProblem) => ({ kind: "refused", reason }) as const;
  if (ID.test(written.trim())) return refuse("target_is_id");
  const name = foldName(written);
  const all = [...new Map(people.map((person) => [person.userId, person])).values()];
  const hasLogin = all.some(({ login }) => login === name);
  // A name that looks like a login is not that login.
  const shown = (one: string) => (hasLogin ? one.trim().toLowerCase() : foldName(one));
  const found = all.filter((one) => one.login === name || shown(one.displayName) === name);
  const [person] = found;
  if (person === undefined || name === "") return refuse("target_unknown");
  const drawn = (written: string) => fold(written, { lookAlikes: true });
  const isLike = ({ login, displayName }: Person) =>
    [login, foldName(displayName)].some((one) => drawn(one) === drawn(name));
  const isOne =
    found.length === 1 && (hasLogin || !all.some((one) => one !== person && isLike(one)));
  return isOne ? ({ kind: "found", person } as const) : refuse("target_ambiguous");
}

/** Folds a name, without its @. */
function foldName(written: string): string {
  return fold(written.trim().replace(/^[@＠﹫]/u, ""));
}
