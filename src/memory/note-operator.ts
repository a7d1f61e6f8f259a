import type { NoteKind, NoteScope } from "../catalogue/note-kinds.ts";
import { AccountStore } from "../chat/viewer-store.ts";
import type { NoteStatus } from "../config/names.ts";
import type { Db } from "../database/open-database.ts";
import { attempt, type Fault, makeUsageFault } from "../errors.ts";
import { cleanLine } from "../language/clean.ts";
import { findPeople, MENTIONED_NAME, makePersonToken } from "../language/people.ts";
import { CandidateStore } from "./candidate-store.ts";
import { type EpisodeStore, SaidEpisodes } from "./episode-store.ts";
import { isRival, makeFactKey } from "./fact-key.ts";
import { Labels, type NamedPerson, unnamedPerson } from "./labels.ts";
import type { Importance, NoteLifetime } from "./note-prompt.ts";
import { getOwner, type NoteOwner, type NoteRow, type StoredNote } from "./note-reads-store.ts";
import {
  calculateExpiry,
  chooseKind,
  endOf,
  getCap,
  getImportance,
  type NoteSettings,
} from "./note-settings.ts";
import { NoteStore } from "./note-store.ts";
import type { NoteWriter } from "./note-writer.ts";
import { type ForgottenNote, RemovalStore } from "./removal-store.ts";
import type { DropReason } from "./write-policy.ts";

/** A fact that the streamer writes. */
interface OperatorFact {
  readonly channel: string;
  /** The viewer that it is about; null for the channel or a running joke. */
  readonly subjectId: string | null;
  readonly scope: NoteScope;
  /** Null: the usual kind of its scope. */
  readonly kind: NoteKind | null;
  /** As typed: `@name` means a viewer. */
  readonly text: string;
}

/** Subject of a typed fact if its words do not name it; `viewer` is a login. */
interface FactPlace {
  readonly channel: string;
  readonly viewer?: string | undefined;
  readonly scope?: "channel" | "bit" | undefined;
  readonly kind?: NoteKind | null | undefined;
}

const LEADING_NAME = new RegExp(`^\\s*${MENTIONED_NAME.source}\\s+(?=\\S)`, "u");
const FACTS_MAX = 200;

/** Other notes that changed because one became active. */
interface MadeRoom {
  /** Notes that said otherwise: it replaced them. */
  readonly superseded: readonly number[];
  /** Notes over the cap: they expired. */
  readonly evicted: readonly number[];
}

/** Result for a fact: a new note, or a confirmed note with the same content. */
export interface Kept extends MadeRoom {
  readonly id: number;
  readonly isNew: boolean;
}

interface NoteChanges extends MadeRoom {
  /** Notes that are active again. */
  readonly restored: readonly number[];
}

interface DecisionResult extends NoteChanges {
  readonly id: number;
  readonly status: NoteStatus;
}

export interface OperatorParts {
  readonly db: Db;
  readonly writer: NoteWriter;
  readonly episodes: { readonly people: EpisodeStore["people"] };
  readonly settings: (channel: string) => NoteSettings;
  readonly botNames: readonly string[];
  readonly readOnly: () => boolean;
  readonly now: () => number;
}

const NOTHING: NoteChanges = { superseded: [], evicted: [], restored: [] };
const WAITING: ReadonlySet<NoteStatus> = new Set<NoteStatus>(["pending", "shadow"]);

/**
 * The streamer's operations on notes, for the command line and the page. Each but `addLines` is one transaction: if it
 * fails for one note, it throws a Fault and changes nothing. In read-only mode, only `forget` works.
 */
