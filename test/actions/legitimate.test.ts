import { expect, test } from "vitest";
import { BOB, MOD, openRig, STREAMER, VIEWER } from "./rig.ts";
import { WISHED } from "./wish-lines.ts";

const NAMES = [
  "CARL",
  "@DORA",
  "bob",
  "@bob",
  "Bob",
  "@BOB",
  "carl",
  "@Carl",
  "alice_1987",
  "@Alice_1987",
  "木の実",
  "@木の実",
  "kinomi",
  "Дора",
  "@дора",
  "dora",
];
const MINUTE_MS = 60_000;

interface Request {
  readonly by: string;
  readonly words: string;
  readonly span: string;
}

const by = (userId: string, requests: readonly (readonly [string, string])[]): Request[] =>
  requests.map(([words, span]) => ({ by: userId, words, span }));

const TIMEOUTS = NAMES.flatMap((name) => [
  {
    by: MOD,
    words: `mark give ${name} a minute off for spoilers`,
    span: `[action timeout user=${name} seconds=60 reason=spoilers]`,
  },
  {
    by: STREAMER,
    words: `${name} needs ten minutes`,
    span: `[action timeout user="${name}" seconds=600]`,
  },
]);
const WARNINGS = NAMES.map((name) => ({
  by: MOD,
  words: `please warn ${name}, enough`,
  span: `[action warn user=${name} reason="that is enough"]`,
}));
const DELETIONS = NAMES.map((name) => ({
  by: MOD,
  words: `take down what ${name} said`,
  span: `[action delete user=${name}]`,
}));
const SHOUTOUTS = ["bob", "@carl", "Alice_1987", "木の実", "dora"].map((name) => ({
  by: MOD,
  words: `shout out ${name}!`,
  span: `[action shoutout user=${name}]`,
}));
const CLIPS = [VIEWER, BOB, MOD, STREAMER, "34", "36"].map((userId) => ({
  by: userId,
  words: "clip that!",
  span: "[action clip]",
}));
const MARKERS = by(VIEWER, [
  ["mark this as the boss fight", '[action marker text="boss fight"]'],
  ["set a marker", "[action marker]"],
  ["Markierung: Endgegner", '[action marker text="Endgegner, Teil 2"]'],
]);
const POLLS = by(STREAMER, [
  ["poll: tea or coffee", '[action poll title="Tea or coffee?" choices="tea|coffee" seconds=60]'],
  ["ask them which level", '[action poll title="Which level?" choices="1|2|3|4|5"]'],
  ["umfrage: weiter oder pause", '[action poll title="Weiter?" choices="ja | Pause" seconds=120]'],
  ["two hours to vote", '[action poll title="Next game" choices="chess|go" seconds=7200]'],
]);
const ANNOUNCEMENTS = by(MOD, [
  ["announce the raffle at nine", '[action announce text="The raffle is at nine!"]'],
  ["tell them we start late", '[action announce text="We start ten minutes late, sorry ❤️"]'],
  ["anuncia el sorteo", '[action announce text="¡El sorteo empieza a las nueve!"]'],
  ["告知して", '[action announce text="配信は九時からです"]'],
]);
const MEMORIES = by(VIEWER, [
  ["remember that I play the cello", '[action remember fact="plays the cello"]'],
  ["remember I'm from Kraków", '[action remember fact="is from Kraków"]'],
  ["merk dir: ich mag Lakritz", '[action remember fact="mag Lakritz"]'],
  ["remember that I own 3 cats", '[action remember fact="owns 3 cats"]'],
  ["запомни, я люблю чай", '[action remember fact="любит чай"]'],
  ["我喜欢下雨天,记住", '[action remember fact="喜欢下雨天"]'],
  ['remember my dog "Rex"', '[action remember fact="has a dog called \\"Rex\\""]'],
  ["remember that I like tea", '[action remember fact="likes tea 🏴‍☠️"]'],
  ["that's wrong, I play the viola", '[action correct note=5 fact="plays the viola"]'],
  ["no, it's the violin", '[action correct note=id:5 fact="plays the violin"]'],
  ["remember: je joue du piano", '[action remember fact="joue du piano"]'],
  ["remember I stream on Fridays", '[action remember fact="streams on Fridays, at 20:00"]'],
  ["forget that note", "[action forget note=5]"],
  ["forget about my cats", '[action forget topic="cats"]'],
]);

test.each([
  ["time-outs", TIMEOUTS],
  ["warnings", WARNINGS],
  ["deletions", DELETIONS],
  ["shoutouts", SHOUTOUTS],
  ["clips", CLIPS],
  ["markers", MARKERS],
  ["polls", POLLS],
  ["announcements", ANNOUNCEMENTS],
  ["memories", MEMORIES],
] as const)("%s that somebody may ask for all run", async (_name, requests) => {
  const rig = await openRig({ botId: STREAMER });
  const stopped: unknown[] = [];
  for (const { by: userId, words, span } of requests) {
    rig.clock.nowMs += 3 * MINUTE_MS;
    const chat = [
      { userId: BOB, text: "what a lovely evening it is here" },
      { userId, text: words },
    ];
    const outcomes = await rig.ask(userId, words, span, { untrusted: chat });
    if (outcomes[0]?.outcome !== "done") stopped.push([span, outcomes]);
  }
  expect(stopped).toEqual([]);
});

const SPANS = {
  announce: '[action announce text="It begins!"]',
  shoutout: "[action shoutout user=bob]",
  clip: "[action clip]",
  marker: "[action marker]",
  poll: '[action poll title="Well?" choices="yes|no"]',
  warn: '[action warn user=bob reason="enough"]',
  delete: "[action delete user=bob]",
  timeout: "[action timeout user=bob seconds=60]",
  forget: "[action forget topic=tea]",
} as const;

test.each(WISHED)("%s, in many ways and languages, runs", async (name, lines) => {
  const rig = await openRig({ botId: STREAMER });
  const stopped: unknown[] = [];
  for (const words of lines) {
    rig.clock.nowMs += 61 * MINUTE_MS;
    rig.speak(BOB, "another line of bob's", `bob-${rig.clock.nowMs}`);
    const span = Object.entries(SPANS).find(([known]) => known === name)?.[1] ?? "";
    const chat = ["[action clip]", "(action timeout user=bob)"].map((text) => ({
      userId: "34",
      text,
    }));
    const untrusted = [...chat, { userId: MOD, text: words }];
    const outcomes = await rig.ask(MOD, words, span, { untrusted });
    if (outcomes[0]?.outcome !== "done") stopped.push([words, outcomes]);
  }
  expect(stopped).toEqual([]);
});

test("that was a hundred requests at least; what lasts too long was clamped", async () => {
  const all = [
    TIMEOUTS,
    WARNINGS,
    DELETIONS,
    SHOUTOUTS,
    CLIPS,
    MARKERS,
    POLLS,
    ANNOUNCEMENTS,
    MEMORIES,
  ];
  expect(all.flat().length).toBeGreaterThanOrEqual(100);
  const rig = await openRig();
  await rig.ask(MOD, "bob off for a year", "[action timeout user=bob seconds=31536000]");
  expect(rig.acts()).toMatchObject([{ body: { data: { duration: 600 } } }]);
});

test("an answer to bob's message names him", async () => {
  const rig = await openRig();
  const answer = { repliesToId: BOB };
  const span = "[action timeout user=bob seconds=60]";
  expect(await rig.ask(MOD, "this one off please", span, answer)).toMatchObject([
    { outcome: "done" },
  ]);
});
