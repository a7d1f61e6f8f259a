import { realpathSync, statSync } from "node:fs";
import { applyEdits, modify } from "jsonc-parser";
import { Fault, getMessage } from "../errors.ts";
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
  /** Replaces the file, whole or not at all. Throws a Fault if that fails, or if another program changed it. */
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
  const rewritten = editText(text, [], { from: raw, to: changed });
  return {
    before,
    after: parseConfig(rewritten, file),
    isChange: JSON.stringify(raw) !== JSON.stringify(changed),
    write: () => {
      if (readConfigText(file) !== text) throw changedMeanwhile(file);
      replace(realpathSync(file), rewritten);
    },
  };
}

interface Change {
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns the text with the changed values. */
function editText(text: string, path: readonly string[], { from, to }: Change): string {
  if (isSameJson(from, to)) return text;
  if (!isJsonObject(from) || !isJsonObject(to)) {
    return applyEdits(text, modify(text, [...path], to, { formattingOptions: detectStyle(text) }));
  }
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].reduce(
    (before, key) => editText(before, [...path, key], { from: from[key], to: to[key] }),
    text,
  );
}

function detectStyle(text: string) {
  const indent = INDENT.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function replace(file: string, text: string): void {
  try {
    writePrivately(file, text, statSync(file).mode & 0o777);
  } catch (cause) {
    throw new Fault(`${file}: cannot be written (${getMessage(cause)})`, {
      code: "config",
      fix: "make the file and its folder writable for this user, or change the file by hand",
      cause,
    });
  }
}

function changedMeanwhile(file: string): Fault {
  return new Fault(`${file}: was changed by another program just now`, {
    code: "config",
    fix: "run the command again",
  });
}
