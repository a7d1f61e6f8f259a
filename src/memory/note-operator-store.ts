import { Fault } from "../errors.ts";
import type { NoteKind, NoteScope } from "../platform/config/names.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { Candidate } from "./check-sorted.ts";
import type { EpisodeStore } from "./episode-store.ts";
import type { NamedPerson } from "./labels.ts";
import { endOf, importanceOf } from "./lifetimes.ts";
import { allPinned, type MadeRoom, makeRoom, noteActivation } from "./note-activation-store.ts";
import { type Decided, noteDecisions } from "./note-decisions-store.ts";
import { type ForgottenNote, noteForgetting } from "./note-forget-store.ts";
import type { Importance, Lifetime } from "./note-prompt.ts";
import { type NoteRecord, noteRecords, ownerOf } from "./note-records-store.ts";
import type { NoteSettings } from "./note-settings.ts";
import { noteStore } from "./note-store.ts";
import type { NoteWriter } from "./note-writer-store.ts";
import { mentionsIn, operatorFact } from "./operator-fact.ts";
import { operatorRefusal } from "./operator-refusal.ts";

/** A fact that the streamer wants to be known. */
interface OperatorFact {
  readonly channel: string;
  /** Whom it is about; null for the channel or a bit. */
  readonly subjectId: string | null;
  readonly scope: NoteScope;
  /** Null: what is usual in its scope. */
  readonly kind: NoteKind | null;
  /** As it was typed: `@name` stands for a person. */
  readonly text: string;
}

interface Adjustment {
  readonly importance: Importance | undefined;
  readonly lifetime: Lifetime | undefined;
}

/** What became of a fact: a note of its own, or an older one that says the same and is confirmed by it. */
export interface Kept extends MadeRoom {
  readonly id: number;
  readonly isNew: boolean;
}

/**
 * What the streamer can do with notes. Each is one transaction, and throws a Fault, with nothing changed, where it
 * cannot be done. Serves command line and page alike.
 */
export interface NoteOperator {
  /** Keeps a fact, under the write policy, by the strongest source: it becomes an episode of its own kind first. */
  add(fact: OperatorFact): Kept;
  /** Writes a fact in the place of a note, which stays behind it; kind, topics, importance and pin are the note's. */
  edit(id: number, text: string): Kept;
  /** Changes how much a note counts, or how long it lives from now on, whatever its kind says. */
  adjust(id: number, change: Adjustment): void;
  approve(ids: readonly number[]): Decided[];
  reject(ids: readonly number[]): Decided[];
  supersede(oldId: number, newId: number): Decided;
  /** Takes the last decision about a note back; with `keepBoth` what had taken its place stays in force, too. */
  undo(id: number, keepBoth: boolean): Decided;
  pin(ids: readonly number[], pinned: boolean): Decided[];
  /** Removes notes and every trace of what they say. Works in read-only, too. */
  forget(ids: readonly number[]): ForgottenNote[];
}

export interface OperatorParts {
  readonly db: Db;
  readonly writer: NoteWriter;
  readonly episodes: Pick<EpisodeStore, "people">;
  readonly settings: (channel: string) => NoteSettings;
  readonly botNames: readonly string[];
  readonly readOnly: () => boolean;
  readonly now: () => number;
}

const PEOPLE_MAX = 300;

export function noteOperator(parts: OperatorParts): NoteOperator {
  const { db, settings, now } = parts;
  const records = noteRecords(db, now);
  const notes = noteStore(db, now);
  const activate = noteActivation({ records, notes, settings, now });
  const decisions = noteDecisions({ records, notes, settings, activate });
  const forget = noteForgetting(db, { records, now });
  const rows = statements(db);
  const desk = { ...parts, records, notes, activate, rows };
  const once = <T>(work: () => T): T => db.transaction(work).immediate();
  const write = <T>(work: () => T): T => {
    if (parts.readOnly()) throw notKept("read_only");
    return once(work);
  };
  const each = (ids: readonly number[], decide: (id: number) => Decided): Decided[] =>
    write(() => [...new Set(ids)].map(decide));
  return {
    add: (fact) => write(() => keep(desk, fact, null)),
    edit: (id, text) =>
      write(() => {
        const old = records.get(id);
        refuseEdit(old);
        return keep(desk, { ...old, text }, old);
      }),
    adjust: (id, change) =>
      write(() => {
        records.get(id);
        adjustNote(rows, id, change, now());
      }),
    approve: (ids) => each(ids, decisions.approve),
    reject: (ids) => each(ids, decisions.reject),
    supersede: (oldId, newId) => write(() => decisions.supersede(oldId, newId)),
    undo: (id, keepBoth) => write(() => decisions.undo(id, keepBoth)),
    pin: (ids, pinned) => each(ids, (id) => decisions.pin(id, pinned)),
    forget: (ids) => once(() => forgetAll(ids, forget)),
  };
}

