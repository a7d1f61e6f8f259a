import { type CastMember, CHATTERS, type PersonKey } from "./cast.ts";
import { LONG, type Mood, type ScriptLine, type ScriptSpeaker } from "./lines.ts";
import type { Random } from "./random.ts";
import { phaseAt, type StreamPlan } from "./rehearsal-plan.ts";
import { type Draft, play, type Stage } from "./scene.ts";

/** A stage with a plan of its stream, and with words in each person's own manner. */
export interface StreamStage extends Stage {
  readonly plan: StreamPlan;
  readonly streamStartMs: number;
  voiced(template: string, person: CastMember, atMs: number): string;
}

/** When, in which stream. `atMs` counts from the rehearsal's beginning. */
interface Moment {
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
  partsFor(lines: readonly ScriptLine[]): Readonly<Record<"a" | "b" | "c", PersonKey>>;
  /** One line, by whoever's turn it is. */
  single(templates: readonly string[], moment: Moment): Draft[];
  /** A line of emotes by the one who writes nothing else. */
  emotes(moment: Moment): Draft[];
  /** The next conversation of that theme. */
  converse(theme: Theme, moment: Moment): Draft[];
  /** `count` people at once, within six seconds. */
  burst(templates: readonly string[], count: number, moment: Moment): Draft[];
}

const RAIDER_KEYS: readonly ScriptSpeaker[] = ["captain", "crumb", "brioche"];
const WORDING_TRIES = 14;
const BURST_MS = 6_000;

