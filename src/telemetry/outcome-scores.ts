// Pure: values in, values out.

import { type Share, shareOf, tallyMaker } from "./figures.ts";
import { SOMETIMES_SECTIONS } from "./plain-names.ts";
import type { OutcomeKind, ReplyFacts } from "./replies-store.ts";
import type { TrailFigures } from "./trail-figures.ts";

/** As the report says it. */
export const WELCOME_MEANS =
  "it was praised or the viewer took it up; they neither asked for more nor denied it; and nobody disliked, faulted or deleted it";
const WELCOME: ReadonlySet<OutcomeKind> = new Set(["viewer_answered", "positive", "good"]);
const UNWELCOME: ReadonlySet<OutcomeKind> = new Set(["negative", "bad", "deleted", "timed_out"]);
/** Tells nothing of how a reply was liked, and whatever else came of it is no welcome. */
const NO_WELCOME: OutcomeKind = "went_on";
const PROMPTS_MIN = 5;
const IDS_SHOWN = 10;
const NOTE_DEPTHS = [0, 2, 5, 10] as const;
const EPISODE_DEPTHS = [0, 1, 2] as const;

/**
 * What came of replies, joined to what was in their prompts. A score is the share of replies that were welcome: the
 * viewer answered, somebody liked it or a moderator praised it, the viewer neither asked for more nor denied it, and nothing
 * spoke against it. It says what went together, not what caused what, and no ranking reads it.
 */
export function outcomeScores() {
  const kinds = tallyMaker();
  const all = hitCounter<"all">();
  const notes = hitCounter<number>();
  const sections = hitCounter<string>();
  const noteDepths = hitCounter<number>();
  const episodeDepths = hitCounter<number>();
  const counts = { known: 0, unknown: 0 };
  const unwelcomeIds: number[] = [];
  const addTrail = (trail: TrailFigures, hit: boolean): void => {
    for (const id of trail.notes.kept) notes.add(id, hit);
    for (const name of SOMETIMES_SECTIONS)
      sections.add(`${(trail.sections[name] ?? 0) > 0 ? "+" : "-"}${name}`, hit);
    noteDepths.add(bucketOf(trail.notes.kept.length, NOTE_DEPTHS), hit);
    episodeDepths.add(bucketOf(trail.episodes.kept.length, EPISODE_DEPTHS), hit);
  };
  return {
    add: ({ id, state, outcomes, trail }: ReplyFacts): void => {
      if (state !== "sent") return;
      if (outcomes.length === 0) {
        counts.unknown += 1;
        return;
      }
      counts.known += 1;
      for (const kind of outcomes) kinds.add(kind);
      const isUnwelcome = outcomes.some((kind) => UNWELCOME.has(kind));
      if (isUnwelcome) unwelcomeIds.push(id);
      const hit = !isUnwelcome && isWelcome(outcomes);
      all.add("all", hit);
      if (trail !== null) addTrail(trail, hit);
    },
    read: () => {
      const scored = [...notes.read(PROMPTS_MIN)].map(([noteId, score]) => ({ noteId, score }));
      const welcome = all.read().get("all") ?? shareOf(0, 0);
      const better = scored.filter(({ score }) => score.share > welcome.share);
      const worse = scored.filter(({ score }) => score.share < welcome.share);
      return {
        /** Replies that something is known of, and the others. */
        ...counts,
        byKind: kinds.read(),
        welcome,
        /** Replies that something spoke against, the latest first. */
        unwelcomeIds: unwelcomeIds.slice(-IDS_SHOWN).reverse(),
        /** Of prompts that held the section, and of those that did not. */
        sections: bySection(sections.read()),
        /** By how many notes and episodes stood in the prompt. */
        noteDepths: byDepth(noteDepths.read(), NOTE_DEPTHS).map(([notes, score]) => ({
          notes,
          score,
        })),
        episodeDepths: byDepth(episodeDepths.read(), EPISODE_DEPTHS).map(([episodes, score]) => ({
          episodes,
          score,
        })),
        /** Of notes in at least five prompts those whose replies were welcome more often than all together, the surest first. */
        bestNotes: better.toSorted((a, b) => b.score.low - a.score.low).slice(0, IDS_SHOWN),
        /** And less often. */
        worstNotes: worse.toSorted((a, b) => a.score.high - b.score.high).slice(0, IDS_SHOWN),
      };
    },
  };
}

function isWelcome(outcomes: readonly OutcomeKind[]): boolean {
  return !outcomes.includes(NO_WELCOME) && outcomes.some((kind) => WELCOME.has(kind));
}

function hitCounter<K>() {
  const trials = new Map<K, { readonly hits: number; readonly of: number }>();
  return {
    add: (key: K, hit: boolean): void => {
      const { hits, of } = trials.get(key) ?? { hits: 0, of: 0 };
      trials.set(key, { hits: hits + Number(hit), of: of + 1 });
    },
    /** Of keys that were seen at least so often. */
    read: (seenMin = 1): ReadonlyMap<K, Share> =>
      new Map(
        [...trials]
          .filter(([, { of }]) => of >= seenMin)
          .map(([key, { hits, of }]) => [key, shareOf(hits, of)] as const),
      ),
  };
}

/** Sections that stand in every prompt, or in none, tell nothing. */
function bySection(shares: ReadonlyMap<string, Share>) {
  return SOMETIMES_SECTIONS.flatMap((section) => {
    const having = shares.get(`+${section}`);
    const without = shares.get(`-${section}`);
    return having === undefined || without === undefined
      ? []
      : [{ section, with: having, without }];
  });
}

/** The index of the first limit that holds `value`. */
function bucketOf(value: number, limits: readonly number[]): number {
  const found = limits.findIndex((limit) => value <= limit);
  return found === -1 ? limits.length : found;
}

function byDepth(
  shares: ReadonlyMap<number, Share>,
  limits: readonly number[],
): (readonly [string, Share])[] {
  return [...shares]
    .sort(([one], [other]) => one - other)
    .map(([bucket, score]) => [depthName(bucket, limits), score]);
}

/** `0`, `1 to 2`, `3 to 5`, `11 or more`. */
function depthName(bucket: number, limits: readonly number[]): string {
  const from = bucket === 0 ? 0 : (limits[bucket - 1] ?? 0) + 1;
  const to = limits[bucket];
  if (to === undefined) return `${from} or more`;
  return from === to ? `${from}` : `${from} to ${to}`;
}
