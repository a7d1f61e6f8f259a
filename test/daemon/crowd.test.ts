import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, openHouse } from "../stand-ins/house.ts";
import { CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

/** How much faster than the wall's the town's clock is. */
const CLOCK = 8;
const ACCOUNTS = 60;
const MENTION_EVERY_MS = 125;
const ASKS = 4;
const ROOM_MS = 3_000;
/** The crowd has had its fill before the streamer asks. */
const CROWD_FIRST_MS = 12_000;
/** What the model counts of a prompt; by our estimate it is about as long. */
const PROMPT_TOKENS = 1_000;
/** Of a million tokens; an answer costs nothing, so that what a call costs is known beforehand. */
const PRICE = { input: 1, cached: 1, output: 0 };
const STREAMER = {
  userId: STREAMER_ID,
  login: CHANNEL,
  displayName: CHANNEL,
  badges: "broadcaster/1",
};

test.each([
  { modelMs: 3_000, caps: {}, name: "a model that takes 3 s" },
  { modelMs: 1_000, caps: {}, name: "a model that takes 1 s, so that Twitch's limits are reached" },
  {
    modelMs: 1_000,
    caps: { callsPerHour: 30, memoryShare: 0.05 },
    name: "viewers who have used up the hour's calls",
  },
])(
  "the streamer amid sixty accounts is answered each time within twice the model's time and 3 s: $name",
  { timeout: 60_000 },
  async ({ modelMs, caps }) => {
    const time = fastTime(CLOCK);
    const house = await openHouse({
      ...time,
      config: {
        replies: { viewerCooldownSeconds: 10, channelCooldownSeconds: 1, continuationSeconds: 0 },
      },
      llm: { caps, prices: { "gemini-3.5-flash-lite": PRICE } },
    });
    house.model.enqueue(
      ...Array.from({ length: 200 }, (_, n) => ({
        ...geminiSays({ text: `that is lamp number ${n}`, promptTokens: PROMPT_TOKENS }),
        afterMs: modelMs / CLOCK,
      })),
    );
    const asked = house.db.prepare<[string], Asked>(ASKED);
    const isUsedUp = house.db.prepare<[], number>(IS_USED_UP).pluck();
    const over = new AbortController();
    const crowd = gather(house, over.signal);
    await time.wait(CROWD_FIRST_MS, new AbortController().signal);
    if (Object.keys(caps).length > 0) await until(() => isUsedUp.get() === 1);
    for (let n = 1; n <= ASKS; n += 1) {
      await time.wait((n * 1_700) % 4_000, new AbortController().signal);
      house.say({ text: `@automark my question number ${n}`, ...STREAMER });
      await until(() => asked.all(STREAMER_ID).length === n);
    }
    over.abort();
    await crowd;
    const answers = asked.all(STREAMER_ID);
    expect(answers.map(({ state }) => state)).toEqual(Array.from({ length: ASKS }, () => "sent"));
    for (const { tookMs } of answers) expect(tookMs).toBeLessThanOrEqual(2 * modelMs + ROOM_MS);
  },
);

/** One of sixty speaks to the bot, eight times a second. */
async function gather({ say, wait }: House, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const login = `crowd${n % ACCOUNTS}`;
    say({ text: `@automark hm ${n}`, userId: `90${n % ACCOUNTS}`, login, displayName: login });
    await wait(MENTION_EVERY_MS, new AbortController().signal);
  }
}

interface Asked {
  readonly state: string;
  readonly reason: string | null;
  readonly tookMs: number | null;
}

/** What came of somebody's questions so far. */
const ASKED = `SELECT state, reason, replies.sent_at - events.created_at AS tookMs
  FROM replies JOIN events ON events.id = replies.event_id
  WHERE replies.user_id = ? AND state NOT IN ('thinking', 'sending') ORDER BY replies.id`;
/** Whether what viewers may cost is used up. */
const IS_USED_UP = "SELECT EXISTS (SELECT 1 FROM replies WHERE reason = 'model_cap')";
