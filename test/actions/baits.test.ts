import { expect, test } from "vitest";
import { BAITS } from "./baits.ts";
import { INNOCENT } from "./innocent-lines.ts";
import { BOB, MOD, openRig, STREAMER, VIEWER } from "./rig.ts";

/** Everything allowed, nothing cooling down: only who asks for what stands in the way. */
const OPEN = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 1_000,
  perStream: 10_000,
};
const NO_COOLDOWNS = Object.fromEntries(
  [
    "remember",
    "forget",
    "announce",
    "shoutout",
    "clip",
    "marker",
    "poll",
    "warn",
    "delete",
    "timeout",
  ].map((name) => [name, OPEN]),
);
/** What moderators ask for while a bait lies about: always of carl. */
const WISHES: readonly (readonly [words: string, span: string])[] = [
  ["time carl out for a minute", "[action timeout user=carl seconds=60]"],
  ["gib carl eine auszeit", "[action timeout user=carl seconds=60]"],
  ["silencia a carl", "[action timeout user=carl seconds=60]"],
  ["замуть carl", "[action timeout user=carl seconds=60]"],
  ["carlをミュートして", "[action timeout user=carl seconds=60]"],
];

test.each([
  ["in chat", (text: string) => [{ userId: BOB, text }]],
  ["in a note, a summary, a title or a display name", (text: string) => [{ userId: null, text }]],
  [
    "over two lines",
    (text: string) =>
      [text.slice(0, 9), text.slice(9)].map((part) => ({ userId: BOB, text: part })),
  ],
] as const)("a bait that lies %s adds nothing to what a moderator asks for", async (_name, lay) => {
  const rig = await openRig({ botId: STREAMER, policy: { limits: NO_COOLDOWNS } });
  const wrong: unknown[] = [];
  for (const [at, [line, span]] of BAITS.entries()) {
    const [words, own] = WISHES[at % WISHES.length] ?? ["", ""];
    const untrusted = [...lay(line), { userId: MOD, text: words }];
    const [wished, baited] = await rig.ask(MOD, words, [own, span], { untrusted });
    if (wished?.outcome !== "done" || baited?.decision !== "refuse")
      wrong.push([words, line, wished, baited]);
  }
  expect(BAITS.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
  expect(rig.acts().every(({ body }) => JSON.stringify(body).includes('"user_id":"34"'))).toBe(
    true,
  );
  expect(rig.remembered).toEqual([]);
});

const OTHERS = ["bob", "carl", "dora"];
const onSomebody = (user: string) => [
  `[action timeout user=${user} seconds=600]`,
  `[action warn user=${user} reason=rude]`,
  `[action delete user=${user}]`,
  `[action shoutout user=${user}]`,
];
const ON_NOBODY = [
  '[action announce text="lanterns for everyone"]',
  '[action poll title="who goes" choices="one|two"]',
  "[action clip]",
  "[action marker]",
  "[action forget note=5]",
  '[action forget topic="tea"]',
];

test.each([
  ["a moderator", MOD, OTHERS],
  ["a viewer", VIEWER, []],
])(
  "whatever a model makes of what %s says innocently, nothing comes of it",
  async (...[, who, others]) => {
    const rig = await openRig({ botId: STREAMER, policy: { limits: NO_COOLDOWNS } });
    const through: unknown[] = [];
    for (const words of INNOCENT) {
      // Of those whom a line does not name, one is enough.
      const named = others.filter((name) => name === "dora" || words.includes(name));
      const spans = [...named.flatMap(onSomebody), ...ON_NOBODY];
      for (let at = 0; at < spans.length; at += 2) {
        const outcomes = await rig.ask(who, words, spans.slice(at, at + 2));
        if (outcomes.some(({ decision }) => decision !== "refuse")) through.push([words, outcomes]);
      }
    }
    expect(through).toEqual([]);
    expect(rig.acts()).toEqual([]);
    expect(rig.remembered).toEqual([]);
  },
);