export class NoteOperator {
  readonly #parts: OperatorParts;
  readonly #notes: NoteStore;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    this.#notes = new NoteStore(parts.db, parts.now);
  }

  /**
   * Stores a fact as an active note, or confirms and activates the note that says it. That may replace notes that say
   * otherwise, but none of `freshNoteIds`, and evict notes above the cap.
   */
  add(fact: OperatorFact, freshNoteIds: ReadonlySet<number> = new Set()): Kept {
    return this.#write(() => this.#keep(fact, null, freshNoteIds));
  }

  /**
   * Stores a fact as the streamer typed it. If `place` names no subject, it is about the viewer whose `@name` it begins
   * with, or about the channel. Throws a Fault for an unknown viewer.
   */
  addTyped(text: string, place: FactPlace, freshNoteIds?: ReadonlySet<number>): Kept {
    const { channel, scope, kind = null } = place;
    const [lead = "", name] = scope === undefined ? (LEADING_NAME.exec(text) ?? []) : [];
    const viewer = place.viewer ?? name;
    const accounts = new AccountStore(this.#parts.db);
    const subjectId = viewer === undefined ? null : accounts.named(viewer).userId;
    const fact = {
      ...{ channel, subjectId, kind },
      scope: subjectId === null ? (scope ?? ("channel" as const)) : ("viewer" as const),
      text: place.viewer === undefined ? text.slice(lead.length) : text,
    };
    return this.add(fact, freshNoteIds);
  }

  /**
   * Stores each line that is not blank as a fact, and pins the note that was stored or confirmed. No line replaces or
   * evicts the note of another. Returns the notes' ids, and the number of each refused line, from 1, with the reason.
   * Throws a Fault for no fact or more than 200.
   */
  addLines(text: string, place: FactPlace) {
    const lines = text.split("\n").map((line) => line.trim());
    const count = lines.filter((line) => line !== "").length;
    if (count === 0 || count > FACTS_MAX)
      throw makeUsageFault(
        `there are ${count} facts`,
        `give 1 to ${FACTS_MAX} lines with a fact each`,
      );
    const ids = new Set<number>();
    const refused: { line: number; why: string }[] = [];
    for (const [at, line] of lines.entries()) {
      if (line === "") continue;
      const { value, fault } = attempt(() => {
        const { id } = this.addTyped(line, place, ids);
        this.pin([id], true);
        return id;
      });
      if (fault === null) ids.add(value);
      else refused.push({ line: at + 1, why: `${fault.message}; ${fault.fix}` });
    }
    return { ids: [...ids], refused };
  }

  /**
   * Replaces note `id` by a new one with its kind, topics, importance, lifetime and pin. If another note says `text`
   * already, that one replaces it and keeps its own. Throws a Fault for a superseded or rejected note.
   */
  edit(id: number, text: string): Kept {
    return this.#write(() => {
      const old = this.#notes.get(id);
      if (old.status === "superseded" || old.status === "rejected")
        throw makeNoLongerActiveFault(old);
      return this.#keep({ ...old, text }, old, new Set());
    });
  }

  /** Sets a note's importance, its lifetime from now on, or both. Undefined leaves a value as it is. */
  adjust(
    id: number,
    change: {
      readonly importance: Importance | undefined;
      readonly lifetime: NoteLifetime | undefined;
    },
  ): void {
    const { importance, lifetime } = change;
    this.#write(() => {
      this.#notes.get(id);
      if (importance !== undefined)
        this.#notes.update(id, { importance: getImportance(importance) });
      if (lifetime !== undefined)
        this.#notes.update(id, { lifetime, expiresAtMs: endOf(lifetime, this.#parts.now()) });
    });
  }

  /** Activates shadow or pending notes. */
  approve(ids: readonly number[]): DecisionResult[] {
    return this.#each(ids, (note) => {
      if (!WAITING.has(note.status)) throw makeNotWaitingFault(note);
      this.#notes.update(note.id, { statusBefore: note.status });
      return this.#activate(note);
    });
  }

  /** Rejects notes of any status but rejected or superseded. */
  reject(ids: readonly number[]): DecisionResult[] {
    return this.#each(ids, (note) => {
      const { id, status, statusBefore } = note;
      if (status === "rejected" || status === "superseded") throw makeNoLongerActiveFault(note);
      // A note that expired while it waited gets its waiting status back if the rejection is undone.
      const waitedAs = status === "stale" || status === "expired" ? statusBefore : null;
      this.#notes.setStatus(id, "rejected", waitedAs ?? status);
      return {};
    });
  }

  /** Replaces a note by an active one of the same owner and scope. */
  supersede(oldId: number, newId: number): DecisionResult {
    return this.#write(() => {
      refuseSupersede(this.#notes.get(oldId), this.#notes.get(newId));
      this.#notes.supersede(newId, [oldId]);
      // A replaced name is deleted.
      return { ...NOTHING, id: oldId, status: "superseded" };
    });
  }

  /**
   * Undoes the last approval, rejection or replacement of a note. Without one, the last note that it replaced replaces
   * it again. With `keepBoth`, a note that comes back replaces none of the notes that had replaced it. Throws a Fault if
   * there is nothing to undo.
   */
  undo(id: number, keepBoth = false): DecisionResult {
    return this.#write(() => this.#describe(id, this.#undo(this.#notes.get(id), keepBoth)));
  }

  /**
   * Pins active notes, or unpins notes of any status. Unpinning restarts the lifetime, and may evict notes above a cap
   * that was lowered.
   */
  pin(ids: readonly number[], pinned: boolean): DecisionResult[] {
    return this.#each(ids, (note) => {
      if (pinned && note.status !== "active") throw makeNotActiveFault(note, "pinned");
      const expiresAtMs = pinned ? null : calculateExpiry(note, this.#parts.now());
      if (pinned !== note.pinned) this.#notes.update(note.id, { pinned, expiresAtMs });
      if (pinned || note.status !== "active") return {};
      // The pin may have kept the note although a cap was lowered.
      const owner = this.#ownerOf(note);
      return { evicted: this.#notes.evict(owner, this.#capOf(owner)) };
    });
  }

  /**
   * Removes notes, equal ones, and their traces in claims, candidates, summaries and recaps. Works in read-only mode,
   * too.
   */
  forget(ids: readonly number[]): ForgottenNote[] {
    return this.#run(() => {
      const removals = new RemovalStore(this.#parts.db, this.#parts.now);
      const done: ForgottenNote[] = [];
      for (const id of new Set(ids)) {
        if (done.some((one) => one.notes.includes(id))) continue;
        done.push(removals.forgetNote(this.#notes.get(id)));
      }
      return done;
    });
  }

  #run<T>(work: () => T): T {
    return this.#parts.db.transaction(work).immediate();
  }

  #write<T>(work: () => T): T {
    if (this.#parts.readOnly()) throw makeNotStoredFault("read_only");
    return this.#run(work);
  }

  #describe(id: number, moved: Partial<DecisionResult> = {}): DecisionResult {
    return { ...NOTHING, id, status: this.#notes.get(id).status, ...moved };
  }

  #each(
    ids: readonly number[],
    work: (note: StoredNote) => Partial<DecisionResult>,
  ): DecisionResult[] {
    return this.#write(() =>
      [...new Set(ids)].map((id) => {
        const moved = work(this.#notes.get(id));
        return this.#describe(id, moved);
      }),
    );
  }

  #ownerOf(note: StoredNote): NoteOwner {
    return getOwner(note, this.#parts.settings(note.channel).persona);
  }

  #capOf(owner: NoteOwner): number {
    return getCap(owner, this.#parts.settings(owner.channel));
  }

  /**
   * Expires notes above the owner's cap, but not note `keepId`, and returns their ids. Throws a Fault if pinned and
   * requested notes fill the cap.
   */
  #makeRoom(owner: NoteOwner, keepId: number): number[] {
    const max = this.#capOf(owner);
    const evicted = this.#notes.evict(owner, max, keepId);
    if (!evicted.includes(keepId) && this.#notes.countActive(owner) <= max) return evicted;
    throw makeAllPinnedFault(max);
  }

  /**
   * Makes a note active, as confirmed now. It replaces active notes of its scope that say otherwise, except `spareId`;
   * notes above the cap expire. Throws a Fault if another active note says the same, or if pinned and requested notes
   * fill the cap. Does not ask the write policy.
   */
  #activate(note: StoredNote, spareId?: number): MadeRoom {
    const { db, now } = this.#parts;
    const owner = this.#ownerOf(note);
    const others = this.#notes.active(owner).filter(({ id }) => id !== note.id);
    const twin = others.find((other) => makeFactKey(other.fact) === makeFactKey(note.fact));
    if (twin !== undefined) {
      throw makeUsageFault(
        `note ${twin.id} says the same as note ${note.id} already, and is active`,
        "nothing to do",
      );
    }
    const replacedId = new CandidateStore(db, now).replacedIdOf(note.id);
    const superseded = others
      .filter((other) => other.id === replacedId || isRival(note, other))
      .filter((other) => other.scope === note.scope && other.id !== spareId)
      .map((other) => other.id);
    this.#notes.supersede(note.id, superseded);
    this.#notes.activate(note.id, calculateExpiry(note, now()));
    return { superseded, evicted: this.#makeRoom(owner, note.id) };
  }

  /**
   * Makes a superseded note active again. It supersedes the last note of its chain of replacements, if that is active
   * or waiting, unless `keepBoth`.
   */
  #restore(note: StoredNote, keepBoth: boolean): NoteChanges {
    let head: StoredNote = note;
    // The end of a chain of replacements.
    while (head.supersededBy !== null) head = this.#notes.get(head.supersededBy);
    this.#notes.update(note.id, { supersededBy: null });
    const isActive = head.status === "active" || WAITING.has(head.status);
    const isSwapped = !keepBoth && head !== note && isActive;
    if (isSwapped) this.#notes.supersede(note.id, [head.id]);
    const { superseded, evicted } = this.#activate(note, keepBoth ? head.id : undefined);
    const all = isSwapped ? [head.id, ...superseded] : superseded;
    return { superseded: all, evicted, restored: [note.id] };
  }

  #undo(note: StoredNote, keepBoth: boolean): NoteChanges {
    if (note.status === "superseded") return this.#restore(note, keepBoth);
    const { id, statusBefore: before } = note;
    if (note.status === "rejected") {
      this.#notes.setStatus(id, before ?? "active", null);
      return { ...NOTHING, ...((before ?? "active") === "active" ? this.#activate(note) : {}) };
    }
    const replaced = this.#notes.replacedBy(id);
    if (before !== null && note.status === "active") {
      this.#notes.setStatus(id, before, null);
      const moved = replaced.map((old) => this.#restore(old, true));
      return {
        superseded: moved.flatMap(({ superseded }) => superseded),
        evicted: moved.flatMap(({ evicted }) => evicted),
        restored: replaced.map((old) => old.id),
      };
    }
    const last = replaced.at(-1);
    if (last !== undefined) return this.#restore(last, keepBoth);
    throw makeUsageFault(
      `there is nothing to undo about note ${id}: it is ${note.status}, and replaced no other`,
      "the page shows where it comes from, under Memory",
    );
  }

  /**
   * Stores a fact as an active note, and makes room for it. Throws a Fault if the write policy refuses it, or if there
   * is no room. `old`: the note that it replaces, whose pin, importance and topics a new note gets; null if none.
   */
  #keep(fact: OperatorFact, old: NoteRow | null, freshNoteIds: ReadonlySet<number>): Kept {
    const { persona } = this.#parts.settings(fact.channel);
    const { noteId, verdict, replaced, evicted } = this.#writeFact(fact, old, freshNoteIds);
    const isNew = verdict.kind !== "confirm";
    if (old !== null && isNew) {
      const { pinned, importance, topics, persona } = old;
      this.#notes.update(noteId, { pinned, importance, topics, persona });
      if (pinned) this.#notes.update(noteId, { expiresAtMs: null });
    }
    const note = this.#notes.get(noteId);
    const owner = getOwner(note, persona);
    if (note.status === "expired") throw makeAllPinnedFault(this.#capOf(owner));
    // A waiting note that this fact confirmed is compared with the others like an approved one.
    const isApproved = verdict.kind === "confirm" && verdict.promotes;
    const moved = isApproved ? this.#activate(note) : NOTHING;
    const superseded = [...replaced, ...moved.superseded];
    const more = this.#makeRoom(owner, noteId);
    return { id: noteId, isNew, superseded, evicted: [...evicted, ...moved.evicted, ...more] };
  }

  /**
   * Writes a fact as an episode and, under the write policy, as a note. Returns the note that was written or confirmed.
   * Throws a Fault if the policy refuses the fact, or if `old`, the note that it edits, says the same.
   */
  #writeFact(fact: OperatorFact, old: StoredNote | null, freshNoteIds: ReadonlySet<number>) {
    const { db, writer, now } = this.#parts;
    const { channel, subjectId, scope, kind } = fact;
    const text = this.#toStored(fact);
    if (text === old?.fact) {
      throw makeUsageFault(`note ${old.id} says exactly that already`, "nothing to do");
    }
    const said = new SaidEpisodes(db, "operator");
    const episodeId = said.begin(channel, subjectId, now());
    const candidate = said.claim(episodeId, 1, {
      ...{ scope, subjectId, fact: text, source: "operator", kind: chooseKind(scope, kind) },
      topics: (old?.topics ?? "").split(", ").filter((topic) => topic !== ""),
      lifetime: old?.lifetime ?? null,
    });
    const written = writer.write(candidate, { channel, freshNoteIds }, old?.id);
    if (written.noteId === null) throw makeNotStoredFault(written.verdict.reason);
    return written;
  }

  /** Returns a typed fact with tokens for names. Throws a Fault if it is empty, or if a `@name` fits two viewers. */
  #toStored({ channel, subjectId, text }: OperatorFact): string {
    const { db, episodes, botNames } = this.#parts;
    const accounts = new AccountStore(db);
    const mentioned = new Set([...text.matchAll(MENTIONED_NAME)].map(([, name = ""]) => name));
    const named = [...mentioned].flatMap((name) => {
      const people = accounts.withLogin(name.toLowerCase());
      if (people.length < 2) return people;
      throw makeUsageFault(
        `@${name} may be ${people.length} different people`,
        "leave out the @, or use a login that no other viewer had",
      );
    });
    const subject =
      subjectId === null ? [] : [accounts.findById(subjectId) ?? unnamedPerson(subjectId)];
    const others = [...named, ...episodes.people(channel)];
    const stored = replaceNamesByTokens(text, subject, others, botNames);
    if (stored !== "") return stored;
    throw makeUsageFault(
      "the fact is empty",
      'put it in quotes after the options: "plays the bass"',
    );
  }
}

