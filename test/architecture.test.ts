import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { expect, test } from "vitest";

/** Data flows down this list, so an import may only point up. This list is the architecture. */
const ROOMS = [
  "errors.ts",
  "log.ts",
  "clock.ts",
  "bounded-map.ts",
  "language",
  "catalogue",
  "config",
  "database",
  "models",
  "twitch",
  "chat",
  "memory",
  "actions",
  "reply",
  "privacy",
  "telemetry",
  "system",
  "page",
  "daemon",
  "demo",
  "evaluation",
  "cli",
  "main.ts",
];

/** Every outside module has named doors; Node's own come in where they are needed. */
const DOORS: Readonly<Record<string, RegExp>> = {
  "tmi.js": /^twitch\/wire\.ts$/,
  "@twurple/api": /^twitch\//,
  "@twurple/auth": /^twitch\//,
  "@twurple/api-call": /^twitch\//,
  "@google/generative-ai": /^models\/gemini\.ts$/,
  "better-sqlite3": /^database\//,
  "@orama/stemmers": /^language\/stems\.ts$/,
  commander: /^(main\.ts|cli\/)/,
  "fastest-levenshtein": /^language\/(words|stems)\.ts$/,
  "libphonenumber-js": /^language\/private-matters\.ts$/,
  validator: /^language\/private-matters\.ts$/,
  "html-entities": /^reply\/model-habits\.ts$/,
  jsonrepair: /^models\/json\.ts$/,
  hono: /^page\//,
  obscenity: /^language\/banned\.ts$/,
  pino: /^log\.ts$/,
  "jsonc-parser": /^config\//,
  ws: /^(demo\/|twitch\/(connection|wire)\.ts$)/,
  zod: /./,
};

