import type { StoredMoment } from "../../src/chat/moment-store.ts";
import { checkSummary, type SummaryCheck } from "../../src/memory/check-summary.ts";
import type { Summary } from "../../src/memory/episode-store.ts";
import type { WrittenSummary } from "../../src/memory/summary-prompt.ts";
import { readWindow, type Window } from "../../src/memory/windows.ts";

export type Spoken = readonly [who: string, text: string];

export const CHAT: readonly Spoken[] = [
  ["wanda", "i play cello in a barn orchestra"],
  ["otis", "wanda collects porcelain spoons, everyone knows"],
  ["hostess", "no backseating while the lantern boss is up"],
  ["wanda", "hello again"],
  ["pim", "the lantern boss looks tired tonight"],
  ["otis", "that lantern boss again, look at it"],
];

/** A window as compaction reads it; `hostess` is the streamer, and the id of `otis` is `id-otis`. `regulars`: logins. */
export function windowOf(
  chat: readonly Spoken[],
  moments: readonly StoredMoment[] = [],
  regulars: readonly string[] = [],
  earlier: readonly Spoken[] = [],
): Window {
  const events = chat.map(([who, text], index) => ({
    id: 1_001 + index,
    userId: `id-${who}`,
    login: who,
    displayName: who,
    isStreamer: who === "hostess",
    isModerator: false,
    isAction: false,
    isReply: false,
    isKnown: who === "pim" || who === "otis",
    text,
    atMs: 1_700_000_000_000 + index,
  }));
  return readWindow(
    {
      botNames: () => ["automark"],
      accountsOf: (userId) => [userId],
      bannedWords: () => ["flumph"],
    },
    events,
    {
      people: [{ userId: "id-absent", login: "absentia", displayName: "Absentia" }],
      earlier: earlier.map(([who, text]) => ({
        ...{ userId: `id-${who}`, isStreamer: false, isKnown: false, text },
      })),
      title: "",
      regularLogins: regulars,
      moments,
    },
  );
}

export function check(
  written: Partial<WrittenSummary>,
  chat: readonly Spoken[] = CHAT,
  cut = true,
): SummaryCheck {
  const whole = { topic: "", summary: "It was a calm evening.", claims: [], ...written };
  return checkSummary(whole, { ...windowOf(chat), cut });
}

export type Claim = WrittenSummary["claims"][number];

/** A claim with whole lines of the window, counted from one, as its quotes. */
export function claim(subject: string, statement: string, ...lines: number[]): Claim {
  return {
    subject,
    statement,
    how: "plainly",
    quotes: lines.map((n) => CHAT[n - 1]?.[1] ?? "never said here"),
  };
}

export function kept(result: SummaryCheck): Summary {
  if (result.kind !== "good") throw new Error(`nothing was kept: ${result.kind}`);
  return result.summary;
}

/** Everything of an episode that is stored as text. */
export function storedTexts({ topic, summary, unproven, claims }: Summary): string[] {
  return [topic, summary, unproven, ...claims.map(({ statement }) => statement)];
}
