import { type Random, randomFrom } from "../rehearsal/random.ts";
import type { Scenario, ScenarioQuestion } from "./scenario.ts";

/** Somebody who writes in a scenario. */
export interface ScenarioSpeaker {
  readonly userId: string;
  readonly login: string;
  readonly name: string;
  readonly role: "streamer" | "moderator" | "vip" | "viewer";
}

/** One thing that happens in a session, `atMs` after it began. */
export type Moment = { readonly atMs: number } & (
  | { readonly kind: "line"; readonly by: ScenarioSpeaker; readonly text: string }
  | { readonly kind: "give" }
  | { readonly kind: "ask"; readonly by: ScenarioSpeaker; readonly asked: ScenarioQuestion }
);

export type Session = ReturnType<typeof timeline>[number];

const DAY_MS = 86_400_000;
const LINE_GAP_MS = 8_000;
const ASIDE_GAP_MS = 15_000;
const QUESTION_GAP_MS = 20_000;
/** Two questions at one second are this far apart. */
const CROWDED_GAP_MS = 4_000;
const LAST_MS = 30_000;
const MINUTE_MS = 60_000;
const FIRST_USER_ID = 10_001;
const FIRST_CROWD_ID = 50_001;

/** What happens in a scenario, session by session; the same for the same scenario. */
export function timeline(scenario: Scenario) {
  const speakers = speakersOf(scenario);
  const startMs = Date.parse(scenario.startsAt);
  return scenario.sessions.map((session, n) => {
    const random = randomFrom(`${scenario.name}/${n}`);
    const written = [
      ...linesOf(session.lines, speakers),
      ...session.crowds.flatMap((crowd, at) =>
        crowdOf(crowd, crowd.lines ?? scenario.chatter, random.fork(`crowd ${at}`)),
      ),
    ];
    const endMs = Math.max(0, ...written.map(({ atMs }) => atMs));
    const asked = questionsOf(scenario, n, { speakers, afterMs: endMs }, random.fork("asides"));
    const give: Moment = { kind: "give", atMs: Math.floor(endMs / 2) };
    const moments = [give, ...written, ...asked];
    return {
      n,
      startsAtMs: startMs + session.day * DAY_MS,
      title: session.title,
      category: session.category,
      /** In the order of their times. */
      moments: moments.sort((a, b) => a.atMs - b.atMs),
      lengthMs: Math.max(0, ...moments.map(({ atMs }) => atMs)) + LAST_MS,
    };
  });
}

/** The people of a scenario by login, each with a user id. */
export function speakersOf({ people }: Scenario): ReadonlyMap<string, ScenarioSpeaker> {
  return new Map(
    people.map((person, at) => [person.login, { ...person, userId: String(FIRST_USER_ID + at) }]),
  );
}

type Speakers = ReadonlyMap<string, ScenarioSpeaker>;

function speaker(speakers: Speakers, login: string): ScenarioSpeaker {
  const found = speakers.get(login);
  if (found === undefined) throw new Error("a scenario names somebody who is not in it");
  return found;
}

function linesOf(lines: Scenario["sessions"][number]["lines"], speakers: Speakers): Moment[] {
  let atMs = -LINE_GAP_MS;
  return lines.map(({ second, by, text }) => {
    atMs = second === undefined ? atMs + LINE_GAP_MS : second * 1_000;
    return { kind: "line", atMs, by: speaker(speakers, by), text };
  });
}

function crowdOf(
  { from, to, perMinute, people }: Scenario["sessions"][number]["crowds"][number],
  lines: readonly string[],
  random: Random,
): Moment[] {
  const next = random.deck(lines);
  const count = Math.max(0, Math.round(((to - from) / 60) * perMinute));
  return Array.from({ length: count }, (_, at) => {
    const n = random.int(0, people - 1);
    const by = {
      userId: String(FIRST_CROWD_ID + n),
      login: `passer_by_${n}`,
      name: `Passer_By_${n}`,
      role: "viewer" as const,
    };
    const atMs = Math.round(from * 1_000 + (at * MINUTE_MS) / perMinute);
    return { kind: "line", atMs, by, text: next() };
  });
}

/** Those at a second of their own, then the others one after another, small talk of their asker before each. */
function questionsOf(
  scenario: Scenario,
  n: number,
  { speakers, afterMs }: { readonly speakers: Speakers; readonly afterMs: number },
  random: Random,
): Moment[] {
  const next = scenario.chatter.length === 0 ? null : random.deck(scenario.chatter);
  let endMs = afterMs;
  const crowded = new Map<number, number>();
  return scenario.questions.flatMap((asked): Moment[] => {
    const { second } = asked;
    if (!asked.sessions.includes(n)) return [];
    const by = speaker(speakers, asked.by);
    if (second !== undefined) {
      const before = crowded.get(second) ?? 0;
      crowded.set(second, before + 1);
      return [{ kind: "ask", atMs: second * 1_000 + before * CROWDED_GAP_MS, by, asked }];
    }
    const asides = Array.from({ length: next === null ? 0 : scenario.asides }, (): Moment => {
      endMs += ASIDE_GAP_MS;
      return { kind: "line", atMs: endMs, by, text: next?.() ?? "" };
    });
    endMs += QUESTION_GAP_MS;
    return [...asides, { kind: "ask", atMs: endMs, by, asked }];
  });
}
