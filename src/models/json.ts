import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { isJsonObject, type JsonObject } from "../config/json-tree.ts";
import { messageOf } from "../errors.ts";
import { withoutThoughts } from "../language/thoughts.ts";

const COMPLAINT_CHARACTERS_MAX = 600;
const ANSWER_CHARACTERS_MAX = 4_000;
const FENCED = /```[a-z]*\s*\n?([\s\S]*?)(?:```|$)/i;

export type ParsedAnswer<T> =
  | { readonly ok: true; readonly value: T }
  /** `complaint` is for the model. It may quote the answer, so never log it. */
  | { readonly ok: false; readonly complaint: string };

/**
 * Reads a model's answer as a value of `schema`. Forgives reasoning, fences, prose and broken JSON around or in it, and
 * one wrapper. Drops items that do not fit, one by one. Fails only if nothing of it is usable. Never throws.
 */
export function parseAnswer<T>(text: string, schema: z.ZodType<T>): ParsedAnswer<T> {
  let complaint: string | null = null;
  for (const read of [readStrictly, readLoosely, readRepaired]) {
    const parsed = read(text);
    if (parsed === undefined) continue;
    for (const value of unwrapped(parsed, schema)) {
      const validated = validate(value, schema);
      if (validated.ok) return validated;
      complaint ??= validated.complaint;
    }
  }
  return { ok: false, complaint: complaint ?? "it is not valid JSON" };
}

/** The tail of the one further question that shows the model what was wrong with its answer. */
export function repairTail(tail: string, answer: string, complaint: string): string {
  const shown = answer.slice(0, ANSWER_CHARACTERS_MAX);
  return `${tail}\n\nYou answered:\n${shown}\n\nThat was not accepted: ${complaint}\nAnswer again, with the JSON only.`;
}

/** Parses JSON text; undefined if it is none. */
function readStrictly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the next reader forgives more
  }
}

/** Finds valid JSON behind reasoning, in a fence or in prose. */
function readLoosely(text: string): unknown {
  const bare = bareAnswer(text);
  return readStrictly(firstBlock(bare) ?? bare);
}

/** Mends broken JSON: quotes, commas, comments, None, a missing end. Undefined if there is no object or array. */
function readRepaired(text: string): unknown {
  const bare = bareAnswer(text);
  const start = bare.search(/[{[]/);
  if (start === -1) return undefined;
  for (const json of [firstBlock(bare), bare.slice(start)]) {
    try {
      if (json !== null) return JSON.parse(jsonrepair(json));
    } catch {
      // Behind the block may stand what makes it whole.
    }
  }
  return undefined;
}

function bareAnswer(text: string): string {
  const said = withoutThoughts(text).trim();
  return (FENCED.exec(said)?.[1] ?? said).trim();
}

/** Strings, with their escapes, and the brackets outside of them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;

/** Returns the text from the first brace or bracket to the one that closes it; null if none does. */
function firstBlock(text: string): string | null {
  const start = text.search(/[{[]/);
  if (start === -1) return null;
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) return text.slice(start, start + index + 1);
  }
  return null;
}

/** The value, then what one wrapper holds: quoted JSON, a list of one, an object's only field, or a bare list. */
function unwrapped(value: unknown, schema: z.ZodType): unknown[] {
  const values = [value];
  if (typeof value === "string") values.push(readLoosely(value) ?? readRepaired(value));
  if (Array.isArray(value) && value.length === 1) values.push(value[0]);
  if (Array.isArray(value) && schema instanceof z.ZodObject) {
    const [name, ...others] = Object.keys(schema.shape);
    if (name !== undefined && others.length === 0) values.push({ [name]: value });
  }
  const inner = isJsonObject(value) ? Object.values(value) : [];
  if (inner.length === 1) {
    const [only] = inner;
    values.push(typeof only === "string" ? readRepaired(only) : only);
  }
  return values.filter((one) => one !== undefined);
}

/** Each round mends every problem that zod names; a missing value may take three. */
const ROUNDS_MAX = 6;

/** Validates a value, and mends or drops what does not fit. A refinement of the caller's may throw. */
function validate<T>(value: unknown, schema: z.ZodType<T>): ParsedAnswer<T> {
  let complaint: string | null = null;
  try {
    const root = { value: structuredClone(value) };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const { success, data, error } = schema.safeParse(root.value);
      if (success && (complaint === null || !isHollow(data))) return { ok: true, value: data };
      if (success) break;
      const lines = error.issues.map(
        ({ path, message }) => `${path.join(".") || "it"}: ${message}`,
      );
      complaint ??= lines.join("; ").slice(0, COMPLAINT_CHARACTERS_MAX);
      if (!mend(root, error.issues)) break;
    }
  } catch (error) {
    complaint ??= messageOf(error).slice(0, COMPLAINT_CHARACTERS_MAX);
  }
  return { ok: false, complaint: complaint ?? "" };
}

/** True if a value holds no text, number or item. */
function isHollow(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isHollow);
  return value === null || value === undefined || value === "";
}

