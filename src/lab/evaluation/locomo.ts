import { z } from "zod";
import { Fault } from "../../errors.ts";
import { cleanLine, cutText } from "../../language/clean.ts";
import { problemOf, type Scenario, scenarioFault, toScenario } from "./scenario.ts";

const SAMPLES_MAX = 1_000;
const TURNS_MAX = 20_000;
const QUESTIONS_MAX = 10_000;
const SESSIONS_MAX = 200;
const LONG = 20_000;

const ref = z.string().max(400);
const turn = z.object({
  speaker: z.string().trim().min(1).max(60),
  dia_id: z.string().max(60),
  text: z.string().max(LONG).optional(),
  blip_caption: z.string().max(LONG).optional(),
});
const observation = z
  .tuple([z.string().max(LONG), z.union([ref, z.array(ref).max(100)])])
  .rest(z.unknown());

/** One conversation of the public LoCoMo file (Maharana et al., 2024), as far as it is read. The rest is ignored. */
const sampleSchema = z.object({
  sample_id: z.union([z.string().max(200), z.number()]).optional(),
  conversation: z
    .object({
      speaker_a: z.string().trim().min(1).max(60),
      speaker_b: z.string().trim().min(1).max(60),
    })
    .catchall(z.union([z.string().max(200), z.array(turn).max(TURNS_MAX)])),
  observation: z
    .record(z.string(), z.record(z.string().max(60), z.array(observation).max(TURNS_MAX)))
    .default({}),
  qa: z
    .array(
      z.object({
        question: z.string().trim().min(1).max(LONG),
        evidence: z.array(ref).max(200).default([]),
        category: z.int().min(1).max(5).optional(),
      }),
    )
    .max(QUESTIONS_MAX)
    .default([]),
});
const fileSchema = z.union([z.array(sampleSchema).min(1).max(SAMPLES_MAX), sampleSchema]);

type LocomoSample = z.output<typeof sampleSchema>;
type LocomoSession = ReturnType<typeof sessionsOf>[number];

interface Converted {
  readonly scenario: Scenario;
  /** Questions that could not be taken over, by why. */
  readonly left: { readonly unanswerable: number; readonly withoutNote: number };
}

