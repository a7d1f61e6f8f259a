import { z } from "zod";
import type { Db } from "./open-database.ts";
import { runtimeStore } from "./runtime-store.ts";

const rowSchema = z.strictObject({
  /** The counters of removals as they were when the last VACUUM began. */
  texts: z.int(),
  people: z.int(),
  wishes: z.int(),
  /** Since when one is due, as far as anybody looked; null while none is. */
  dueSinceMs: z.int().nullable(),
  endedAtMs: z.int().nullable(),
  tookMs: z.int(),
  /** In a row. */
  failures: z.int(),
  /** SQLite's code of the last failure, or another short code. */
  failure: z.string().nullable(),
  /** The counter of people as it was when backups and exports were last brought in line. */
  filesPeople: z.int(),
  /** The same of single things that people had forgotten. */
  filesWishes: z.int(),
});

/** What was removed so far: it only grows. */
interface Removals {
  readonly texts: number;
  readonly people: number;
  /** Single things that somebody had forgotten. */
  readonly wishes: number;
}

export interface VacuumState {
  /** Whether bytes of what was removed may stand in the file. `now`: somebody asked for it to be forgotten. */
  readonly due: "now" | "soon" | null;
  readonly dueSinceMs: number | null;
  readonly endedAtMs: number | null;
  readonly tookMs: number;
  readonly failures: number;
  readonly failure: string | null;
  readonly removals: Removals;
  /** Whether a backup or export that the program made may still hold somebody, or something, that was forgotten. */
  readonly filesDue: boolean;
}

/**
 * What is due stands in the database: triggers of schema.sql count every removal in its own transaction, whoever removes,
 * and a VACUUM remembers what it began with. So it outlives a crash, and no other process has to ask for it.
 */
export interface VacuumQueue {
  /** Looks. `dueSinceMs` is the present where nobody noted it before. Writes nothing. */
  state(): VacuumState;
  /** Notes since when it is due, if it is. */
  note(): VacuumState;
  /** A VACUUM that began after these removals is done. */
  done(removals: Removals, tookMs: number): void;
  failed(failure: string): void;
  /** Backups and exports are in line with these removals. */
  filesDone(removals: Removals): void;
  /** There are backups or exports of which nobody knows what they are in line with. */
  filesFound(): void;
}

const NAME = "vacuum";
/** The counter of single things that a person had forgotten. */
export const WISHES_REMOVED = "removed.wishes";
const NEVER: z.output<typeof rowSchema> = {
  texts: 0,
  people: 0,
  wishes: 0,
  dueSinceMs: null,
  endedAtMs: null,
  tookMs: 0,
  failures: 0,
  failure: null,
  filesPeople: 0,
  filesWishes: 0,
};

export function vacuumQueue(db: Db, now: () => number): VacuumQueue {
  const runtime = runtimeStore(db, now);
  const counted = removalCounts(db);
  const madeFiles = db.prepare<[], number>("SELECT 1 FROM made_files LIMIT 1").pluck();
  const read = () => runtime.read(NAME, rowSchema)?.value ?? NEVER;
  const state = (): VacuumState => {
    const { texts, people, wishes, dueSinceMs, filesPeople, filesWishes, ...row } = read();
    const removals = counted();
    const isSoon = removals.texts === texts ? null : "soon";
    const isAsked = removals.people !== people || removals.wishes !== wishes;
    const due = isAsked ? "now" : isSoon;
    const isNews = filesPeople !== removals.people || filesWishes !== removals.wishes;
    const filesDue = isNews && madeFiles.get() !== undefined;
    const sinceMs = due === null ? null : (dueSinceMs ?? now());
    return { ...row, removals, due, dueSinceMs: sinceMs, filesDue };
  };
  return {
    state,
    note: () => {
      const found = state();
      const row = read();
      if (row.dueSinceMs !== found.dueSinceMs) {
        runtime.write(NAME, { ...row, dueSinceMs: found.dueSinceMs });
      }
      return found;
    },
    done: (removals, tookMs) => {
      runtime.write(NAME, {
        ...read(),
        ...removals,
        dueSinceMs: null,
        endedAtMs: now(),
        tookMs: Math.round(tookMs),
        failures: 0,
        failure: null,
      });
    },
    failed: (failure) => {
      const row = read();
      runtime.write(NAME, { ...row, endedAtMs: now(), failures: row.failures + 1, failure });
    },
    filesDone: ({ people, wishes }) => {
      runtime.write(NAME, { ...read(), filesPeople: people, filesWishes: wishes });
    },
    filesFound: () => runtime.write(NAME, { ...read(), filesPeople: -1, filesWishes: -1 }),
  };
}

function removalCounts(db: Db): () => Removals {
  const count = db.prepare<[string], number>("SELECT value FROM counters WHERE name = ?").pluck();
  return () => ({
    texts: count.get("removed.texts") ?? 0,
    people: count.get("removed.people") ?? 0,
    wishes: count.get(WISHES_REMOVED) ?? 0,
  });
}

const SOON_MS = 10 * 60_000;
const RETRY_MS = 30_000;
const RETRY_MS_MAX = 60 * 60_000;
/** After one that took long the next has to wait: forgets in a row may not keep the database busy all the time. */
const REST_PER_WORK = 10;

/** The longest that a removed text waits for its VACUUM where none fails. */
export const VACUUM_EVERY_MS = SOON_MS;

/** When the next VACUUM may begin, ms; null where none is due. Failures put it off: 30 s, then twice as long each time. */
export function vacuumDueAtMs(state: VacuumState): number | null {
  const { dueSinceMs, due, endedAtMs, tookMs, failures } = state;
  if (dueSinceMs === null) return null;
  if (endedAtMs === null) return dueSinceMs;
  if (failures > 0) return endedAtMs + Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** (failures - 1));
  const restMs = tookMs * REST_PER_WORK;
  return Math.max(dueSinceMs, endedAtMs + (due === "now" ? restMs : Math.max(SOON_MS, restMs)));
}
