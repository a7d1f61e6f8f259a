import type { NoteKind, NoteScope } from "../catalogue/note-kinds.ts";
import { type Accounts, accountStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { type Fault, wrongUse } from "../errors.ts";
import { cleanLine } from "../language/clean.ts";
import { peopleIn, personToken } from "../language/people.ts";
import type { EpisodeStore } from "./episode-store.ts";
import { labelPeople, type NamedPerson, nameless } from "./labels.ts";
import {
  activate,
  allPinned,
  type Decided,
  type MadeRoom,
  makeRoom,
  noteDecisions,
} from "./note-decisions-store.ts";
import type { Importance, NoteLifetime } from "./note-prompt.ts";
import { type NoteRecord, noteRecords, ownerOf } from "./note-records-store.ts";
import { endOf, importanceOf, kindIn, type NoteSettings } from "./note-settings.ts";
import { noteStore } from "./note-store.ts";
import type { NoteWriter } from "./note-writer-store.ts";
import { type ForgottenNote, noteForgetting } from "./removal-store.ts";
import { type SaidFact, saidEpisodes, saidOrigin } from "./said-store.ts";
import type { Verdict } from "./write-policy.ts";

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

/** What became of a fact: a note of its own, or an older one that says the same and is confirmed by it. */
export interface Kept extends MadeRoom {
  readonly id: number;
  readonly isNew: boolean;
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

export type NoteOperator = ReturnType<typeof noteOperator>;

/**
 * What the streamer can do with notes. Each is one transaction, and throws a Fault, with nothing changed, where it
 * cannot be done. Serves command line and page alike.
 */
export function noteOperator(parts: OperatorParts) {
  const { db, settings, now } = parts;
  const records = noteRecords(db, now);
  const notes = noteStore(db, now);
  const decisions = noteDecisions({ records, notes, settings, now });
  const forget = noteForgetting(db, { records, now });
  const said = saidEpisodes(db, "operator");
  const tools = { ...parts, records, notes, said, accounts: accountStore(db) };
  const once = <T>(work: () => T): T => db.transaction(work).immediate();
  const write = <T>(work: () => T): T => {
    if (parts.readOnly()) throw notKept("read_only");
    return once(work);
  };
  const each = (ids: readonly number[], decide: (id: number) => Decided): Decided[] =>
    write(() => [...new Set(ids)].map(decide));
  return {
    /** Keeps a fact, under the write policy, by the strongest source: it becomes an episode of its own kind first. */
    add: (fact: OperatorFact): Kept => write(() => keep(tools, fact, null)),
    /** Writes a fact in the place of a note, which stays behind it; kind, topics, importance and pin are the note's. */
    edit: (id: number, text: string): Kept =>
      write(() => {
        const old = records.get(id);
        if (old.status !== "superseded" && old.status !== "rejected") {
          return keep(tools, { ...old, text }, old);
        }
        throw wrongUse(
          `note ${id} is ${old.status}: there is nothing in force to edit`,
          "bring it back first, on the page under Memory",
        );
      }),
    /** Changes how much a note counts, or how long it lives from now on, whatever its kind says. */
    adjust: (
      id: number,
      change: {
        readonly importance: Importance | undefined;
        readonly lifetime: NoteLifetime | undefined;
      },
    ): void =>
      write(() => {
        records.get(id);
        const { importance, lifetime } = change;
        if (importance !== undefined) records.weigh(importanceOf(importance), id);
        if (lifetime !== undefined) records.live(lifetime, endOf(lifetime, now()), id);
      }),
    approve: (ids: readonly number[]) => each(ids, decisions.approve),
    reject: (ids: readonly number[]) => each(ids, decisions.reject),
    supersede: (oldId: number, newId: number): Decided =>
      write(() => decisions.supersede(oldId, newId)),
    undo: (id: number, keepBoth: boolean): Decided => write(() => decisions.undo(id, keepBoth)),
    pin: (ids: readonly number[], pinned: boolean) => each(ids, (id) => decisions.pin(id, pinned)),
    /** Removes notes and every trace of what they say. Works in read-only, too. */
    forget: (ids: readonly number[]): ForgottenNote[] => once(() => forgetAll(ids, forget)),
  };
}

interface OperatorTools extends OperatorParts {
  readonly records: ReturnType<typeof noteRecords>;
  readonly notes: ReturnType<typeof noteStore>;
  readonly said: ReturnType<typeof saidEpisodes>;
  readonly accounts: Accounts;
}

function keep(tools: OperatorTools, fact: OperatorFact, old: NoteRecord | null): Kept {
  const { records, said, writer, settings } = tools;
  const { channel, subjectId } = fact;
  const stored = asStored(tools, fact);
  if (stored === old?.fact) {
    throw wrongUse(`note ${old.id} says exactly that already`, "nothing needs to be done");
  }
  const episodeId = said.begin(channel, subjectId, tools.now());
  const told = said.claim(episodeId, 1, asSaid({ ...fact, text: stored }, old));
  const before = new Set(records.active(ownerIn(tools, fact)).map(({ id }) => id));
  const origin = saidOrigin(channel, new Set());
  const { verdict, noteId } = writer.write(told, origin, old?.id);
  if (verdict.kind === "drop" || noteId === null) {
    throw notKept(verdict.kind === "drop" ? verdict.reason : "low_confidence");
  }
  const isNew = verdict.kind !== "confirm";
  if (old !== null && isNew) records.inherit({ id: noteId, fromId: old.id });
  const note = records.get(noteId);
  if (note.status === "expired") throw allPinned(ownerIn(tools, fact), settings(channel));
  const owner = ownerOf(note, settings(channel).persona);
  // A note that was waiting, and is in force by the streamer's word, is held against the others like an approved one.
  if (!isNew && !before.has(noteId)) activate(tools, note);
  makeRoom(tools, owner, noteId);
  const after = new Set(records.active(owner).map(({ id }) => id));
  const gone = [...before].filter((id) => !after.has(id)).map((id) => records.get(id));
  const idsOf = (status: string) => gone.filter((one) => one.status === status).map(({ id }) => id);
  const superseded = [...new Set([...(old === null ? [] : [old.id]), ...idsOf("superseded")])];
  return { id: noteId, isNew, superseded, evicted: idsOf("expired") };
}

function ownerIn({ settings }: OperatorTools, { channel, subjectId }: OperatorFact) {
  return { channel, subjectId, persona: settings(channel).persona };
}

/** With tokens for names. */
function asStored(
  { accounts, episodes, botNames }: OperatorTools,
  { channel, subjectId, text }: OperatorFact,
): string {
  const mentioned = new Set([...text.matchAll(MENTION)].map(([, name = ""]) => name));
  const named = [...mentioned].flatMap((name) => {
    const people = accounts.withLogin(name.toLowerCase());
    if (people.length < 2) return people;
    throw wrongUse(
      `@${name} may be ${people.length} different people`,
      "leave the @ out, or name them by a login that nobody else had",
    );
  });
  const subject = subjectId === null ? [] : [accounts.byId(subjectId) ?? nameless(subjectId)];
  const stored = operatorFact(text, subject, [...named, ...episodes.people(channel)], botNames);
  if (stored !== "") return stored;
  throw wrongUse(
    "there is no fact to keep",
    'put it in quotes behind the options: "plays the bass"',
  );
}

function asSaid({ scope, subjectId, text, kind }: OperatorFact, old: NoteRecord | null): SaidFact {
  return {
    ...{ scope, subjectId, fact: text, source: "operator" },
    kind: kindIn(scope, kind),
    topics: old === null || old.topics === "" ? [] : old.topics.split(", "),
    lifetime: old?.lifetime ?? null,
  };
}

/** Why a fact that the streamer typed is not kept, and what helps. The fact itself stands in neither. */
function notKept(reason: Reason): Fault {
  const [wrong, mend] = TOLD[reason];
  return wrongUse(`this is not kept: ${wrong}`, mend);
}

/** One that said the same as another, and went with it, is done already. */
function forgetAll(ids: readonly number[], forget: (id: number) => ForgottenNote): ForgottenNote[] {
  const done: ForgottenNote[] = [];
  for (const id of new Set(ids)) {
    if (!done.some(({ notes }) => notes.includes(id))) done.push(forget(id));
  }
  return done;
}

const MENTION = /[@＠]([\p{L}\p{M}\p{N}_]+)/gu;
const BREAKS = /[\n\r\u2028\u2029]/u;

/**
 * A fact as the streamer typed it, as it is stored: with tokens for the people it names and, where it is about one and
 * names nobody, theirs in front. A mention of somebody unknown stays a word. Line breaks stay, for the checks to find.
 */
function operatorFact(
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
    MENTION,
    (mention, name: string) => (known.has(name.toLowerCase()) ? mention : name),
  );
  const labels = labelPeople(subject, others, botNames);
  const tokens = labels.toTokens(labels.hide(plain));
  const isNamed = subject.every(({ userId }) => peopleIn(tokens).includes(userId));
  return tokens === "" || isNamed
    ? tokens
    : [...subject.map(({ userId }) => personToken(userId)), tokens].join(" ");
}

type Reason = Extract<Verdict, { kind: "drop" }>["reason"];

const STATEMENT = "write it as a statement in the third person, such as: plays the bass";
const POLICY = "see memory in config.json";

const TOLD: Readonly<Record<Reason, readonly [wrong: string, mend: string]>> = {
  read_only: ["memory is read-only", "`forgetmenot memory readonly off` ends it"],
  scope_off: ["notes of this scope are switched off", POLICY],
  low_confidence: ["it is too unsure", STATEMENT],
  not_one_line: ["it has more than one line", "write one line"],
  too_long: ["it is longer than 200 characters", "write two notes"],
  url: ["it holds a link", "leave the link out"],
  action: ["it holds what looks like a command or an action", STATEMENT],
  marker: ["it holds marks of a prompt, such as a heading or braces", STATEMENT],
  instruction: [
    "it tells the bot how to speak or act, or gives somebody a role or power",
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
  rejected_before: ["it was rejected before", "see `forgetmenot memory list --status rejected`"],
  weaker_source: ["a note of a stronger source says otherwise", "see `forgetmenot memory list`"],
  replaces_itself: ["a note says exactly that already", "nothing needs to be done"],
  no_room: [
    "every place is taken by what was pinned or asked for",
    "unpin or forget one, or raise memory.caps in config.json",
  ],
  subject_rate: ["there were too many new notes about them", "wait for the next stream"],
  channel_rate: ["there were too many new notes about the channel", "wait for the next stream"],
  bit_rate: ["there were too many new jokes", "wait for the next stream"],
};
