import type { Pace } from "../memory/recall/depth.ts";
import type { SnapshotTaken } from "../memory/recall/snapshot.ts";
import type { Switches } from "../platform/database/switches-store.ts";
import { type ReadParts, readTail } from "./read.ts";
import type { Obstacle, Ticket } from "./reply-queue.ts";
import { type LoreOrder, type LoreReranking, orderFor } from "./rerank-lore.ts";

interface LookParts extends ReadParts {
  /** May put what is known of the speaker in another order. */
  readonly rerank: LoreReranking;
  readonly whenOffline: boolean;
  readonly snapshot: (channel: string) => SnapshotTaken;
  readonly paceOf: (channel: string) => Pace;
  readonly switches: () => Switches;
  /** Whether Twitch lets nothing through there now: an answer would be paid for and not be seen. */
  readonly isShut: (channel: string) => boolean;
  /** Whether it is a time of day at which nobody is answered. */
  readonly isQuiet: () => boolean;
}

type Look =
  | { readonly isClear: true; readonly taken: SnapshotTaken }
  | { readonly isClear: false; readonly obstacle: Obstacle };

/** What a turn begins with. */
interface FirstLook {
  readonly look: Look;
  /** The order that the prompt follows; null where it is the database's. */
  readonly order: LoreOrder | null;
}

/**
 * Whether an answer may be given now, from which snapshot, and in which order the speaker's notes stand. What was
 * removed while a model put them in order must not be shown: then all is looked at anew.
 */
export async function firstLook(
  parts: LookParts,
  ticket: Ticket,
  signal: AbortSignal,
): Promise<FirstLook> {
  const look = lookFor(parts, ticket.channel);
  if (!look.isClear) return { look, order: null };
  const read = () => readTail(parts, ticket, look.taken.snapshot, []);
  const ordering = orderFor(parts.rerank, ticket, read, signal);
  if (ordering === null) return { look, order: null };
  const order = await ordering;
  return { look: lookFor(parts, ticket.channel), order };
}

/** Throws where the switches cannot be read. */
function lookFor(parts: LookParts, channel: string): Look {
  if (parts.switches().paused) return { isClear: false, obstacle: "paused" };
  if (parts.isQuiet()) return { isClear: false, obstacle: "quiet_hours" };
  if (parts.isShut(channel)) return { isClear: false, obstacle: "not_let_through" };
  const taken = parts.snapshot(channel);
  const isOffline = taken.snapshot.state.isLive === false && !parts.whenOffline;
  return isOffline ? { isClear: false, obstacle: "offline" } : { isClear: true, taken };
}
