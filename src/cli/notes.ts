import { existsSync } from "node:fs";
import type { NoteKind } from "../catalogue/note-kinds.ts";
import { readLocalTime } from "../config/local-time.ts";
import { readText } from "../config/private-file.ts";
import { makeUsageFault } from "../errors.ts";
import { toPrintable } from "../language/clean.ts";
import { NoteReview } from "../memory/note-review-store.ts";
import { openNoteOperator } from "../privacy/operator.ts";
import { formatPlural } from "../telemetry/figures.ts";
import {
  type CommandOutput,
  findAccounts,
  type OpenFolder,
  type Options,
  readChannelName,
  withFolder,
} from "./open-folder.ts";
import { confirm, linesIf, printResult, type Terminal } from "./terminal.ts";

const ABOUT_WIDTH_MIN = 16;

/**
 * Lists at most `limit` notes that fit the options, newest first; without `status`, active, shadow and pending ones.
 * With `at`, lists those active at the end of that day, and `status` has no effect. Below them: the number of notes
 * active now, in `channel` or in all. Throws a Fault for an unknown viewer or a wrong day.
 */
export function listNotes(
  { db, now }: OpenFolder,
  options: {
    viewer?: string;
    channel?: string;
    status?: string;
    kind?: string;
    scope?: string;
    at?: string;
    limit: number;
  },
): CommandOutput {
  const review = new NoteReview(db, now);
  const { viewer: name, at, limit, ...given } = options;
  const channel = given.channel === undefined ? "" : readChannelName(given.channel);
  const accounts = name === undefined ? null : findAccounts(db, name);
  const atMs = at === undefined ? null : findEndOfDay(at);
  const filter = { ...given, channel, accounts, atMs };
  const { items: shown, next } = review.list(filter, { limit }, Number.MAX_SAFE_INTEGER);
  const { viewer = 0, channel: ofChannel = 0, bit = 0 } = review.countsByScope(channel);
  const abouts = shown.map(
    ({ about, scope }) => about ?? (scope === "bit" ? "(a joke)" : "(channel)"),
  );
  const width = Math.max(ABOUT_WIDTH_MIN, ...abouts.map((about) => about.length));
  const lines = shown.map(({ id, kind, fact, status, pinned, persona }, at) => {
    const marks = [
      ...linesIf(status !== "active", status),
      ...linesIf(pinned, "pinned"),
      ...linesIf(persona !== null, `of ${persona} only`),
    ];
    const mark = marks.length === 0 ? "" : ` [${marks.join(", ")}]`;
    return `${String(id).padStart(6)}  ${kind.padEnd(11)} ${abouts[at]?.padEnd(width)} ${fact}${mark}`;
  });
  const text = [
    ...lines,
    `Active: ${viewer} about viewers, ${ofChannel} about the channel, ${formatPlural(bit, "running joke")}.`,
    ...linesIf(next !== null, `There are more: --limit ${2 * limit}`),
  ];
  return { value: shown, text: shown.length === 0 ? "No notes." : text };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the last millisecond of a local day such as `2026-03-01`, epoch ms. Throws a Fault if it is no day. */
function findEndOfDay(day: string): number {
  const atMs = DAY.test(day) ? readLocalTime(day) : Number.NaN;
  const next = new Date(atMs);
  // JavaScript reads February 30 as March 2.
  if (next.getDate() !== Number(day.slice(-2)))
    throw makeUsageFault(`--at ${day} is not a day`, "write it as 2026-03-01");
  // A day has 23 or 25 hours when the clock changes.
  next.setDate(next.getDate() + 1);
  return next.getTime() - 1;
}

/**
 * Stores a fact of the streamer as a note, or confirms the note that says so already. With `file` instead of `text`,
 * does so for each line, pins the notes, and lists the refused lines. Throws a Fault for a refused `text`, a missing
 * file, and as `chooseChannel` does.
 */
export function addNote(
  opened: OpenFolder,
  text: string | undefined,
  options: {
    viewer?: string;
    channel?: string;
    scope?: "channel" | "bit";
    kind?: NoteKind;
    file?: string;
  },
): CommandOutput {
  if ((text === undefined) === (options.file === undefined)) {
    throw makeUsageFault(
      text === undefined ? "there is no fact to store" : "give a fact or --file, not both",
      'such as `forgetmenot memory add "the stream starts at seven"`',
    );
  }
  const { channels } = opened.config;
  const place = { ...options, channel: chooseChannel(channels, options.channel) };
  const notes = openNoteOperator(opened);
  if (text !== undefined) {
    const kept = notes.addTyped(text, place);
    const { id, isNew, superseded, evicted } = kept;
    const fact = new NoteReview(opened.db, opened.now).note(id)?.fact ?? "";
    const line = `note ${id}${isNew ? "" : " already says so, and is confirmed"}: ${fact}`;
    return { value: kept, text: [line, ...describeSideEffects(superseded, evicted)].join("; ") };
  }
  const { file = "" } = options;
  if (!existsSync(file))
    throw makeUsageFault(`there is no file ${file}`, "give one with a fact a line");
  const { ids, refused } = notes.addLines(readText(file), place);
  return {
    value: { ids, refused },
    text: [
      `${formatPlural(ids.length, "fact")} stored and pinned`,
      ...refused.map(({ line, why }) => `line ${line}: ${why}`),
    ],
  };
}

/**
 * Returns the channel that was asked for; without one, the bot's only channel. Throws a Fault if there are several, or
 * if the bot is not in it.
 */
function chooseChannel(channels: readonly string[], asked: string | undefined): string {
  const named = asked === undefined ? undefined : readChannelName(asked);
  const fitting = named === undefined ? channels : channels.filter((one) => one === named);
  const [channel, ...others] = fitting;
  if (channel !== undefined && others.length === 0) return channel;
  throw makeUsageFault(
    named === undefined ? "several channels: none was named" : `the bot is not in #${named}`,
    `say --channel with one of: ${channels.join(", ")}`,
  );
}

/**
 * Makes pending or shadow notes active. Throws a Fault, and changes none of them, if one is neither or memory is
 * read-only. An approved note supersedes notes that say otherwise; notes over the cap expire.
 */
export function approveNotes(opened: OpenFolder, ids: readonly number[]): CommandOutput {
  const decided = openNoteOperator(opened).approve(ids);
  const lines = decided.map(({ id, superseded, evicted }) =>
    [`note ${id} is approved and active`, ...describeSideEffects(superseded, evicted)].join("; "),
  );
  return { value: decided, text: lines };
}

/**
 * Rejects notes, so that the bot does not learn them again. Throws a Fault, and changes none of them, if one is rejected
 * or superseded already, or memory is read-only.
 */
export function rejectNotes(opened: OpenFolder, ids: readonly number[]): CommandOutput {
  const decided = openNoteOperator(opened).reject(ids);
  const lines = decided.map(({ id }) => `note ${id} is rejected, and is not learned again`);
  return { value: decided, text: lines };
}

/**
 * Forgets notes, others that say the same, and every trace of their content, after a confirmation. Throws a Fault, and
 * forgets none, if one does not exist.
 */
export async function forgetNotes(
  ids: readonly number[],
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const facts = withFolder(options.config, "read", ({ db, now }) => {
    const notes = new NoteReview(db, now);
    return ids.map((id) => {
      const there = notes.note(id);
      if (there === null)
        throw makeUsageFault(
          `there is no note ${id}`,
          "see `forgetmenot memory list` for the numbers",
        );
      return `  [${id}] ${toPrintable(there.fact)}`;
    });
  });
  const question = ["To be forgotten, with every trace of what they say:", ...facts];
  await confirm(question, options, terminal);
  const forgotten = withFolder(options.config, "change", (opened) =>
    openNoteOperator(opened).forget(ids),
  );
  const lines = forgotten.map(({ notes: [id, ...twins], claimsWithdrawn, summariesRewritten }) =>
    [
      `note ${id} is forgotten`,
      ...linesIf(twins.length > 0, `so ${formatNotesAre(twins)}, which said the same`),
      `${formatPlural(claimsWithdrawn, "claim")} withdrawn`,
      `${formatPlural(summariesRewritten, "summary")} rewritten`,
    ].join("; "),
  );
  printResult(terminal, options, { value: forgotten, text: lines });
}

function describeSideEffects(superseded: readonly number[], evicted: readonly number[]): string[] {
  return [
    ...linesIf(superseded.length > 0, `${formatNotesAre(superseded)} superseded`),
    ...linesIf(evicted.length > 0, `${formatNotesAre(evicted)} expired, to keep to the cap`),
  ];
}

function formatNotesAre(ids: readonly number[]): string {
  return ids.length === 1 ? `note ${ids.join("")} is` : `notes ${ids.join(", ")} are`;
}
