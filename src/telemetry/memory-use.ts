// Pure: values in, values out.
import type { Collector } from "./reply-counts.ts";

/** How often notes and episodes stood in prompts that were sent, by id. */
export interface MemoryUse {
  readonly notes: ReadonlyMap<number, number>;
  readonly episodes: ReadonlyMap<number, number>;
  /** Places in prompts that the ladder took from notes. */
  readonly notesDropped: number;
}

export function memoryUse(): Collector<MemoryUse> {
  const notes = new Map<number, number>();
  const episodes = new Map<number, number>();
  let notesDropped = 0;
  const count = (uses: Map<number, number>, ids: readonly number[]): void => {
    for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + 1);
  };
  return {
    add: ({ state, trail }) => {
      if (trail === null || state !== "sent") return;
      count(notes, trail.notes.kept);
      count(episodes, trail.episodes.kept);
      notesDropped += trail.notes.dropped.length;
    },
    read: () => ({ notes, episodes, notesDropped }),
  };
}
