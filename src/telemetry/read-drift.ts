import type { Db } from "../platform/database/open-database.ts";
import { type Metric, type Moved, movedMetrics, STREAMS_MIN } from "./drift.ts";
import { memoryReportStore } from "./memory-store.ts";
import { type PolicyRow, policiesBetween } from "./policy-stats-store.ts";
import { repliesStore } from "./replies-store.ts";
import { type Behaviour, behaviour, memoryMetrics } from "./stream-metrics.ts";
import { type StreamRow, streamStore } from "./stream-stats-store.ts";

/** What moved in a stream against the ten before it, and what had changed by then. */
export interface Drift {
  /** Earlier streams compared with; fewer than three say nothing. */
  readonly streams: number;
  readonly moved: readonly Moved[];
  /** Policies accepted since the stream before began. */
  readonly policies: readonly PolicyRow[];
  /** Models that answered, where they are not those of the stream before; null where they are. */
  readonly models: { readonly from: readonly string[]; readonly to: readonly string[] } | null;
  /** Versions of the prompt's rules, likewise. */
  readonly rules: { readonly from: readonly string[]; readonly to: readonly string[] } | null;
}

const STREAMS_MAX = 10;
/** Replies looked at in each stream: more would not tell more. */
const REPLIES_SAMPLED = 150;

interface Look extends Behaviour {
  readonly stream: StreamRow;
  readonly all: readonly Metric[];
}

/** Compares a stream with the last ten of its channel. */
export function readDrift(db: Db, stream: StreamRow, nowMs: number): Drift {
  const streams = streamStore(db);
  const replies = repliesStore(db);
  const memory = memoryReportStore(db);
  const look = (one: StreamRow): Look => {
    const span = {
      channels: [one.channel],
      fromMs: one.startedAtMs,
      toMs: one.endedAtMs ?? nowMs,
    };
    const seen = behaviour();
    replies.visit(span, seen.add, REPLIES_SAMPLED);
    const found = seen.read();
    const all = [...found.metrics, ...memoryMetrics(memory.changes(span))];
    return { ...found, stream: one, all };
  };
  const earlier = streams.before(stream, STREAMS_MAX).map(look);
  const current = look(stream);
  const last = earlier[0];
  return {
    streams: earlier.length,
    moved:
      earlier.length < STREAMS_MIN
        ? []
        : movedMetrics(
            current.all,
            earlier.map(({ all }) => all),
          ),
    policies:
      last === undefined
        ? []
        : policiesBetween(db)(last.stream.startedAtMs, stream.endedAtMs ?? nowMs),
    models: changed(last?.models, current.models),
    rules: changed(last?.rules, current.rules),
  };
}

function changed(
  from: readonly string[] | undefined,
  to: readonly string[],
): { readonly from: readonly string[]; readonly to: readonly string[] } | null {
  if (from === undefined || from.length === 0 || to.length === 0) return null;
  return from.join("\n") === to.join("\n") ? null : { from, to };
}
