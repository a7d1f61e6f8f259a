import { localTime } from "../platform/config/local-time.ts";
import {
  count,
  type Distribution,
  dollars,
  milliseconds,
  percent,
  plural,
  type Share,
  signedPercent,
  span,
} from "./figures.ts";
import type { Period } from "./period-store.ts";
import type { Report } from "./report.ts";

/** A figure as it is shown, with its place in `report --json`: nothing is shown that the JSON does not say. */
export interface Figure {
  /** A JSON pointer (RFC 6901). */
  readonly at: string;
  readonly value: unknown;
  readonly text: string;
  /** What an id belongs to: a page makes it a link. */
  readonly of: "reply" | "note" | "episode" | null;
}

/** A sentence with figures in it. */
export type Words = readonly (string | Figure)[];

/** A sentence as plain text. */
export function textOf(words: Words): string {
  return words.map((one) => (typeof one === "string" ? one : one.text)).join("");
}

/** `Stream 12 in #lanternroom`, and when it was. */
export function titleOf({ sessionId, channels }: Period): string {
  const where = channels.map((channel) => `#${channel}`).join(", ");
  if (sessionId !== null) return `Stream ${sessionId} in ${where}`;
  return where === "" ? "No channel was joined yet" : `In ${where}`;
}

export function whenOf(report: Report): Words {
  const until = report.period.isOver ? "{/period/toMs:clock}" : "now";
  return teller(report).say(`{/period/fromMs:clock} to ${until} ({/period/lengthMs:span})`);
}

/** The few figures that say most: each with its words behind it. */
export function headline(report: Report): Words[] {
  const { prompts, outcomes, spend, memory } = report;
  const waiting = memory.backlog.waitingEvents;
  const wanted = [
    [true, "{/replies/sent}of {/replies/total} answered"],
    [spend.dollars !== null, "{/spend/dollars:dollars}spent"],
    [spend.calls > 0, "{/spend/tokensIn}tokens sent"],
    [spend.cachedShare !== null, "{/spend/cachedShare:percent}of them cached"],
    [prompts.prompts > 0, "{/prompts/prefix/share:percent}in the stable prefix"],
    [prompts.turnLatency !== null, "{/prompts/turnLatency/p50:ms}to answer"],
    [outcomes.known >= RANGE_MIN, "{/outcomes/welcome/share:percent}welcome"],
    [true, `{/memory/backlog/waitingEvents}${waiting === 1 ? "line" : "lines"} not yet read`],
  ] as const;
  const { say } = teller(report);
  return wanted.flatMap(([isTold, template]) => (isTold ? [say(template)] : []));
}

/** How a figure is written; any other name is a noun that is counted: `{/spend/calls:call}` is "12 calls". */
const SHOWN: Readonly<Record<string, (value: never) => string>> = {
  count,
  percent,
  dollars,
  signed: signedPercent,
  ms: milliseconds,
  clock: localTime,
  span,
  mean: (value: number) => value.toFixed(1),
  hundredths: (value: number) => value.toFixed(2),
  hundreds: (share: number) => (share * 100).toFixed(0),
  replyId: String,
  noteId: String,
  episodeId: String,
};
const OF: Readonly<Record<string, Figure["of"]>> = {
  replyId: "reply",
  noteId: "note",
  episodeId: "episode",
};
const PLACE = /\{([^}:]+)(?::([^}]+))?\}/;
const IDS_SHOWN = 10;
/** Of fewer the range of a share is nearly everything. */
export const RANGE_MIN = 5;

/** Looks figures up by their place in a report. A place that is not there is a bug, and throws. */
export function teller(report: Report) {
  const read = (pointer: string): unknown =>
    pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((sum, key) => {
        const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
        if (typeof sum !== "object" || sum === null || !(name in sum))
          throw new Error("a report shows what it does not hold");
        return sum[name as keyof typeof sum];
      }, report);
  const at = (pointer: string, how = "count"): Figure => {
    const value = read(pointer);
    const show = SHOWN[how] ?? ((many: number) => plural(many, how));
    return { at: pointer, value, text: show(value as never), of: OF[how] ?? null };
  };
  /** `{/replies/sent} of {/replies/total}`; without its first slash a place is below `base`, and `{.}` is it. */
  const say = (template: string, base = ""): Words =>
    template
      .split(/(\{[^}]+\})/)
      .filter((part) => part !== "")
      .map((part) => {
        const [, place, how] = PLACE.exec(part) ?? [];
        if (place === undefined) return part;
        if (place === ".") return at(base, how);
        return at(place.startsWith("/") ? place : `${base}/${place}`, how);
      });
  /** The same; nothing where every figure in it is 0. */
  const any = (template: string, base = ""): Words => {
    const words = say(template, base);
    return words.some((one) => typeof one !== "string" && Number(one.value) > 0) ? words : [];
  };
  /** How long things took; of a handful only the longest, and nothing of none. */
  const times = (pointer: string): Words => {
    const found = read(pointer) as Distribution | null;
    if (found === null) return [];
    const percentiles = "p50 {p50:ms} · p90 {p90:ms} · p99 {p99:ms} · ";
    return say(`${found.count < RANGE_MIN ? "" : percentiles}longest {max:ms}`, pointer);
  };
  /** `12 stale, 3 paused`. */
  const tally = (pointer: string, nameOf = (code: string): string => code): Words =>
    listed(
      Object.keys(read(pointer) as object).map((name) => [
        at(`${pointer}/${escaped(name)}`),
        ` ${nameOf(name)}`,
      ]),
    );
  /** Each of a list in the words of `template`, at most ten. */
  const each = (pointer: string, template: string, between = ", "): Words =>
    listed(
      (read(pointer) as unknown[])
        .slice(0, IDS_SHOWN)
        .map((_, n) => say(template, `${pointer}/${n}`)),
      between,
    );
  /** `41 % of 17 (22 to 64 %)`; of a handful only the count: their range says nothing. */
  const share = (pointer: string): Words => {
    const { of } = read(pointer) as Share;
    if (of === 0) return ["none"];
    const range = "{share:percent} of {of} ({low:hundreds} to {high:percent})";
    return say(of < RANGE_MIN ? "{hits} of {of}" : range, pointer);
  };
  return { at, say, any, times, tally, each, share };
}

export type Teller = ReturnType<typeof teller>;

/** A key as a part of a JSON pointer. */
export function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function listed(parts: readonly Words[], between = ", "): Words {
  return parts.flatMap((part, n) => (n === 0 ? part : [between, ...part]));
}
