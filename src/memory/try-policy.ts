import type { Config } from "../config/load.ts";
import type { MemoryPolicy } from "../config/schema.ts";
import type { Db } from "../database/open-database.ts";
import { createForbiddenTest } from "../language/banned.ts";
import { readRecordedCandidates } from "./candidate-store.ts";
import { getNoteSettings } from "./note-settings.ts";
import { NoteWriter } from "./note-writer.ts";

/** Older candidates beyond this many are ignored. */
const CANDIDATES_MAX = 20_000;

/**
 * Replays the recorded candidates under the active policy and under another one. Each candidate is judged against the
 * notes that existed before it. Caps on active notes, recall, opt-outs and forgotten topics are not replayed. Writes
 * nothing. A decision is a verdict and its reason: `write.new`, `drop.scope_off`.
 */
export function tryPolicy(db: Db, config: Config, tried: MemoryPolicy) {
  const clock = { nowMs: 0 };
  const rows = readRecordedCandidates(db, CANDIDATES_MAX);
  const writer = new NoteWriter({
    db,
    settings: (channel) => getNoteSettings(config, channel),
    readOnly: () => false,
    now: () => clock.nowMs,
    isBanned: createForbiddenTest(config.replies.bannedWords),
    suppressions: { isOptedOut: () => false, isSuppressed: () => false },
  });
  const judged: { fact: string; now: string; tried: string }[] = [];
  let beforeId = Number.POSITIVE_INFINITY;
  // Newest first: the notes that a candidate and its successors made did not exist yet.
  for (const { candidate, noteId, atMs, ...from } of rows) {
    if (noteId !== null) beforeId = Math.min(beforeId, noteId);
    if (candidate === null) continue;
    clock.nowMs = atMs;
    const origin = { ...from, freshNoteIds: new Set<number>() };
    const [now = "", other = ""] = [config.memory, tried].map((policy) => {
      const settings = getNoteSettings(config, from.channel, policy);
      const { kind, reason } = writer.judge(candidate, origin, settings, beforeId);
      return `${kind}.${reason}`;
    });
    judged.push({ fact: candidate.fact, now, tried: other });
  }
  return {
    candidates: judged.length,
    /** Candidates whose text was not stored or was removed. */
    unreadable: rows.length - judged.length,
    /** Number of candidates by decision. */
    now: countEach(judged.map(({ now }) => now)),
    tried: countEach(judged.map((one) => one.tried)),
    /** Candidates that the two policies decide differently, newest first. Facts contain person tokens. */
    changed: judged.filter((one) => one.now !== one.tried),
  };
}

function countEach(decisions: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const decision of decisions) counts.set(decision, (counts.get(decision) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
}
