import type { Address, Draft } from "./beat.ts";
import type { Cast, Person, PersonKey } from "./cast.ts";
import type { Line, Speaker } from "./lines.ts";
import type { Random } from "./random.ts";

/** What a scene is played with. */
export interface Stage {
  readonly cast: Cast;
  readonly stream: number;
  readonly botName: string;
  readonly random: Random;
  /** Fills a template as this person would say it at that time (ms since the rehearsal began). */
  fill(template: string, person: Person, atMs: number): string;
}

interface Moment {
  readonly person: Person;
  readonly text: string;
  readonly extra: NonNullable<Line[2]>;
}

/**
 * Plays lines from `startMs` on. Labels are made unique by `startMs` and a draw, so the same lines can be
 * played again. A RangeError if a part (`a`, `b`, `c`) has no player in `parts`.
 */
export function play(
  lines: readonly Line[],
  startMs: number,
  stage: Stage,
  parts: Readonly<Partial<Record<"a" | "b" | "c", PersonKey>>> = {},
): Draft[] {
  const scope = `${stage.stream}:${startMs}:${stage.random.int(0, 0x7fffffff)}`;
  const authors = new Map<string, Person>();
  let atMs = startMs;
  return lines.map(([who, template, extra = {}], index) => {
    const gapMs = extra.after === undefined ? stage.random.int(1_500, 4_500) : extra.after * 1_000;
    if (index > 0 || extra.after !== undefined) atMs += Math.round(gapMs);
    const speaker = personOf(who, stage.cast, parts);
    if (extra.as !== undefined) authors.set(extra.as, speaker);
    const said = stage.fill(template, speaker, atMs);
    const text = `${threadPrefix(extra, authors, stage.botName)}${said}`;
    const label = extra.as === undefined ? {} : { label: `${scope}:${extra.as}` };
    const draft = toDraft({ person: speaker, text, extra }, { scope, authors, stage });
    return { ...draft, ...label, atMs, stream: stage.stream };
  });
}

interface Context {
  readonly scope: string;
  readonly authors: ReadonlyMap<string, Person>;
  readonly stage: Stage;
}

type Bare = Draft extends infer D
  ? D extends Draft
    ? Omit<D, "atMs" | "stream" | "label">
    : never
  : never;

function toDraft(moment: Moment, { scope, authors, stage }: Context): Bare {
  const { person, text, extra } = moment;
  const { deed } = extra;
  const addressed = addressOf(moment, stage.botName);
  if (deed === undefined) {
    const replyTo = extra.re === undefined ? null : `${scope}:${extra.re}`;
    return {
      kind: "message",
      person,
      text,
      addressed,
      replyTo,
      ...(extra.proves === undefined ? {} : { proves: extra.proves }),
    };
  }
  switch (deed.kind) {
    case "action":
    case "announcement":
    case "reply_to_bot":
      return { kind: deed.kind, person, text, addressed };
    case "cheer":
      return { kind: "cheer", person, text, bits: deed.bits };
    case "sub":
      return { kind: "sub", person, text, months: deed.months };
    case "gift":
      return { kind: "gift", person, recipients: deed.recipients.map((key) => stage.cast[key]) };
    case "timeout":
      return { kind: "timeout", person: stage.cast[deed.whom], by: person, seconds: deed.seconds };
    case "ban":
      return { kind: "ban", person: stage.cast[deed.whom], by: person };
    case "delete":
      return {
        kind: "delete",
        person: authors.get(deed.line) ?? person,
        by: person,
        target: `${scope}:${deed.line}`,
      };
    case "title":
      return { kind: "title", title: text, category: deed.category };
  }
}

/** Twitch puts the name of the one answered in front of a threaded reply. */
function threadPrefix(
  extra: NonNullable<Line[2]>,
  authors: ReadonlyMap<string, Person>,
  botName: string,
): string {
  if (extra.deed?.kind === "reply_to_bot") return `@${botName} `;
  const parent = extra.re === undefined ? undefined : authors.get(extra.re);
  return parent === undefined ? "" : `@${parent.displayName} `;
}

function addressOf({ text, extra }: Moment, botName: string): Address | null {
  if (extra.goesOn === true) return "continuation";
  if (extra.deed?.kind === "reply_to_bot") return "reply";
  if (text.startsWith("!ask ")) return "command";
  const lower = text.toLowerCase();
  const name = botName.toLowerCase();
  if (lower.trim() === `@${name}`) return "bare";
  if (lower.includes(`@${name}`)) return "mention";
  const asWord = lower.split(/[^\p{L}\p{N}_]+/u).includes(name);
  return asWord ? "name" : null;
}

function personOf(
  who: Speaker,
  cast: Cast,
  parts: Readonly<Partial<Record<"a" | "b" | "c", PersonKey>>>,
): Person {
  if (who !== "a" && who !== "b" && who !== "c") return cast[who];
  const key = parts[who];
  if (key === undefined) throw new RangeError(`nobody plays ${who}`);
  return cast[key];
}