/**
 * Throws a Fault unless `young` is active, `old` is not superseded or rejected, and both have the same owner and scope.
 * So no chain of replacements is a circle.
 */
function refuseSupersede(old: StoredNote, young: StoredNote): void {
  if (old.id === young.id)
    throw makeUsageFault(`note ${old.id} cannot replace itself`, "name two notes");
  const isSameOwner =
    old.channel === young.channel &&
    old.scope === young.scope &&
    old.subjectId === young.subjectId &&
    old.persona === young.persona;
  if (!isSameOwner) {
    throw makeUsageFault(
      `notes ${old.id} and ${young.id} are not about the same person or thing`,
      "name two notes with the same subject, channel, scope and persona",
    );
  }
  if (young.status !== "active") throw makeNotActiveFault(young, "replaced another");
  if (old.status === "superseded" || old.status === "rejected") throw makeNoLongerActiveFault(old);
}

function makeNotWaitingFault({ id, status }: StoredNote): Fault {
  return makeUsageFault(
    `note ${id} is not waiting for approval: it is ${status}`,
    "undo a decision about it on the page, under Memory; `forgetmenot memory add` with its fact makes it active",
  );
}

function makeNoLongerActiveFault({ id, status, supersededBy }: StoredNote): Fault {
  const by = supersededBy === null ? "" : ` by note ${supersededBy}`;
  return makeUsageFault(
    `note ${id} is ${status}${by} already: no prompt uses it`,
    "bring it back first, on the page under Memory",
  );
}

