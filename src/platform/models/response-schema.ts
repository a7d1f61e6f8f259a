import { z } from "zod";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

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
  if (!isSchema(value)) return [];
  if (keyword === "items") return [["items", plain(value)]];
  if (keyword !== "properties") return [];
  return [
    ["properties", plainProperties(value)],
    ["additionalProperties", false],
  ];
}

function plainAll(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema).map(plain) : [];
}

function plainProperties(properties: JsonSchema): JsonSchema {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isSchema(value) ? plain(value) : {}]),
  );
}

function isTelling(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
