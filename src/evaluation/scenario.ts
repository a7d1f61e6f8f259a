import { fileURLToPath } from "node:url";
import { z } from "zod";
import { NOTE_KIND_NAMES } from "../catalogue/note-kinds.ts";
import { resolveTyped } from "../config/environment.ts";
import { readText } from "../config/private-file.ts";
import { Fault, getMessage } from "../errors.ts";
import { findNearest } from "../language/words.ts";
import { IMPORTANCES } from "../memory/note-prompt.ts";
import { PACES } from "../memory/recall/pace.ts";

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, "small letters, digits and dashes");
const id = z.string().regex(/^[\w.:-]{1,80}$/, "letters, digits and any of _ . : -");
const login = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9_]{1,25}$/, "a Twitch login: 1 to 25 letters, digits or underscores");
const textUpTo = (charsMax: number) => z.string().trim().min(1).max(charsMax);
/** At most the length of a message on Twitch. */
const text = textUpTo(500);
const word = textUpTo(80);
const title = z.string().trim().max(140).default("");
/** Seconds since the session began, at most twelve hours. */
const second = z.number().min(0).max(43_200);
const session = z.int().min(0);

const person = z.strictObject({
  login,
  name: textUpTo(60),
  role: z.enum(["streamer", "moderator", "vip", "viewer"]).default("viewer"),
});

/** Background chat, the same in every run. */
const crowd = z.strictObject({
  from: second,
  to: second,
  perMinute: z.number().positive(),
  people: z.int().min(1),
  /** Replaces `chatter`. */
  lines: z.array(text).min(1).optional(),
});

const sessionSchema = z.strictObject({
  /** Days since the first session; fractions are allowed. */
  day: z.number().min(0),
  title,
  category: title,
  lines: z.array(z.strictObject({ second: second.optional(), by: login, text })).default([]),
  crowds: z.array(crowd).default([]),
});

const fact = z.strictObject({
  id,
  about: z.union([z.literal("channel"), login]),
  session,
  fact: textUpTo(400),
  /** Words that recognise the fact: see `makeRecogniser`. */
  words: z.array(z.array(word).min(1)).optional(),
  without: z.array(word).default([]),
  /** The fact as a note that is given in its session. */
  note: z
    .strictObject({
      kind: z.enum(NOTE_KIND_NAMES),
      importance: z.enum(IMPORTANCES).default("medium"),
      topics: z.array(textUpTo(40)).max(3).default([]),
      confidence: z.number().min(0.4).max(1).default(0.8),
    })
    .optional(),
  /** Sessions that confirm a given note. */
  again: z.array(session).default([]),
  /** The fact that is no longer true from then on. */
  replaces: id.optional(),
});

const question = z.strictObject({
  by: login,
  text,
  /** Fact ids; one of a list is enough. */
  needs: z.array(z.union([id, z.array(id).min(1)])).min(1),
  sessions: z.array(session).min(1),
  second: second.optional(),
});

const answer = z.strictObject({
  purpose: z.enum(["reply", "summarise", "extract", "rerank"]),
  when: word.optional(),
  text: z.string().max(4_000).optional(),
  json: z.unknown().optional(),
  again: z.boolean().default(false),
});