function adjustNote(rows: Rows, id: number, change: Adjustment, nowMs: number): void {
  const { importance, lifetime } = change;
  if (importance !== undefined) rows.weigh.run(importanceOf(importance), id);
  if (lifetime !== undefined) rows.live.run(lifetime, endOf(lifetime, nowMs), id);
}

interface Desk extends OperatorParts {
  readonly records: ReturnType<typeof noteRecords>;
  readonly notes: ReturnType<typeof noteStore>;
  readonly activate: ReturnType<typeof noteActivation>;
  readonly rows: Rows;
}

type Rows = ReturnType<typeof statements>;

function keep(desk: Desk, fact: OperatorFact, old: NoteRecord | null): Kept {
  const { records, rows, writer, settings } = desk;
  const { channel } = fact;
  const stored = asStored(desk, fact);
  if (stored === old?.fact) throw saysAlready(old);
  const episodeId = begin(rows, { ...fact, text: stored }, desk.now());
  const origin = {
    ...{ channel, sessionId: null, saidAtMs: desk.now(), model: null, promptVersion: null },
    fresh: new Set<number>(),
  };
  const before = new Set(records.active(ownerIn(desk, fact)).map(({ id }) => id));
  const { verdict, noteId } = writer.write(
    candidateOf(fact, stored, { episodeId, old }),
    origin,
    old?.id,
  );
  if (verdict.kind === "drop" || noteId === null) {
    throw notKept(verdict.kind === "drop" ? verdict.reason : "low_confidence");
  }
  const isNew = verdict.kind !== "confirm";
  if (old !== null && isNew) records.inherit(noteId, old.id);
  const note = records.get(noteId);
  if (note.status === "expired") throw allPinned(ownerIn(desk, fact), settings(channel));
  const owner = ownerOf(note, settings(channel).persona);
  // A note that was waiting, and is in force by the streamer's word, is held against the others like an approved one.
  if (!isNew && !before.has(noteId)) desk.activate(note);
  makeRoom(desk, owner, noteId);
  const after = new Set(records.active(owner).map(({ id }) => id));
  const gone = [...before].filter((id) => !after.has(id)).map((id) => records.get(id));
  const idsOf = (status: string) => gone.filter((one) => one.status === status).map(({ id }) => id);
  const superseded = [...new Set([...(old === null ? [] : [old.id]), ...idsOf("superseded")])];
  return { id: noteId, isNew, superseded, evicted: idsOf("expired") };
}

function ownerIn({ settings }: Desk, { channel, subjectId }: OperatorFact) {
  return { channel, subjectId, persona: settings(channel).persona };
}

/** With tokens for names. */
function asStored(
  { rows, episodes, botNames }: Desk,
  { channel, subjectId, text }: OperatorFact,
): string {
  const named = mentionsIn(text).flatMap((name) =>
    onlyOne(name, rows.named.all(name.toLowerCase())),
  );
  const subject = subjectId === null ? null : nameOf(rows, subjectId);
  const others = [...named, ...episodes.people(channel, PEOPLE_MAX)];
  const stored = operatorFact(text, { subject, others, botNames });
  if (stored !== "") return stored;
  throw new Fault("there is no fact to keep", {
    code: "usage",
    mend: 'put it in quotes behind the options: "plays the bass"',
  });
}