/** The first line of a file that decides: no clock, random, input, output or waiting in it or below it. */
const PURE = "// Pure: values in, values out.";
const IMPURE_TEXT =
  /\bawait\b|\basync\b|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\b|\bprocess\.|\bsetTimeout\b|\bfetch\(/;
const IMPURE_MODULE = /^(node:(?!crypto$)|pino$|better-sqlite3$|tmi\.js$|@twurple|@google)/;
const SQL_TEXT = /\.(prepare|pragma)\(|\bdb\.exec\(|\bstatements\(db\b/;
const SQL_DOORS = /(^|\/|-)store\.ts$|^database\//;
const ENVIRONMENT_TEXT = /\bprocess\.env\b/;
const REQUEST_DOORS = /^(models\/http|twitch\/bounded-call)\.ts$/;
const EXPORTED = /^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm;
/** Commands, tags and fields of IRC. */
const IRC_TEXT =
  /\b(?:PRIVMSG|USERNOTICE|ROOMSTATE|USERSTATE|CLEARCHAT|CLEARMSG|tmi)\b|"msg-|\.tags\b|\btags\[/;
const EXIT_TEXT = /\bprocess\.(exit|exitCode|once|on)\b/;

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
  /** Loaded when it is first needed. */
  readonly isLater: boolean;
}

interface Source {
  readonly path: string;
  readonly code: string;
  readonly isPure: boolean;
  readonly imports: readonly Import[];
}

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => path.split(sep).join("/"))
  .filter((path) => /\.tsx?$/.test(path))
  .map(readSource);

test("there is something to check, and every file stands in a room", () => {
  expect(sources.length).toBeGreaterThan(40);
  expect(sources.map(({ path }) => room(path)).filter((name) => !ROOMS.includes(name))).toEqual([]);
});

test("imports point up the list of rooms", () => {
  const wrong = edges().filter(
    ([from, to]) => room(from) !== room(to) && ROOMS.indexOf(room(to)) >= ROOMS.indexOf(room(from)),
  );
  expect(wrong).toEqual([]);
});

test("outside modules enter through their doors", () => {
  const wrong = sources.flatMap((source) =>
    source.imports
      .filter(({ target, typeOnly }) => !/^(\.|node:)/.test(target) && !typeOnly)
      .filter(({ target }) => !DOORS[packageOf(target)]?.test(source.path))
      .map(({ target }) => `${source.path} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("behind chat/normalise nothing knows IRC", () => {
  const wrong = sources
    .filter(({ path }) => !/^(twitch|demo)\/|^chat\/normalise\.ts$/.test(path))
    .filter(({ code }) => IRC_TEXT.test(code));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("pure files hold no effects, and what they import at run time is pure too", () => {
  const pure = sources.filter(({ isPure }) => isPure);
  const paths = new Set(pure.map(({ path }) => path));
  expect(pure.length).toBeGreaterThan(10);
  expect(pure.filter(({ code }) => IMPURE_TEXT.test(code)).map(({ path }) => path)).toEqual([]);
  expect(edges(true).filter(([from, to]) => paths.has(from) && !paths.has(to))).toEqual([]);
  const modules = pure.flatMap(({ path, imports }) =>
    imports
      .filter(({ target, typeOnly }) => !typeOnly && IMPURE_MODULE.test(target))
      .map(({ target }) => `${path}: ${target}`),
  );
  expect(modules).toEqual([]);
});

test("the page's views are loaded for the first visitor only: no start waits for them", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const loaded = new Set(["page/server.ts"]);
  for (const path of loaded) {
    const found = byPath.get(path)?.imports ?? [];
    for (const { target, typeOnly, isLater } of found)
      if (target.startsWith(".") && !typeOnly && !isLater) loaded.add(inside(path, target));
  }
  expect(loaded).toContain("page/access.ts");
  expect(loaded).not.toContain("page/site.ts");
});

test("SQL lives in stores and the db room", () => {
  expect(offenders(SQL_TEXT, SQL_DOORS)).toEqual([]);
});

test("the environment is read in the config room only", () => {
  expect(offenders(ENVIRONMENT_TEXT, /^config\/environment\.ts$/)).toEqual([]);
});

test("no module keeps state that a test file could leave to the next one in its process", () => {
  // A test starts main.ts only as a process.
  expect(offenders(/^(?:export )?(?:let|var)\s/m, /^(?:main|models\/gemini)\.ts$/)).toEqual([]);
  const helpers = readdirSync("test", { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith(".test.ts"),
  );
  // Outside a function a hook is set when the module is loaded, which is once: for the first of the files that use it.
  // The runner loads `each-file.ts` again for each.
  const hooked = helpers.filter((path) =>
    /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(join("test", path), "utf8")),
  );
  expect(hooked).toEqual(["each-file.ts"]);
});

test("requests go out where they have limits of time and size", () => {
  expect(offenders(/(?<![.\w])fetch\(|\bcallTwitchApi(?:Raw)?\(/, REQUEST_DOORS)).toEqual([]);
});

test("signals and exit codes belong to main", () => {
  expect(offenders(EXIT_TEXT, /^main\.ts$/)).toEqual([]);
});

test("no file is longer than 700 lines", () => {
  const long = sources.filter(({ path }) => lineCount(join("src", path)) > 700);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test("an exported name means one thing, wherever it is met", () => {
  const names = sources.flatMap(({ code }) => [
    ...new Set([...code.matchAll(EXPORTED)].map(([, name = ""]) => name)),
  ]);
  expect(names.length).toBeGreaterThan(500);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

function offenders(text: RegExp, doors: RegExp): string[] {
  return sources
    .filter(({ path, code }) => text.test(code) && !doors.test(path))
    .map(({ path }) => path);
}

function edges(runTimeOnly = false): (readonly [string, string])[] {
  return sources.flatMap((source) =>
    source.imports
      .filter(({ target, typeOnly }) => target.startsWith(".") && !(runTimeOnly && typeOnly))
      .map(({ target }) => [source.path, inside(source.path, target)] as const),
  );
}

function inside(from: string, target: string): string {
  return normalize(join(dirname(from), target))
    .split(sep)
    .join("/");
}

function room(path: string): string {
  return path.split("/")[0] ?? path;
}

function packageOf(target: string): string {
  return target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
}

function lineCount(file: string): number {
  return readFileSync(file, "utf8").split("\n").length - 1;
}

function readSource(path: string): Source {
  const text = readFileSync(join("src", path), "utf8");
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const found = code.matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^;]*?from\s+)?"([^"]+)";|\bimport\("([^"]+)"\)/gm,
  );
  const imports = [...found].map(([, typeOnly, fixed, dynamic]) => ({
    target: fixed ?? dynamic ?? "",
    typeOnly: typeOnly !== undefined,
    isLater: dynamic !== undefined,
  }));
  return { path, code, isPure: text.startsWith(PURE), imports };
}
