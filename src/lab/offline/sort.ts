import { type ReadFact, readFact } from "./facts.ts";
import { blocksOf, blockWhere, type Listed, readListed } from "./read-prompt.ts";
import { stemOf, tellingWords, topicsOfFact } from "./topic-words.ts";

const CONFIDENCE = 0.8;
const PLAN_LIFETIME = "7d";
/** What is not about one person. */
const SHARED_KINDS: Readonly<Record<string, string>> = { channel: "event", bit: "running_bit" };
/** Of these a person has one: another value takes the place of the first. */
const SINGLE: ReadonlySet<string> = new Set(["name", "pronouns", "home", "birthday", "rank"]);

/** Sorts the claims that a prompt lists, and relates each to the notes about the same person that are listed there. */
export function sortByRule(tail: string): { readonly notes: readonly object[] } {
  const blocks = blocksOf(tail);
  const known = readListed(blockWhere(blocks, /notes/u));
  return {
    notes: readListed(blockWhere(blocks, /claims/u)).map((claim) => ({
      ...sorted(claim),
      ...relationOf(
        readFact(claim.text, claim.subject),
        known.filter((note) => note.subject === claim.subject),
      ),
    })),
  };
}

function sorted({ n, subject, text }: Listed) {
  const fact = readFact(text, subject);
  const kind = SHARED_KINDS[subject] ?? fact.kind;
  const isShared = subject in SHARED_KINDS;
  return {
    claims: [n],
    kind,
    property: isShared ? null : propertyOf(fact),
    confidence: CONFIDENCE,
    importance: kind === "profile" || kind === "constraint" ? "high" : "medium",
    lifetime: kind === "event" && !isShared ? PLAN_LIFETIME : "permanent",
    topics: topicsOfFact(text),
    sensitive: false,
    about_bot: false,
  };
}

function propertyOf({ property, value, game, isNegative }: ReadFact) {
  if (property === null || isNegative) return null;
  return { name: property, value, ...(game === null ? {} : { game }) };
}

interface Relation {
  readonly relation: "new" | "same" | "replaces";
  readonly note: number | null;
}

/** Same words, same fact. Of what there is one of, and of a "no longer", the older goes. */
function relationOf(fact: ReadFact, known: readonly Listed[]): Relation {
  const before = known.map(({ n, text, subject }) => ({ n, fact: readFact(text, subject) }));
  const same = before.find((note) => sameWords(fact.rest, note.fact.rest));
  if (same !== undefined) return { relation: "same", note: same.n };
  // Of several the one that shares most words: "no longer learns Welsh" is not about learning to juggle.
  const shares = (note: ReadFact): number => {
    const said = new Set(tellingWords(fact.rest).map(stemOf));
    return tellingWords(note.rest).filter((word) => said.has(stemOf(word))).length;
  };
  const older = before
    .filter((note) => replaces(fact, note.fact))
    .sort((one, other) => shares(other.fact) - shares(one.fact))[0];
  return older === undefined
    ? { relation: "new", note: null }
    : { relation: "replaces", note: older.n };
}

function sameWords(one: string, other: string): boolean {
  const key = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return key(one) === key(other);
}

function replaces(fact: ReadFact, before: ReadFact): boolean {
  if (fact.property !== null && fact.property === before.property && !fact.isNegative) {
    const isSameGame =
      fact.game === null || before.game === null || sameWords(fact.game, before.game);
    return SINGLE.has(fact.property) && isSameGame && !sameWords(fact.value, before.value);
  }
  if (fact.isNegative === before.isNegative) return false;
  const matter = new Set(tellingWords(before.rest).map(stemOf));
  return tellingWords(fact.rest).some((word) => matter.has(stemOf(word)));
}
