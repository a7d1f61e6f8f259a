// Pure: values in, values out.
import { cleanLine } from "../language/clean.ts";
import { peopleIn, personToken } from "../language/people.ts";
import { labelPeople, type NamedPerson } from "./labels.ts";

const MENTION = /[@＠]([\p{L}\p{M}\p{N}_]+)/gu;
const BREAKS = /[\n\r\u2028\u2029]/u;

export interface FactPeople {
  /** Whom the fact is about; null for the channel. */
  readonly subject: NamedPerson | null;
  /** People of the channel who may be named. */
  readonly others: readonly NamedPerson[];
  readonly botNames: readonly string[];
}

/** The names that a text mentions, each once, without their @. */
export function mentionsIn(text: string): string[] {
  return [...new Set([...text.matchAll(MENTION)].map(([, name]) => name ?? ""))];
}

/**
 * A fact as the streamer typed it, as it is stored: with tokens for the people it names and, where it is about one and
 * names nobody, theirs in front. A mention of somebody unknown stays a word. Line breaks stay, for the checks to find.
 */
export function operatorFact(text: string, { subject, others, botNames }: FactPeople): string {
  const known = new Set(
    [...others, ...(subject === null ? [] : [subject])].flatMap(({ login, displayName }) => [
      login.toLowerCase(),
      displayName.toLowerCase(),
    ]),
  );
  const plain = (BREAKS.test(text.trim()) ? text.trim() : cleanLine(text)).replaceAll(
    MENTION,
    (mention, name: string) => (known.has(name.toLowerCase()) ? mention : name),
  );
  const labels = labelPeople(subject === null ? [] : [subject], others, botNames);
  const tokens = labels.toTokens(labels.hide(plain));
  if (subject === null || tokens === "" || peopleIn(tokens).includes(subject.userId)) return tokens;
  return `${personToken(subject.userId)} ${tokens}`;
}
