import { z } from "zod";
import { configSchema } from "../../src/config/schema.ts";

const node = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  propertyNames: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
});
type Node = z.output<typeof node>;

const BEGIN = "<!-- keys: npx tsx test/config/write-config-docs.ts -->";
const END = "<!-- end of keys -->";

interface SchemaKey {
  /** Dotted: `llm.caps.callsPerHour`. */
  readonly path: string;
  readonly schema: Node;
}

/** Every key that can be set, in the schema's order. */
export function schemaKeys(): readonly SchemaKey[] {
  return keysOf(node.parse(z.toJSONSchema(configSchema, { io: "input" })), []);
}

function keysOf({ properties = {} }: Node, path: readonly string[]): SchemaKey[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    const [at, schema] = [[...path, name], node.parse(value)];
    return schema.properties === undefined ? [{ path: at.join("."), schema }] : keysOf(schema, at);
  });
}

/** The JSON Schema of config.json for editors, as the text of a file. Draft 7 is the latest that all editors support. */
export function makeConfigJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
  return `${JSON.stringify({ title: "ForgetMeNot configuration", ...schema }, null, 2)}\n`;
}

/** A page with its table of keys generated from the schema. */
export function withKeyTables(page: string): string {
  const [before = "", rest = ""] = page.split(BEGIN);
  const [, after = ""] = rest.split(END);
  const rows = schemaKeys().map(({ path, schema }) => {
    const standard = schema.default === undefined ? "" : code(shortDefault(schema.default));
    return `| \`${path}\` | ${standard} | ${allowed(schema)} | ${schema.description ?? ""} |`;
  });
  const table = ["| key | default | may be | what it does |", "|---|---|---|---|", ...rows];
  return `${before}${BEGIN}\n${table.join("\n")}\n${END}${after}`;
}

const DEFAULT_CHARS_MAX = 80;

function shortDefault(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > DEFAULT_CHARS_MAX && Array.isArray(value)
    ? `${text.slice(0, text.indexOf(","))}, …]`
    : text;
}

function allowed(schema: Node): string {
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((one) => allowed(node.parse(one))).join(" or ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => allowed({ ...schema, type })).join(" or ");
  }
  if (schema.enum !== undefined) return listed(schema.enum);
  if (schema.const !== undefined) return code(String(schema.const));
  switch (schema.type) {
    case "null":
      return code("null");
    case "boolean":
      return `${code("true")}, ${code("false")}`;
    case "integer":
    case "number":
      return range(schema);
    case "string":
      return schema.maxLength === undefined ? "text" : `text (${schema.maxLength})`;
    case "array": {
      const most = schema.maxItems === undefined ? "" : ` (${schema.maxItems})`;
      const item = node.parse(schema.items);
      return `list${most}: ${item.type === "object" ? "objects" : allowed(item)}`;
    }
    default: {
      const { enum: names = [] } = node.parse(schema.propertyNames ?? {});
      return names.length === 0 ? "object" : `object: ${listed(names)}`;
    }
  }
}

function range({ type, minimum = 0, maximum }: Node): string {
  const kind = type === "integer" ? "whole " : "";
  // zod bounds every integer by what a double holds.
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return `${kind}${minimum}${isBounded ? `–${maximum}` : " or more"}`;
}

const LISTED_MAX = 6;

/** Names as code; of a long list the first ones. */
function listed(names: readonly unknown[]): string {
  const shown = names.length > LISTED_MAX ? names.slice(0, 3) : names;
  const text = shown.map((name) => code(String(name))).join(", ");
  return shown.length < names.length ? `${text}, …` : text;
}

function code(text: string): string {
  return `\`${text}\``;
}
