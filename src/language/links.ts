// Pure: values in, values out.
import domains from "./data/domains.json" with { type: "json" };

/** Two-letter top-level domains (ISO 3166 codes in the DNS root, and eu, uk, su). */
const COUNTRY_DOMAINS = toWordSet(domains.countries);
/** Common longer domains. A missing one is still defused by a space after its dot, so the list need not be complete. */
const GENERIC_DOMAINS = toWordSet(domains.generic);
/** Domains that are also words: `ok.cool` is two sentences, unless a path follows. */
const WORD_DOMAINS = toWordSet(domains.words);
/** Endings of file names that are no top-level domains. */
const NOT_DOMAINS = toWordSet(domains.files);

const MAY_LINK = /[.。．｡․]|\sdot\s|[:：][/\\／＼]|[[({<]\s{0,3}dot\s{0,3}[\])}>]/iu;
const UNSEEN = /\p{DI}+/gu;
/**
 * Matches the dot in disguise: `[.]`, `(dot)`. `OTHER_DOT`: full stops that browsers take for one behind Latin letters.
 */
const WRAPPED_DOT = /\s{0,3}[[({<]\s{0,3}(?:\.|dot)\s{0,3}[\])}>]\s{0,3}/giu;
const OTHER_DOT = /(?<=[a-z0-9])[。｡](?=[\p{L}\p{N}])/giu;
/** After a lone or spelled-out dot only these make a host. Most others are words. */
const SPOKEN_DOMAINS = "com|net|org|io|gg|gl|tv|ly|ru|рф|uk|eu|xyz|biz|info|dev";
const END_OF_DOMAIN = `(?=(?:${SPOKEN_DOMAINS})(?![\\p{L}\\p{N}]))`;
const LONE_DOT = new RegExp(`(?<=[\\p{L}\\p{N}])\\s{1,3}\\.\\s{0,3}${END_OF_DOMAIN}`, "giu");
/** "The dot com years" are no host. */
const SPELLED_DOT = new RegExp(
  `(?<=[\\p{L}\\p{N}])(?<!(?<![\\p{L}\\p{N}])(?:an?|the|this|that|old|polka))\\s{1,3}dot\\s{1,3}${END_OF_DOMAIN}`,
  "giu",
);
/** UTF-16 units of host names, and dots. */
const HOST_UNIT = /[\p{L}\p{N}\p{M}\p{So}\p{Cs}_.-]/u;
const SCHEME = /:[/\\]{2}/g;
const HOST_END = /[\s/?#\\"'<>]/u;
const LETTERS = /^[\p{L}\p{M}]{2,}$/u;
/** Latin letters that a letter of another script, a symbol or nothing ends. */
const LATIN_START = /^(?:xn--[a-z0-9-]+|[a-z]{2,}(?![a-z0-9-]))/;
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const OPENS_PATH = /^[:/?#]\S/;

/**
 * Finds the hosts of everything that a chat client may make clickable, in lower case: `scheme://…`, `www.…` and bare
 * domains. It sees through case, script, invisible characters and wrapped dots. A host may come twice. Linear time.
 */
export function findHosts(text: string): readonly string[] {
  if (!MAY_LINK.test(text)) return [];
  const plain = text
    .replace(UNSEEN, "")
    .normalize("NFKC")
    .replace(WRAPPED_DOT, ".")
    .replace(OTHER_DOT, ".")
    .replace(LONE_DOT, ".")
    .replace(SPELLED_DOT, ".");
  const schemed = [...plain.matchAll(SCHEME)].map(({ index }) => {
    const rest = plain.slice(index + 3, index + 3 + 300).replace(/^[/\\\s]+/, "");
    const end = rest.search(HOST_END);
    const authority = end < 0 ? rest : rest.slice(0, end);
    const host = authority.slice(authority.lastIndexOf("@") + 1);
    return host.replace(/:\d*$/, "").replace(/\.+$/, "").toLowerCase();
  });
  const bare = findDottedRuns(plain).flatMap(({ start, run }) => {
    const end = start + run.length;
    return readBareHost(run.split("."), plain.slice(end, end + 2)) ?? [];
  });
  return [...schemed, ...bare];
}

/** Makes a test of whether a host, in lower case, is allowed, or a subdomain of an allowed one; `*.` is ignored. */
export function createHostTest(allowed: readonly string[]): (host: string) => boolean {
  const names = allowed.map((host) => host.toLowerCase().replace(/^(?:\*?\.)+|\.+$/g, ""));
  return (host) =>
    names.some((name) => name !== "" && (host === name || host.endsWith(`.${name}`)));
}

/**
 * Puts a space after a dot between two sentences (`great.that`), so that no client sees a domain. Hosts with a known
 * domain, allowed hosts and file names stay whole.
 */
export function spaceDots(text: string, isAllowed: (host: string) => boolean): string {
  let spaced = "";
  let from = 0;
  for (const { start, run } of findDottedRuns(text)) {
    const end = start + run.length;
    const labels = run.split(".");
    const isKept =
      readBareHost(labels, text.slice(end, end + 2)) !== null ||
      isAllowed(run.toLowerCase().replace(/\.+$/, "")) ||
      NOT_DOMAINS.has((labels.at(-1) ?? "").toLowerCase());
    const parted = labels.reduce((left, right) => {
      const isOpen = LETTERS.test(right) && /(?:\p{L}|\p{N})$/u.test(left);
      return left + (isOpen ? ". " : ".") + right;
    });
    spaced += text.slice(from, start) + (isKept ? run : parted);
    from = end;
  }
  return spaced + text.slice(from);
}

/** Finds the pieces of a text that hold a dot and only host characters. Linear time. */
function findDottedRuns(text: string): { readonly start: number; readonly run: string }[] {
  const runs: { start: number; run: string }[] = [];
  let from = 0;
  for (let dot = text.indexOf("."); dot >= 0; dot = text.indexOf(".", from)) {
    let start = dot;
    while (start > from && HOST_UNIT.test(text.charAt(start - 1))) start -= 1;
    from = dot + 1;
    while (from < text.length && HOST_UNIT.test(text.charAt(from))) from += 1;
    runs.push({ start, run: text.slice(start, from) });
  }
  return runs;
}

/**
 * Returns the host that a run of labels between dots begins with, in lower case, up to its last known top-level domain.
 * Null if it has none, and no path follows. `behind`: the two characters after the run.
 */
function readBareHost(labels: readonly string[], behind: string): string | null {
  const names = labels.map((label) => label.toLowerCase());
  // Two words with a full stop between them are the end and begin of two sentences.
  const [first = "", second = "", ...more] = names;
  const isTwoWords = LETTERS.test(first) && first !== "www" && WORD_DOMAINS.has(second);
  if (isTwoWords && more.every((name) => name === "") && !OPENS_PATH.test(behind)) return null;
  // An ellipsis leaves an empty label: `wait...what` is no domain.
  const top = names.findLastIndex(
    (name, n) => n > 0 && names[n - 1] !== "" && readTopDomain(name) !== "",
  );
  if (top > 0) {
    const above = names.slice(0, top).filter((name) => name !== "");
    return [...above, readTopDomain(names[top] ?? "")].join(".");
  }
  const named = names.filter((name) => name !== "");
  const host = named.join(".");
  const isPathed =
    OPENS_PATH.test(behind) && (LETTERS.test(named.at(-1) ?? "") || ADDRESS.test(host));
  return named.length > 1 && (named[0] === "www" || isPathed) ? host : null;
}

/** Returns the top-level domain that a label is or begins with; "" for none. */
function readTopDomain(label: string): string {
  const name = LATIN_START.exec(label)?.[0] ?? label.replace(/[\p{So}_-]+$/u, "");
  const isKnown = COUNTRY_DOMAINS.has(name) || GENERIC_DOMAINS.has(name) || name.startsWith("xn--");
  return isKnown ? name : "";
}

function toWordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
