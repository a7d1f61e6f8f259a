/**
 * Builds the program: `node bin/build.js [folder]`, by default into `dist`, which is emptied first.
 * `node bin/build.js --if-changed` builds only if the sources have changed since.
 * esbuild makes one file of the whole program, which `load.js` starts, and one of each worker thread. That starts
 * faster and takes less memory than hundreds of modules.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

// Before anything else: an older Node cannot even read the program, and would only show a stack.
if (Number(process.versions.node.split(".")[0]) < 20) {
  console.error(
    `Node ${process.version} is too old. Install a newer Node from https://nodejs.org, then type: npm ci`,
  );
  process.exit(1);
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LOADER = join("bin", "load.js");
const SOURCE = join(ROOT, "src");
const [first = join(ROOT, "dist")] = process.argv.slice(2);
const isSpared = first === "--if-changed";
const folder = resolve(isSpared ? join(ROOT, "dist") : first);
const BUILT_FROM = join(folder, "built-from");
const sources = sourceHash();
if (isSpared && existsSync(BUILT_FROM) && readFileSync(BUILT_FROM, "utf8") === sources)
  process.exit(0);
rmSync(folder, { recursive: true, force: true });
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).map(asUrlPath);
/** Sources that are started as threads of their own. */
const workers = files.filter((file) => file.endsWith("-worker.ts"));
/** Packages may still ask for others in the old way. */
const BANNER =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

// Only now: at most starts there is nothing to build.
const { build } = await import("esbuild");
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  mainFields: ["module", "main"],
  // It has a native part, which stays where npm put it.
  external: ["better-sqlite3*"],
  // Names stay, and lines are short, so that a bug's place in a report can be found.
  minifyWhitespace: true,
  lineLimit: 120,
  outdir: folder,
  entryNames: "[name]",
  plugins: [whereItStood(), withoutUnused()],
  write: false,
  logLevel: "warning",
};
const program = await build({
  ...common,
  entryPoints: [join(SOURCE, "main.ts")],
  format: "iife",
  define: { "import.meta.url": "programUrl" },
});
const others = await build({
  ...common,
  entryPoints: workers.map((file) => join(SOURCE, file)),
  splitting: true,
  format: "esm",
  banner: { js: BANNER },
});

// Files that the program reads at run time.
const read = /^(page\/browser|evaluation\/scenarios)\/.+\.js(on)?$/;
for (const file of files.filter((path) => read.test(path)))
  write(file, readFileSync(join(SOURCE, file)));
for (const { path, contents } of others.outputFiles) write(relative(folder, path), contents);
const text = program.outputFiles.map((file) => file.text).join("");
// esbuild leaves other characters than ASCII in patterns alone.
const ascii = text.replace(
  /[^\0-\x7f]/g,
  (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`,
);
const wrapped = `(function(require,programUrl){"use strict";${ascii}\n})`;
// V8 accepts compiled code of another source of the same length. So each program has its own name.
const programName = `program-${createHash("sha256").update(wrapped).digest("hex").slice(0, 16)}.js`;
write(programName, wrapped);
const loader = readFileSync(join(ROOT, LOADER), "utf8");
write("main.js", loader.replaceAll("program.js", programName));
for (const file of workers.map((path) => path.replace(/\.ts$/, ".js"))) {
  const top = asUrlPath(relative(dirname(file), basename(file)));
  write(file, `import "${top}";\n`);
}
// Without a configuration it ends at once, and keeps the code that V8 has compiled.
spawnSync(process.execPath, [join(folder, "main.js"), "run", "--config", folder]);
// Last: a build that was cut off is repeated.
writeFileSync(BUILT_FROM, sources);

/** Returns a hash of all sources. Their times prove nothing: a ZIP sets them. */
function sourceHash() {
  const inside = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const beside = ["package-lock.json", "tsconfig.json", join("bin", "build.js"), LOADER];
  const hash = createHash("sha256");
  for (const file of [...inside.sort(), ...beside.map((name) => join(ROOT, name))])
    hash.update(`${asUrlPath(relative(ROOT, file))}\n`).update(readFileSync(file));
  return hash.digest("hex");
}

function write(file, contents) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), contents);
}

/** Has `import.meta.url` name a module's place in `src`, although all code is in one file. */
function whereItStood() {
  return {
    name: "where-it-stood",
    setup: (bundle) => {
      bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const place = asUrlPath(relative(SOURCE, path));
        const text = readFileSync(path, "utf8");
        if (place.startsWith("..") || !text.includes("import.meta.url")) return undefined;
        const address = `new URL("./${place.replace(/\.ts$/, ".js")}", import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", address), loader: "ts" };
      });
    },
  };
}

/** Leaves out zod's error texts in fifty languages, tmi.js's HTTP client, and validator's unused functions. */
function withoutUnused() {
  return {
    name: "without-unused",
    setup: (bundle) => {
      bundle.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
        contents: 'export { default as en } from "./en.js";',
        resolveDir: dirname(path),
      }));
      bundle.onLoad({ filter: /node_modules[\\/]validator[\\/]index\.js$/ }, ({ path }) => {
        const names = validatorsUsed();
        const imports = names.map((name) => `import ${name} from "./es/lib/${name}.js";`);
        const contents = `${imports.join("")}export default { ${names.join()} };`;
        return { contents, resolveDir: dirname(path) };
      });
      bundle.onLoad({ filter: /node-fetch[\\/]lib[\\/]index\.m?js$/ }, () => ({
        contents: "export default undefined;",
      }));
    },
  };
}

/** Returns the names of validator's functions that the program calls. */
function validatorsUsed() {
  const names = new Set();
  for (const file of files.filter((path) => path.endsWith(".ts"))) {
    const source = readFileSync(join(SOURCE, file), "utf8");
    for (const [, name] of source.matchAll(/\bvalidator\.(\w+)\(/g)) names.add(name);
  }
  return [...names];
}

function asUrlPath(path) {
  return path.replaceAll("\\", "/");
}
