import { readFileSync } from "node:fs";
import { createBannedTest } from "../../src/language/banned.ts";
import { copyFinder } from "../../src/language/distinctive.ts";
import { checkSummary, type SummaryCheck } from "../../src/memory/check-summary.ts";
import { Labels } from "../../src/memory/labels.ts";
import { checkSentence } from "../../src/memory/sentence-checks.ts";
import type { How } from "../../src/memory/summary-prompt.ts";

export interface CorpusClaim {
  readonly subject: string;
  readonly statement: string;
  readonly quotes: readonly string[];
  readonly how?: How;
}

export interface CorpusWindow<C extends CorpusClaim> {
  readonly lines: readonly {
    readonly who: string;
    readonly text: string;
    readonly isAction?: boolean;
  }[];
  readonly claims: readonly C[];
}

/** A frozen file of `corpora/`. */
export function corpus<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./corpora/${name}.json`, import.meta.url), "utf8")) as T;
}

const STREAMER = "STREAMER";
const isBanned = createBannedTest([]);

/** Holds one claim against a window, as compaction does: what is repeated is cut, as on the second try. */
export function checkClaimIn(
  { lines }: CorpusWindow<CorpusClaim>,
  claim: CorpusClaim,
): {
  readonly kept: Extract<SummaryCheck, { kind: "good" }>["summary"]["claims"][number] | null;
  readonly reason: string;
} {
  const highest = Math.max(
    1,
    ...[...lines.map(({ who }) => who), claim.subject].map((who) =>
      Number(/^P(\d+)$/.exec(who)?.[1] ?? 1),
    ),
  );
  const people = Array.from({ length: highest }, (_, n) => person(`P${n + 1}`));
  const labels = new Labels([...people, { ...person(STREAMER), isStreamer: true }], [], ["botty"]);
  const copies = copyFinder(lines.map(({ text }) => text));
  const check = checkSummary(
    {
      topic: "chat",
      summary: "",
      claims: [{ how: "plainly", ...claim, quotes: [...claim.quotes] }],
    },
    {
      lines: lines.map(({ who, text, isAction = false }, at) => ({
        id: at + 1,
        userId: who,
        personId: who,
        isStreamer: who === STREAMER,
        isModerator: false,
        isReply: false,
        isAction,
        isKnown: true,
        text,
      })),
      earlier: [],
      labels,
      check: (sentence) => checkSentence(sentence, { isBanned }),
      repeats: copies,
      isCarried: () => true,
      mayName: () => false,
      takeOutDay: (statement) => ({ statement, day: null }),
      moments: [],
      cut: true,
    },
  );
  if (check.kind !== "good") return { kept: null, reason: check.kind };
  return { kept: check.summary.claims[0] ?? null, reason: check.dropped.join() };
}

function person(label: string) {
  return { userId: label, login: `viewer_${label.toLowerCase()}`, displayName: `Viewer_${label}` };
}
