import { readdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { Fault, messageOf } from "../../errors.ts";
import { nearest } from "../../language/nearest.ts";
import { IMPORTANCES } from "../../memory/note-prompt.ts";
import { PACES } from "../../memory/recall/weigh.ts";
import { NOTE_KINDS } from "../../platform/config/names.ts";
import { readText } from "../../platform/config/private-file.ts";

const SESSIONS_MAX = 200;
const LINES_MAX = 20_000;
const PEOPLE_MAX = 2_000;
const FACTS_MAX = 20_000;
const QUESTIONS_MAX = 10_000;
const SESSION_SECONDS_MAX = 43_200;
const PER_MINUTE_MAX = 2_000;
const TEXT_CHARS_MAX = 500;

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, "small letters, digits and dashes");
const id = z.string().regex(/^[\w.:-]{1,80}$/, "letters, digits and any of _ . : -");
const login = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9_]{1,25}$/, "a Twitch login: 1 to 25 letters, digits or underscores");
const text = z.string().trim().min(1).max(TEXT_CHARS_MAX);
const word = z.string().trim().min(1).max(80);
const second = z.number().min(0).max(SESSION_SECONDS_MAX);
const session = z
  .int()
  .min(0)
  .max(SESSIONS_MAX - 1);
const pace = z.enum(PACES);

const person = z.strictObject({
  login,
  name: z.string().trim().min(1).max(60).describe("How the name is written in chat."),
  role: z
    .enum(["streamer", "moderator", "vip", "viewer"])
    .default("viewer")
    .describe("Who this is in the channel."),
});

const line = z.strictObject({
  second: second
    .optional()
    .describe("Since the session began; 8 s after the line before if left out."),
  by: login.describe("Login of one of the people."),
  text: text.describe("What they write."),
});

const crowd = z
  .strictObject({
    from: second.describe("Second of the session at which it begins."),
    to: second.describe("Second at which it ends."),
    perMinute: z.number().positive().max(PER_MINUTE_MAX).describe("Messages a minute."),
    people: z.int().min(1).max(PEOPLE_MAX).describe("How many people there are in it."),
    lines: z
      .array(text)
      .min(1)
      .max(500)
      .optional()
      .describe("What they write, in place of `chatter`."),
  })
  .describe("Background chat: nobody's in particular, the same in every run.");

const sessions = z.strictObject({
  day: z.number().min(0).max(3_650).describe("Days since the first session, parts of one too."),
  title: z.string().trim().max(140).default("").describe("Title of the stream."),
  category: z.string().trim().max(140).default("").describe("What is played."),
  lines: z.array(line).max(LINES_MAX).default([]).describe("What is written, in order."),
  crowds: z.array(crowd).max(50).default([]).describe("Background chat beside it."),
});

const note = z
  .strictObject({
    kind: z.enum(NOTE_KINDS),
    importance: z.enum(IMPORTANCES).default("medium"),
    topics: z.array(z.string().trim().min(1).max(40)).max(3).default([]),
    confidence: z.number().min(0.4).max(1).default(0.8),
  })
  .describe("The fact as a note, given in its session: so that ranking can be measured alone.");

const fact = z.strictObject({
  id,
  about: z.union([z.literal("channel"), login]).describe('Login of its subject, or "channel".'),
  session: session.describe("In which session it is told, or given. The first is 0."),
  fact: z.string().trim().min(1).max(400).describe("One sentence without its subject."),
  words: z
    .array(z.array(word).min(1).max(20))
    .max(8)
    .optional()
    .describe(
      "By what it is recognised in a claim, a note or a summary: one word of each group. Without them, by three in five of the words of `fact`.",
    ),
  without: z.array(word).max(20).default([]).describe("Words that must not stand there."),
  note: note.optional(),
  again: z
    .array(session)
    .max(SESSIONS_MAX)
    .default([])
    .describe("Sessions that confirm a given note."),
  replaces: id.optional().describe("The fact that is no longer true once this one is told."),
});

