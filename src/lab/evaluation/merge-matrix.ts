// Pure: values in, values out.
import { compareFacts } from "../../memory/similarity.ts";
import { FACT_PAIRS, type FactPair } from "./fact-pairs.ts";

type Kind = FactPair["is"];

/** How pairs of facts are told apart: what they are, against what the comparison takes them for. */
export interface MergeMatrix {
  readonly pairs: number;
  readonly counts: Readonly<Record<Kind, Readonly<Record<Kind, number>>>>;
}

const KINDS = ["same", "conflict", "distinct"] as const;

/** Compares every pair of the fixture that ships with the program. */
export function mergeMatrix(): MergeMatrix {
  const taken = FACT_PAIRS.map(({ is, known, fact }) => ({
    is,
    as: compareFacts(known, fact).kind,
  }));
  const row = (is: Kind) =>
    byKind((as) => taken.filter((pair) => pair.is === is && pair.as === as).length);
  return { pairs: FACT_PAIRS.length, counts: byKind(row) };
}

function byKind<T>(make: (kind: Kind) => T): Record<Kind, T> {
  const [same, conflict, distinct] = KINDS;
  return { same: make(same), conflict: make(conflict), distinct: make(distinct) };
}
