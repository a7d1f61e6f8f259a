// Pure: values in, values out.
/** Counts by name. */
export type Tally = Readonly<Record<string, number>>;

export interface TallyMaker {
  add(name: string, by?: number): void;
  /** Most frequent first; ties by name. */
  read(): Tally;
}

export function tallyMaker(): TallyMaker {
  const counts = new Map<string, number>();
  return {
    add: (name, by = 1) => {
      counts.set(name, (counts.get(name) ?? 0) + by);
    },
    read: () => Object.fromEntries([...counts].sort(byCount)),
  };
}

function byCount(one: readonly [string, number], other: readonly [string, number]): number {
  return other[1] - one[1] || (one[0] < other[0] ? -1 : 1);
}