function makeNotActiveFault({ id, status }: StoredNote, what: string): Fault {
  return makeUsageFault(
    `note ${id} is ${status}, and only an active one can be ${what}`,
    WAITING.has(status)
      ? `approve it first: \`forgetmenot memory approve ${id}\``
      : "see `forgetmenot memory list` for the active ones",
  );
}

/** Pinned notes and viewers' requests are never evicted. */
function makeAllPinnedFault(max: number): Fault {
  return makeUsageFault(
    `no room: the cap is ${max} notes, and all of them were pinned or asked for`,
    "unpin one on the page, under Memory, or raise memory.caps in config.json",
  );
}

const BREAKS = /[\n\r\u2028\u2029]/u;

/**
 * Replaces names by tokens, and puts the subject's token in front if the text does not name the subject. A
 * mention of an unknown name only loses its `@`. Line breaks stay: the checks refuse them later.
 */
function replaceNamesByTokens(
  text: string,
  subject: readonly NamedPerson[],
  others: readonly NamedPerson[],
  botNames: readonly string[],
): string {
  const known = new Set(
    [...others, ...subject].flatMap(({ login, displayName }) => [
      login.toLowerCase(),
      displayName.toLowerCase(),
    ]),
  );
  const plain = (BREAKS.test(text.trim()) ? text.trim() : cleanLine(text)).replaceAll(
    MENTIONED_NAME,
    (mention, name: string) => (known.has(name.toLowerCase()) ? mention : name),
  );
  const labels = new Labels(subject, others, botNames);
  const tokens = labels.toTokens(labels.hide(plain));
  const isNamed = subject.every(({ userId }) => findPeople(tokens).includes(userId));
  return tokens === "" || isNamed
    ? tokens
    : [...subject.map(({ userId }) => makePersonToken(userId)), tokens].join(" ");
}