function nameOf(rows: Rows, userId: string): NamedPerson {
  const { login, displayName } = rows.person.get(userId) ?? { login: "", displayName: "" };
  return { userId, login, displayName };
}

interface PersonRow extends Omit<NamedPerson, "optedOut"> {
  readonly optedOut: number;
}

function onlyOne(name: string, rows: readonly PersonRow[]): readonly NamedPerson[] {
  const people = rows.map((row) => ({ ...row, optedOut: row.optedOut === 1 }));
  if (people.length < 2) return people;
  throw new Fault(`@${name} may be ${people.length} different people`, {
    code: "usage",
    mend: "leave the @ out, or name them by a login that nobody else had",
  });
}

/** Notes come only from episodes: this is the one that the streamer's word makes. */
function begin(
  rows: Rows,
  { channel, subjectId, scope, text }: OperatorFact,
  nowMs: number,
): number {
  const id = Number(rows.episode.run(channel, nowMs, nowMs, nowMs).lastInsertRowid);
  if (subjectId !== null) rows.participant.run(id, subjectId);
  rows.claim.run(id, scope, subjectId, text);
  return id;
}

function candidateOf(
  fact: OperatorFact,
  stored: string,
  { episodeId, old }: { readonly episodeId: number; readonly old: NoteRecord | null },
): Candidate {
  return {
    scope: fact.scope,
    subjectId: fact.subjectId,
    kind: fact.kind ?? usualKind(fact.scope),
    fact: stored,
    topics: old === null || old.topics === "" ? [] : old.topics.split(", "),
    confidence: 1,
    importance: "high",
    lifetime: old?.lifetime ?? null,
    property: null,
    sensitive: false,
    aboutBot: false,
    claims: [{ episodeId, n: 1 }],
    isWeak: false,
    carriers: 1,
    relation: "new",
    noteId: null,
    source: "operator",
  };
}

function usualKind(scope: NoteScope): NoteKind {
  switch (scope) {
    case "viewer":
      return "profile";
    case "channel":
      return "profile";
    case "bit":
      return "running_bit";
  }
}

function refuseEdit({ id, status }: NoteRecord): void {
  if (status !== "superseded" && status !== "rejected") return;
  throw new Fault(`note ${id} is ${status}: there is nothing in force to edit`, {
    code: "usage",
    mend: `\`forgetmenot memory undo ${id}\` brings it back first`,
  });
}

function notKept(reason: Parameters<typeof operatorRefusal>[0]): Fault {
  const { message, mend } = operatorRefusal(reason);
  return new Fault(message, { code: "usage", mend });
}

function saysAlready({ id }: NoteRecord): Fault {
  return new Fault(`note ${id} says exactly that already`, {
    code: "usage",
    mend: "nothing needs to be done",
  });
}

/** One that said the same as another, and went with it, is done already. */
function forgetAll(ids: readonly number[], forget: (id: number) => ForgottenNote): ForgottenNote[] {
  const done: ForgottenNote[] = [];
  for (const id of new Set(ids)) {
    if (!done.some(({ notes }) => notes.includes(id))) done.push(forget(id));
  }
  return done;
}

function statements(db: Db) {
  const person =
    "user_id AS userId, login, display_name AS displayName, opted_out AS optedOut FROM viewers";
  return {
    weigh: db.prepare<[number, number]>("UPDATE semantic_notes SET importance = ? WHERE id = ?"),
    live: db.prepare<[Lifetime, number | null, number]>(
      "UPDATE semantic_notes SET lifetime = ?, expires_at = ? WHERE id = ?",
    ),
    person: db.prepare<[string], PersonRow>(`SELECT ${person} WHERE user_id = ?`),
    named: db.prepare<[string], PersonRow>(`SELECT ${person} WHERE login = ?`),
    episode: db.prepare<[string, number, number, number]>(
      `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, status, created_at)
       VALUES (?, 'operator', 0, ?, ?, 'extracted', 'done', ?)`,
    ),
    participant: db.prepare<[number, string]>(
      "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
    ),
    claim: db.prepare<[number, string, string | null, string]>(
      `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
       VALUES (?, 1, ?, ?, ?, '[]')`,
    ),
  };
}
