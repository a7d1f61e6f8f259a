import { CHATTERS } from "./cast.ts";
import { LONG, type Mood, type ScriptLine } from "./lines.ts";
import type { Random } from "./random.ts";
import { phaseAt } from "./rehearsal-plan.ts";
import { type Draft, plainLine, play } from "./scene.ts";
import type { StreamStage } from "./wording.ts";

/**
 * General talk for a whole rehearsal. It is dealt like cards: what was said in one stream does not come again in
 * the next until all of its kind has been.
 */
export type SmallTalk = ReturnType<typeof smallTalk>;

const RAIDERS: ReadonlySet<string> = new Set(["captain", "crumb", "brioche"]);
const WORDING_TRIES = 14;
const BURST_MS = 6_000;

export function smallTalk(random: Random) {
  const speakers = random.deck(CHATTERS);
  const timesHeard = new Map<string, number>();
  const heard = (text: string) => timesHeard.get(text) ?? 0;
  const dealText = dealer<string>(random);
  const dealLines = dealer<readonly ScriptLine[]>(random);
  /** The one of the templates' fillings heard least so far. */
  const word = (templates: readonly string[], fill: (template: string) => string): string => {
    let best = fill(dealText(templates));
    for (let tries = 1; tries < WORDING_TRIES && heard(best) > 0; tries += 1) {
      const next = fill(dealText(templates));
      if (heard(next) < heard(best)) best = next;
    }
    timesHeard.set(best, heard(best) + 1);
    return best;
  };
  /** One line, by whoever's turn it is. */
  const single = (templates: readonly string[], stage: StreamStage, atMs: number): Draft[] => {
    const person = stage.cast[speakers()];
    const text = word(templates, (template) => stage.fill(template, person, atMs));
    return [plainLine(person, text, stage, atMs)];
  };
  return {
    word,
    single,
    /** A line of emotes by the one who writes nothing else. */
    emotes: (stage: StreamStage, atMs: number): Draft[] => {
      const run = () => Array.from({ length: random.int(2, 9) }, () => random.pick(LONG.emotes));
      return [
        plainLine(
          stage.cast.wobble,
          word(LONG.emotes, () => run().join(" ")),
          stage,
          atMs,
        ),
      ];
    },
    /** The next of these conversations. */
    converse: (
      about: readonly (readonly ScriptLine[])[],
      stage: StreamStage,
      atMs: number,
    ): Draft[] => {
      let lines = dealLines(about);
      while (isByRaider(lines) && !hasRaiders(stage, atMs)) lines = dealLines(about);
      return play(lines, atMs, stage);
    },
    /** `count` people at once, within six seconds. */
    burst: (
      templates: readonly string[],
      count: number,
      stage: StreamStage,
      atMs: number,
    ): Draft[] =>
      Array.from({ length: count }, () =>
        single(templates, stage, atMs + random.int(200, BURST_MS)),
      ).flat(),
  };
}

/** Deals from any list, from each by a deck of its own. */
function dealer<T>(random: Random): (list: readonly T[]) => T {
  const decks = new Map<readonly T[], () => T>();
  return (list) => {
    const deal = decks.get(list) ?? random.deck(list);
    decks.set(list, deal);
    return deal();
  };
}

function isByRaider(lines: readonly ScriptLine[]): boolean {
  return lines.some(([who]) => RAIDERS.has(who));
}

function hasRaiders({ stream, plan, startMs }: StreamStage, atMs: number): boolean {
  return stream > 1 || (plan.raidAtMs !== null && atMs - startMs > plan.raidAtMs);
}

type Talk = (talk: SmallTalk, stage: StreamStage, atMs: number) => Draft[];
type Conversations = readonly (readonly ScriptLine[])[];

const emotes: Talk = (talk, ...when) => talk.emotes(...when);

function lines(templates: readonly string[]): Talk {
  return (talk, ...when) => talk.single(templates, ...when);
}

function conversation(about: Conversations, later = about): Talk {
  return (talk, stage, atMs) => talk.converse(stage.stream === 1 ? about : later, stage, atMs);
}

const WALKING: readonly (readonly [number, Talk])[] = [
  [46, conversation(LONG.talks)],
  [10, conversation(LONG.otherLanguages)],
  [6, emotes],
  [3, conversation(LONG.aboutTheBot)],
  [35, lines(LONG.idle)],
];

/** Of each mood the messages a minute, all lines together (raiders come on top), and of a hundred turns what they are. */
const MOODS: Readonly<
  Record<Mood, { perMinute: number; turns: readonly (readonly [number, Talk])[] }>