type Holder = Record<PropertyKey, unknown>;

/** Stands for a list item to drop, so that later issues still find theirs by place. */
const DROPPED = Symbol("dropped");

/** Gives each value that does not fit another form, else drops the list item around it. False if one can do neither. */
function mend(root: Holder, issues: readonly z.core.$ZodIssue[]): boolean {
  const lists = new Set<unknown[]>();
  for (const issue of issues) {
    const path = ["value", ...issue.path];
    const key = path.at(-1) ?? "";
    const parent = valueAt(root, path.slice(0, -1));
    if (!isHolder(parent) || parent[key] === DROPPED) continue;
    const item = path.findLastIndex((step) => typeof step === "number");
    const form = otherForm(parent[key], issue, item !== -1);
    if (form !== undefined) {
      parent[key] = form;
      continue;
    }
    const list = valueAt(root, path.slice(0, item));
    if (item === -1 || !Array.isArray(list)) return false;
    list[Number(path[item])] = DROPPED;
    lists.add(list);
  }
  for (const list of lists) list.splice(0, list.length, ...list.filter((one) => one !== DROPPED));
  return true;
}

function isHolder(value: unknown): value is Holder {
  return typeof value === "object" && value !== null;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, step) => (isHolder(value) ? value[step] : undefined), root);
}

/** Another form of a value that does not fit; undefined if there is none. A missing one is null first, then empty. */
function otherForm(value: unknown, issue: z.core.$ZodIssue, isInItem: boolean): unknown {
  if (value === undefined) return null;
  switch (issue.code) {
    case "unrecognized_keys":
      return Object.fromEntries(
        Object.entries(value ?? {}).filter(([name]) => !issue.keys.includes(name)),
      );
    case "too_big":
      return Array.isArray(value) ? value.slice(0, Number(issue.maximum)) : undefined;
    case "invalid_value": {
      const word = String(value).trim().toLowerCase();
      return issue.values.find((one) => one !== value && String(one).toLowerCase() === word);
    }
    case "invalid_type":
      return value === null && isInItem && issue.expected === "string"
        ? undefined
        : FORMS[issue.expected]?.(value);
    default:
      return undefined;
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  false: false,
  no: false,
};

const numberOf = (value: unknown) =>
  typeof value === "string" && /^-?\d{1,15}(\.\d{1,9})?$/.test(value.trim())
    ? Number(value)
    : undefined;

/** How a value becomes what zod expected. */
const FORMS: Readonly<Record<string, (value: unknown) => unknown>> = {
  array: (value) => (value === null ? [] : [value]),
  string: (value) =>
    value === null || typeof value === "number" ? String(value ?? "") : undefined,
  boolean: (value) => BOOLEANS[String(value).toLowerCase()],
  number: numberOf,
  int: numberOf,
};

export type JsonSchema = JsonObject;

/** What both providers read of JSON Schema; Gemini's list for `responseJsonSchema`, less references. */
const PLAIN_KEYWORDS = new Set([
  "type",
  "title",
  "description",
  "format",
  "enum",
  "required",
  "minItems",
  "maxItems",
]);
const BOUNDS = new Set(["minimum", "maximum"]);

/**
 * A zod schema as the JSON Schema that providers take: required fields in their declared order, objects closed,
 * and only keywords they know, since others are refused. What it leaves out, zod still checks in the answer.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" }));
}

/** Tells a model in words what a provider without schemas cannot tell it. */
export function schemaInWords(shape: JsonSchema): string {
  return `\n\nAnswer with one JSON value and nothing else. It must match this JSON Schema:\n${JSON.stringify(shape)}`;
}

function plain(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([keyword, value]) =>
    plainKeyword(keyword, value),
  );
  return Object.fromEntries(entries);
}

function plainKeyword(keyword: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (PLAIN_KEYWORDS.has(keyword)) return [[keyword, value]];
  // zod bounds every integer by what a double holds; that bound says nothing.
  if (BOUNDS.has(keyword)) return isTelling(value) ? [[keyword, value]] : [];
  if (keyword === "const") return [["enum", [value]]];
  if (keyword === "anyOf" || keyword === "oneOf") return [["anyOf", plainAll(value)]];
  if (keyword === "prefixItems") return [["prefixItems", plainAll(value)]];
  if (!isJsonObject(value)) return [];
  if (keyword === "items") return [["items", plain(value)]];
  if (keyword !== "properties") return [];
  return [
    ["properties", plainProperties(value)],
    ["additionalProperties", false],
  ];
}

function plainAll(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject).map(plain) : [];
}

function plainProperties(properties: JsonSchema): JsonSchema {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isJsonObject(value) ? plain(value) : {}]),
  );
}

function isTelling(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}