const question = z.strictObject({
  by: login.describe("Who asks the bot."),
  text: text.describe("What they write, without the bot's name."),
  needs: z
    .array(z.union([id, z.array(id).min(1).max(50)]))
    .min(1)
    .max(20)
    .describe("Ids of the facts it needs; of those in a list one is enough."),
  sessions: z
    .array(session)
    .min(1)
    .max(SESSIONS_MAX)
    .describe("The sessions in which it is asked."),
  second: second.optional().describe("When; after the last line of the session if left out."),
});

const answer = z
  .strictObject({
    purpose: z.enum(["reply", "summarise", "extract", "rerank"]),
    when: word.optional().describe("Serves only where the prompt holds this text."),
    text: z.string().max(4_000).optional().describe("The answer of a reply."),
    json: z.unknown().optional().describe("The answer of every other purpose."),
    again: z.boolean().default(false).describe("Whether it serves more than once."),
  })
  .describe("One answer of the scripted model. The first one that fits serves.");

/** What a scenario file may hold. Read `docs/evaluation.md` for what it means. */
const scenarioSchema = z.strictObject({
  $schema: z.string().optional(),
  name,
  about: z.string().trim().min(1).max(1_000).describe("What it shows, in plain words."),
  channel: login,
  startsAt: z.iso
    .datetime()
    .default("2027-01-05T18:00:00Z")
    .describe("When the first session begins."),
  notes: z
    .enum(["given", "made", "both"])
    .describe("Where notes come from: the facts that carry one, the memory at work, or both."),
  pace: pace
    .optional()
    .describe("The pace of chat at which every question is asked; as it is if left out."),
  asides: z
    .int()
    .min(0)
    .max(20)
    .default(5)
    .describe("Lines of small talk by the asker before each question that names no second."),
  people: z.array(person).min(1).max(PEOPLE_MAX),
  chatter: z.array(text).max(2_000).default([]).describe("Small talk, for crowds and asides."),
  sessions: z.array(sessions).min(1).max(SESSIONS_MAX),
  facts: z.array(fact).max(FACTS_MAX),
  questions: z.array(question).max(QUESTIONS_MAX),
  answers: z.array(answer).max(10_000).default([]).describe("For the scripted model."),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioFact = Scenario["facts"][number];
export type ScenarioQuestion = Scenario["questions"][number];

/** What a scenario file may hold, as the text of a JSON Schema file for editors. Draft 7, the latest that all know. */
export function scenarioJsonSchema(): string {
  const schema = z.toJSONSchema(scenarioSchema, { io: "input", target: "draft-7" });
  return `${JSON.stringify({ title: "ForgetMeNot scenario", ...schema }, null, 2)}\n`;
}

/** Beside `schema.sql`: at the same place from `src` and from `dist`. */
const SHIPPED = new URL("../../../src/lab/evaluation/scenarios/", import.meta.url);
const FILE_BYTES_MAX = 64 * 1024 * 1024;
const PROBLEMS_MAX = 20;
const MEND = "see docs/evaluation.md for what a scenario may hold";

/** The names of the scenarios that come with the program, in order. */
export function shippedScenarios(): string[] {
  return readdirSync(SHIPPED)
    .filter((file) => file.endsWith(".json"))
    .map((file) => basename(file, ".json"))
    .sort();
}

/**
 * Reads a scenario: one of those shipped by its name, any other by its path. Throws a Fault for a file that is not
 * there, too large, no JSON, or no scenario, with every problem (of the first twenty) on a line of its own.
 */
export function loadScenario(nameOrFile: string): Scenario {
  const shipped = shippedScenarios();
  if (shipped.includes(nameOrFile)) {
    return toScenario(
      readJsonFile(fileURLToPath(new URL(`${nameOrFile}.json`, SHIPPED))),
      nameOrFile,
    );
  }
  if (/[./\\]/.test(nameOrFile)) return toScenario(readJsonFile(nameOrFile), nameOrFile);
  const near = nearest(nameOrFile, shipped);
  throw new Fault(`there is no scenario "${nameOrFile}"`, {
    code: "usage",
    mend: `${near === null ? "" : `did you mean ${near}? `}Shipped are ${shipped.join(", ")}; for a file, name its path`,
  });
}

/** Holds a value against the schema, then its references against one another. `source` names it in a Fault. */
export function toScenario(raw: unknown, source: string): Scenario {
  const parsed = scenarioSchema.safeParse(raw);
  if (!parsed.success) throw scenarioFault(source, parsed.error.issues.map(problemOf));
  const problems = looseEnds(parsed.data);
  if (problems.length > 0) throw scenarioFault(source, problems);
  return parsed.data;
}

/** Reads a JSON file of a size that can be looked at. Throws a Fault. Quotes nothing of it. */
export function readJsonFile(file: string): unknown {
  try {
    const { size } = statSync(file);
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX >> 20} MB`);
    return JSON.parse(readText(file).replace(/^\uFEFF/, ""));
  } catch (cause) {
    const what = cause instanceof SyntaxError ? "it is not valid JSON" : messageOf(cause);
    throw new Fault(`${file}: cannot be read (${what})`, { code: "usage", mend: MEND, cause });
  }
}

/** A Fault that names the first problems, a line each. */
export function scenarioFault(source: string, problems: readonly string[]): Fault {
  const shown = problems.slice(0, PROBLEMS_MAX).map((problem) => `${source}: ${problem}`);
  const more = problems.length - shown.length;
  const lines = more > 0 ? [...shown, `${source}: and ${more} more`] : shown;
  return new Fault(lines.join("\n"), { code: "usage", mend: MEND });
}

/** Where in a file the problem is, and which; without what stands there. */
export function problemOf({ path, message }: z.core.$ZodIssue): string {
  return `${path.map(String).join(".") || "the file"}: ${message}`;
}

/** What in a scenario of the right shape refers to nothing, or cannot happen in its order. */
function looseEnds({ people, sessions, facts, questions, chatter }: Scenario): string[] {
  const logins = new Set(people.map(({ login }) => login));
  const toldIn = new Map(facts.map(({ id, session }) => [id, session]));
  const problems = new Set<string>();
  const must = (holds: boolean, problem: string): void => {
    if (!holds) problems.add(problem);
  };
  const isSession = (at: number): boolean => at < sessions.length;
  must(logins.size === people.length, "people: a login stands there twice");
  must(toldIn.size === facts.length, "facts: an id stands there twice");
  for (const { id, about, session, again, replaces } of facts) {
    const where = `fact ${id}: names`;
    must(about === "channel" || logins.has(about), `${where} nobody of people`);
    must([session, ...again].every(isSession), `${where} a session that is not there`);
    must(replaces === undefined || toldIn.has(replaces), `${where} a fact that is not there`);
  }
  for (const [n, { by, needs, sessions: asked }] of questions.entries()) {
    const where = `question ${n}:`;
    const told = needs.flat().map((id) => toldIn.get(id));
    must(logins.has(by), `${where} names nobody of people`);
    must(asked.every(isSession), `${where} names a session that is not there`);
    must(!told.includes(undefined), `${where} names a fact that is not there`);
    const isEarly = told.some((session = 0) => session > Math.min(...asked));
    must(!isEarly, `${where} is asked before what it needs was told`);
  }
  for (const [n, { day, lines, crowds }] of sessions.entries()) {
    const isMute = chatter.length === 0 && crowds.some((crowd) => crowd.lines === undefined);
    must(
      lines.every(({ by }) => logins.has(by)),
      `session ${n}: names nobody of people`,
    );
    must(day >= (sessions[n - 1]?.day ?? 0), `session ${n}: begins before the one before it`);
    must(!isMute, "chatter: a crowd has nothing to say");
  }
  return [...problems];
}
