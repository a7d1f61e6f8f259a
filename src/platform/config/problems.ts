import { z } from "zod";
import { nearest } from "../../language/nearest.ts";
import { configSchema } from "./schema.ts";

type Issue = z.core.$ZodIssue;

const SHOWN_VALUE_CHARS = 60;
const SECRET_LIKE = /key|token|secret|password|oauth/i;
/** What tokens and keys look like, and the user part of a URL. Nothing of the kind is ever shown. */
const SECRET_TEXT = /[\w-]{24,}|(?<=oauth:|\/\/)[^/\s"]+(?=@)|(?<=oauth:)[\w-]+/gi;

/** One line for each thing that is wrong with a configuration: the key, what it is and what it should be. */
export function describeProblems(
  issues: readonly Issue[],
  raw: unknown,
  source: string,
): readonly string[] {
  return issues.flatMap((issue) => describe(issue, raw)).map((line) => `${source}: ${line}`);
}

function describe(issue: Issue, raw: unknown): string[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey([...path, key], knownKeys(path)));
  }
  const name = path.join(".") || "the file";
  const value = valueAt(raw, path);
  const is = value === undefined ? "is missing" : `is ${show(value)}`;
  return [`${name} ${is}, should be ${expectation(issue)}`];
}

function unknownKey(path: readonly string[], known: readonly string[]): string {
  const key = path.at(-1) ?? "";
  const name = path.join(".");
  const near = nearest(key, known);
  if (near !== null) return `${hideSecrets(name)} is not a key; did you mean ${near}?`;
  if (SECRET_LIKE.test(key)) {
    return `${hideSecrets(name)} does not belong here: keys and tokens come from the environment or secrets.json`;
  }
  return `${hideSecrets(name)} is not a key; known here: ${known.join(", ")}`;
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? `a ${issue.expected}`;
    case "invalid_value":
      return `${issue.values.length > 1 ? "one of " : ""}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `at least ${issue.minimum}${unit(issue.origin, Number(issue.minimum))}`;
    case "too_big":
      return `at most ${issue.maximum}${unit(issue.origin, Number(issue.maximum))}`;
    case "invalid_union":
      return unionExpectation(issue);
    default:
      return issue.message;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  int: "a whole number",
  array: "a list",
  object: "an object in braces",
  record: "an object in braces",
  boolean: "true or false",
};

function unionExpectation(issue: Extract<Issue, { code: "invalid_union" }>): string {
  const wanted = issue.errors.flatMap((branch) => branch.map(expectation));
  return [...new Set(wanted)].join(", or ");
}

function unit(origin: string, count: number): string {
  if (origin === "string") return count === 1 ? " character" : " characters";
  if (origin !== "array") return "";
  return count === 1 ? " entry" : " entries";
}

function show(value: unknown): string {
  const text = hideSecrets(JSON.stringify(value) ?? String(value));
  return text.length > SHOWN_VALUE_CHARS ? `${text.slice(0, SHOWN_VALUE_CHARS)}…` : text;
}

function hideSecrets(text: string): string {
  return text.replaceAll(SECRET_TEXT, "…");
}

function valueAt(raw: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    raw,
  );
}

function knownKeys(path: readonly string[]): string[] {
  const root: unknown = z.toJSONSchema(configSchema, { io: "input" });
  const schema = path.reduce(schemaInside, root);
  const properties =
    valueAt(schema, ["properties"]) ?? valueAt(schema, ["anyOf", "0", "properties"]);
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** The schema of what stands under `key`: of an object, of a record, of each entry of a list, or of what may be null. */
function schemaInside(schema: unknown, key: string): unknown {
  const places = [
    ["properties", key],
    ["anyOf", "0", "properties", key],
    ["items"],
    ["additionalProperties"],
  ];
  const [found] = places.map((place) => valueAt(schema, place)).filter((value) => Boolean(value));
  return found;
}