> = {
  open: { perMinute: 32, turns: WALKING },
  explore: { perMinute: 27, turns: WALKING },
  boss: {
    perMinute: 33,
    turns: [
      [6, emotes],
      [94, lines(LONG.bossFight)],
    ],
  },
  raid: { perMinute: 12, turns: [[100, lines(LONG.raidWelcomes)]] },
  break: {
    perMinute: 12,
    turns: [
      [40, lines(LONG.break)],
      [60, conversation(LONG.talks)],
    ],
  },
  lull: { perMinute: 4, turns: [[100, lines(LONG.idle)]] },
  turnips: {
    perMinute: 24,
    turns: [
      [10, emotes],
      [90, lines(LONG.turnipTalk)],
    ],
  },
  end: { perMinute: 22, turns: [[100, lines(LONG.goodbye)]] },
};

const TALKATIVE: readonly Mood[] = ["open", "explore", "break", "turnips"];

/** What comes round again: after a time between these, in these moods only. */
const RECURRING: readonly { fromMs: number; toMs: number; moods: readonly Mood[]; talk: Talk }[] = [
  {
    fromMs: 18_000,
    toMs: 30_000,
    moods: [...TALKATIVE, "raid", "lull"],
    talk: conversation(LONG.firstAsks, LONG.secondAsks),
  },
  {
    fromMs: 22_000,
    toMs: 34_000,
    moods: TALKATIVE,
    talk: conversation(LONG.firstFacts, LONG.secondFacts),
  },
  {
    fromMs: 70_000,
    toMs: 120_000,
    moods: ["open", "explore"],
    talk: (talk, stage, atMs) => talk.burst(LONG.fall, stage.random.int(3, 5), stage, atMs),
  },
];

const SLOT_MS = 5_000;
/** How far fixed scenes may run ahead of the pace before talk holds back for them. */
const AHEAD_LINES_MAX = 4;

/** Talk around the `scenes` that are fixed, for one stream: together they keep the pace of each phase. */
export function fillStream(talk: SmallTalk, stage: StreamStage, scenes: readonly Draft[]): Draft[] {
  const { plan, startMs } = stage;
  const random = stage.random.fork("pace");
  const slotOf = ({ atMs }: Draft) => Math.floor((atMs - startMs) / SLOT_MS);
  const next = chooser(talk, random);
  const drafts = fightEnds(talk, stage);
  let owedLines = 0;
  for (let slot = 0; slot * SLOT_MS < plan.lengthMs; slot += 1) {
    const { mood } = phaseAt(plan, slot * SLOT_MS);
    const wanted = (MOODS[mood].perMinute * SLOT_MS) / 60_000;
    const fixed = scenes.filter((scene) => slotOf(scene) === slot).length;
    owedLines = Math.max(-AHEAD_LINES_MAX, owedLines + wanted - fixed);
    while (owedLines >= 1) {
      const atMs = startMs + slot * SLOT_MS + random.int(0, SLOT_MS - 1);
      const made = next(mood, stage, atMs);
      drafts.push(...made);
      owedLines -= made.length;
    }
  }
  return drafts.filter(({ atMs }) => atMs < startMs + plan.lengthMs);
}

/** A few lines after a stream's end. */
export function fillOffline(talk: SmallTalk, stage: StreamStage, fromMs: number): Draft[] {
  const { random } = stage;
  const seconds = [random.int(5, 9), random.int(14, 22), random.int(27, 40)];
  return seconds.flatMap((after) => talk.single(LONG.offline, stage, fromMs + after * 1_000));
}

/** Cheers or groans where a fight ends. */
function fightEnds(talk: SmallTalk, stage: StreamStage): Draft[] {
  return stage.plan.phases.flatMap(({ won, toMs }) => {
    if (won === null) return [];
    const atMs = stage.startMs + toMs - 2_000;
    return talk.burst(won ? LONG.victory : LONG.death, won ? 12 : 8, stage, atMs);
  });
}

function chooser(talk: SmallTalk, random: Random) {
  const dueMs = RECURRING.map(({ fromMs, toMs }) => random.int(Math.round(fromMs / 2), toMs));
  return (mood: Mood, stage: StreamStage, atMs: number): Draft[] => {
    const sinceMs = atMs - stage.startMs;
    const at = RECURRING.findIndex(
      ({ moods }, n) => moods.includes(mood) && sinceMs >= (dueMs[n] ?? 0),
    );
    const again = RECURRING[at];
    if (again === undefined) return drawn(MOODS[mood].turns, random)(talk, stage, atMs);
    dueMs[at] = sinceMs + random.int(again.fromMs, again.toMs);
    return again.talk(talk, stage, atMs);
  };
}

function drawn(turns: readonly (readonly [number, Talk])[], random: Random): Talk {
  let left = random.int(1, 100);
  const found = turns.find(([percent]) => {
    left -= percent;
    return left <= 0;
  });
  return found?.[1] ?? emotes;
}
