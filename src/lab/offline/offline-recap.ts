import { type Tongue, tongueOf } from "./telling-words.ts";

/** What stands before the summary; without a topic it was small talk. */
const TOPIC = /^- (?!Участников разговора)([^:]{1,120}): /u;
const LABEL = /\bP\d{1,4}\b/gu;
const TOPICS_MAX = 5;
const PEOPLE_MAX = 4;

interface Wording {
  readonly first: (topic: string) => string;
  readonly later: (topics: string) => string;
  readonly people: (people: string) => string;
  readonly quiet: string;
}

const WORDINGS: Readonly<Record<Tongue, Wording>> = {
  english: {
    first: (topic) => `The stream began with ${topic}.`,
    later: (topics) => `Later it was about ${topics}.`,
    people: (people) => `${people} took part the most.`,
    quiet: "It was a quiet stream.",
  },
  russian: {
    first: (topic) => `Стрим начался с темы: ${topic}.`,
    later: (topics) => `Потом речь шла о другом: ${topics}.`,
    people: (people) => `Чаще других в разговоре были ${people}.`,
    quiet: "Стрим был тихим.",
  },
  spanish: {
    first: (topic) => `El directo empezó con ${topic}.`,
    later: (topics) => `Después se habló de ${topics}.`,
    people: (people) => `Participaron sobre todo ${people}.`,
    quiet: "Fue un directo tranquilo.",
  },
  japanese: {
    first: (topic) => `配信は${topic}の話で始まった。`,
    later: (topics) => `その後は${topics}の話になった。`,
    people: (people) => `よく話していたのは${people}。`,
    quiet: "静かな配信だった。",
  },
};

/** The recap of a stream from the notes on it, each `- topic: summary`: what it went through, and with whom. */
export function recapByRule(notes: readonly string[]): string {
  const say = WORDINGS[tongueOf(notes.map((note) => note.replaceAll(LABEL, "")))];
  const topics = new Set(
    notes.map((note) => TOPIC.exec(note)?.[1]).filter((topic) => topic !== undefined),
  );
  const [first, ...later] = topics;
  const sentences = [first === undefined ? say.quiet : say.first(first)];
  if (later.length > 0) sentences.push(say.later(spread(later).join("; ")));
  const people = mostNamed(notes);
  if (people.length > 0) sentences.push(say.people(people.join(", ")));
  return sentences.join(" ");
}

/** Of many topics some from the whole length of the stream, the last among them. */
function spread(topics: readonly string[]): string[] {
  const step = Math.max(1, topics.length / TOPICS_MAX);
  return topics.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
}

function mostNamed(notes: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const label of notes.flatMap((note) => [...new Set(note.match(LABEL) ?? [])])) {
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, PEOPLE_MAX)
    .map(([label]) => label);
}
