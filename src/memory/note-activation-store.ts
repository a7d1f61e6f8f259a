import { Fault } from "../errors.ts";
import { factKey } from "./fact-key.ts";
import { expiryOf } from "./lifetimes.ts";
import { type NoteRecord, type NoteRecords, ownerOf } from "./note-records-store.ts";
import type { NoteSettings } from "./note-settings.ts";
import type { NoteOwner, NoteStore } from "./note-store.ts";
import { maxOf } from "./note-writer-store.ts";
import { isRival } from "./property.ts";

export interface ActivationParts {
  readonly records: NoteRecords;
  readonly notes: Pick<NoteStore, "evict">;
  readonly settings: (channel: string) => NoteSettings;
  readonly now: () => number;
}

/** What had to go for a note that is in force again. */
export interface MadeRoom {
  /** Said otherwise: superseded by it. */
  readonly superseded: readonly number[];
  /** Too many: expired, by the rule that a new note follows. */
  readonly evicted: readonly number[];
}

/** `spareId`: a note that may say otherwise. Throws a Fault, see `noteActivation`; call it inside a transaction. */
export type NoteActivation = (note: NoteRecord, spareId?: number) => MadeRoom;

/**
 * Gives a function that puts a note in force by the streamer's word, under every rule that a new note is under: what
 * says otherwise is superseded, and what is too much for the cap goes. It throws where another active note says the
 * same, or where everything else is pinned.
 */
export function noteActivation(parts: ActivationParts): NoteActivation {
  const { records, settings, now } = parts;
  return (note, spareId) => {
    const { kindDays, persona } = settings(note.channel);
    const owner = ownerOf(note, persona);
    const others = records.active(owner).filter(({ id }) => id !== note.id);
    const meant = records.meantFor(note.id);
    const twin = others.find((other) => factKey(other.fact) === factKey(note.fact));
    if (twin !== undefined) throw saidAlready(note, twin);
    const conflicts = others
      .filter((other) => other.id === meant || isRival(note, other))
      .filter((other) => other.scope === note.scope && other.id !== spareId)
      .map((other) => other.id);
    for (const id of conflicts) records.supersede(id, note.id);
    records.activate(note.id, expiryOf(note, now(), kindDays));
    return { superseded: conflicts, evicted: makeRoom(parts, owner, note.id) };
  };
}

/** Brings the owner's notes down to the cap, `keepId` last of all; throws where it would have to go itself. */
export function makeRoom(
  { records, notes, settings }: Pick<ActivationParts, "records" | "notes" | "settings">,
  owner: NoteOwner,
  keepId: number,
): number[] {
  const max = maxOf(owner, settings(owner.channel));
  const evicted = notes.evict(owner, max, keepId);
  const isTooMuch = evicted.includes(keepId) || records.active(owner).length > max;
  if (isTooMuch) throw allPinned(owner, settings(owner.channel));
  return evicted;
}

/** Nothing can make room: what was pinned, or asked for by its viewer, is never evicted. */
export function allPinned(owner: NoteOwner, settings: NoteSettings): Fault {
  return new Fault(
    `no room: the cap is ${maxOf(owner, settings)} notes, and all of them were pinned or asked for`,
    {
      code: "usage",
      mend: "unpin one with `forgetmenot memory unpin`, or raise memory.caps in config.json",
    },
  );
}

function saidAlready(note: NoteRecord, twin: NoteRecord): Fault {
  return new Fault(`note ${twin.id} says the same as note ${note.id} already, and is active`, {
    code: "usage",
    mend: `nothing needs to be done, or put one behind the other: \`forgetmenot memory supersede ${note.id} ${twin.id}\``,
  });
}
