// Pure: values in, values out.

import { type ForbiddenWords, forbiddenWords } from "../language/banned.ts";
import { copiesRun } from "../language/distinctive.ts";
import { fillNames } from "../language/people.ts";
import { languagesIn } from "../language/which-language.ts";
import type { SummaryContext } from "./check-summary.ts";
import type { EpisodeStore, WindowEvent } from "./episode-store.ts";
import { type Labels, labelPeople, type NamedPerson } from "./labels.ts";
import { checkSentence } from "./sentence-checks.ts";
import type { TranscriptLine } from "./summary-prompt.ts";

/** A window is closed only from this many events on, while chat goes on. */
export const WINDOW_EVENTS_MIN = 25;
/** What one transcript shows at the most. */
export const WINDOW_EVENTS_MAX = 100;
/** What one window covers at the most, where memory has fallen behind: what does not fit is sampled evenly. */
export const WINDOW_EVENTS_SAMPLED_MAX = 300;
/** What closes at the end of a stream, or after a silence. */
export const REST_EVENTS_MIN = 8;
/** A person's conversation with the bot closes early from here on. */
export const DIRECT_EVENTS_MIN = 8;
/** A silence that closes what waits. */
export const SILENCE_MS = 30 * 60_000;
/** Memory has fallen behind where a line has waited for so long. */
const BEHIND_MS = 20 * 60_000;

export interface Waiting {
  /** Events that no episode covers yet. */
  readonly events: number;
  /** When the latest of them was written. */
  readonly newestAtMs: number;
  /** When the one that waits longest was written. */
  readonly oldestAtMs: number;
}

/**
 * How many of the waiting events the next window takes, in order of their ids; 0 for none yet. All of chat is read, one
 * hundred after the other, while the model keeps up; only where lines have waited for twenty minutes do windows grow.
 * A stream that ended, or fell silent, closes what is left.
 */
export function nextWindow(waiting: Waiting, at: { nowMs: number; isOver: boolean }): number {
  const isClosing = at.isOver || at.nowMs - waiting.newestAtMs >= SILENCE_MS;
  if (waiting.events < (isClosing ? REST_EVENTS_MIN : WINDOW_EVENTS_MIN)) return 0;
  if (at.nowMs - waiting.oldestAtMs > BEHIND_MS && waiting.events > WINDOW_EVENTS_MAX) {
    return Math.min(waiting.events, WINDOW_EVENTS_SAMPLED_MAX);
  }
  const left = waiting.events - WINDOW_EVENTS_MAX;
  // What would stay too small for a window of its own gets company.
  if (left > 0 && left < REST_EVENTS_MIN) return WINDOW_EVENTS_MAX - REST_EVENTS_MIN;
  return Math.min(waiting.events, WINDOW_EVENTS_MAX);
}

/** At most `max` of the items, spread evenly, first and last among them, in order. */
export function sampleEvenly<T>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  const step = (items.length - 1) / Math.max(1, max - 1);
  return Array.from({ length: max }, (_, index) => items[Math.round(index * step)]).filter(
    (item) => item !== undefined,
  );
}

/** The two halves of a window that the model refused, in order. */
export function halve<T>(items: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** A window as the model sees it, with what its answer is held against. */
export interface Window extends Omit<SummaryContext, "cut"> {
  readonly lines: readonly TranscriptLine[];
  readonly shownIds: readonly number[];
}

interface WindowParts {
  readonly episodes: Pick<EpisodeStore, "people">;
  readonly botNames: () => readonly string[];
  readonly bannedWords: () => ForbiddenWords;
  /** All accounts of a person, the leading one first. */
  readonly accountsOf: (userId: string) => readonly string[];
}

/** Prepares a window: an even sample, labels for names, and the checks for what comes back. */
export function readWindow(
  parts: WindowParts,
  channel: string,
  events: readonly WindowEvent[],
): Window {
  const shown = sampleEvenly(events, WINDOW_EVENTS_MAX);
  const others = parts.episodes.people(channel);
  const labels = labelPeople(shown, others, parts.botNames());
  const people = new Map([...others, ...shown].map((person) => [person.userId, person]));
  const lines = shown.map(({ id, userId, isStreamer, isReply, text }) => ({
    id,
    userId,
    personId: parts.accountsOf(userId)[0] ?? userId,
    isStreamer,
    isReply,
    text: labels.hide(text),
  }));
  const copies = copiesRun([...lines, ...events].map(({ text }) => text));
  const banned = forbiddenWords(parts.bannedWords());
  const languagesOf = languagesIn(lines.map(({ text }) => text));
  return {
    lines,
    labels,
    shownIds: shown.map(({ id }) => id),
    // As it would be stored: what looks like a token of ours, and is none, shows there.
    check: (sentence) => checkSentence(labels.toTokens(sentence), { banned, languagesOf }),
    repeats: (text) => asRead(text, labels, people).some(copies),
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
