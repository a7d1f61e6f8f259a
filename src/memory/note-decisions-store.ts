import type { NoteStatus } from "../config/names.ts";
import { type Fault, wrongUse } from "../errors.ts";
import { factKey, isRival } from "./fact-key.ts";
import { type NoteRecord, type NoteRecords, ownerOf } from "./note-records-store.ts";
import { expiryOf, type NoteSettings } from "./note-settings.ts";
import type { NoteOwner, NoteStore } from "./note-store.ts";
import { maxOf } from "./note-writer-store.ts";

/** What became of other notes with one. */
interface Moved extends MadeRoom {
  /** Notes that came back into force. */
  readonly restored: readonly number[];
}

export interface Decided extends Moved {
  readonly id: number;
  readonly status: NoteStatus;
}

/** What had to go for a note that is in force again. */
export interface MadeRoom {
  /** Said otherwise: superseded by it. */
  readonly superseded: readonly number[];
  /** Too many: expired, by the rule that a new note follows. */
  readonly evicted: readonly number[];
}

interface DecisionParts {
  readonly records: NoteRecords;
  readonly notes: Pick<NoteStore, "evict" | "countActive">;
  readonly settings: (channel: string) => NoteSettings;
  readonly now: () => number;
}

const WAITING: ReadonlySet<NoteStatus> = new Set<NoteStatus>(["pending", "shadow"]);
const NOTHING: Moved = { superseded: [], evicted: [], restored: [] };

/** Decisions about notes that are there; each is to be called inside a transaction, and throws a Fault where it cannot be. */
export function noteDecisions(parts: DecisionParts) {
  const { records, now } = parts;
  const done = (id: number, moved: Partial<Moved> = {}): Decided => ({
    ...{ id, status: records.get(id).status },
    ...{ ...NOTHING, ...moved },
  });
  return {
    approve: (id: number) => {
      const note = records.get(id);
      if (!WAITING.has(note.status)) throw notWaiting(note);
      records.setStatus(note.status, note.status, id);
      return done(id, activate(parts, note));
    },
    reject: (id: number) => {
      const note = records.get(id);
      if (note.status === "rejected" || note.status === "superseded") throw outOfForce(note);
      records.setStatus("rejected", waitedAs(note) ?? note.status, id);
      return done(id);
    },
    supersede: (oldId: number, newId: number) => {
      const [old, young] = [records.get(oldId), records.get(newId)];
      refuseSupersede(old, young);
      records.supersede(newId, oldId);
      return done(oldId);
    },
    /** Takes the last decision about a note back; with `keepBoth` what had taken its place stays in force, too. */
    undo: (id: number, keepBoth: boolean) => done(id, undoing(parts, records.get(id), keepBoth)),
    pin: (id: number, pinned: boolean) => {
      const note = records.get(id);
      if (pinned && note.status !== "active") throw notActive(note, "pinned");
      if (pinned !== note.pinned) {
        records.setPinned(Number(pinned), pinned ? null : expiryOf(note, now()), id);
      }
      return done(id, { evicted: pinned ? [] : afterUnpin(parts, note) });
    },
  };
}

/**
 * A superseded note comes back, and what had taken its place stands behind it: so undoing that one puts all back. A
 * rejection or an approval goes back to the status before it; what an approved note had replaced comes back, too. Of a
 * note that nothing was decided about, what it replaced last comes back.
 */
function undoing(parts: DecisionParts, note: NoteRecord, keepBoth: boolean): Moved {
  const { records } = parts;
  if (note.status === "superseded") return comeBack(parts, note, keepBoth);
  const replaced = records.replacedBy(note.id);
  const before = note.statusBefore;
  if (note.status === "rejected") {
    records.setStatus(before ?? "active", null, note.id);
    const isActive = (before ?? "active") === "active";
    return isActive ? { ...NOTHING, ...activate(parts, note) } : NOTHING;
  }
  if (before !== null && note.status === "active") {
    records.setStatus(before, null, note.id);
    const moved = replaced.map((old) => comeBack(parts, old, true));
    return {
      superseded: moved.flatMap(({ superseded }) => superseded),
      evicted: moved.flatMap(({ evicted }) => evicted),
      restored: replaced.map(({ id }) => id),
    };
  }
  const last = replaced.at(-1);
  if (last === undefined) throw nothingToUndo(note);
  return comeBack(parts, last, keepBoth);
}

