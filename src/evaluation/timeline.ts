import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";
import type { Scenario, ScenarioQuestion } from "./scenario.ts";

/** A viewer or streamer who writes in a scenario. */
export type ScenarioSpeaker = Scenario["people"][number] & { readonly userId: string };

/** One thing that happens in a session, `atMs` after it began. */
export type TimelineStep = { readonly atMs: number } & (
  | { readonly kind: "line"; readonly by: ScenarioSpeaker; readonly text: string }
  | { readonly kind: "ask"; readonly by: ScenarioSpeaker; readonly asked: ScenarioQuestion }
);

export type Session = ReturnType<typeof layOutTimeline>[number];

const DAY_MS = 86_400_000;
const LINE_GAP_MS = 8_000;
const ASIDE_GAP_MS = 15_000;
const QUESTION_GAP_MS = 20_000;
const LAST_MS = 30_000;
const FIRST_USER_ID = 10_001;
const FIRST_CROWD_ID = 50_001;

/** Lays out a scenario session by session. The same scenario gives the same moments. */
export function layOutTimeline(scenario: Scenario) {
  const speakers = getSpeakers(scenario);
  const find = (login: string): ScenarioSpeaker => {
    const found = speakers.get(login);
    if (found === undefined) throw new Error("a scenario names somebody who is not in it");
    return found;
  };
  return scenario.sessions.map(({ day, title, category, lines, crowds }, n) => {
    const random = openRandom(`${scenario.name}/${n}`);
    let lineMs = -LINE_GAP_MS;
    const written = lines.map(({ second, by, text }): TimelineStep => {
      lineMs = second === undefined ? lineMs + LINE_GAP_MS : second * 1_000;
      return { kind: "line", atMs: lineMs, by: find(by), text };
    });
    for (const [at, crowd] of crowds.entries())
      written.push(...makeCrowd(crowd, scenario.chatter, random.fork(`crowd ${at}`)));
    const endMs = Math.max(0, ...written.map(({ atMs }) => atMs));
    const asked = makeQuestions(scenario, n, find, endMs, random.fork("asides"));
    const moments = [...written, ...asked];
    return {
      n,
      startsAtMs: Date.parse(scenario.startsAt) + day * DAY_MS,
      title,
      category,
      /** Sorted by time. */
      moments: moments.sort((a, b) => a.atMs - b.atMs),
      lengthMs: Math.max(0, ...moments.map(({ atMs }) => atMs)) + LAST_MS,
    };
  });
}

/** Returns the people of a scenario by login, each with a user id. */
export function getSpeakers({ people }: Scenario): ReadonlyMap<string, ScenarioSpeaker> {
  return new Map(
    people.map((person, at) => [person.login, { ...person, userId: String(FIRST_USER_ID + at) }]),
  );
}

function makeCrowd(
  { from, to, perMinute, people, lines }: Scenario["sessions"][number]["crowds"][number],
  chatter: readonly string[],
  random: Random,
): TimelineStep[] {
  const next = random.deck(lines ?? chatter);
  const count = Math.max(0, Math.round(((to - from) / 60) * perMinute));
  return Array.from({ length: count }, (_, at) => {
    const n = random.int(0, people - 1);
    const userId = String(FIRST_CROWD_ID + n);
    const by = { userId, login: `passer_by_${n}`, name: `Passer_By_${n}`, role: "viewer" as const };
    const atMs = Math.round(from * 1_000 + (at * 60_000) / perMinute);
    return { kind: "line", atMs, by, text: next() };
  });
}

/** Questions at their second; the others after the last line, each after small talk of its requester. */
function makeQuestions(
  { questions, chatter, asides }: Scenario,
  session: number,
  find: (login: string) => ScenarioSpeaker,
  afterMs: number,
  random: Random,
): TimelineStep[] {
  const next = chatter.length === 0 ? null : random.deck(chatter);
  let endMs = afterMs;
  return questions.flatMap((asked): TimelineStep[] => {
    const { second } = asked;
    if (!asked.sessions.includes(session)) return [];
    const by = find(asked.by);
    if (second !== undefined) return [{ kind: "ask", atMs: second * 1_000, by, asked }];
    const talk = Array.from({ length: next === null ? 0 : asides }, (): TimelineStep => {
      endMs += ASIDE_GAP_MS;
      return { kind: "line", atMs: endMs, by, text: next?.() ?? "" };
    });
    endMs += QUESTION_GAP_MS;
    return [...talk, { kind: "ask", atMs: endMs, by, asked }];
  });
}

/** Chance that repeats: the same seed and the same calls give the same values on every machine. */
interface Random {
  /** Returns a whole number from `from` to `to`, both included. */
  int(from: number, to: number): number;
  /** Returns a function that deals the items in random order, each once, then all again; never the same twice running. */
  deck<T>(items: readonly T[]): () => T;
  /** Returns an independent source: drawing from it does not change what others draw. */
  fork(label: string): Random;
}

/** Opens a source of chance. Uses the Mersenne Twister: the first draws of neighbouring seeds differ. */
function openRandom(seed: number | string): Random {
  const source = mersenne(hashOf(String(seed)));
  const int = (from: number, to: number) => uniformInt(source, from, to);
  const shuffle = <T>(items: readonly T[]): T[] => {
    const left = [...items];
    return items.flatMap(() => left.splice(int(0, left.length - 1), 1));
  };
  const deck = <T>(items: readonly T[]): (() => T) => {
    let left: T[] = [];
    let last: T | undefined;
    return () => {
      if (left.length === 0) left = shuffle(items);
      if (left.length > 1 && left.at(-1) === last) left.reverse();
      last = left.pop();
      if (last === undefined) throw new RangeError("nothing to deal");
      return last;
    };
  };
  return { int, deck, fork: (label) => openRandom(`${seed}/${label}`) };
}

/** FNV-1a over UTF-16 code units, 32 bits unsigned. Not for secrets. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
