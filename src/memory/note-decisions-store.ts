import { Fault } from "../errors.ts";
import type { NoteStatus } from "../platform/config/names.ts";
import type { MadeRoom, NoteActivation } from "./note-activation-store.ts";
import { type NoteRecord, type NoteRecords, ownerOf } from "./note-records-store.ts";
import type { NoteSettings } from "./note-settings.ts";
import type { NoteStore } from "./note-store.ts";
import { maxOf } from "./note-writer-store.ts";

/** What became of a note, and of others with it. */
export interface Decided extends MadeRoom {
  readonly id: number;
  readonly status: NoteStatus;
  /** Notes that came back into force. */
  readonly restored: readonly number[];
}

/** Decisions about notes that are there; each is to be called inside a transaction, and throws a Fault where it cannot be. */
export interface NoteDecisions {
  approve(id: number): Decided;
  reject(id: number): Decided;
  supersede(oldId: number, newId: number): Decided;
  /** Takes the last decision about a note back; with `keepBoth` what had taken its place stays in force, too. */
  undo(id: number, keepBoth: boolean): Decided;
  pin(id: number, pinned: boolean): Decided;
}

interface DecisionParts {
  readonly records: NoteRecords;
  readonly notes: Pick<NoteStore, "evict">;
  readonly settings: (channel: string) => NoteSettings;
  readonly activate: NoteActivation;
}

const WAITING: ReadonlySet<NoteStatus> = new Set<NoteStatus>(["pending", "shadow"]);
const NO_ROOM_MADE: MadeRoom = { superseded: [], evicted: [] };

export function noteDecisions(parts: DecisionParts): NoteDecisions {
  const { records, activate } = parts;
  const done = (id: number, made: MadeRoom, restored: readonly number[] = []): Decided => ({
    id,
    status: records.get(id).status,
    restored,
    ...made,
  });
  return {
    approve: (id) => {
      const note = records.get(id);
      if (!WAITING.has(note.status)) throw notWaiting(note);
      records.setStatus(id, note.status, note.status);
      return done(id, activate(note));
    },
    reject: (id) => {
      const note = records.get(id);
      if (note.status === "rejected" || note.status === "superseded") throw outOfForce(note);
      records.setStatus(id, "rejected", waitedAs(note) ?? note.status);
      return done(id, NO_ROOM_MADE);
    },
    supersede: (oldId, newId) => {
      const [old, young] = [records.get(oldId), records.get(newId)];
      refuseSupersede(old, young);
      records.supersede(oldId, newId);
      return done(oldId, NO_ROOM_MADE);
    },
    undo: (id, keepBoth) => {
      const { made, restored } = undoing(parts, records.get(id), keepBoth);
      return done(id, made, restored);
    },
    pin: (id, pinned) => {
      const note = records.get(id);
      if (pinned && note.status !== "active") throw notActive(note, "pinned");
      records.setPinned(id, pinned);
      return done(id, { ...NO_ROOM_MADE, evicted: pinned ? [] : afterUnpin(parts, note) });
    },
  };
}

interface Undone {
  readonly made: MadeRoom;
  readonly restored: readonly number[];
}

/**
 * A superseded note comes back, and what had taken its place stands behind it: so undoing that one puts all back. A
 * rejection or an approval goes back to the status before it; what an approved note had replaced comes back, too. Of a
 * note that nothing was decided about, what it replaced last comes back.
 */
function undoing(parts: DecisionParts, note: NoteRecord, keepBoth: boolean): Undone {
  const { records } = parts;
  if (note.status === "superseded") return comeBack(parts, note, keepBoth);
  const replaced = records.replacedBy(note.id);
  const before = note.statusBefore;
  if (note.status === "rejected") {
    records.setStatus(note.id, before ?? "active", null);
    const isActive = (before ?? "active") === "active";
    return { made: isActive ? parts.activate(note) : NO_ROOM_MADE, restored: [] };
  }
  if (before !== null && note.status === "active") {
    records.setStatus(note.id, before, null);
    return together(replaced.map((old) => comeBack(parts, old, true)));
  }
  const last = replaced.at(-1);
  if (last === undefined) throw nothingToUndo(note);
  return comeBack(parts, last, keepBoth);
}

