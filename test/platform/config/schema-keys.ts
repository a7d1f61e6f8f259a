import { z } from "zod";
import { configSchema } from "../../../src/platform/config/schema.ts";

export interface SchemaKey {
  /** Dotted: `llm.caps.callsPerHour`. */
  readonly path: string;
  /** Undefined for a key that has none. */
  readonly defaultValue: unknown;
  /** Every bound and choice, as the schema writes them. */
  readonly bounds: readonly string[];
}

const node = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
});

/** Every key that can be set, in the schema's order. */
export function schemaKeys(): readonly SchemaKey[] {
  return keysOf(z.toJSONSchema(configSchema, { io: "input" }), []);
}

function keysOf(schema: unknown, path: readonly string[]): SchemaKey[] {
  const { properties = {} } = node.parse(schema);
  return Object.entries(properties).flatMap(([name, value]) => {
    const at = [...path, name];
    const child = node.parse(value);
    if (child.properties !== undefined) return keysOf(child, at);
    return [{ path: at.join("."), defaultValue: child["default"], bounds: boundsOf(child) }];
  });
}

function boundsOf(schema: unknown): string[] {
  const { anyOf = [], items, ...own } = node.parse(schema);
  const lengths = own.maxLength === undefined ? [] : [own.minLength, own.maxLength];
  const numbers = [own.minimum, own.maximum, ...lengths, own.minItems, own.maxItems];
  return [
    ...(own.enum ?? []).map(String),
    ...(own.const === undefined ? [] : [String(own.const)]),
    // zod bounds every integer by what a double holds.
    ...numbers
      .filter((bound) => bound !== undefined && bound < Number.MAX_SAFE_INTEGER)
      .map(String),
    ...anyOf.flatMap(boundsOf),
    ...(items === undefined ? [] : boundsOf(items)),
  ];
}
