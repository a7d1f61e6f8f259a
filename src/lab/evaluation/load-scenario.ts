import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { Fault, messageOf } from "../../errors.ts";
import { nearest } from "../../language/nearest.ts";
import { type Scenario, scenarioSchema } from "./scenario.ts";

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
  if (!parsed.success) throw refusal(source, parsed.error.issues.map(problemOf));
  const problems = looseEnds(parsed.data);
  if (problems.length > 0) throw refusal(source, problems);
  return parsed.data;
}

/** Reads a JSON file of a size that can be looked at. Throws a Fault. Quotes nothing of it. */
export function readJsonFile(file: string): unknown {
  try {
    const { size } = statSync(file);
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX >> 20} MB`);
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    const what = cause instanceof SyntaxError ? "it is not valid JSON" : messageOf(cause);
    throw new Fault(`${file}: cannot be read (${what})`, { code: "usage", mend: MEND, cause });
  }
}

/** A Fault that names the first problems, a line each. */
export function refusal(source: string, problems: readonly string[]): Fault {
  const shown = problems.slice(0, PROBLEMS_MAX).map((problem) => `${source}: ${problem}`);
  const more = problems.length - shown.length;
  const lines = more > 0 ? [...shown, `${source}: and ${more} more`] : shown;
  return new Fault(lines.join("\n"), { code: "usage", mend: MEND });
}

/** Where in a file the problem is, and which; without what stands there. */
export function problemOf({ path, message }: z.core.$ZodIssue): string {
  return `${path.map(String).join(".") || "the file"}: ${message}`;
}

function looseEnds(scenario: Scenario): string[] {
  const { sessions, facts, questions } = scenario;
  const people = new Set(scenario.people.map(({ login }) => login));
  const ids = new Set(facts.map(({ id }) => id));
  const places = [
    ...facts.flatMap((fact) =>
      [fact.session, ...fact.again].map((at) => [`fact ${fact.id}`, at] as const),
    ),
    ...questions.flatMap((asked, n) => asked.sessions.map((at) => [`question ${n}`, at] as const)),
  ];
  const named = [
    ...facts
      .filter(({ about }) => about !== "channel")
      .map((fact) => [`fact ${fact.id}`, fact.about] as const),
    ...questions.map(({ by }, n) => [`question ${n}`, by] as const),
    ...sessions.flatMap(({ lines }, n) => lines.map(({ by }) => [`session ${n}`, by] as const)),
  ];
  const needed = [
    ...questions.flatMap(({ needs }, n) =>
      needs.flat().map((need) => [`question ${n}`, need] as const),
    ),
    ...facts.flatMap(({ id, replaces }) =>
      replaces === undefined ? [] : [[`fact ${id}`, replaces] as const],
    ),
  ];
  return [
    ...(people.size < scenario.people.length ? ["people: a login stands there twice"] : []),
    ...(ids.size < facts.length ? ["facts: an id stands there twice"] : []),
    ...named.filter(([, who]) => !people.has(who)).map(([at]) => `${at}: names nobody of people`),
    ...places
      .filter(([, at]) => at >= sessions.length)
      .map(([at]) => `${at}: names a session that is not there`),
    ...needed
      .filter(([, need]) => !ids.has(need))
      .map(([at]) => `${at}: names a fact that is not there`),
    ...disorder(scenario),
  ];
}

function disorder({ sessions, chatter, facts, questions }: Scenario): string[] {
  const toldIn = new Map(facts.map(({ id, session }) => [id, session]));
  const early = questions.flatMap(({ needs, sessions: asked }, n) =>
    needs.flat().some((id) => (toldIn.get(id) ?? 0) > Math.min(...asked)) ? [n] : [],
  );
  const late = sessions.findIndex(({ day }, n) => day < (sessions[n - 1]?.day ?? 0));
  const isMute =
    chatter.length === 0 &&
    sessions.some(({ crowds }) => crowds.some(({ lines }) => lines === undefined));
  return [
    ...(late < 0 ? [] : [`session ${late}: begins before the one before it`]),
    ...(isMute ? ["chatter: a crowd has nothing to say"] : []),
    ...early.map((n) => `question ${n}: is asked before what it needs was told`),
  ];
}
