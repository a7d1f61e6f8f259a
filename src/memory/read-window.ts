// Pure: values in, values out.

import { runFinder } from "../language/distinctive.ts";
import { fillNames } from "../language/people.ts";
import { type ForbiddenWords, forbiddenWords } from "../language/slurs.ts";
import type { SummaryContext } from "./check-summary.ts";
import type { EpisodeStore, WindowEvent } from "./episode-store.ts";
import { type Labels, labelPeople, type NamedPerson } from "./labels.ts";
import { checkSentence } from "./sentence-checks.ts";
import type { TranscriptLine } from "./summary-prompt.ts";
import { sampleEvenly, WINDOW_EVENTS_MAX } from "./windows.ts";

/** A window as the model sees it, with what its answer is held against. */
export interface Window extends Omit<SummaryContext, "cut"> {
  readonly lines: readonly TranscriptLine[];
  readonly shownIds: readonly number[];
}

interface WindowParts {
  readonly episodes: Pick<EpisodeStore, "people">;
  readonly botNames: () => readonly string[];
  readonly bannedWords: () => ForbiddenWords;
}

/** People of the channel whose names are replaced when somebody mentions them. */
const KNOWN_PEOPLE_MAX = 300;

/** Prepares a window: an even sample, labels for names, and the checks for what comes back. */
export function readWindow(
  parts: WindowParts,
  channel: string,
  events: readonly WindowEvent[],
): Window {
  const shown = sampleEvenly(events, WINDOW_EVENTS_MAX);
  const others = parts.episodes.people(channel, KNOWN_PEOPLE_MAX);
  const labels = labelPeople(shown, others, parts.botNames());
  const people = new Map([...others, ...shown].map((person) => [person.userId, person]));
  const lines = shown.map(({ id, userId, isStreamer, isReply, text }) => ({
    id,
    userId,
    isStreamer,
    isReply,
    text: labels.hide(text),
  }));
  const findRun = runFinder([...lines, ...events].map(({ text }) => text));
  const banned = forbiddenWords(parts.bannedWords());
  return {
    lines,
    labels,
    shownIds: shown.map(({ id }) => id),
    check: (sentence) => checkSentence(sentence, { banned }),
    repeats: (text) => asRead(text, labels, people).some((one) => findRun(one) !== null),
  };
}

/** A text as it stands and as it reads once names are in: a copied line that held a name is whole again then. */
function asRead(text: string, labels: Labels, people: ReadonlyMap<string, NamedPerson>): string[] {
  const tokens = labels.toTokens(text);
  if (tokens === text) return [text];
  const shown = fillNames(tokens, (userId) => people.get(userId)?.displayName ?? null);
  const plain = fillNames(tokens, (userId) => people.get(userId)?.login ?? null);
  return shown.toLowerCase() === plain.toLowerCase() ? [text, plain] : [text, shown, plain];
}
