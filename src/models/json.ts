import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { isJsonObject, type JsonObject } from "../config/json-tree.ts";
import { getMessage } from "../errors.ts";
import { removeThoughts } from "../language/thoughts.ts";

const COMPLAINT_CHARACTERS_MAX = 600;
const ANSWER_CHARACTERS_MAX = 4_000;
export type ParsedAnswer<T> =
  | { readonly ok: true; readonly value: T }
  /** `complaint` is for the model. It may quote the answer: never log it. */
  | { readonly ok: false; readonly complaint: string };

/**
 * Parses a model's answer as a value of `schema`. Tolerates reasoning, fences, prose, broken JSON and wrappers. Drops
 * list items that do not fit. Fails if a value outside a list cannot be fixed, or if that leaves only empty fields.
 */
export function parseAnswer<T>(text: string, schema: z.ZodType<T>): ParsedAnswer<T> {
  let complaint: string | null = null;
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const values = [text, ...findJsonTexts(text)].flatMap((one) =>
    collectValues(readJson(one), names),
  );
  const countFields = (value: unknown) =>
    isJsonObject(value) ? names.filter((name) => Object.hasOwn(value, name)).length : 0;
  // The value with the most fields of the schema is the answer.
  const found = values.map((value) => ({ value, fields: countFields(value) }));
  for (const { value } of found.toSorted((a, b) => b.fields - a.fields)) {
    const validated = validate(value, schema);
    if (validated.ok) return validated;
    complaint ??= validated.complaint;
  }
  return { ok: false, complaint: complaint ?? "it is not valid JSON" };
}

/** Returns the tail of a second question: `tail`, the first 4,000 characters of the answer, and its problem. */
export function repairTail(tail: string, answer: string, complaint: string): string {
  const shown = answer.slice(0, ANSWER_CHARACTERS_MAX);
  return `${tail}\n\nYou answered:\n${shown}\n\nThat was not accepted: ${complaint}\nAnswer again, with the JSON only.`;
}

/** The most fences, and the most blocks in each: drafts, examples in the reasoning, the answer. */
const TEXTS_MAX = 12;
const FENCED = /(?:```|~~~)[a-z]*\s*\n?([\s\S]*?)(?:```|~~~|$)/gi;
/** Matches strings, with their escapes, and brackets. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;

/** Finds the parts of an answer that may be JSON: from a bracket to its end, in fences first. Ignores its reasoning. */
function findJsonTexts(text: string): string[] {
  const said = removeThoughts(text).trim();
  const fenced = [...said.matchAll(FENCED)].slice(0, TEXTS_MAX).map(([, inner = ""]) => inner);
  const texts: string[] = [];
  for (const part of [...fenced, said]) {
    let at = part.search(/[{[]/);
    for (let n = 0; at !== -1 && n < TEXTS_MAX; n += 1) {
      const end = endOfBlock(part, at);
      texts.push(part.slice(at, end ?? undefined));
      const next = part.slice(end ?? at + 1).search(/[{[]/);
      at = next === -1 ? -1 : (end ?? at + 1) + next;
    }
    // A block that ends too early is whole only with the text after it.
    const start = part.search(/[{[]/);
    if (start !== -1) texts.push(part.slice(start));
  }
  return texts;
}

/** Returns the index after the bracket that closes the one at `start`; null if none does. */
function endOfBlock(text: string, start: number): number | null {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) return start + index + 1;
  }
  return null;
}

/** Parses JSON; if that fails, repairs an object or list and tries again. Returns undefined if that fails too. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Repaired below, if it looks like an object or array.
  }
  if (!/^\s*[{[]/.test(text)) return undefined;
  const quoted = text.includes('"') ? text : text.replace(/[„“”«»]/g, '"');
  const plain = quoted
    .replace(/^\s*#.*$/gm, "")
    .replace(/(?<=["\]}])\s*[：，]/g, (mark) => (mark.endsWith("：") ? ":" : ","))
    .replace(/\*\*("\w+")(:?)\*\*/g, "$1$2");
  try {
    return JSON.parse(jsonrepair(plain));
  } catch {
    return undefined; // another part of the answer may be whole
  }
}

const WRAPPERS_MAX = 4;
const VALUES_MAX = 60;

/**
 * Collects a value and the values up to four levels inside it, also in quoted JSON, outermost first. If `fields` has
 * one name, also adds each list as an object with that field. Goes no deeper after 60 values.
 */
function collectValues(root: unknown, fields: readonly string[]): unknown[] {
  const values: unknown[] = [];
  let level: unknown[] = root === undefined ? [] : [root];
  for (let depth = 0; depth <= WRAPPERS_MAX && values.length < VALUES_MAX; depth += 1) {
    for (const value of level) {
      values.push(value);
      // A bare list is the only field of its object.
      const [name = ""] = fields;
      if (Array.isArray(value) && fields.length === 1) values.push({ [name]: value });
    }
    const inner = level.flatMap((value) => {
      if (typeof value === "string") return [readJson(value)];
      return isHolder(value) ? Object.values(value) : [];
    });
    level = inner.filter((one) => one != null).slice(0, VALUES_MAX);
  }
  return values;
}

/** The most rounds of fixes. Each fixes every problem that zod names; a missing value may take three. */
const ROUNDS_MAX = 6;

/**
 * Validates a value. Fixes or drops the parts that do not fit. Fails if that is impossible or leaves only empty fields,
 * or if a refinement of the caller throws.
 */
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
      if (!fixIssues(root, error.issues)) break;
    }
  } catch (error) {
    complaint ??= getMessage(error).slice(0, COMPLAINT_CHARACTERS_MAX);
  }
  return { ok: false, complaint: complaint ?? "" };
}

