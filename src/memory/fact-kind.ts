// Pure: values in, values out.
import type { NoteKind } from "../platform/config/names.ts";
import { readFact } from "./fact-reading.ts";

/** What a property of somebody is a note of; what is not named here is a preference. */
const KINDS: Readonly<Record<string, NoteKind>> = {
  called: "constraint",
  name: "constraint",
  pronouns: "constraint",
  rank: "state",
  home: "profile",
  origin: "profile",
  job: "profile",
  employer: "profile",
  "studies at": "profile",
  timezone: "profile",
  birthday: "profile",
};

/** The kind of note that a fact about a person is, read from its words. The person stands in it as a token. */
export function kindOfFact(fact: string): NoteKind {
  return KINDS[readFact(fact).property?.predicate ?? ""] ?? "preference";
}
