import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { RULES } from "../src/actions/action-policy.ts";
import { NOTE_STATUSES, RERANK_OUTCOMES } from "../src/config/names.ts";
import { NOTICE_KINDS } from "../src/database/notices-store.ts";
import { SECTIONS } from "../src/reply/prompt/sections.ts";
import { OUTCOME_KINDS } from "../src/reply/reply-view-store.ts";
import { CHECKS } from "../src/system/checks.ts";

const page = readFileSync("docs/codes.md", "utf8").replaceAll("\r\n", "\n");

/** By heading of the page: the codes that may come up there, from the types of what is written down. */
const HEADINGS: readonly (readonly [heading: string, codes: readonly string[]])[] = [
  ["Why a reply was not sent", codesOf("reply/reply-store.ts", "ReplyReason")],
  ["What the guard took out of a reply", codesOf("reply/guard.ts", "RemovedCode")],
  ["How a reply ended", codesOf("reply/reply-store.ts", "ReplyState")],
  ["What asked for a reply", codesOf("reply/trigger.ts", "TriggerKind")],
  ["What came of a reply", OUTCOME_KINDS],
  ["The sections of a prompt", Object.keys(SECTIONS)],
  ["Why an action was refused, or not", codesOf("actions/ledger-store.ts", "ActionReason")],
  ["Which rule decided about an action", RULES],
  ["Why an action came to nothing", codesOf("actions/execute.ts", "ActionError")],
  ["What became of a note", codesOf("memory/candidate-store.ts", "CandidateLogReason")],
  ["What an import leaves out", codesOf("memory/import-store.ts", "ImportRefusal")],
  ["The status of a note", NOTE_STATUSES],
  ["When a model orders notes", RERANK_OUTCOMES],
  ["What the doctor checks", CHECKS.map(({ name }) => name)],
  ["Notices", NOTICE_KINDS],
];
/** Sections whose codes may also be explained in another one, which they link to. */
const ALSO_EXPLAINED: Readonly<Record<string, string>> = {
  "Why an action came to nothing": "What became of a note",
};

describe.each(HEADINGS)("docs/codes.md, %s", (heading, codes) => {
  test("explains every code that may come up, and no other", () => {
    expect(codes.length).toBeGreaterThan(3);
    const also = linesUnder(ALSO_EXPLAINED[heading] ?? "").map(({ code }) => code);
    const explained = linesUnder(heading).map(({ code }) => code);
    expect(codes.filter((code) => ![...explained, ...also].includes(code))).toEqual([]);
    expect(explained.filter((code) => !codes.includes(code))).toEqual([]);
    expect(new Set(explained).size).toBe(explained.length);
  });

  test("gives each a sentence, and a fix that is one", () => {
    for (const { code, meaning, fix } of linesUnder(heading)) {
      expect(meaning, code).toMatch(/^\S.{8,}[.?]$/);
      if (fix !== null) expect(fix, code).toMatch(/^\S.{8,}\.$/);
    }
  });
});

