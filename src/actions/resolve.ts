// Pure: values in, values out.
import type { Roles } from "../chat/normalise.ts";
import { foldLookAlikes } from "../language/look-alikes.ts";

/** Somebody that may be meant; `roles` as last seen in this channel, null where they were never seen there. */
export interface Person extends Readonly<Record<"userId" | "login" | "displayName", string>> {
  readonly roles: Pick<Roles, "broadcaster" | "moderator" | "vip"> | null;
}

export type People = readonly Person[];

/** `id`: an id instead of a name. */
export type Unresolved = "target_is_id" | "target_unknown" | "target_ambiguous";

const ID = /^@?(?:\d+|\{.*|u:.*|id[:=].*)$/iu;
const LOGIN = /^[a-z0-9_]{1,25}$/;

/** The login that a model may have meant, or null where it wrote another name or an id. */
export function loginOf(written: string): string | null {
  const name = nameOf(written);
  return !ID.test(written.trim()) && LOGIN.test(name) ? name : null;
}

/**
 * The one person whom a written name means: login or display name, with or without @, in any case. `people`: all
 * that may be meant. A login wins over display names that are only drawn like it, so that nobody is out of reach behind
 * somebody's fancy letters. Refused where two could be meant.
 */
export function resolveTarget(written: string, people: People) {
  const refused = (reason: Unresolved) => ({ kind: "refused", reason }) as const;
  if (ID.test(written.trim())) return refused("target_is_id");
  const name = nameOf(written);
  const all = [...new Map(people.map((person) => [person.userId, person])).values()];
  const hasLogin = all.some(({ login }) => login === name);
  // Drawn like a login is not written like it.
  const shown = (one: string) => (hasLogin ? one.trim().toLowerCase() : nameOf(one));
  const found = all.filter((one) => one.login === name || shown(one.displayName) === name);
  const [person] = found;
  if (person === undefined || name === "") return refused("target_unknown");
  const isOne =
    found.length === 1 && (hasLogin || !all.some((one) => one !== person && looksLike(one, name)));
  return isOne ? ({ kind: "found", person } as const) : refused("target_ambiguous");
}

function looksLike({ login, displayName }: Person, name: string): boolean {
  const look = foldLookAlikes(name);
  return [login, nameOf(displayName)].some((drawn) => foldLookAlikes(drawn) === look);
}

/** A name as it is compared: without an @, in one form of its letters, in lower case. */
function nameOf(written: string): string {
  return written
    .trim()
    .replace(/^[@＠﹫]/u, "")
    .normalize("NFKC")
    .toLowerCase();
}
