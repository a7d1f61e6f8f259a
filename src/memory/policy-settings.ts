// Pure: values in, values out.

import { Fault } from "../errors.ts";
import {
  isJsonObject,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestedIn,
} from "../platform/config/json-tree.ts";
import type { MemoryPolicy } from "../platform/config/memory-schema.ts";

const PREFIX = /^memory\./;

/**
 * What `KEY=VALUE` words say, as keys of a memory policy. A value is JSON, or a word; for a list also words with
 * commas between them. Whether there is such a key, and whether it takes the value, is for the configuration to say.
 */
export function policySettings(words: readonly string[], current: MemoryPolicy): JsonObject {
  const known = leavesOf(current);
  const settings = words.map((word) => {
    const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (key.trim() === "") throw noSetting(word);
    const path = key.trim().replace(PREFIX, "");
    return nestedIn(path, readValue(value.trim(), Array.isArray(known.get(path))));
  });
  const merged = settings.reduce<unknown>(mergeJson, {});
  return isJsonObject(merged) ? merged : {};
}

/** The keys of a memory policy in a file's JSON: on their own, or under `memory` as in config.json. */
export function policyIn(json: unknown, file: string): JsonObject {
  const policy = isJsonObject(json) && isJsonObject(json["memory"]) ? json["memory"] : json;
  if (isJsonObject(policy)) return policy;
  throw new Fault(`${file}: is not a policy, should be an object with keys of memory`, {
    code: "usage",
    mend: 'such as { "mode": "shadow", "caps": { "viewerNotes": 40 } }',
  });
}

function readValue(text: string, isList: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (!isList) return text;
    return text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
  }
}

function noSetting(word: string): Fault {
  return new Fault(`${word}: is neither KEY=VALUE nor alone, as the name of a file is`, {
    code: "usage",
    mend: "such as `forgetmenot memory policy set mode=shadow caps.viewerNotes=40`",
  });
}
