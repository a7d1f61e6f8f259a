import { realpathSync, statSync } from "node:fs";
import { applyEdits, modify } from "jsonc-parser";
import { writeOrFault } from "../errors.ts";
import { isJsonObject, isSameJson, type JsonObject } from "./json-tree.ts";
import {
  type Config,
  dropRemovedKeys,
  parseConfig,
  parseConfigJson,
  readConfigText,
} from "./load.ts";
import { writePrivately } from "./private-file.ts";

/** A configuration file with something changed, checked and not written yet. */
export interface ConfigRewrite {
  readonly before: Config;
  readonly after: Config;
  /** False where the file says it already. */
  readonly isChange: boolean;
  /** Replaces the file, whole or not at all. Throws a Fault if that fails. */
  write(): void;
}

const INDENT = /^\s*\{\r?\n([ \t]+)"/;

/**
 * Changes values in a configuration file and keeps comments, order and indent. Drops removed keys. Throws a Fault if
 * the file cannot be read, or if the result would be invalid.
 */
export function rewriteConfig(
  file: string,
  change: (raw: JsonObject) => JsonObject,
): ConfigRewrite {
  const text = readConfigText(file);
  const before = parseConfig(text, file);
  const raw = parseConfigJson(text, file);
  const { raw: current } = dropRemovedKeys(raw);
  const changed = change(isJsonObject(current) ? current : {});
  const rewritten = editText(text, [], raw, changed);
  const fix = "make the file and its folder writable for this user, or change the file by hand";
  return {
    before,
    after: parseConfig(rewritten, file),
    isChange: !isSameJson(raw, changed),
    write: () =>
      writeOrFault(`${file}:`, { code: "config", fix }, () => {
        const path = realpathSync(file);
        writePrivately(path, rewritten, statSync(path).mode & 0o777);
      }),
  };
}

/** Returns the text with the changed values. */
function editText(text: string, path: readonly string[], from: unknown, to: unknown): string {
  if (isSameJson(from, to)) return text;
  if (isJsonObject(from) && isJsonObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.reduce((edited, key) => editText(edited, [...path, key], from[key], to[key]), text);
  }
  const indent = INDENT.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  return applyEdits(text, modify(text, [...path], to, { formattingOptions }));
}