const DAY_MS = 86_400_000;
const TEXT_CHARS_MAX = 500;
const NAME_CHARS_MAX = 40;
const TURN_SECONDS = 30;
const CHANNEL = "locomo";
const DATE = /^\s*(\d{1,2}:\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+(\p{L}+),?\s+(\d{4})\s*$/iu;

/**
 * Turns a file of the LoCoMo format into scenarios, one a conversation: its observations are given as notes about the
 * speaker, its questions are asked at the end of the history by the one whom they are about. Throws a Fault for what is
 * not of that format. Quotes nothing of the file.
 */
export function fromLocomo(raw: unknown, source: string): Converted[] {
  const parsed = fileSchema.safeParse(raw);
  if (!parsed.success) throw scenarioFault(source, parsed.error.issues.map(problemOf));
  return [parsed.data].flat().map((sample, at) => convert(sample, at, source));
}

function convert(sample: LocomoSample, at: number, source: string): Converted {
  const sessions = sessionsOf(sample, source);
  const [first] = sessions;
  if (first === undefined) {
    throw new Fault(`${source}: conversation ${at} has no session with a date`, {
      code: "usage",
      mend: "the file needs session_1 and session_1_date_time, as in the public one",
    });
  }
  const people = [sample.conversation.speaker_a, sample.conversation.speaker_b].map((name, n) => ({
    login: `speaker_${"ab"[n] ?? n}`,
    name: cutText(cleanLine(name), TEXT_CHARS_MAX) || "someone",
  }));
  const loginOf = (name: string): string =>
    name === sample.conversation.speaker_b ? "speaker_b" : "speaker_a";
  const { facts, questions, left } = locomoFacts(sample, sessions, loginOf);
  const raw = {
    name: nameOf(sample, at),
    about: `Conversation ${at + 1} of a LoCoMo file: ${sessions.length} sessions of two people, ${facts.length} observations as notes.`,
    channel: CHANNEL,
    startsAt: new Date(first.startsAtMs).toISOString(),
    notes: "given",
    pace: "normal",
    asides: 0,
    people,
    sessions: sessions.map(({ startsAtMs, turns }) => ({
      day: Math.max(0, (startsAtMs - first.startsAtMs) / DAY_MS),
      lines: turns.flatMap((said, n) => lineOf(said, n, loginOf)),
    })),
    facts,
    questions,
  };
  return { scenario: toScenario(raw, source), left };
}

function nameOf({ sample_id: id }: LocomoSample, at: number): string {
  const plain = `${id ?? at + 1}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `locomo-${plain.slice(0, NAME_CHARS_MAX) || at + 1}`;
}

function lineOf(
  { speaker, text = "", blip_caption: caption }: LocomoSession["turns"][number],
  n: number,
  loginOf: (name: string) => string,
) {
  const shown = caption === undefined ? text : `${text} (shares a picture: ${caption})`;
  const said = cutText(cleanLine(shown), TEXT_CHARS_MAX);
  return said === "" ? [] : [{ second: n * TURN_SECONDS, by: loginOf(speaker), text: said }];
}

/** In the order of their dates: the file numbers them so, but nothing says it must. */
function sessionsOf({ conversation }: LocomoSample, source: string) {
  const sessions = Object.entries(conversation).flatMap(([key, value]) => {
    const number = Number(/^session_(\d{1,4})$/.exec(key)?.[1]);
    if (Number.isNaN(number) || typeof value === "string") return [];
    const date = conversation[`session_${number}_date_time`];
    const startsAtMs = dateOf(date, `${source}: session_${number}_date_time`);
    return [{ number, startsAtMs, turns: value }];
  });
  if (sessions.length > SESSIONS_MAX)
    throw scenarioFault(source, [`more than ${SESSIONS_MAX} sessions`]);
  return sessions.sort((a, b) => a.startsAtMs - b.startsAtMs || a.number - b.number);
}

/** A date as LoCoMo writes it: `1:56 pm on 8 May, 2023`; taken for UTC. */
function dateOf(written: unknown, where: string): number {
  const [, clock, half, day, month, year] =
    DATE.exec(typeof written === "string" ? written : "") ?? [];
  const atMs = Date.parse(`${day} ${month} ${year} ${clock} ${half}m UTC`);
  if (Number.isNaN(atMs)) throw scenarioFault(where, ["is no date such as 1:56 pm on 8 May, 2023"]);
  return atMs;
}

const FACT_CHARS_MAX = 400;
/** "D1:3; D2:4" stands for two in some files. */
const REFERENCE = /D\d{1,4}:\d{1,5}/g;
/** Asked about what was never said. */
const UNANSWERABLE = 5;

/**
 * The observations as facts, and the questions that need them: for each place of a question's evidence, one of the
 * observations that were made of it. A question whose evidence nobody observed is left out, and counted.
 */
function locomoFacts(
  sample: LocomoSample,
  sessions: readonly LocomoSession[],
  loginOf: (speaker: string) => string,
) {
  const observed = observationsOf(sample, sessions, loginOf);
  const answerable = sample.qa.filter(({ category }) => category !== UNANSWERABLE);
  const questions = answerable.flatMap((asked) => questionOf(asked, observed, sessions.length - 1));
  const left = {
    unanswerable: sample.qa.length - answerable.length,
    withoutNote: answerable.length - questions.length,
  };
  return { facts: observed.map(({ places, ...fact }) => fact), questions, left };
}

/** Each as a fact, with the places of the conversation that it was made of. */
function observationsOf(
  { observation }: LocomoSample,
  sessions: readonly LocomoSession[],
  loginOf: (speaker: string) => string,
) {
  return sessions.flatMap(({ number }, session) =>
    Object.entries(observation[`session_${number}_observation`] ?? {}).flatMap(([speaker, list]) =>
      list.flatMap(([sentence, places], n) => {
        const about = loginOf(speaker);
        const fact = cutText(cleanLine(sentence), FACT_CHARS_MAX);
        const id = `${about}-s${number}-${n}`;
        const note = { kind: "event" };
        return fact === ""
          ? []
          : [{ id, about, session, fact, note, places: referencesIn([places].flat()) }];
      }),
    ),
  );
}

/** Asked by the person whose notes it needs most: nobody is shown another's. */
function questionOf(
  { question, evidence }: LocomoSample["qa"][number],
  observed: ReturnType<typeof observationsOf>,
  session: number,
) {
  const needed = referencesIn(evidence).map((place) =>
    observed.filter(({ places }) => places.includes(place)),
  );
  const count = (login: string) => needed.flat().filter(({ about }) => about === login).length;
  const by = count("speaker_b") > count("speaker_a") ? "speaker_b" : "speaker_a";
  const needs = needed
    .map((facts) => facts.filter(({ about }) => about === by).map(({ id }) => id))
    .filter((ids) => ids.length > 0);
  const text = cutText(cleanLine(question), TEXT_CHARS_MAX);
  return needs.length === 0 ? [] : [{ by, text, needs, sessions: [session] }];
}

function referencesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.match(REFERENCE) ?? []))];
}
