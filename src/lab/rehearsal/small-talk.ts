import type { Draft } from "./beat.ts";
import type { Person, PersonKey } from "./cast.ts";
import type { Line, Speaker } from "./lines.ts";
import { LONG } from "./lines.ts";
import type { Random } from "./random.ts";
import type { Plan } from "./rehearsal-plan.ts";
import { play, type Stage } from "./scene.ts";

/** A stage with a plan of its stream, and with words in each person's own manner. */
export interface StreamStage extends Stage {
  readonly plan: Plan;
  readonly streamStartMs: number;
  voiced(template: string, person: Person, atMs: number): string;
}

/** When, in which stream. `atMs` counts from the rehearsal's beginning. */
export interface Moment {
  readonly atMs: number;
  readonly stage: StreamStage;
}

type Theme = "talks" | "languages" | "about" | "asks" | "facts";

/**
 * General talk for a whole rehearsal. It is dealt like cards: what was said in one stream does not come again in
 * the next until all of its kind has been.
 */
export interface SmallTalk {
  /** The one of the templates' fillings heard least so far. */
  word(templates: readonly string[], fill: (template: string) => string): string;
  /** Who takes the parts a, b and c of these lines. */
  partsFor(lines: readonly Line[]): Readonly<Record<"a" | "b" | "c", PersonKey>>;
  /** One line, by whoever's turn it is. */
  single(templates: readonly string[], moment: Moment): Draft[];
  /** A line of emotes by the one who writes nothing else. */
  emotes(moment: Moment): Draft[];
  /** The next conversation of that theme. */
  converse(theme: Theme, moment: Moment): Draft[];
  /** `count` people at once, within six seconds. */
  burst(templates: readonly string[], count: number, moment: Moment): Draft[];
}

/** Those who may say any of the general lines. */
export const CHATTERS = [
  "papaya",
  "tove",
  "brent",
  "quill",
  "gus",
  "nell",
  "lag",
  "pancake",
  "otter",
  "dusk",
  "byte",
  "haldor",
  "kumquat",
  "lamp",
  "finn",
  "zed",
  "juniper",
] as const satisfies readonly PersonKey[];

const RAIDER_KEYS: readonly Speaker[] = ["captain", "crumb", "brioche"];
const WORDING_TRIES = 14;
const BURST_MS = 6_000;

export function smallTalk(random: Random): SmallTalk {
  const speakers = random.deck(CHATTERS);
  const nextOf = conversations(random);
  const word = wordChooser(random);

  const partsFor: SmallTalk["partsFor"] = (lines) => {
    const taken = new Set<Speaker>(lines.map(([who]) => who));
    const [a, b, c] = random.shuffled(CHATTERS.filter((key) => !taken.has(key)));
    return { a: a ?? "papaya", b: b ?? "papaya", c: c ?? "papaya" };
  };

  const single: SmallTalk["single"] = (templates, { atMs, stage }) => {
    const person = stage.cast[speakers()];
    const text = word(templates, (template) => stage.voiced(template, person, atMs));
    return [plainMessage(person, text, { atMs, stage })];
  };

  return {
    word,
    partsFor,
    single,
    emotes(moment) {
      const text = word(LONG.emotes, () => emoteRun(random));
      return [plainMessage(moment.stage.cast.wobble, text, moment)];
    },
    converse(theme, { atMs, stage }) {
      const lines = nextOf(theme, { atMs, stage });
      const isOwnWords = theme === "facts" || theme === "asks" || theme === "languages";
      const fill = isOwnWords ? stage.fill : stage.voiced;
      return play(lines, atMs, { ...stage, fill }, partsFor(lines));
    },
    burst: (templates, count, { atMs, stage }) =>
      Array.from({ length: count }, () =>
        single(templates, { atMs: atMs + random.int(200, BURST_MS), stage }),
      ).flat(),
  };
}

function plainMessage(person: Person, text: string, { atMs, stage }: Moment): Draft {
  const { stream } = stage;
  return { kind: "message", person, text, addressed: null, replyTo: null, atMs, stream };
}

function emoteRun(random: Random): string {
  return Array.from({ length: random.int(2, 9) }, () => random.pick(LONG.emotes)).join(" ");
}

function wordChooser(random: Random): SmallTalk["word"] {
  const timesHeard = new Map<string, number>();
  const decks = new Map<readonly string[], () => string>();
  const heard = (text: string) => timesHeard.get(text) ?? 0;
  return (templates, fill) => {
    const deal = decks.get(templates) ?? random.deck(templates);
    decks.set(templates, deal);
    let best = fill(deal());
    for (let tries = 1; tries < WORDING_TRIES && heard(best) > 0; tries += 1) {
      const next = fill(deal());
      if (heard(next) < heard(best)) best = next;
    }
    timesHeard.set(best, heard(best) + 1);
    return best;
  };
}

function conversations(random: Random): (theme: Theme, moment: Moment) => readonly Line[] {
  const common = {
    talks: random.deck(LONG.talks),
    languages: random.deck(LONG.otherLanguages),
    about: random.deck(LONG.aboutTheBot),
  };
  const first = {
    ...common,
    asks: random.deck(LONG.firstAsks),
    facts: random.deck(LONG.firstFacts),
  };
  const later = {
    ...common,
    asks: random.deck(LONG.secondAsks),
    facts: random.deck(LONG.secondFacts),
  };
  return (theme, moment) => {
    const deal = (moment.stage.stream === 1 ? first : later)[theme];
    let lines = deal();
    while (isByRaider(lines) && !hasRaiders(moment)) lines = deal();
    return lines;
  };
}

function isByRaider(lines: readonly Line[]): boolean {
  return lines.some(([who]) => RAIDER_KEYS.includes(who));
}

function hasRaiders({ atMs, stage }: Moment): boolean {
  if (stage.stream > 1) return true;
  const { raidAtMs } = stage.plan;
  return raidAtMs !== null && atMs - stage.streamStartMs > raidAtMs;
}
