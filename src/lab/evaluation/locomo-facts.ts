import { cleanLine } from "../../language/clean.ts";
import { cutText } from "../../language/cut.ts";
import type { LocomoSample, LocomoSession } from "./locomo.ts";

interface LocomoFact {
  readonly id: string;
  readonly about: string;
  readonly session: number;
  readonly fact: string;
  readonly note: { readonly kind: "event" };
}

interface LocomoQuestion {
  readonly by: string;
  readonly text: string;
  readonly needs: readonly (readonly string[])[];
  readonly sessions: readonly number[];
}

interface Taken {
  readonly facts: readonly LocomoFact[];
  readonly questions: readonly LocomoQuestion[];
  readonly left: { unanswerable: number; withoutNote: number };
}

const FACT_CHARS_MAX = 400;
const TEXT_CHARS_MAX = 500;
/** "D1:3; D2:4" stands for two in some files. */
const REFERENCE = /D\d{1,4}:\d{1,5}/g;
/** Asked about what was never said. */
const UNANSWERABLE = 5;

/**
 * The observations as facts, and the questions that need them: for each place of a question's evidence, one of the
 * observations that were made of it. A question whose evidence nobody observed is left out, and counted.
 */
export function locomoFacts(
  sample: LocomoSample,
  sessions: readonly LocomoSession[],
  loginOf: (speaker: string) => string,
): Taken {
  const observed = observationsOf(sample, sessions, loginOf);
  const left = { unanswerable: 0, withoutNote: 0 };
  const questions = sample.qa.flatMap((asked): LocomoQuestion[] => {
    if (asked.category === UNANSWERABLE) {
      left.unanswerable += 1;
      return [];
    }
    const taken = questionOf(asked, observed, sessions.length - 1);
    if (taken === null) left.withoutNote += 1;
    return taken === null ? [] : [taken];
  });
  return { facts: observed.map(({ fact }) => fact), questions, left };
}

interface Observed {
  readonly fact: LocomoFact;
  readonly places: readonly string[];
}

function observationsOf(
  { observation }: LocomoSample,
  sessions: readonly LocomoSession[],
  loginOf: (speaker: string) => string,
): Observed[] {
  return sessions.flatMap(({ number }, session) =>
    Object.entries(observation[`session_${number}_observation`] ?? {}).flatMap(([speaker, list]) =>
      list.flatMap(([sentence, places], n): Observed[] => {
        const about = loginOf(speaker);
        const fact = cutText(cleanLine(sentence), FACT_CHARS_MAX);
        if (fact === "") return [];
        const id = `${about}-s${number}-${n}`;
        return [
          {
            fact: { id, about, session, fact, note: { kind: "event" } },
            places: referencesIn([places].flat()),
          },
        ];
      }),
    ),
  );
}

/** Asked by the person whose notes it needs most: nobody is shown another's. */
function questionOf(
  { question, evidence }: LocomoSample["qa"][number],
  observed: readonly Observed[],
  session: number,
): LocomoQuestion | null {
  const needed = referencesIn(evidence).map((place) =>
    observed.filter(({ places }) => places.includes(place)).map(({ fact }) => fact),
  );
  const count = (login: string) => needed.flat().filter(({ about }) => about === login).length;
  const by = count("speaker_b") > count("speaker_a") ? "speaker_b" : "speaker_a";
  const needs = needed
    .map((facts) => facts.filter(({ about }) => about === by).map(({ id }) => id))
    .filter((ids) => ids.length > 0);
  if (needs.length === 0) return null;
  return { by, text: cutText(cleanLine(question), TEXT_CHARS_MAX), needs, sessions: [session] };
}

function referencesIn(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.match(REFERENCE) ?? []))];
}