function comeBack(parts: DecisionParts, note: NoteRecord, keepBoth: boolean): Moved {
  const { records } = parts;
  const head = note.supersededBy === null ? null : headOf(records, note.supersededBy);
  records.detach(note.id);
  const goes = !keepBoth && head !== null && (head.status === "active" || WAITING.has(head.status));
  if (goes) records.supersede(note.id, head.id);
  const { superseded, evicted } = activate(parts, note, keepBoth ? head?.id : undefined);
  const restored = [note.id];
  return { superseded: goes ? [head.id, ...superseded] : superseded, evicted, restored };
}

/** The note at the end of a chain: the one that nothing took the place of. */
function headOf(records: NoteRecords, id: number): NoteRecord {
  const note = records.get(id);
  return note.supersededBy === null ? note : headOf(records, note.supersededBy);
}

/** Only active notes take the place of others, and those stand behind none: so no chain can bite its tail. */
function refuseSupersede(old: NoteRecord, young: NoteRecord): void {
  if (old.id === young.id)
    throw wrongUse(`note ${old.id} cannot take its own place`, "name two notes");
  const isSameOwner =
    old.channel === young.channel &&
    old.scope === young.scope &&
    old.subjectId === young.subjectId &&
    old.persona === young.persona;
  if (!isSameOwner) {
    throw wrongUse(
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

function notWaiting({ id, status }: NoteRecord): Fault {
  const mends: Partial<Record<NoteStatus, string>> = {
    active: "it is in force already",
    rejected: "undo the rejection on the page, under Memory",
    superseded: "undo that on the page, under Memory, to bring it back",
  };
  return wrongUse(
    `note ${id} waits for no approval: it is ${status}`,
    mends[status] ?? "`forgetmenot memory add` with the same fact brings it back",
  );
}

function outOfForce({ id, status, supersededBy }: NoteRecord): Fault {
  const by = supersededBy === null ? "" : ` by note ${supersededBy}`;
  return wrongUse(
    `note ${id} is ${status}${by} already: it stands in no prompt`,
    "bring it back first, on the page under Memory",
  );
}

function notActive({ id, status }: NoteRecord, what: string): Fault {
  return wrongUse(
    `note ${id} is ${status}, and only an active one can be ${what}`,
    WAITING.has(status)
      ? `approve it first: \`forgetmenot memory approve ${id}\``
      : "see `forgetmenot memory list` for the active ones",
  );
}

function nothingToUndo({ id, status }: NoteRecord): Fault {
  return wrongUse(
    `there is nothing to undo about note ${id}: it is ${status}, and took no other's place`,
    "the page shows where it comes from, under Memory",
  );
}

/**
 * Puts a note in force by the streamer's word, under every rule that a new note is under: what says otherwise is
 * superseded, unless it is `spareId`, and what is too much for the cap goes. Throws where another active note says the
 * same, or where everything else is pinned. Call it inside a transaction.
 */
export function activate(parts: DecisionParts, note: NoteRecord, spareId?: number): MadeRoom {
  const { records, settings, now } = parts;
  const { persona } = settings(note.channel);
  const owner = ownerOf(note, persona);
  const others = records.active(owner).filter(({ id }) => id !== note.id);
  const meant = records.meantFor(note.id);
  const twin = others.find((other) => factKey(other.fact) === factKey(note.fact));
  if (twin !== undefined) throw saidAlready(note, twin);
  const conflicts = others
    .filter((other) => other.id === meant || isRival(note, other))
    .filter((other) => other.scope === note.scope && other.id !== spareId)
    .map((other) => other.id);
  for (const id of conflicts) records.supersede(note.id, id);
  records.activate(note.id, expiryOf(note, now()));
  return { superseded: conflicts, evicted: makeRoom(parts, owner, note.id) };
}

/** Brings the owner's notes down to the cap, `keepId` last of all; throws where it would have to go itself. */
export function makeRoom(
  { notes, settings }: Omit<DecisionParts, "now" | "records">,
  owner: NoteOwner,
  keepId: number,
): number[] {
  const max = maxOf(owner, settings(owner.channel));
  const evicted = notes.evict(owner, max, keepId);
  const isTooMuch = evicted.includes(keepId) || notes.countActive(owner) > max;
  if (isTooMuch) throw allPinned(owner, settings(owner.channel));
  return evicted;
}

/** Nothing can make room: what was pinned, or asked for by its viewer, is never evicted. */
export function allPinned(owner: NoteOwner, settings: NoteSettings): Fault {
  return wrongUse(
    `no room: the cap is ${maxOf(owner, settings)} notes, and all of them were pinned or asked for`,
    "unpin one on the page, under Memory, or raise memory.caps in config.json",
  );
}

function saidAlready(note: NoteRecord, twin: NoteRecord): Fault {
  return wrongUse(
    `note ${twin.id} says the same as note ${note.id} already, and is active`,
    "nothing needs to be done",
  );
}
