import { z } from "zod";
import { isJsonObject, leavesOf, withoutPath } from "./json-tree.ts";
import { MOVED_RECALL_DEFAULTS } from "./recall-schema.ts";
import { configSchema } from "./schema.ts";

/** Keys that an earlier edition knew. Where the schema no longer has one, it is accepted, does nothing, and is told. */
const RETIRED = [
  "actions.autonomy",
  "memory.trial",
  "memory.caps.perChannelAndHour",
  "memory.caps.perViewerAndStream",
];
/** Defaults that have moved. A file that has the earlier one never chose it: it came from an example or a form. */
const EARLIER_DEFAULTS = leavesOf({ memory: { recall: MOVED_RECALL_DEFAULTS } });

/** A configuration without what only an earlier edition knew, and the names of the keys that were there. */
export function withoutRetired(raw: unknown): {
  readonly raw: unknown;
  readonly retired: readonly string[];
} {
  if (!isJsonObject(raw)) return { raw, retired: [] };
  const retired = RETIRED.filter((path) => valueAt(raw, path) !== undefined && !isKey(path));
  const outdated = [...EARLIER_DEFAULTS]
    .filter(([path, value]) => valueAt(raw, path) === value)
    .map(([path]) => path);
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
