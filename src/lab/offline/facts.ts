/** One way of saying something about a person, and what questions about it use. */
interface Predicate {
  /** Fits what follows the subject; `value` is the matter, `game` where it is about one. */
  readonly form: RegExp;
  readonly property: string | null;
  readonly kind: "profile" | "constraint" | "preference" | "state" | "event";
  /** Words by which it is asked for besides its own. */
  readonly asked: readonly string[];
}

export interface ReadFact {
  readonly property: string | null;
  readonly kind: Predicate["kind"];
  readonly value: string;
  readonly game: string | null;
  readonly asked: readonly string[];
  /** Whether it says that something is not, or no longer. */
  readonly isNegative: boolean;
  /** What remains without its subject. */
  readonly rest: string;
}

const PET = "cat|dog|kitten|puppy|parrot|bird|hamster|rabbit|tortoise|snake|horse|ferret|rat|goat";
const GAME_AT_END = "(?: (?:in|on) (?<game>.+))?";
const NEGATIVE = /^(?:no longer|does not|do not|never|has never|stopped|used to|cannot)\b/u;
/** The first that fits is taken. */
const PREDICATES: readonly Predicate[] = [
  {
    form: /^(?:wants to be called|is called) (?<value>.+)$/u,
    property: "name",
    kind: "constraint",
    asked: ["name", "call"],
  },
  {
    form: /^has the pronouns (?<value>.+)$/u,
    property: "pronouns",
    kind: "constraint",
    asked: ["pronoun"],
  },
  {
    form: /^(?:lives? (?:in|near)|moved to|moved .* to|is based in|has been living in) (?<value>.+)$/u,
    property: "home",
    kind: "profile",
    asked: ["where", "live", "home", "town", "city", "move"],
  },
  {
    form: /^(?:is from|comes? from|was born in|grew up in) (?<value>.+)$/u,
    property: "origin",
    kind: "profile",
    asked: ["where", "from", "born"],
  },
  {
    form: /^(?:works? (?:as|at|in|for)|is an?) (?<value>.+)$/u,
    property: "job",
    kind: "profile",
    asked: ["job", "work", "living"],
  },
  {
    form: /^(?:studies|study|is studying) (?<value>.+)$/u,
    property: "studies",
    kind: "profile",
    asked: ["study", "subject"],
  },
  {
    form: new RegExp(`^(?:peak )?rank is (?<value>.+?)${GAME_AT_END}$`, "u"),
    property: "rank",
    kind: "state",
    asked: ["rank", "elo", "tier"],
  },
  {
    form: new RegExp(`^mains? (?<value>.+?)${GAME_AT_END}$`, "u"),
    property: "main_character",
    kind: "preference",
    asked: ["main", "character", "play"],
  },
  {
    form: /^(?:plays?|is playing|has been playing|speedruns?) (?<value>.+)$/u,
    property: null,
    kind: "preference",
    asked: ["game", "play", "main", "run"],
  },
  {
    form: new RegExp(
      `^(?:(?:[\\p{L}'-]+ ){0,2}(?:${PET}) is called|has .*(?:${PET})s?\\b) ?(?<value>.*)$`,
      "u",
    ),
    property: null,
    kind: "profile",
    asked: ["pet", "animal", "name", "call"],
  },
  {
    form: /^(?:will|has) (?<value>.+ (?:tomorrow|tonight|next \w+|this weekend|on \w+day))$/u,
    property: null,
    kind: "event",
    asked: ["plan", "when"],
  },
];

/** Reads a fact about `subject` by its form: what kind it is, which property it gives, and how people ask for it. */
export function readFact(fact: string, subject: string): ReadFact {
  const own = [`${subject}'s `, `${subject} `].find((lead) => fact.startsWith(lead)) ?? "";
  const rest = fact.slice(own.length).replace(/\.$/u, "");
  const isNegative = NEGATIVE.test(rest);
  for (const { form, property, kind, asked } of PREDICATES) {
    const found = form.exec(rest)?.groups;
    if (found === undefined) continue;
    const { value = rest, game = null } = found;
    return { property, kind, value, game, asked, isNegative, rest };
  }
  return {
    property: null,
    kind: "preference",
    value: rest,
    game: null,
    asked: [],
    isNegative,
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
  "no longer": "no longer",
};
/** What stays as it is in the second person: a past or a helper. */
const SAME_FORM = /^(?:will|moved|stopped|started|used|grew|cannot|never|no)$/u;

/** A fact about `name` as it is told to them: "Ann's cat is called Pi" is "your cat is called Pi". */
export function toldToThem(fact: string, name: string): string {
  const bare = fact.replace(/\.$/u, "");
  const own = (text: string): string => text.replaceAll(/(?<!\p{L})their(?!\p{L})/gu, "your");
  if (bare.startsWith(`${name}'s `)) return own(`your ${bare.slice(name.length + 3)}`);
  if (!bare.startsWith(`${name} `)) return bare;
  const [verb = "", ...others] = bare.slice(name.length + 1).split(" ");
  const words =
    verb === "no" || verb === "never" ? withSecond(verb, others) : [secondPerson(verb), ...others];
  return own(`you ${words.join(" ")}`).replace(/(?<!\p{L})they(?!\p{L})/gu, "you");
}

/** The verb of "no longer plays" and "never plays" stands behind the small words. */
function withSecond(first: string, others: readonly string[]): string[] {
  const at = first === "no" ? 1 : 0;
  return [first, ...others.map((word, index) => (index === at ? secondPerson(word) : word))];
}

function secondPerson(verb: string): string {
  const other = OTHER_FORMS[verb];
  if (other !== undefined) return other;
  if (SAME_FORM.test(verb)) return verb;
  return verb.endsWith("ss") ? verb : verb.replace(/s$/u, "");
}