test("every notice has a fix that can be typed, or says that there is nothing to do", () => {
  const notices = linesUnder("Notices");
  const without = notices.filter(({ fix }) => !/`[^`]+`|^Nothing to do/.test(fix ?? ""));
  expect(without).toEqual([]);
});

test("what a notice says when it is raised names a fix that can be typed, or that there is nothing to do", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join("src", path), "utf8"));
  const raised = sources
    .filter((source) => source.includes("notices-store.ts"))
    // Texts of a notice may be exported by another file.
    .map((source) => `${source}\n${sources.flatMap((one) => sharedTexts(source, one)).join("\n")}`)
    .flatMap(raisedIn);
  expect(raised.length).toBeGreaterThan(25);
  expect(
    raised.filter((text) => !/`[^`]+`|nothing to do|\$\{[^}]*(?:fix(?:es)?)\b/i.test(text)),
  ).toEqual([]);
  expect(raised.filter((text) => text.split(" ").length <= 6)).toEqual([]);
  // "What happened. What to do."
  expect(raised.filter((text) => !/\. (?:[A-Z`]|\$\{)/.test(text))).toEqual([]);
});

/** What the calls say that raise a notice, spelled out there or in what they name; of a table, each line of it. */
function raisedIn(source: string): string[] {
  return [
    ...source.matchAll(/\b(?:raise|told)\((?!\s*(?:kind|key)\b)((?:(?!, null\))[\s\S])*?)\);\n/g),
  ].flatMap(([, given = ""]) => {
    const names = new Set(given.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/\b[A-Za-z_]\w*\b/g));
    const declared = [...names].flatMap((name) => declaredAs(source, name));
    const lines = declared.flatMap((text) => (/^\s*\{/.test(text) ? literalsIn(text) : []));
    const rest = declared.filter((text) => !/^\s*\{/.test(text)).flatMap(literalsIn);
    const whole = [...literalsIn(given), ...rest, ...lines.slice(0, 1)].join(" ");
    return [whole, ...lines.filter((text) => text.split(" ").length > 6)];
  });
}

/** The exported texts and functions of `other` that a source imports by name. */
function sharedTexts(source: string, other: string): string[] {
  const imported = new Set(
    [...source.matchAll(/^import \{([^}]+)\}/gm)].flatMap(([, names = ""]) =>
      names.split(",").map((name) => name.trim()),
    ),
  );
  const texts = other.matchAll(/^export (const ([A-Z_]+) =\s*["`][\s\S]*?;\n)/gm);
  const functions = other.matchAll(/^export (function (\w+)\([\s\S]*?\n\}\n)/gm);
  return [...texts, ...functions].flatMap(([, text = "", name = ""]) =>
    imported.has(name) ? [text] : [],
  );
}

/** What stands behind the name of a constant or of a function, in a file. */
function declaredAs(source: string, name: string): string[] {
  const constants = source.matchAll(new RegExp(`\\bconst ${name}\\b[^=;]*=([\\s\\S]*?);\n`, "g"));
  const functions = source.matchAll(new RegExp(`\\bfunction ${name}\\(([\\s\\S]*?)\n\\}\n`, "g"));
  return [...constants, ...functions].map(([, text = ""]) => text);
}

function literalsIn(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(([, plain, template]) =>
    (plain ?? template ?? "").replaceAll("\\`", "`"),
  );
}

test("a code that SQL writes is one of those", () => {
  const known = new Set(HEADINGS.flatMap(([, codes]) => codes));
  const written = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => [
      ...readFileSync(join("src", path), "utf8").matchAll(/\b(?:reason|error) = '(\w+)'/g),
    ])
    .map(([, code]) => code ?? "");
  expect(written.length).toBeGreaterThan(3);
  expect(written.filter((code) => !known.has(code))).toEqual([]);
});

interface CodeLine {
  readonly code: string;
  readonly meaning: string;
  /** Null if the streamer can do nothing about it. */
  readonly fix: string | null;
}

/** The list items under a heading of the second level: "- `code`, `code`: meaning. → Fix.", one result a code. */
function linesUnder(heading: string): CodeLine[] {
  const part = page.split("\n## ").find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const items = part.replaceAll("\n  ", " ").matchAll(/^- ((?:`\w+…?`(?:, )?)+): (.+)$/gm);
  return [...items].flatMap(([, names = "", rest = ""]) => {
    const [meaning = "", fix = null] = rest.split(" → ");
    const codes = [...names.matchAll(/`(\w+…?)`/g)].map(([, code = ""]) => code);
    return codes.filter((code) => code !== "send_…").map((code) => ({ code, meaning, fix }));
  });
}

/**
 * The strings that a type of the source stands for, as it is written there: a union of literals, of templates and of
 * other types, or of objects, whose `reason` counts; or the strings of a constant. Throws for a type that it cannot find.
 */
function codesOf(file: string, name: string): string[] {
  const source = readFileSync(join("src", file), "utf8").replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/.*$/gm,
    "",
  );
  const written = new RegExp(`^(?:export )?type ${name} =((?:[^;{}]|\\{[^{}]*\\})*);`, "m");
  const declared = written.exec(source)?.[1];
  if (declared === undefined) return codesOf(importedFrom(source, file, name), name);
  const table = /^\s*\(typeof (\w+)\)/.exec(declared)?.[1];
  if (table !== undefined)
    return quotedIn(new RegExp(`^(?:export )?const ${table} =[^;]*;`, "m").exec(source)?.[0] ?? "");
  const inTemplates = [...declared.matchAll(/`(\w+)\$\{(\w+)\}`/g)].flatMap(
    ([, prefix, part = ""]) =>
      part === "string" ? [] : codesOf(file, part).map((code) => `${prefix}${code}`),
  );
  const rest = declared.replaceAll(/`[^`]*`|\["\w+"\]|Exclude<(\w+), [^>]+>/g, "$1");
  const plain = rest.includes("{")
    ? [...rest.matchAll(/\breason:\s+([^;}]+)/g)].map(([, type]) => type).join(" | ")
    : rest;
  const literals = quotedIn(plain);
  const others = [...plain.matchAll(/\b[A-Z]\w+\b/g)].flatMap(([type]) => codesOf(file, type));
  return [...new Set([...literals, ...inTemplates, ...others])];
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
}

function importedFrom(source: string, file: string, name: string): string {
  const found = [...source.matchAll(/^import [^;]*?\{([^}]*)\} from "(\.[^"]+)";/gm)].find(
    ([, names = ""]) => new RegExp(`\\b${name}\\b`).test(names),
  );
  if (found === undefined) throw new Error(`${file} knows no type ${name}`);
  return join(dirname(file), found[2] ?? "");
}
