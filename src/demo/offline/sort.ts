import { normalWords } from "../../language/words.ts";
import english from "./data/english.json" with { type: "json" };
import { blocksOf, blockWhere, type NumberedLine, readListed } from "./read-prompt.ts";
import { rootOf, tellingWords, topicsOfFact } from "./topic-words.ts";

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

function sorted({ n, subject, text }: NumberedLine) {
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

/** Same words, same fact. Of what there is one of, and of a "no longer", the older goes. */
function relationOf(fact: ReadFact, known: readonly NumberedLine[]) {
  const before = known.map(({ n, text, subject }) => ({ n, fact: readFact(text, subject) }));
  const same = before.find((note) => sameWords(fact.rest, note.fact.rest));
  if (same !== undefined) return { relation: "same", note: same.n };
  // Of several the one that shares most words: "no longer learns Welsh" is not about learning to juggle.
  const shares = (note: ReadFact): number => {
    const said = new Set(tellingWords(fact.rest).map(rootOf));
    return tellingWords(note.rest).filter((word) => said.has(rootOf(word))).length;
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
  const matter = new Set(tellingWords(before.rest).map(rootOf));
  return tellingWords(fact.rest).some((word) => matter.has(rootOf(word)));
}

const NEGATIVE = new RegExp(`^(?:${english.negatives.replaceAll(", ", "|")})\\b`, "u");
/** Ways of saying something about a person: the first that fits is taken. */
const PREDICATES = english.predicates.map((one) => ({
  ...one,
  form: new RegExp(one.form.replaceAll("<pet>", english.claims.pets.replaceAll(", ", "|")), "u"),
}));

type ReadFact = ReturnType<typeof readFact>;

/** Reads a fact about `subject` by its form: what kind it is, which property it gives, and how people ask for it. */
export function readFact(fact: string, subject: string) {
  const own = [`${subject}'s `, `${subject} `].find((lead) => fact.startsWith(lead)) ?? "";
  const rest = fact.slice(own.length).replace(/\.$/u, "");
  const found = PREDICATES.find(({ form }) => form.test(rest));
  const { value = rest, game = null } = found?.form.exec(rest)?.groups ?? {};
  return {
    property: found?.property ?? null,
    kind: found?.kind ?? "preference",
    /** The matter, and the game where it is about one. */
    value,
    game,
    /** Words by which it is asked for besides its own. */
    asked: found?.asked.split(", ") ?? [],
    /** Whether it says that something is not, or no longer. */
    isNegative: NEGATIVE.test(rest),
    /** What remains without its subject. */
    rest,
  };
}

const OTHER_FORMS: Readonly<Record<string, string>> = {
  is: "are",
  has: "have",
  was: "were",
  does: "do",
  goes: "go",
  teaches: "teach",
  studies: "study",
};

/** A fact about `name` as it is told to them: "Ann's cat is called Pi" is "your cat is called Pi". */
export function toldToThem(fact: string, name: string): string {
  const bare = fact.replace(/\.$/u, "");
  const own = (text: string): string => text.replaceAll(/(?<!\p{L})their(?!\p{L})/gu, "your");
  if (bare.startsWith(`${name}'s `)) return own(`your ${bare.slice(name.length + 3)}`);
  if (!bare.startsWith(`${name} `)) return bare;
  const words = bare.slice(name.length + 1).split(" ");
  // The verb of "no longer plays" and "never plays" stands behind the small words.
  const verbAt = { no: 2, never: 1 }[words[0] ?? ""] ?? 0;
  const told = words.map((word, at) => (at === verbAt ? secondPerson(word) : word));
  return own(`you ${told.join(" ")}`).replace(/(?<!\p{L})they(?!\p{L})/gu, "you");
}

function secondPerson(verb: string): string {
  return OTHER_FORMS[verb] ?? (verb.endsWith("ss") ? verb : verb.replace(/s$/u, ""));
}

const LISTED = /^\[(\d+)\] (.+)$/;
/** What was said before counts less than the message. */
const BEFORE_WEIGHT = 0.25;

/**
 * Puts the notes that a prompt lists in order: by how many words they share with the message, ties as they stood. Null
 * where it lists none.
 */
export function rerankByRule(tail: string): { readonly ids: readonly number[] } | null {
  const blocks = blocksOf(tail);
  if (!blocks.has("notes")) return null;
  const wordsIn = (title: RegExp) => new Set(normalWords(blockWhere(blocks, title).join("\n")));
  const asked = wordsIn(/^message$/);
  const before = wordsIn(/^said before$/);
  const notes = blockWhere(blocks, /^notes$/).flatMap((line) => {
    const [, id, text = ""] = LISTED.exec(line) ?? [];
    return id === undefined ? [] : [{ id: Number(id), words: new Set(normalWords(text)) }];
  });
  const score = ({ words }: { readonly words: ReadonlySet<string> }): number =>
    [...words].reduce(
      (sum, word) => sum + Number(asked.has(word)) + BEFORE_WEIGHT * Number(before.has(word)),
      0,
    );
  return { ids: notes.sort((one, other) => score(other) - score(one)).map(({ id }) => id) };
}