/** Says why a typed fact is not stored, and the fix. Neither contains the fact. */
function makeNotStoredFault(reason: DropReason): Fault {
  const [wrong, fix] = REFUSALS[reason] ?? [`the write policy says ${reason}`, POLICY];
  return makeUsageFault(`this is not kept: ${wrong}`, fix);
}

const STATEMENT = "write it as a statement in the third person, such as: plays the bass";
const POLICY = "see memory in config.json";

/** The reasons for which the write policy drops a typed fact. */
const REFUSALS: Partial<Record<DropReason, readonly [wrong: string, fix: string]>> = {
  read_only: ["memory is read-only", "`forgetmenot memory readonly off` ends it"],
  scope_off: ["notes of this scope are switched off", POLICY],
  not_one_line: ["it has more than one line", "write one line"],
  too_long: ["it is longer than 200 characters", "write two notes"],
  url: ["it holds a link", "leave the link out"],
  action: ["it holds what looks like a command or an action", STATEMENT],
  marker: ["it holds marks of a prompt, such as a heading or braces", STATEMENT],
  instruction: [
    "it tells the bot how to speak or act, or gives a viewer a role or power",
    `${STATEMENT}; how the bot behaves is for persona.voice in config.json`,
  ],
  about_bot: ["it is about how the bot behaves", "see persona.voice in config.json"],
  sensitive: [
    "it is a private matter",
    "only the viewer may ask for such a thing to be remembered, with !remember",
  ],
  banned: ["it holds a banned word", "see replies.bannedWords in config.json"],
  opted_out: [
    "they opted out: nothing about them is kept",
    "only they can opt in again, with !optin",
  ],
  suppressed: ["they had this forgotten for good", "respect their wish"],
  kind_off: ["notes of this kind are switched off", POLICY],
  replaces_itself: ["a note already says exactly that", "nothing to do"],
};
