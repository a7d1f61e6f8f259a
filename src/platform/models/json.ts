import { z } from "zod";
import { messageOf } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "../config/json-tree.ts";

const COMPLAINT_CHARACTERS_MAX = 600;
const ANSWER_CHARACTERS_MAX = 4_000;
const FENCED = /```[a-z]*\s*\n?([\s\S]*?)```/i;

export type ParsedAnswer<T> =
  | { readonly ok: true; readonly value: T }
  /** `complaint` is for the model: it may quote the answer, so it goes into no log. */
  | { readonly ok: false; readonly complaint: string };

/**
 * A model's answer as the object it should be. Forgives thinking before it, a code fence around it and prose around
 * it; does not mend broken JSON. Never throws.
 */
export function parseAnswer<T>(text: string, schema: z.ZodType<T>): ParsedAnswer<T> {
  const candidates = [() => text, () => fenced(text), () => firstObject(withoutThinking(text))];
  for (const candidate of candidates) {
    const json = candidate();
    if (json === null) continue;
    const parsed = tryParse(json);
    if (parsed !== undefined) return validate(parsed, schema);
  }
  return { ok: false, complaint: "it is not valid JSON" };
}

/** What a model said without what it thought: `<think>` blocks, also one never opened or never closed. */
export function withoutThinking(text: string): string {
  const said = text.split("</think>").at(-1) ?? "";
  return (said.split("<think>")[0] ?? "").trim();
}

/** The tail of the one further question that shows the model what was wrong with its answer. */
export function repairTail(tail: string, answer: string, complaint: string): string {
  const shown = answer.slice(0, ANSWER_CHARACTERS_MAX);
  return `${tail}\n\nYou answered:\n${shown}\n\nThat was not accepted: ${complaint}\nAnswer again, with the JSON only.`;
}

function fenced(text: string): string | null {
  return FENCED.exec(withoutThinking(text))?.[1] ?? null;
}

/** Strings, with their escapes, and the brackets outside of them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;

/** From the first brace or bracket to the one that closes it. */
function firstObject(text: string): string | null {
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

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A refinement or transform of the caller's may throw: to the model that is one more complaint. */
function validate<T>(value: unknown, schema: z.ZodType<T>): ParsedAnswer<T> {
  try {
    const result = schema.safeParse(value);
    if (result.success) return { ok: true, value: result.data };
    const lines = result.error.issues.map(
      (issue) => `${issue.path.join(".") || "it"}: ${issue.message}`,
    );
    return { ok: false, complaint: lines.join("; ").slice(0, COMPLAINT_CHARACTERS_MAX) };
  } catch (error) {
    return { ok: false, complaint: messageOf(error).slice(0, COMPLAINT_CHARACTERS_MAX) };
  }
}

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
