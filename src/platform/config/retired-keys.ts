import { z } from "zod";
import { isJsonObject, leavesOf, withoutPath } from "./json-tree.ts";
import { configSchema } from "./schema.ts";

/** Keys that an earlier edition knew. Where the schema no longer has one, it is accepted, does nothing, and is told. */
const RETIRED = [
  "actions.autonomy",
  "memory.trial",
  "memory.caps.perChannelAndHour",
  "memory.caps.perViewerAndStream",
];
/** Defaults that have moved. A file that has the earlier one never chose it: it came from an example or a form. */
const EARLIER_DEFAULTS: readonly (readonly [path: string, value: number])[] = [
  ["memory.recall.lexicalWeight", 2],
  ["memory.recall.newestPlaces", 3],
  ["memory.recall.scales.running_bit", 7],
];

/** A configuration without what only an earlier edition knew, and the names of the keys that were there. */
export function withoutRetired(raw: unknown): {
  readonly raw: unknown;
  readonly retired: readonly string[];
} {
  if (!isJsonObject(raw)) return { raw, retired: [] };
  const retired = RETIRED.filter((path) => valueAt(raw, path) !== undefined && !isKey(path));
  const outdated = EARLIER_DEFAULTS.filter(
    ([path, value]) => valueAt(raw, path) === value && defaultOf(path) !== value,
  ).map(([path]) => path);
  return { raw: [...retired, ...outdated].reduce(withoutPath, raw), retired };
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((inside, key) => (isJsonObject(inside) ? inside[key] : undefined), value);
}

function isKey(path: string): boolean {
  const schema: unknown = z.toJSONSchema(configSchema, { io: "input" });
  const inside = path.split(".").reduce<unknown>((node, key) => {
    const branches = isJsonObject(node) && Array.isArray(node["anyOf"]) ? node["anyOf"] : [node];
    const [found] = branches
      .map((branch) => valueAt(branch, `properties.${key}`))
      .filter((child) => child !== undefined);
    return found;
  }, schema);
  return inside !== undefined;
}

function defaultOf(path: string): unknown {
  return leavesOf(configSchema.parse({ channel: "x" })).get(path);
}
