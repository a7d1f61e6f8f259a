import { statSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { accountStore } from "../chat/account-store.ts";
import { identityStore } from "../chat/identity-store.ts";
import { Fault, messageOf } from "../errors.ts";
import { keyedHash } from "../language/keyed-hash.ts";
import { policyChanges, policyOf } from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import { noteReviewStore } from "../memory/note-review-store.ts";
import { loadConfig } from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import { viewerRecords } from "../privacy/viewer-record-store.ts";
import { telemetryStore } from "../telemetry/status-store.ts";
import { EXIT_FAILED, endingWith } from "./exit-codes.ts";
import { counted } from "./plain-text.ts";
import { changeLine } from "./policy-text.ts";
import { printable } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

interface Asked {
  readonly config: string;
  readonly yes?: true;
}

/** Nobody reads more of what is about to happen. */
const LINES_MAX = 20;

/**
 * Shows what a command would do, and asks. Returns where the answer is yes, or where `--yes` gave it; else nothing is
 * changed, and the command ends with 1. Throws a Fault where nobody can be asked.
 */
export async function confirm(
  lines: readonly string[],
  { yes }: { readonly yes?: true },
  terminal: Terminal,
): Promise<void> {
  if (yes === true) return;
  const person = terminal.person?.() ?? null;
  if (person === null) {
    throw new Fault(`this cannot be undone:\n${shown(lines).join("\n")}`, {
      code: "usage",
      mend: "say --yes to have it done; nothing was changed",
    });
  }
  for (const line of shown(lines)) terminal.print(line);
  const asking = createInterface({ input: person.input, output: person.output });
  const signal = terminal.stop;
  const answer = await asking.question("Go on? [y/N] ", { signal }).catch(() => "");
  asking.close();
  if (/^y(?:es)?$/iu.test(answer.trim())) return;
  terminal.print("Nothing was changed.");
  throw endingWith(EXIT_FAILED);
}

function shown(lines: readonly string[]): string[] {
  const more = lines.length - LINES_MAX;
  return [...lines.slice(0, LINES_MAX), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** Before notes are forgotten: what they say. */
export async function confirmForget(
  ids: readonly number[],
  asked: Asked,
  terminal: Terminal,
): Promise<void> {
  const lines = read(asked, (db) => {
    const notes = noteReviewStore(db);
    return ids.map(
      (id) => `  [${id}] ${printable(notes.note(id)?.fact ?? "there is no such note")}`,
    );
  });
  await confirm([`To be forgotten, with every trace of what they say:`, ...lines], asked, terminal);
}

/** Before a person is forgotten: how much is kept of them. */
export async function confirmForgetViewer(
  name: string,
  asked: Asked,
  terminal: Terminal,
): Promise<void> {
  const lines = read(asked, (db) => {
    const { dataDir } = loadConfig(asked.config);
    const isId = /^id:/iu.test(name.trim());
    // Who has an id only, and was never seen, may still have asked to be forgotten.
    const account = isId ? null : accountStore(db).named(name);
    const userId = account?.userId ?? name.trim().slice("id:".length);
    const accounts = identityStore(db, Date.now).accountsOf(userId);
    const { notes, lines: written } = viewerRecords(db, keyedHash(hashKey(dataDir)))(accounts);
    const also = accounts.length > 1 ? `, in ${accounts.length} accounts` : "";
    return [
      `Everything about ${printable(account?.displayName ?? name)} would be forgotten, for good${also}:`,
      `  ${counted(notes.length, "note")}, ${counted(written, "line")} of chat, and all that was made of them`,
      ...notes.map(({ id, fact }) => `  [${id}] ${printable(fact)}`),
    ];
  });
  await confirm(lines, asked, terminal);
}

/** Before a backup takes the place of the database: which one, and what goes. */
export async function confirmRestore(
  file: string,
  asked: Asked,
  terminal: Terminal,
): Promise<void> {
  const path = resolve(file);
  const { databaseFile } = loadConfig(asked.config);
  const made = localTime(modifiedAtMs(path));
  const kept = read(asked, (db) => {
    const { notes } = telemetryStore(db).counts();
    return [`  ${counted(notes, "note")} of now would go with it`];
  });
  await confirm(
    [`${path} (of ${made}) would take the place of ${databaseFile}:`, ...kept],
    asked,
    terminal,
  );
}

/** Before an earlier policy is brought back: what it changes. */
export async function confirmRollback(
  number: number,
  asked: Asked,
  terminal: Terminal,
): Promise<void> {
  const now = policyOf(loadConfig(asked.config));
  const lines = read(asked, (db) => {
    const row = policyHistory(db, Date.now).find(number);
    return row === null ? [] : policyChanges(now, row.policy).map(changeLine);
  });
  const said = lines.length === 0 ? ["  nothing: it is what holds now"] : lines;
  await confirm([`Policy ${number} would change:`, ...said], asked, terminal);
}

/** Reads the database where there is one; no lines where there is none. */
function read(asked: Asked, look: (db: Db) => string[]): string[] {
  const { databaseFile } = loadConfig(asked.config);
  const db = openIfReadable(databaseFile);
  if (db === null) return [];
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** null where it is missing or damaged: the command itself says so, or mends it. */
function openIfReadable(file: string): Db | null {
  try {
    return openDatabase(file, { readOnly: true });
  } catch {
    return null;
  }
}

function modifiedAtMs(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch (cause) {
    throw new Fault(`${path}: cannot be read (${messageOf(cause)})`, {
      code: "usage",
      mend: "name a file that `forgetmenot backup` made",
      cause,
    });
  }
}
