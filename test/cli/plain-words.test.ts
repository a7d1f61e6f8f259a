import { existsSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "../../src/cli/terminal.ts";
import { quietTerminal, runLine } from "../stand-ins/command.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openBotFolder, remember } from "./bot-folder.ts";

/** What a line printed, and said in error; in a folder that has a `dir`, a `text.txt`, a `huge` and no `none`. */
async function said(...line: string[]) {
  const bot = openBotFolder();
  const folder = temporaryFolder();
  mkdirSync(join(folder, "dir"));
  writeFileSync(join(folder, "text.txt"), "hello");
  // Of zeros, which take no room on the disk.
  writeFileSync(join(folder, "huge"), "");
  truncateSync(join(folder, "huge"), 33 * 1024 * 1024);
  const paths = ["dir", "text.txt", "none", "huge"];
  const args = line.map((word) => (paths.includes(word) ? join(folder, word) : word));
  const config = ["demo", "eval"].includes(args[0] ?? "") ? [] : ["--config", bot.file];
  const ended = await runLine(args.includes("--config") ? args : [...args, ...config]);
  return { ...ended, errors: ended.errors.replaceAll(folder, "") };
}

const MISSING = "there is no such file";
const FOLDER = "folder, ";

test.for([
  [["restore", "none", "--yes"], MISSING, "forgetmenot backup"],
  [["restore", "dir", "--yes"], FOLDER, "forgetmenot backup"],
  [["restore", "text.txt", "--yes"], "file is not a database", "forgetmenot backup"],
  [["memory", "import", "none", "--yes"], MISSING, "forgetmenot memory export"],
  [["memory", "import", "dir", "--yes"], FOLDER, "forgetmenot memory export"],
  [["memory", "import", "text.txt", "--yes"], "not valid JSON", "forgetmenot memory export"],
  [["memory", "import", "huge", "--yes"], "larger than", "forgetmenot memory export"],
  [["backup", "dir"], "there is a folder already", "name another one"],
  [["backup", "text.txt"], "there is a file already", "name another one"],
  [["memory", "export", "dir"], "there is a folder already", "name another one"],
  [["memory", "export", "text.txt"], "there is a file already", "name another one"],
  [["viewer", "export", "ann", "dir"], "there is a folder already", "name another one"],
  [["memory", "forget", "99"], "there is no note 99", "memory list"],
  [["memory", "forget", "99", "--yes"], "there is no note 99", "memory list"],
  [["status", "--config", "none"], MISSING, "forgetmenot setup"],
  [["status", "--config", "dir"], FOLDER, "forgetmenot setup"],
  [["run", "--config", "dir"], FOLDER, "forgetmenot setup"],
  [["eval", "run", "none"], MISSING, "docs/evaluation.md"],
  [["eval", "run", "dir"], FOLDER, "docs/evaluation.md"],
  [["demo", "--data", "text.txt"], "it exists already", "folder"],
] as const)("a file that will not do is told in plain words: %j", async ([line, why, fix]) => {
  const { exit, errors } = await said(...line);
  expect(exit).toBe(2);
  expect(errors).toContain(why);
  expect(errors).toContain(fix);
  expect(errors).not.toMatch(/\bE[A-Z]{3,}\b|This is a bug/);
});

test.for([
  ["memory", "forget", "1"],
  ["viewer", "forget", "ann"],
  ["restore", "BACKUP"],
  ["memory", "import", "EXPORT"],
])(
  "what cannot be undone shows what it would do, and does it only after a yes: %j",
  async (line) => {
    const { db, file, folder } = openBotFolder();
    remember(db, "{u:7} plays the guitar", "music", { id: 1, kind: "interest" });
    const run = (...words: string[]) => runLine([...words, "--config", file]);
    const [backup, exported] = [join(folder, "kept.db"), join(folder, "kept.json")];
    expect((await run("backup", backup)).exit).toBe(0);
    expect((await run("memory", "export", exported)).exit).toBe(0);
    const words = line.map((word) => ({ BACKUP: backup, EXPORT: exported })[word] ?? word);
    const before = db.serialize();
    const refused = await run(...words);
    expect(refused.exit).toBe(2);
    expect(refused.errors).toMatch(/^this cannot be undone:\n[\s\S]+--yes/);
    expect(refused.errors).toMatch(/guitar|would take the place|of \d notes/);
    expect(db.serialize().equals(before)).toBe(true);
    if (words[0] === "restore") db.close();
    expect(await run(...words, "--yes")).toMatchObject({ exit: 0, errors: "" });
    expect(existsSync(backup)).toBe(true);
  },
);

/** Somebody at a keyboard who types `answer`. */
function typing(answer: string) {
  const input = new PassThrough();
  const output = new PassThrough().resume();
  input.write(`${answer}\n`);
  return quietTerminal({ isTerminal: true, person: () => ({ input, output }) });
}

test.each(["y", "yes", "Y"])(
  "%s goes on, and was shown first what would happen",
  async (answer) => {
    const { terminal, printed } = typing(answer);
    await confirm(["note 3 goes"], {}, terminal);
    expect(printed).toEqual(["note 3 goes"]);
  },
);

test.each(["", "n", "yup", "forget"])(
  "%j changes nothing, and the command fails",
  async (answer) => {
    const { terminal, printed } = typing(answer);
    await expect(confirm(["note 3 goes"], {}, terminal)).rejects.toMatchObject({ exitCode: 1 });
    expect(printed.at(-1)).toBe("Nothing was changed.");
  },
);

test("without a keyboard it is refused, unless --yes says so", async () => {
  const alone = { ...typing("").terminal, person: () => null };
  await expect(confirm(["note 3 goes"], {}, alone)).rejects.toMatchObject({
    message: expect.stringContaining("note 3 goes"),
    fix: expect.stringContaining("--yes"),
  });
  await confirm(["note 3 goes"], { yes: true }, alone);
});
