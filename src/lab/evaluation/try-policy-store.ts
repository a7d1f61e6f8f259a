import { forbiddenWords } from "../../language/banned.ts";
import { readOffer } from "../../memory/note-candidates-store.ts";
import { noteSettings } from "../../memory/note-settings.ts";
import { noteWriter } from "../../memory/note-writer-store.ts";
import type { Config } from "../../platform/config/load.ts";
import type { MemoryPolicy } from "../../platform/config/memory-schema.ts";
import type { Db } from "../../platform/database/open-database.ts";

interface Period {
  /** Epoch ms, both inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** One stream only; null for all. */
  readonly sessionId: number | null;
}

/** More are not looked at. */
const CANDIDATES_MAX = 20_000;

/**
 * Has the policy in force and another one judge what was offered in a time, each candidate over the notes that were
 * there before it. Room that caps make for a note, and what recall would show, are not part of it. Writes nothing.
 * Decisions are `write.new`, `confirm.equal_key`, `drop.scope_off` …
 */
export function tryPolicy(
  db: Db,
  { config, tried, period }: { config: Config; tried: MemoryPolicy; period: Period },
) {
  const clock = { nowMs: 0 };
  const settings = (channel: string) => noteSettings(config, channel);
  const writer = noteWriter({
    ...{ db, settings, readOnly: () => false, now: () => clock.nowMs },
    banned: forbiddenWords(config.replies),
    suppressions: { isOptedOut: () => false, isSuppressed: () => false },
  });
  const rows = candidatesIn(db, period);
  const judged: { fact: string; now: string; tried: string }[] = [];
  let beforeId = Number.POSITIVE_INFINITY;
  // The newest first: of each, the notes made by it and after it were not there yet.
  for (const { fact, offer, noteId, atMs, ...from } of rows) {
    if (noteId !== null) beforeId = Math.min(beforeId, noteId);
    const candidate = readOffer(fact, offer);
    if (candidate === null) continue;
    clock.nowMs = atMs;
    const origin = { ...from, saidAtMs: from.endedAtMs, ...NOBODY };
    const by = (policy?: MemoryPolicy): string => {
      const rules = noteSettings(config, from.channel, policy);
      const { kind, reason } = writer.judge(candidate, origin, rules, beforeId);
      return `${kind}.${reason}`;
    };
    judged.push({ fact: candidate.fact, now: by(), tried: by(tried) });
  }
  return {
    candidates: judged.length,
    /** Candidates whose words were not kept, or must not be. */
    unreadable: rows.length - judged.length,
    /** How many candidates came to each decision. */
    now: tally(judged.map(({ now }) => now)),
    tried: tally(judged.map((one) => one.tried)),
    /** What the two decide differently, the newest first. Facts with person tokens. */
    changed: judged.filter((one) => one.now !== one.tried),
  };
}

/** Who read a candidate makes no difference to what becomes of it. */
const NOBODY = { model: null, promptVersion: null, fresh: new Set<number>() };

function tally(decisions: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const decision of decisions) counts.set(decision, (counts.get(decision) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
}

interface Row {
  readonly fact: string | null;
  readonly offer: string | null;
  /** The note that it made; null where it made none. */
  readonly noteId: number | null;
  readonly atMs: number;
  readonly channel: string;
  readonly sessionId: number | null;
  readonly endedAtMs: number;
}

function candidatesIn(db: Db, period: Period): Row[] {
  return db
    .prepare<[Period], Row>(
      `SELECT c.fact, c.offer_json AS offer, c.created_at AS atMs, e.channel, e.session_id AS sessionId,
         e.ended_at AS endedAtMs, CASE WHEN c.decision IN ('write', 'supersede') THEN c.note_id END AS noteId
       FROM note_candidates c JOIN episodes e ON e.id = c.episode_id
       WHERE c.created_at BETWEEN :fromMs AND :toMs AND c.decision <> 'evict'
         AND (:sessionId IS NULL OR e.session_id = :sessionId)
       ORDER BY c.created_at DESC, c.id DESC LIMIT ${CANDIDATES_MAX}`,
    )
    .all(period);
}
