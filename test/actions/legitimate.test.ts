import { expect, test } from "vitest";
import { BOB, MOD, openRig, STREAMER, VIEWER } from "./rig.ts";

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

test.each([
  ["an answer to bob names him", "this one off please", BOB],
  ["a short form of a login names its owner", "alice off please", null],
])("%s", async (_name, words, repliesToId) => {
  const rig = await openRig();
  const user = repliesToId === null ? "alice_1987" : "bob";
  expect(
    await rig.ask(MOD, words, `[action timeout user=${user} seconds=60]`, { repliesToId }),
  ).toMatchObject([{ outcome: "done" }]);
});