export function smallTalk(random: Random): SmallTalk {
  const speakers = random.deck(CHATTERS);
  const nextOf = conversations(random);
  const word = wordChooser(random);

  const partsFor: SmallTalk["partsFor"] = (lines) => {
    const taken = new Set<ScriptSpeaker>(lines.map(([who]) => who));
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

function plainMessage(person: CastMember, text: string, { atMs, stage }: Moment): Draft {
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

function conversations(random: Random): (theme: Theme, moment: Moment) => readonly ScriptLine[] {
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

function isByRaider(lines: readonly ScriptLine[]): boolean {
  return lines.some(([who]) => RAIDER_KEYS.includes(who));
}

function hasRaiders({ atMs, stage }: Moment): boolean {
  if (stage.stream > 1) return true;
  const { raidAtMs } = stage.plan;
  return raidAtMs !== null && atMs - stage.streamStartMs > raidAtMs;
}

/** Messages a minute of each mood, all lines together; the raiders come on top. */
const PER_MINUTE: Readonly<Record<Mood, number>> = {
  open: 32,
  explore: 27,
  boss: 33,
  raid: 12,
  break: 12,
  lull: 4,
  turnips: 24,
  end: 22,
};
const TALKATIVE: readonly Mood[] = ["open", "explore", "break", "turnips"];
const WALKING: readonly Mood[] = ["open", "explore"];
const SLOT_MS = 5_000;
/** How far fixed scenes may run ahead of the pace before talk holds back for them. */
const AHEAD_LINES_MAX = 4;
/** What comes round again: after a time between these, in these moods only. */
const ASKS: Rhythm = { fromMs: 18_000, toMs: 30_000, moods: [...TALKATIVE, "raid", "lull"] };
const FACTS: Rhythm = { fromMs: 22_000, toMs: 34_000, moods: TALKATIVE };
const FALLS: Rhythm = { fromMs: 70_000, toMs: 120_000, moods: WALKING };

/** Talk around the `scenes` that are fixed, for one stream: together they keep the pace of each phase. */
export function fillStream(talk: SmallTalk, stage: StreamStage, scenes: readonly Draft[]): Draft[] {
  const { plan, streamStartMs } = stage;
  const random = stage.random.fork("pace");
  const fixed = linesPerSlot(scenes, streamStartMs);
  const drafts = fightEnds(talk, stage);
  const next = chooser(talk, random);
  let owedLines = 0;
  for (let slot = 0; slot * SLOT_MS < plan.lengthMs; slot += 1) {
    const { mood } = phaseAt(plan, slot * SLOT_MS);
    const wanted = (PER_MINUTE[mood] * SLOT_MS) / 60_000;
    owedLines = Math.max(-AHEAD_LINES_MAX, owedLines + wanted - (fixed.get(slot) ?? 0));
    while (owedLines >= 1) {
      const atMs = streamStartMs + slot * SLOT_MS + random.int(0, SLOT_MS - 1);
      const made = next(mood, { atMs, stage });
      drafts.push(...made);
      owedLines -= made.length;
    }
  }
  return drafts.filter(({ atMs }) => atMs < streamStartMs + plan.lengthMs);
}

/** A few lines after a stream's end. */
export function fillOffline(talk: SmallTalk, stage: StreamStage, fromMs: number): Draft[] {
  const { random } = stage;
  const seconds = [random.int(5, 9), random.int(14, 22), random.int(27, 40)];
  return seconds.flatMap((after) =>
    talk.single(LONG.offline, { atMs: fromMs + after * 1_000, stage }),
  );
}

/** Cheers or groans where a fight ends. */
function fightEnds(talk: SmallTalk, stage: StreamStage): Draft[] {
  return stage.plan.phases.flatMap(({ won, toMs }) => {
    if (won === null) return [];
    const moment = { atMs: stage.streamStartMs + toMs - 2_000, stage };
    return won ? talk.burst(LONG.victory, 12, moment) : talk.burst(LONG.death, 8, moment);
  });
}

type Next = (mood: Mood, moment: Moment) => Draft[];

function chooser(talk: SmallTalk, random: Random): Next {
  const recurring = [
    every(ASKS, random, (moment) => talk.converse("asks", moment)),
    every(FACTS, random, (moment) => talk.converse("facts", moment)),
    every(FALLS, random, (moment) => talk.burst(LONG.fall, random.int(3, 5), moment)),
  ];
  return (mood, moment) => {
    const due = recurring.find((event) => event.isDue(mood, moment));
    return due === undefined ? byMood(talk, random, { mood, moment }) : due.happen(moment);
  };
}

function byMood(
  talk: SmallTalk,
  random: Random,
  { mood, moment }: { readonly mood: Mood; readonly moment: Moment },
): Draft[] {
  switch (mood) {
    case "boss":
      return random.chance(0.06) ? talk.emotes(moment) : talk.single(LONG.bossFight, moment);
    case "raid":
      return talk.single(LONG.raidWelcomes, moment);
    case "turnips":
      return random.chance(0.1) ? talk.emotes(moment) : talk.single(LONG.turnipTalk, moment);
    case "end":
      return talk.single(LONG.goodbye, moment);
    case "lull":
      return talk.single(LONG.idle, moment);
    case "break":
      return random.chance(0.4) ? talk.single(LONG.break, moment) : talk.converse("talks", moment);
    case "open":
    case "explore":
      return anything(talk, random.int(1, 100), moment);
  }
}

function anything(talk: SmallTalk, percent: number, moment: Moment): Draft[] {
  if (percent <= 46) return talk.converse("talks", moment);
  if (percent <= 56) return talk.converse("languages", moment);
  if (percent <= 62) return talk.emotes(moment);
  if (percent <= 65) return talk.converse("about", moment);
  return talk.single(LONG.idle, moment);
}

interface Rhythm {
  readonly fromMs: number;
  readonly toMs: number;
  readonly moods: readonly Mood[];
}

interface Recurring {
  isDue(mood: Mood, moment: Moment): boolean;
  happen(moment: Moment): Draft[];
}

function every(
  { fromMs, toMs, moods }: Rhythm,
  random: Random,
  make: (moment: Moment) => Draft[],
): Recurring {
  let dueMs = random.int(Math.round(fromMs / 2), toMs);
  const sinceStartMs = ({ atMs, stage }: Moment) => atMs - stage.streamStartMs;
  return {
    isDue: (mood, moment) => moods.includes(mood) && sinceStartMs(moment) >= dueMs,
    happen(moment) {
      dueMs = sinceStartMs(moment) + random.int(fromMs, toMs);
      return make(moment);
    },
  };
}

function linesPerSlot(scenes: readonly Draft[], streamStartMs: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { atMs } of scenes) {
    const slot = Math.floor((atMs - streamStartMs) / SLOT_MS);
    counts.set(slot, (counts.get(slot) ?? 0) + 1);
  }
  return counts;
}
