import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseWireLine } from "../../src/twitch/wire.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, openHouse } from "../stand-ins/house.ts";
import { BOT_ID } from "../stand-ins/town.ts";
import type { TwitchServer } from "../stand-ins/twitch-server.ts";
import { until } from "../stand-ins/until.ts";

/** Not shipped: 400 lines that real people wrote. The test runs where the folder is there. */
const SAMPLE = new URL("../../../shared/data/chat-sample.irc", import.meta.url);
const CHANNEL = "nymn";
const BOT = "wicktrimmer";
const MENTIONS = 50;
const PEOPLE = 30;
/** Chat comes at ten times its own pace by the daemon's clock, and that clock is this much faster than the wall's. */
const PACE = 10;
const CLOCK = 8;
/** Invisible characters that chat clients add, and what an IRC line cannot hold. */
const UNSEEN = /[\p{Cc}\p{Cf}\u{E0000}-\u{E0FFF}]/gu;

interface Line {
  readonly raw: string;
  readonly atMs: number;
  readonly messageId: string | null;
  readonly userId: string;
  readonly text: string;
  /** Whose texts the line takes away. */
  readonly clears: string | null;
}

function readSample(): Line[] {
  const raws = readFileSync(SAMPLE, "utf8")
    .split(/\r?\n/)
    .filter((raw) => raw !== "");
  let atMs = 0;
  return raws.map((raw) => {
    const line = readLine(raw);
    atMs = Math.max(atMs, line.atMs);
    return { ...line, atMs };
  });
}

function readLine(raw: string): Line {
  const message = parseWireLine(raw);
  if (message === null) throw new Error("the sample holds a line that is none");
  const { tags, params, command } = message;
  const tag = (name: string) => tags[name] ?? "";
  const atMs = Number(tag("tmi-sent-ts"));
  if (command === "CLEARCHAT") {
    const clears = tag("target-user-id");
    return { raw, atMs, messageId: null, userId: clears, text: "", clears };
  }
  const text = params[1] ?? "";
  return { raw, atMs, messageId: tag("id"), userId: tag("user-id"), text, clears: null };
}

/** Mentions of our own, evenly between the lines. */
function withMentions(lines: readonly Line[]): Line[] {
  const every = Math.floor(lines.length / MENTIONS);
  return lines.flatMap((line, index) => {
    const n = (index + 1) / every;
    return Number.isInteger(n) && n <= MENTIONS ? [line, mention(n, line.atMs)] : [line];
  });
}

function mention(n: number, atMs: number): Line {
  const login = `asker${n % PEOPLE}`;
  const userId = String(880_000 + (n % PEOPLE));
  const text = `@${BOT} question number ${n}, please`;
  const tags = `@id=mention-${n};user-id=${userId};display-name=${login};room-id=1;tmi-sent-ts=${atMs}`;
  const raw = `${tags} :${login}!${login}@${login}.tmi.twitch.tv PRIVMSG #${CHANNEL} :${text}`;
  return { raw, atMs, messageId: `mention-${n}`, userId, text, clears: null };
}

async function play(irc: TwitchServer, lines: readonly Line[], time: ReturnType<typeof fastTime>) {
  const beganAtMs = time.now();
  const firstAtMs = lines[0]?.atMs ?? 0;
  const never = new AbortController().signal;
  for (const { raw, atMs } of lines) {
    await time.wait(beganAtMs + (atMs - firstAtMs) / PACE - time.now(), never);
    irc.inject(raw);
  }
}

/** What the database should hold: each message once, in order, without those a moderator took away later. */
function expected(lines: readonly Line[]) {
  return lines.flatMap(({ messageId, userId, text }, index) => {
    if (messageId === null) return [];
    const isCleared = lines.slice(index).some(({ clears }) => clears === userId);
    return [{ messageId, userId, text: isCleared ? null : plain(text) }];
  });
}

function plain(text: string): string {
  return text
    .replaceAll(UNSEEN, "")
    .replace(/^ACTION (?=\S)/, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .normalize("NFC");
}

interface StoredRow {
  readonly messageId: string;
  readonly userId: string;
  readonly text: string | null;
}

function stored({ db, daemon }: House): StoredRow[] {
  daemon.status();
  return db
    .prepare<[string], StoredRow>(
      `SELECT message_id AS messageId, user_id AS userId, text FROM events
       WHERE message_id IS NOT NULL AND user_id <> ? ORDER BY id`,
    )
    .all(BOT_ID)
    .map((row) => ({ ...row, text: row.text === null ? null : plain(row.text) }));
}

function endings({ db }: House) {
  return db
    .prepare<
      [],
      {
        messageId: string;
        state: string;
        reason: string | null;
        askedAtMs: number;
        sentAtMs: number | null;
      }
    >(
      `SELECT events.message_id AS messageId, replies.state, replies.reason, events.created_at AS askedAtMs,
         replies.sent_at AS sentAtMs
       FROM replies JOIN events ON events.id = replies.event_id ORDER BY events.id`,
    )
    .all();
}

test.skipIf(!existsSync(SAMPLE))(
  "real chat at ten times its pace is kept whole, and each mention in it is answered or dropped for a reason (runs where shared/data is beside the project)",
  async () => {
    const time = fastTime(CLOCK);
    const house = await openHouse({
      ...time,
      channel: CHANNEL,
      bot: BOT,
      config: {
        channel: CHANNEL,
        bot: { login: BOT },
        persona: { name: BOT },
        replies: { continuationSeconds: 0 },
      },
    });
    house.model.enqueue(
      ...Array.from({ length: MENTIONS }, (_, n) => geminiSays({ text: `answer number ${n}` })),
    );
    const lines = withMentions(readSample());
    await play(house.irc, lines, time);
    const replies = await house.ended(MENTIONS);
    expect(stored(house)).toEqual(expected(lines));
    expect(replies).toHaveLength(MENTIONS);
    const ends = endings(house);
    expect(ends.map(({ messageId }) => messageId)).toEqual(
      Array.from({ length: MENTIONS }, (_, n) => `mention-${n + 1}`),
    );
    for (const { state, reason } of ends) expect(state === "sent" || reason !== null).toBe(true);
    expectLimitsKept(
      ends.flatMap(({ sentAtMs, askedAtMs }) =>
        sentAtMs === null ? [] : [{ sentAtMs, askedAtMs }],
      ),
    );
    await until(() => house.said.length === ends.filter(({ state }) => state === "sent").length);
  },
);

function expectLimitsKept(
  sent: readonly { readonly sentAtMs: number; readonly askedAtMs: number }[],
): void {
  expect(sent.length).toBeGreaterThan(5);
  for (const { sentAtMs, askedAtMs } of sent) expect(sentAtMs - askedAtMs).toBeLessThan(45_000);
  const times = sent.map(({ sentAtMs }) => sentAtMs).sort((a, b) => a - b);
  for (const [index, atMs] of times.entries()) {
    expect(
      times.filter((other) => other >= atMs && other < atMs + 30_000).length,
    ).toBeLessThanOrEqual(20);
    if (index > 0) expect(atMs - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
  }
}
