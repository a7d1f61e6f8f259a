// Pure: values in, values out.
import { foldLookAlikes } from "../language/look-alikes.ts";

/** Somebody that a proposal may mean, as Twitch says. */
export interface Person {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  /** As last seen in this channel; null where they were never seen there. */
  readonly roles: {
    readonly broadcaster: boolean;
    readonly moderator: boolean;
    readonly vip: boolean;
  } | null;
}

/** `id`: an id instead of a name. */
export type Unresolved = "target_is_id" | "target_unknown" | "target_ambiguous";

export type Resolved<P extends Person = Person> =
  | { readonly kind: "found"; readonly person: P }
  | { readonly kind: "refused"; readonly reason: Unresolved };

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
export function resolveTarget<P extends Person>(
  written: string,
  people: readonly P[],
): Resolved<P> {
  if (ID.test(written.trim())) return { kind: "refused", reason: "target_is_id" };
  const name = nameOf(written);
  const all = [...new Map(people.map((person) => [person.userId, person])).values()];
  const byLogin = all.filter(({ login }) => login === name);
  const found =
    byLogin.length > 0
      ? [...byLogin, ...all.filter((person) => isShownAs(person, name) && person.login !== name)]
      : all.filter(({ displayName }) => nameOf(displayName) === name);
  const [person] = found;
  if (person === undefined || name === "") return { kind: "refused", reason: "target_unknown" };
  const isDoubtful = byLogin.length === 0 && all.some((other) => looksAlike(other, person, name));
  return found.length > 1 || isDoubtful
    ? { kind: "refused", reason: "target_ambiguous" }
    : { kind: "found", person };
}

/** In the very letters. */
function isShownAs({ displayName }: Person, name: string): boolean {
  return displayName.trim().toLowerCase() === name;
}

function looksAlike(other: Person, { userId }: Person, name: string): boolean {
  if (other.userId === userId) return false;
  const look = foldLookAlikes(name);
  return [other.login, nameOf(other.displayName)].some((one) => foldLookAlikes(one) === look);
}

/** A name as it is compared: without an @, in one form of its letters, in lower case. */
function nameOf(written: string): string {
  return written
    .trim()
    .replace(/^[@＠﹫]/u, "")
    .normalize("NFKC")
    .toLowerCase();
}
