import { createHash } from "node:crypto";
import { z } from "zod";
import { NOTE_KIND_NAMES, NOTE_PROPERTY_NAMES, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { AccountStore, IdentityStore } from "../chat/viewer-store.ts";
import { NOTE_SOURCES } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { findPeople } from "../language/people.ts";
import { readExportedEpisodes } from "./episode-store.ts";
import { IMPORTANCES, LIFETIMES } from "./note-prompt.ts";
import {
  type EvidenceRow,
  NoteReader,
  type NoteRow,
  readCurrentNotes,
} from "./note-reads-store.ts";
import { getImportance } from "./note-settings.ts";

export interface ExportParts {
  readonly db: Db;
  /** Returns true for opted-out viewers: nothing about them is exported. */
  readonly isOptedOut: (userId: string) => boolean;
  readonly now: () => number;
}

/**
 * Reads active, shadow and pending notes with their viewers and episodes. With `userIds`, only notes about these
 * viewers. Leaves out notes that are about or name an opted-out or unknown viewer, and notes without a summarised
 * episode. One transaction.
 */
export function readExport(parts: ExportParts, userIds: readonly string[] | null): ExportContent {
  return parts.db.transaction(() => readContent(parts, userIds))();
}

function readContent(
  { db, isOptedOut, now }: ExportParts,
  userIds: readonly string[] | null,
): ExportContent {
  const accounts = new AccountStore(db);
  const reader = new NoteReader(db, now);
  const people = new Map<string, ExportContent["people"][number]>();
  const read: { note: NoteRow; evidence: readonly EvidenceRow[] }[] = [];
  for (const note of readCurrentNotes(db, now)) {
    const { id, subjectId, fact, topics } = note;
    if (userIds !== null && (subjectId === null || !userIds.includes(subjectId))) continue;
    const ids = [subjectId ?? [], findPeople(`${fact} ${topics}`)].flat();
    const viewers = ids.map((one) => (isOptedOut(one) ? null : accounts.findById(one)));
    if (!viewers.every((viewer) => viewer !== null)) continue;
    for (const { userId, login, displayName } of viewers)
      people.set(userId, { userId, login, displayName });
    read.push({ note, evidence: reader.evidenceOf(id) });
  }
  const refs = read.flatMap(({ evidence }) => evidence.map(({ episodeId }) => episodeId));
  const episodes = readExportedEpisodes(db, refs);
  const there = new Set(episodes.map(({ ref }) => ref));
  const notes = read.map(({ note, evidence }) => toExportedNote(note, evidence, there));
  const aliases = new IdentityStore(db, now).list();
  return {
    exportedAtMs: now(),
    people: [...people.values()],
    aliases: aliases
      .filter(({ userId, sameAs }) => people.has(userId) && people.has(sameAs))
      .map(({ userId, sameAs }) => ({ userId, sameAs })),
    episodes,
    notes: notes.filter(({ evidence }) => evidence.length > 0),
  };
}

/** Converts a note for the file, with its evidence from exported episodes. `there`: their ids. */
function toExportedNote(
  note: NoteRow,
  evidence: readonly EvidenceRow[],
  there: ReadonlySet<number>,
): ExportedNote {
  const { channel, scope, subjectId, persona, kind, fact, topics, confidence, status, source } =
    note;
  const { createdAtMs, lastConfirmedAtMs, expiresAtMs, lifetime, property, happensOn } = note;
  const levels = ["high", "medium"] as const;
  return {
    ...{ channel, scope, subjectId, persona, kind, fact, confidence, source },
    status: status === "shadow" || status === "pending" ? status : "active",
    ...{ createdAtMs, lastConfirmedAtMs, expiresAtMs, lifetime, property },
    evidence: evidence
      .filter(({ episodeId }) => there.has(episodeId))
      .map(({ episodeId, method, confidence: sure, createdAtMs: atMs }) => {
        return { episode: episodeId, method, confidence: sure, createdAtMs: atMs };
      }),
    topics: topics === "" ? [] : topics.split(", "),
    importance: levels.find((one) => note.importance >= getImportance(one)) ?? "low",
    ...(happensOn === null ? {} : { happensOn }),
  };
}

const FACT_CHARS_MAX = 400;
/** A time in the file may be this much later than now: the clocks of two machines differ. */
const CLOCK_MS_MAX = 5 * 60_000;

const userId = z.string().regex(/^[\w-]{1,40}$/, "is not a user id");
const login = z.string().regex(/^\w{1,40}$/, "is no login");
const name = z.string().min(1).max(100);
const ref = z.int().min(1);
const timeMs = z.int().min(0);

const contentSchema = z.strictObject({
  exportedAtMs: timeMs,
  people: z.array(z.strictObject({ userId, login, displayName: name })),
  /** Two accounts of one person. */
  aliases: z.array(z.strictObject({ userId, sameAs: userId })),
  /** The episodes of notes, without text. */
  episodes: z.array(
    z.strictObject({
      ref,
      channel: login,
      kind: z.enum(["window", "direct", "request", "operator", "import"]),
      eventCount: z.int().min(0),
      startedAtMs: timeMs,
      endedAtMs: timeMs,
    }),
  ),
  notes: z.array(
    z.strictObject({
      channel: login,
      scope: z.enum(NOTE_SCOPES),
      subjectId: userId.nullable(),
      persona: name.nullable(),
      kind: z.enum(NOTE_KIND_NAMES),
      fact: z.string().min(1).max(FACT_CHARS_MAX),
      topics: z.array(z.string().min(1).max(60)).max(10),
      confidence: z.number().min(0).max(1),
      importance: z.enum(IMPORTANCES),
      /** As given, in files of version 2; null if the kind decides. */
      lifetime: z.enum(LIFETIMES).nullable().optional(),
      property: z
        .strictObject({
          name: z.enum(NOTE_PROPERTY_NAMES),
          value: z.string().min(1).max(200),
          game: z.string().max(200).nullable(),
        })
        .nullable()
        .optional(),
      /** The day that it is about. Left out if there is none, so that earlier versions can read the file. */
      happensOn: z.iso.date().optional(),
      status: z.enum(["active", "shadow", "pending"]),
      source: z.enum(NOTE_SOURCES),
      createdAtMs: timeMs,
      lastConfirmedAtMs: timeMs,
      expiresAtMs: timeMs.nullable(),
      evidence: z
        .array(
          z.strictObject({
            episode: ref,
            method: z.enum(NOTE_SOURCES),
            confidence: z.number().min(0).max(1),
            createdAtMs: timeMs,
          }),
        )
        .min(1),
    }),
  ),
});

export type ExportContent = z.output<typeof contentSchema>;
export type ExportedNote = ExportContent["notes"][number];

const FORMAT = "forgetmenot-memory";
const VERSION = 2;
/** Files of version 1 have no properties and lifetimes. */
const VERSIONS_READ = [1, VERSION] as const;
const fileSchema = z.strictObject({
  format: z.literal(FORMAT, "is no export of ForgetMeNot's memory"),
  version: z.literal(
    VERSIONS_READ,
    `is not ${VERSIONS_READ.join(" or ")}: the file is of another version of ForgetMeNot`,
  ),
  /** SHA-256 of the content as canonical JSON, hex. It detects damage, not forgery. */
  sha256: z.string().regex(/^[\da-f]{64}$/, "is not a checksum"),
  content: contentSchema,
});

export type ParsedExport =
  | { readonly ok: true; readonly content: ExportContent }
  /** `path`: the place, such as `content.notes[3].fact`; "" for the whole file. Quotes nothing from the file. */
  | { readonly ok: false; readonly path: string; readonly problem: string };

/** Returns the text of an export file, with a checksum. */
export function sealExport(content: ExportContent): string {
  const file = { format: FORMAT, version: VERSION, content, sha256: calculateChecksum(content) };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/**
 * Returns the content of an export file, or its first problem: in form, checksum, references or times. `text`: the file
 * as read; a byte order mark may precede it.
 */
export function parseExport(text: string, nowMs: number): ParsedExport {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return makeFileProblem("", "is not valid JSON");
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return makeFileProblem(z.core.toDotPath(issue?.path ?? []), describeIssue(issue));
  }
  const { content, sha256 } = parsed.data;
  if (calculateChecksum(content) !== sha256) {
    return makeFileProblem(
      "sha256",
      "does not fit the content: the file was changed or is damaged",
    );
  }
  return findContentProblem(content, nowMs) ?? { ok: true, content };
}

function makeFileProblem(path: string, problem: string): ParsedExport {
  return { ok: false, path, problem };
}

/** Returns zod's message, unless it would quote the file. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return "is wrong";
  return issue.code === "unrecognized_keys"
    ? "has a key that does not belong there"
    : issue.message;
}

/** Returns the first wrong reference or time, or the first duplicate; null if there is none. */
function findContentProblem(content: ExportContent, nowMs: number): ParsedExport | null {
  const latestMs = nowMs + CLOCK_MS_MAX;
  if (content.exportedAtMs > latestMs)
    return makeFileProblem("content.exportedAtMs", "is in the future");
  const people = new Set(content.people.map((one) => one.userId));
  if (people.size < content.people.length)
    return makeFileProblem("content.people", "has one person twice");
  const episodes = new Set(content.episodes.map((one) => one.ref));
  if (episodes.size < content.episodes.length)
    return makeFileProblem("content.episodes", "has one twice");
  for (const [index, alias] of content.aliases.entries()) {
    const isKnown = people.has(alias.userId) && people.has(alias.sameAs);
    if (!isKnown || alias.userId === alias.sameAs) {
      return makeFileProblem(`content.aliases[${index}]`, "does not name two people in the file");
    }
  }
  for (const [index, note] of content.notes.entries()) {
    const problem = findNoteProblem(note, { people, episodes, latestMs });
    if (problem !== null)
      return makeFileProblem(`content.notes[${index}].${problem[0]}`, problem[1]);
  }
  return null;
}

/** In a fact, braces occur only in person tokens. */
const TOKENS = /\{u:[\w-]{1,40}\}/g;

/** Returns the place in a note and its problem, such as `["fact", "has an invalid token"]`; null if there is none. */
function findNoteProblem(
  note: ExportedNote,
  known: {
    readonly people: ReadonlySet<string>;
    readonly episodes: ReadonlySet<number>;
    readonly latestMs: number;
  },
): readonly [string, string] | null {
  const { scope, subjectId, fact, topics, createdAtMs, lastConfirmedAtMs, evidence } = note;
  if ((scope === "viewer") !== (subjectId !== null)) {
    return ["subjectId", "does not fit the scope: viewers' notes have a subject, others none"];
  }
  if (subjectId !== null && !known.people.has(subjectId)) {
    return ["subjectId", "is not a person in the file"];
  }
  if (/[{}]/.test(fact.replaceAll(TOKENS, ""))) return ["fact", "has an invalid token"];
  const named = findPeople(fact);
  if (!named.every((id) => known.people.has(id))) return ["fact", "names a viewer not in the file"];
  if (topics.some((topic) => /[{}]/.test(topic))) return ["topics", "has a token"];
  if (createdAtMs > lastConfirmedAtMs) return ["lastConfirmedAtMs", "is before createdAtMs"];
  if (lastConfirmedAtMs > known.latestMs) return ["lastConfirmedAtMs", "is in the future"];
  const stray = evidence.findIndex(({ episode }) => !known.episodes.has(episode));
  if (stray >= 0) return [`evidence[${stray}].episode`, "is not an episode in the file"];
  const isTwice = new Set(evidence.map(({ episode }) => episode)).size < evidence.length;
  return isTwice ? ["evidence", "has an episode twice"] : null;
}

/** Returns the SHA-256 of a content, hex: the same for any order of keys. */
function calculateChecksum(content: ExportContent): string {
  const text = JSON.stringify(content, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
  return createHash("sha256").update(text).digest("hex");
}
