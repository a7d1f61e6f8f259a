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

/** Lays out a scenario session by session. The same scenario gives the same moments, without chance. */
export function layOutTimeline(scenario: Scenario) {
  const speakers = getSpeakers(scenario);
  const find = (login: string): ScenarioSpeaker => {
    const found = speakers.get(login);
    if (found === undefined) throw new Error("a scenario names somebody who is not in it");
    return found;
  };
  return scenario.sessions.map(({ day, title, category, lines, crowds }, n) => {
    let lineMs = -LINE_GAP_MS;
    const written = lines.map(({ second, by, text }): TimelineStep => {
      lineMs = second === undefined ? lineMs + LINE_GAP_MS : second * 1_000;
      return { kind: "line", atMs: lineMs, by: find(by), text };
    });
    for (const [at, crowd] of crowds.entries())
      written.push(...makeCrowd(crowd, createDeck(crowd.lines ?? scenario.chatter, n + at)));
    const endMs = Math.max(0, ...written.map(({ atMs }) => atMs));
    const asked = makeQuestions(scenario, n, find, endMs);
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
  { from, to, perMinute, people }: Scenario["sessions"][number]["crowds"][number],
  next: () => string,
): TimelineStep[] {
  const count = Math.max(0, Math.round(((to - from) / 60) * perMinute));
  return Array.from({ length: count }, (_, at) => {
    // Each round has another order, so that a viewer does not repeat one line.
    const n = (at + Math.floor(at / people) ** 2) % people;
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
): TimelineStep[] {
  const next = createDeck(chatter, session);
  let endMs = afterMs;
  return questions.flatMap((asked): TimelineStep[] => {
    const { second } = asked;
    if (!asked.sessions.includes(session)) return [];
    const by = find(asked.by);
    if (second !== undefined) return [{ kind: "ask", atMs: second * 1_000, by, asked }];
    const talk = Array.from({ length: chatter.length === 0 ? 0 : asides }, (): TimelineStep => {
      endMs += ASIDE_GAP_MS;
      return { kind: "line", atMs: endMs, by, text: next() };
    });
    endMs += QUESTION_GAP_MS;
    return [...talk, { kind: "ask", atMs: endMs, by, asked }];
  });
}

/** Returns a function that deals the lines in order, again and again, from the place `first` on. */
function createDeck(lines: readonly string[], first: number): () => string {
  let at = first;
  return () => {
    at += 1;
    return lines[at % lines.length] ?? "";
  };
}