/** A scenario file; docs/evaluation.md explains each key. */
const scenarioSchema = z.strictObject({
  $schema: z.string().optional(),
  name,
  about: textUpTo(1_000),
  channel: login,
  startsAt: z.iso.datetime().default("2027-01-05T18:00:00Z"),
  notes: z.enum(["given", "made", "both"]),
  pace: z.enum(PACES).optional(),
  /** Lines of small talk before each question without a second. */
  asides: z.int().min(0).default(5),
  people: z.array(person).min(1),
  chatter: z.array(text).default([]),
  sessions: z.array(sessionSchema).min(1),
  facts: z.array(fact),
  questions: z.array(question),
  answers: z.array(answer).default([]),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioFact = Scenario["facts"][number];
type ScenarioQuestion = Scenario["questions"][number];

/** Scenarios that come with the program, by name. */
export const SHIPPED: readonly string[] = ["corrections", "one-subject", "ten-sessions"];
/** The same path from `src` and from `dist`. */
const FOLDER = new URL("./scenarios/", import.meta.url);
const PROBLEMS_MAX = 20;
const FIX = "see docs/evaluation.md for what a scenario may hold";

/**
 * Reads a shipped scenario by name, or any other by a path with a dot or slash. Throws a Fault, without text of the
 * file, if it is missing or wrong.
 */
export function loadScenario(nameOrFile: string): Scenario {
  const isShipped = SHIPPED.includes(nameOrFile);
  if (!isShipped && !/[./\\]/.test(nameOrFile)) {
    const near = findNearest(nameOrFile, SHIPPED);
    throw new Fault(`there is no scenario "${nameOrFile}"`, {
      code: "usage",
      fix: `${near === null ? "" : `did you mean ${near}? `}Shipped are ${SHIPPED.join(", ")}; for a file, name its path`,
    });
  }
  const file = isShipped
    ? fileURLToPath(new URL(`${nameOrFile}.json`, FOLDER))
    : resolveTyped(nameOrFile);
  let raw: unknown;
  try {
    raw = JSON.parse(readText(file).replace(/^\uFEFF/, ""));
  } catch (cause) {
    const problem = cause instanceof SyntaxError ? "it is not valid JSON" : getMessage(cause);
    throw new Fault(`${file}: cannot be read (${problem})`, { code: "usage", fix: FIX, cause });
  }
  return toScenario(raw, nameOrFile);
}

/**
 * Checks a value against the schema, then its references. Throws a Fault that lists the first 20 problems, one a line,
 * and the number of the others; `source` names the value.
 */
export function toScenario(raw: unknown, source: string): Scenario {
  const parsed = scenarioSchema.safeParse(raw);
  const problems = parsed.success
    ? findScenarioProblems(parsed.data)
    : parsed.error.issues.map(
        ({ path, message }) => `${path.map(String).join(".") || "the file"}: ${message}`,
      );
  if (parsed.success && problems.length === 0) return parsed.data;
  const lines = problems.slice(0, PROBLEMS_MAX);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  const text = lines.map((problem) => `${source}: ${problem}`).join("\n");
  throw new Fault(text, { code: "usage", fix: FIX });
}

/** Lists, each once, duplicates, references to missing parts, impossible orders, and crowds with no lines to write. */
function findScenarioProblems({ people, sessions, facts, questions, chatter }: Scenario): string[] {
  const logins = new Set(people.map(({ login }) => login));
  const sessionOfFact = new Map(facts.map(({ id, session }) => [id, session]));
  const problems = new Set<string>();
  const must = (holds: boolean, problem: string): void => {
    if (!holds) problems.add(problem);
  };
  const isSession = (at: number): boolean => at < sessions.length;
  must(logins.size === people.length, "people: a login appears twice");
  must(sessionOfFact.size === facts.length, "facts: an id appears twice");
  for (const { id, about, session, again, replaces } of facts) {
    const where = `fact ${id}: names`;
    const isFact = replaces === undefined || sessionOfFact.has(replaces);
    must(about === "channel" || logins.has(about), `${where} an unknown login`);
    must([session, ...again].every(isSession), `${where} an unknown session`);
    must(isFact, `${where} an unknown fact`);
  }
  for (const [n, { by, needs, sessions: asked }] of questions.entries()) {
    const where = `question ${n}:`;
    const factSessions = needs.flat().map((id) => sessionOfFact.get(id));
    must(logins.has(by), `${where} names an unknown login`);
    must(asked.every(isSession), `${where} names an unknown session`);
    must(!factSessions.includes(undefined), `${where} names an unknown fact`);
    const isEarly = factSessions.some((session = 0) => session > Math.min(...asked));
    must(!isEarly, `${where} comes before a fact that it needs`);
  }
  for (const [n, { day, lines, crowds }] of sessions.entries()) {
    const isKnown = lines.every(({ by }) => logins.has(by));
    must(isKnown, `session ${n}: names an unknown login`);
    must(day >= (sessions[n - 1]?.day ?? 0), `session ${n}: begins before the one before it`);
    const isMute = chatter.length === 0 && crowds.some((crowd) => crowd.lines === undefined);
    must(!isMute, "chatter: a crowd has nothing to say");
  }
  return [...problems];
}

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
const AFTER_LAST_STEP_MS = 30_000;
const FIRST_USER_ID = 10_001;
const FIRST_CROWD_ID = 50_001;

/** Returns the sessions of a scenario, each with its steps in order of time. The same scenario gives the same steps. */
export function layOutTimeline(scenario: Scenario) {
  const speakers = getSpeakers(scenario);
  const find = (login: string): ScenarioSpeaker => {
    const found = speakers.get(login);
    if (found === undefined) throw new Error("a scenario names somebody who is not in it");
    return found;
  };
  return scenario.sessions.map(({ day, title, category, lines, crowds }, n) => {
    let lineMs = -LINE_GAP_MS;
    const scripted = lines.map(({ second, by, text }): TimelineStep => {
      lineMs = second === undefined ? lineMs + LINE_GAP_MS : second * 1_000;
      return { kind: "line", atMs: lineMs, by: find(by), text };
    });
    const background = crowds.flatMap((crowd, at) =>
      makeCrowd(crowd, createDeck(crowd.lines ?? scenario.chatter, n + at)),
    );
    const written = sortByTime([...scripted, ...background]);
    const asked = makeQuestions(scenario, n, find, written.at(-1)?.atMs ?? 0);
    const moments = sortByTime([...written, ...asked]);
    return {
      n,
      startsAtMs: Date.parse(scenario.startsAt) + day * DAY_MS,
      title,
      category,
      moments,
      lengthMs: (moments.at(-1)?.atMs ?? 0) + AFTER_LAST_STEP_MS,
    };
  });
}

function sortByTime(steps: readonly TimelineStep[]): TimelineStep[] {
  return steps.toSorted((one, other) => one.atMs - other.atMs);
}

/** Returns the people of a scenario by login, each with a user id. */
export function getSpeakers({ people }: Scenario): ReadonlyMap<string, ScenarioSpeaker> {
  return new Map(
    people.map((person, at) => [person.login, { ...person, userId: String(FIRST_USER_ID + at) }]),
  );
}

/** Makes a crowd's lines, evenly from second `from` until `to`. `next` returns the text of the next line. */
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

/**
 * Makes the steps of a session's questions. One with a second comes at that time. The others follow the last line, at
 * `lastLineMs`, each after small talk of its requester.
 */
function makeQuestions(
  { questions, chatter, asides }: Scenario,
  session: number,
  find: (login: string) => ScenarioSpeaker,
  lastLineMs: number,
): TimelineStep[] {
  const next = createDeck(chatter, session);
  let endMs = lastLineMs;
  return questions.flatMap((asked): TimelineStep[] => {
    if (!asked.sessions.includes(session)) return [];
    const by = find(asked.by);
    if (asked.second !== undefined) return [{ kind: "ask", atMs: asked.second * 1_000, by, asked }];
    const talk = Array.from({ length: chatter.length === 0 ? 0 : asides }, (): TimelineStep => {
      endMs += ASIDE_GAP_MS;
      return { kind: "line", atMs: endMs, by, text: next() };
    });
    endMs += QUESTION_GAP_MS;
    return [...talk, { kind: "ask", atMs: endMs, by, asked }];
  });
}

/** Returns a function that deals the lines in order, again and again, from index `first` on. */
function createDeck(lines: readonly string[], first: number): () => string {
  let at = first;
  return () => {
    const line = lines[at % lines.length] ?? "";
    at += 1;
    return line;
  };
}