function comeBack(parts: DecisionParts, note: NoteRecord, keepBoth: boolean): Undone {
  const { records, activate } = parts;
  const head = note.supersededBy === null ? null : headOf(records, note.supersededBy);
  records.detach(note.id);
  const goes = !keepBoth && head !== null && (head.status === "active" || WAITING.has(head.status));
  if (goes) records.supersede(head.id, note.id);
  const made = activate(note, keepBoth ? head?.id : undefined);
  return {
    made: { ...made, superseded: goes ? [head.id, ...made.superseded] : made.superseded },
    restored: [note.id],
  };
}

function together(parts: readonly Undone[]): Undone {
  return {
    made: {
      superseded: parts.flatMap(({ made }) => made.superseded),
      evicted: parts.flatMap(({ made }) => made.evicted),
    },
    restored: parts.flatMap(({ restored }) => restored),
  };
}

/** The note at the end of a chain: the one that nothing took the place of. */
function headOf(records: NoteRecords, id: number): NoteRecord {
  const note = records.get(id);
  return note.supersededBy === null ? note : headOf(records, note.supersededBy);
}

/** Only active notes take the place of others, and those stand behind none: so no chain can bite its tail. */
function refuseSupersede(old: NoteRecord, young: NoteRecord): void {
  if (old.id === young.id)
    throw usage(`note ${old.id} cannot take its own place`, "name two notes");
  const isSameOwner =
    old.channel === young.channel &&
    old.scope === young.scope &&
    old.subjectId === young.subjectId &&
    old.persona === young.persona;
  if (!isSameOwner) {
    throw usage(
      `notes ${old.id} and ${young.id} are not about the same person or thing`,
      "only a note with the same subject, channel, scope and persona can take the place of one",
    );
  }
  if (young.status !== "active") throw notActive(young, "put in the place of another");
  if (old.status === "superseded" || old.status === "rejected") throw outOfForce(old);
}

/** The pin alone may have kept a note above a cap that was lowered. */
function afterUnpin({ notes, settings }: DecisionParts, note: NoteRecord): number[] {
  const own = settings(note.channel);
  const owner = ownerOf(note, own.persona);
  return note.status === "active" ? notes.evict(owner, maxOf(owner, own)) : [];
}

/** Of a note that faded before it was approved: a rejection that is undone does not approve it. */
function waitedAs({ status, statusBefore }: NoteRecord): NoteStatus | null {
  return status === "stale" || status === "expired" ? statusBefore : null;
}

function usage(message: string, mend: string): Fault {
  return new Fault(message, { code: "usage", mend });
}

function notWaiting({ id, status }: NoteRecord): Fault {
  const mends: Partial<Record<NoteStatus, string>> = {
    active: "it is in force already",
    rejected: `\`forgetmenot memory undo ${id}\` takes the rejection back`,
    superseded: `\`forgetmenot memory undo ${id}\` brings it back`,
  };
  return usage(
    `note ${id} waits for no approval: it is ${status}`,
    mends[status] ?? "`forgetmenot memory add` with the same fact brings it back",
  );
}

function outOfForce({ id, status, supersededBy }: NoteRecord): Fault {
  const by = supersededBy === null ? "" : ` by note ${supersededBy}`;
  return usage(
    `note ${id} is ${status}${by} already: it stands in no prompt`,
    `\`forgetmenot memory undo ${id}\` brings it back first`,
  );
}

function notActive({ id, status }: NoteRecord, what: string): Fault {
  return usage(
    `note ${id} is ${status}, and only an active one can be ${what}`,
    WAITING.has(status)
      ? `approve it first: \`forgetmenot memory approve ${id}\``
      : "see `forgetmenot memory list` for the active ones",
  );
}

function nothingToUndo({ id, status }: NoteRecord): Fault {
  return usage(
    `there is nothing to undo about note ${id}: it is ${status}, and took no other's place`,
    `\`forgetmenot memory show ${id}\` tells where it comes from`,
  );
}
