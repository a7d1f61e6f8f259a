import { foldLookAlikes } from "../text/look-alikes.ts";

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
 * that may be meant. Refused where two could be meant, were it only by names that look alike.
 */
export function resolveTarget<P extends Person>(
  written: string,
  people: readonly P[],
): Resolved<P> {
  if (ID.test(written.trim())) return { kind: "refused", reason: "target_is_id" };
  const name = nameOf(written);
  const look = foldLookAlikes(name);
  const byId = new Map(people.map((person) => [person.userId, person]));
  const all = [...byId.values()];
  const found = all.filter(
    ({ login, displayName }) => login === name || nameOf(displayName) === name,
  );
  const alike = all.filter(
    ({ login, displayName }) =>
      foldLookAlikes(login) === look || foldLookAlikes(nameOf(displayName)) === look,
  );
  const [person] = found;
  if (person === undefined || name === "") return { kind: "refused", reason: "target_unknown" };
  return found.length > 1 || alike.some(({ userId }) => userId !== person.userId)
    ? { kind: "refused", reason: "target_ambiguous" }
    : { kind: "found", person };
}

/** Whether the requester's own words name a person, by login, its leading letters (`bob` of `bob_1987`) or display name. */
export function isNamed(person: Person, words: readonly string[]): boolean {
  const said = words.map(nameOf).join(" ");
  const spoken = new Set(said.match(/[\p{L}\p{M}\p{N}_]+/gu));
  const shown = nameOf(person.displayName);
  const lead = /^[a-z]{3,}(?=[\d_])/.exec(person.login)?.[0];
  return (
    spoken.has(person.login) ||
    spoken.has(shown) ||
    (lead !== undefined && spoken.has(lead)) ||
    (!LOGIN.test(shown) && shown !== "" && said.includes(shown))
  );
}

function nameOf(written: string): string {
  return written
    .trim()
    .replace(/^[@＠﹫]/u, "")
    .normalize("NFKC")
    .toLowerCase();
}