/** True if a value holds, at any depth, no number, no boolean and no text except "". */
function isHollow(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isHollow);
  return value === null || value === undefined || value === "";
}

type Holder = Record<PropertyKey, unknown>;

/** Marks a list item to drop, so that later items keep their places until the end of a round. */
const DROPPED = Symbol("dropped");

/**
 * Fixes issues in place: takes the value of a field with a similar name, converts a value, or drops its list item.
 * Returns false if one cannot be fixed.
 */
function fixIssues(root: Holder, issues: readonly z.core.$ZodIssue[]): boolean {
  const lists = new Set<unknown[]>();
  for (const issue of issues) {
    const path = ["value", ...issue.path];
    const key = path.at(-1) ?? "";
    const parent = readPath(root, path.slice(0, -1));
    if (!isHolder(parent) || parent[key] === DROPPED) continue;
    const similar = parent[key] === undefined ? findSimilarName(parent, key) : undefined;
    if (similar !== undefined) {
      parent[key] = parent[similar];
      delete parent[similar];
      continue;
    }
    const item = path.findLastIndex((step) => typeof step === "number");
    const form = convert(parent[key], issue, item !== -1);
    if (form !== undefined) {
      parent[key] = form;
      continue;
    }
    const list = readPath(root, path.slice(0, item));
    if (item === -1 || !Array.isArray(list)) return false;
    list[Number(path[item])] = DROPPED;
    lists.add(list);
  }
  for (const list of lists) list.splice(0, list.length, ...list.filter((one) => one !== DROPPED));
  return true;
}

/** Finds a field whose name differs only in case and punctuation (`Topic`, `about-bot`); undefined if there is none. */
function findSimilarName(parent: Holder, key: PropertyKey): string | undefined {
  const bare = (name: PropertyKey) =>
    String(name)
      .replace(/[^\p{L}\d]/gu, "")
      .toLowerCase();
  return Object.keys(parent).find((name) => bare(name) === bare(key));
}

function isHolder(value: unknown): value is Holder {
  return typeof value === "object" && value !== null;
}

function readPath(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, step) => (isHolder(value) ? value[step] : undefined), root);
}

/**
 * Converts a value that does not fit; undefined if that is impossible. A missing value becomes null. In the next round,
 * null becomes an empty list or text, but no text inside a list item.
 */
function convert(value: unknown, issue: z.core.$ZodIssue, isInItem: boolean): unknown {
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
        : CONVERTERS[issue.expected]?.(value);
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

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const numberOf = (value: unknown) =>
  typeof value === "string" && /^-?\d{1,15}(\.\d{1,9})?$/.test(value.trim())
    ? Number(value)
    : undefined;

/** Functions by the type that zod expected: each returns its value in this type, or undefined. */
const CONVERTERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  array: (value) => {
    if (value === null) return [];
    // A list whose items were numbered.
    const items = isJsonObject(value) ? Object.values(value) : [];
    return items.length > 0 && items.every(isJsonObject) ? items : [value];
  },
  string: (value) => {
    if (value === null || typeof value === "number") return String(value ?? "");
    return isTexts(value) ? value.join(" ") : undefined;
  },
  boolean: (value) => BOOLEANS[String(value).toLowerCase()],
  number: numberOf,
  int: numberOf,
};

export type JsonSchema = JsonObject;

/** Gemini's keywords for `responseJsonSchema`, without references. OpenAI knows them too. */
const KEYWORDS = new Set(
  (
    "type title description format enum required minItems maxItems minimum maximum " +
    "anyOf items prefixItems properties additionalProperties"
  ).split(" "),
);

/** Converts a zod schema to the JSON Schema that providers accept: closed objects, and only keywords that they know. */
export function toPlainSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    ...{ io: "input", unrepresentable: "any", reused: "inline" },
    override: ({ jsonSchema: node }) => {
      if (node.const !== undefined) node.enum = [node.const as string];
      if (node.oneOf !== undefined) node.anyOf = node.oneOf;
      if (node.properties !== undefined) node.additionalProperties = false;
      // zod bounds every integer by the range of a double.
      if (Number(node.minimum) <= Number.MIN_SAFE_INTEGER) delete node.minimum;
      if (Number(node.maximum) >= Number.MAX_SAFE_INTEGER) delete node.maximum;
      for (const key of Object.keys(node)) if (!KEYWORDS.has(key)) delete node[key];
    },
  });
  return plain;
}

/** Returns a schema as a text to append to a prompt, for providers that take no schema. */
export function describeSchema(shape: JsonSchema): string {
  return `\n\nAnswer with one JSON value and nothing else. It must match this JSON Schema:\n${JSON.stringify(shape)}`;
}
