// Pure: values in, values out.
import orders from "./data/orders.json" with { type: "json" };
import elsewhere from "./data/units-elsewhere.json" with { type: "json" };
import { entriesOf } from "./languages.ts";

/** Actions that a moderator may name in words. */
const SPOKEN = [
  "clip",
  "marker",
  "poll",
  "announce",
  "shoutout",
  "warn",
  "delete",
  "timeout",
] as const;
export type SpokenAction = (typeof SPOKEN)[number];

/** The words that commands for actions are made of, by language. */
export const ORDER_WORDS = Object.entries(orders).map(([code, file]) => ({
  code,
  /** Words of politeness that may stand around a command. */
  courtesy: entriesOf(file.courtesy),
  /** Small words before a name or a length, such as "for". */
  leading: entriesOf(file.leading),
  /** Words of thanks, which may stand around a yes or a no. */
  thanks: entriesOf(file.thanks),
  /** Words for the moment or the message: "that", "now". */
  pointing: entriesOf(file.pointing),
  /** Words for many people that are also logins: "subs". */
  crowds: entriesOf(file.crowds),
  conjunctions: entriesOf(file.conjunctions),
  /** Parts of a whole: "half", "quarters". */
  fractions: entriesOf(file.fractions),
  /** Phrases by action. One that ends in `@` needs a name with an @ behind it. */
  actions: Object.fromEntries(SPOKEN.map((name) => [name, entriesOf(file[name])])) as Readonly<
    Record<SpokenAction, readonly string[]>
  >,
  units: unitsOf(file),
  /** Number words and their values. */
  numbers: valuesOf(file.numbers),
  /** Lengths without a number and a unit, in seconds: "half an hour". */
  lengths: valuesOf(file.lengths),
}));

/** Units of time in languages without a file, as CLDR names them. */
export const UNITS_ELSEWHERE = unitsOf(elsewhere);

function unitsOf(file: { second: string; minute: string; hour: string }) {
  return {
    second: entriesOf(file.second),
    minute: entriesOf(file.minute),
    hour: entriesOf(file.hour),
  };
}

function valuesOf(list: string): readonly (readonly [string, number])[] {
  return entriesOf(list).map((entry) => {
    const at = entry.lastIndexOf("=");
    return [entry.slice(0, at), Number(entry.slice(at + 1))];
  });
}
