// Pure: values in, values out.

import {
  NOTE_KIND_NAMES,
  NOTE_KINDS,
  type NoteKind,
  type NoteScope,
} from "../catalogue/note-kinds.ts";
import { formatLocalDay, readLocalTime } from "../config/local-time.ts";
import type { NoteSource } from "../config/names.ts";
import { type CastConfig, findPersona } from "../config/personas.ts";
import type { MemoryPolicy } from "../config/schema.ts";
import type { Importance, NoteLifetime } from "./note-prompt.ts";
import type { NoteStore } from "./note-store.ts";

export interface NoteSettings extends MemoryPolicy {
  /** The persona that owns new notes; null if notes are shared. */
  readonly persona: string | null;
}

/** Returns the settings for notes in a channel, by the configuration or another policy. */
export function getNoteSettings(
  config: CastConfig & { readonly memory: MemoryPolicy },
  channel: string,
  policy: MemoryPolicy = config.memory,
): NoteSettings {
  return { ...policy, persona: findPersona(config, channel).memoryScope };
}

/** Lists the kinds whose notes become active without approval. None, unless the mode is `auto`. */
export function listFreeKinds({ mode, kinds, approvalKinds }: MemoryPolicy): NoteKind[] {
  return mode === "auto" ? kinds.filter((kind) => !approvalKinds.includes(kind)) : [];
}

/** Returns how many active notes an owner may have. */
export function getCap(
  { subjectId }: { readonly subjectId: string | null },
  { caps }: NoteSettings,
): number {
  return subjectId === null ? caps.channelNotes : caps.viewerNotes;
}

/** Expires notes above the caps of a channel and its viewers, but no pinned or requested ones. Returns how many. */
export function keepCaps(notes: NoteStore, channel: string, settings: NoteSettings): number {
  const { persona, caps } = settings;
  const subjects = [...notes.crowded(channel, caps.viewerNotes), null];
  return subjects.reduce((sum, subjectId) => {
    const owner = { channel, subjectId, persona };
    return sum + notes.evict(owner, getCap(owner, settings)).length;
  }, 0);
}

const DAY_MS = 86_400_000;
/** The days of each lifetime; null is without end. */
const LIFETIME_DAYS: Readonly<Record<NoteLifetime, number | null>> = {
  "1d": 1,
  "3d": 3,
  "7d": 7,
  "30d": 30,
  permanent: null,
};
const IMPORTANCE: Readonly<Record<Importance, number>> = { low: 0, medium: 0.1, high: 0.2 };

/** The lifetime of a note after the day that it is about. */
const AFTER_DAY_MS = 7 * DAY_MS;

/**
 * Returns when a note without a pin, confirmed at `confirmedAtMs`, expires, epoch ms; null is never. A fact about a
 * coming day expires a week after it, except birthdays. The model's lifetime only shortens the kind's, or makes it
 * permanent if the kind allows that. Viewers' requests never expire.
 */
export function calculateExpiry(
  note: {
    readonly kind: NoteKind;
    readonly lifetime: NoteLifetime | null;
    readonly source: NoteSource;
    readonly happensOn?: string | null;
    readonly property?: { readonly name: string } | null;
  },
  confirmedAtMs: number,
): number | null {
  const { kind, lifetime, source, happensOn, property } = note;
  if (source === "viewer_request") return null;
  if (happensOn && property?.name !== "birthday" && happensOn > formatLocalDay(confirmedAtMs)) {
    return readLocalTime(happensOn) + DAY_MS + AFTER_DAY_MS;
  }
  const { lifeDays, mayBePermanent } = NOTE_KINDS[kind];
  if (mayBePermanent && lifetime === "permanent") return null;
  const days = [lifeDays, lifetime === null ? null : LIFETIME_DAYS[lifetime]].filter(
    (limit) => limit !== null,
  );
  return days.length === 0 ? null : confirmedAtMs + Math.min(...days) * DAY_MS;
}

/** Returns when a note with this lifetime expires, epoch ms; null if never. */
export function endOf(lifetime: NoteLifetime, fromMs: number): number | null {
  const days = LIFETIME_DAYS[lifetime];
  return days === null ? null : fromMs + days * DAY_MS;
}

/** Returns the score that importance adds: 0, 0.1 or 0.2. */
export function getImportance(importance: Importance): number {
  return IMPORTANCE[importance];
}

/** Returns the kind of a note about `scope`: the one that was given, or the usual one if that kind does not fit. */
export function chooseKind(scope: NoteScope, given: NoteKind | null): NoteKind {
  const fits = (kind: NoteKind) => NOTE_KINDS[kind].scopes.some((one) => one === scope);
  if (given !== null && fits(given)) return given;
  return NOTE_KIND_NAMES.find(fits) ?? NOTE_KIND_NAMES[0];
}
