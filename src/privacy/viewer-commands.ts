import { addressed } from "../chat/addressed.ts";
import type { Spoken } from "../chat/normalise.ts";
import { inThirdPerson } from "../language/third-person.ts";
import { topicForms } from "../language/topic.ts";
import type { ViewerRequests } from "../memory/requests-store.ts";
import type { RightsCommands } from "../platform/config/rights-schema.ts";
import { optOutAnswer, rememberAnswer, SAID } from "./command-answers.ts";
import { memoryLines, type ToldNote } from "./memory-lines.ts";
import { askedToForget } from "./plain-words.ts";

export interface ViewerCommandParts {
  readonly commands: () => RightsCommands;
  /** The names that the bot answers to. */
  readonly botNames: () => readonly string[];
  readonly isToBot: (spoken: Spoken) => boolean;
  /** The notes that a prompt for this viewer could hold, best first; no others. */
  readonly notesFor: (channel: string, userId: string) => readonly ToldNote[];
  /** null where memory takes no wishes. */
  readonly requests: () => Pick<ViewerRequests, "remember" | "forget"> | null;
  readonly isOptedOut: (userId: string) => boolean;
  /** Done at once, or as soon as the database takes it; `then` is called when it is done. */
  readonly forget: (spoken: Spoken, then: () => void) => void;
  readonly optOut: (spoken: Spoken, then: () => void) => void;
  readonly optIn: (spoken: Spoken, then: (wasOut: boolean) => void) => void;
  /** Does what writes notes, now or when the database is to be had again. */
  readonly grant: (
    wish: {
      readonly kind: "remember" | "forget_topic";
      readonly channel: string;
      readonly userId: string;
      readonly what: string;
    },
    work: () => void,
  ) => void;
  /** What of a text may be said in chat; null where it may not. */
  readonly maySay: (text: string) => string | null;
  /** Says one of several wordings in answer to a line. */
  readonly say: (spoken: Spoken, wordings: readonly string[]) => void;
  readonly now: () => number;
}

/** `wordless`: the event is stored without its words. `unstored`: not at all. */
export type Obeyed = "wordless" | "unstored";

type Name = keyof RightsCommands;

interface Order {
  readonly name: Name;
  readonly rest: string;
}

/** Between two commands of one viewer. */
const COOLDOWN_MS = 5_000;
/** Answers in one channel in any half minute: what the bot says of itself has to fit beside them. */
const ANSWERS_MAX = 8;
const ANSWERS_WINDOW_MS = 30_000;
/** Viewers whose last command is remembered. */
const RECENT_MAX = 5_000;
const NAME_IN_FRONT = /^[@＠]?[\p{L}\p{N}_]+[,:]?\s+(?=[!！])/u;
/** As people end a word of their own: `!forgetme.` */
const WORD_END = /[\p{Po}\p{Pe}]+$/u;
const NUMBER = /^#?(\d{1,12})$/;

/**
 * What viewers may ask for about themselves in one line of chat, without any model. Null where a line asks for none of
 * it. Each is answered once, in one line; a right is exercised also where there is no room for the answer.
 */
export function viewerCommands(parts: ViewerCommandParts): (spoken: Spoken) => Obeyed | null {
  const isRepeated = repeatWatch(parts.now);
  const room = answerRoom(parts.now);
  return (spoken) => {
    const { isBotItself, isKnownBot, text } = spoken;
    const asked = isBotItself || isKnownBot || text === "" ? null : askedIn(parts, spoken);
    if (asked === null) return null;
    const say = (wordings: readonly string[]): void => {
      if (room.take(spoken.channel)) parts.say(spoken, wordings);
    };
    // Looking up what nobody could be told would only take time.
    const isInVain = asked.name === "memory" && !room.isLeft(spoken.channel);
    if (!isInVain && !isRepeated(spoken, asked)) obey(parts, { spoken, asked, say });
    return LEAVES_NOTHING.has(asked.name) ? "unstored" : "wordless";
  };
}

/** What a line asks for: by a command, or in plain words. */
type Asked = Order | { readonly name: "plain"; readonly rest: string };

function askedIn(parts: ViewerCommandParts, spoken: Spoken): Asked | null {
  const how = plainWish(parts, spoken);
  return orderIn(parts, spoken) ?? (how === null ? null : { name: "plain", rest: how });
}

/** The line that asks for it would be the first trace again. */
const LEAVES_NOTHING: ReadonlySet<string> = new Set(["forgetme", "optout"]);

interface Obeying {
  readonly spoken: Spoken;
  readonly asked: Asked;
  readonly say: (wordings: readonly string[]) => void;
}

function obey(parts: ViewerCommandParts, { spoken, asked, say }: Obeying): void {
  switch (asked.name) {
    case "plain":
      say([asked.rest]);
      break;
    case "forgetme":
      parts.forget(spoken, () => say(SAID.forgotten));
      break;
    case "optout":
      parts.optOut(spoken, () => say(optOutAnswer(parts.commands().optin)));
      break;
    case "optin":
      parts.optIn(spoken, (wasOut) => say(wasOut ? SAID.optedIn : SAID.wasIn));
      break;
    case "memory":
    case "remember":
    case "forget": {
      const { name, rest } = asked;
      const { channel, person } = spoken;
      const answer = (): void => say(answerOf(parts, spoken, { name, rest }));
      if (name === "memory") {
        answer();
        break;
      }
      const kind = name === "remember" ? "remember" : "forget_topic";
      parts.grant({ kind, channel, userId: person.userId, what: rest }, answer);
    }
  }
}

function answerOf(
  parts: ViewerCommandParts,
  spoken: Spoken,
  { name, rest }: { readonly name: "memory" | "remember" | "forget"; readonly rest: string },
): readonly string[] {
  if (parts.isOptedOut(spoken.person.userId)) return SAID.nothingKept;
  switch (name) {
    case "memory":
      return known(parts, spoken, rest);
    case "remember":
      return kept(parts, spoken, rest);
    case "forget":
      return dropped(parts, spoken, rest);
  }
}

function known(parts: ViewerCommandParts, spoken: Spoken, rest: string): readonly string[] {
  const notes = parts.notesFor(spoken.channel, spoken.person.userId);
  if (notes.length === 0) return SAID.nothingKnown;
  const lines = memoryLines(notes, parts.maySay, parts.commands().memory ?? "");
  const page = NUMBER.exec(rest)?.[1];
  const line = lines[page === undefined ? 0 : Number(page) - 1];
  return line === undefined ? SAID.noSuchPage : [line];
}

function kept(parts: ViewerCommandParts, spoken: Spoken, fact: string): readonly string[] {
  const { channel, person } = spoken;
  const outcome = parts.requests()?.remember(channel, person.userId, inThirdPerson(fact));
  return outcome === undefined ? SAID.noMemory : rememberAnswer(outcome);
}

const ALL_OF_IT = /^(?:(?:about )?me|everything(?: about me)?|all(?: about me)?)$/iu;

function dropped(parts: ViewerCommandParts, spoken: Spoken, what: string): readonly string[] {
  const { channel, person } = spoken;
  const { forgetme } = parts.commands();
  const all = askedToForget(ALL_OF_IT.test(what) ? "forget me" : `forget ${what}`, forgetme);
  if (all !== null) return [all];
  const number = NUMBER.exec(what)?.[1];
  if (number === undefined && topicForms(what).length === 0) return SAID.noTopic;
  const outcome = parts
    .requests()
    ?.forget(channel, person.userId, number === undefined ? { topic: what } : Number(number));
  if (outcome === undefined) return SAID.noMemory;
  if (outcome.kind === "done") return SAID.noteForgotten;
  return number === undefined ? SAID.topicUnknown : SAID.notYours;
}

/** The command that a line is, also behind the name of whom it answers. */
function orderIn({ commands, botNames }: ViewerCommandParts, spoken: Spoken): Order | null {
  // A keyboard for Chinese or Japanese has another exclamation mark.
  const text = withoutBot(spoken, botNames()).replace(/^！/u, "!");
  if (!text.startsWith("!")) return null;
  const [first = "", ...rest] = text.split(" ");
  const names = namesOf(commands());
  const said = first.toLowerCase();
  const name = names.get(said) ?? names.get(said.replace(WORD_END, ""));
  return name === undefined ? null : { name, rest: rest.join(" ").trim() };
}

function withoutBot({ text, parent }: Spoken, botNames: readonly string[]): string {
  const lead = NAME_IN_FRONT.exec(text)?.[0];
  if (lead === undefined) return text;
  const named = lead.replace(/^[@＠]|[,:]?\s+$/gu, "").toLowerCase();
  const isBot = botNames.some((name) => name.toLowerCase() === named);
  const isThreaded = parent !== null && /^[@＠]/u.test(lead);
  return isThreaded || isBot ? text.slice(lead.length) : text;
}

function namesOf(commands: RightsCommands): Map<string, Name> {
  const { memory, remember, forget, forgetme, optout, optin } = commands;
  const all = { memory, remember, forget, forgetme, optout, optin };
  return new Map(
    (Object.keys(all) as Name[]).flatMap((name) => {
      const word = all[name];
      return word === null ? [] : [[word, name] as const];
    }),
  );
}

function plainWish(parts: ViewerCommandParts, spoken: Spoken): string | null {
  const { forgetme } = parts.commands();
  const found = addressed(parts.botNames())(spoken.text);
  if (found !== null) return askedToForget(found.rest, forgetme);
  if (!parts.isToBot(spoken)) return null;
  return askedToForget(spoken.text.replace(/^[@＠][\p{L}\p{N}_]+[,:]?\s+/u, ""), forgetme);
}

/** What takes something away is obeyed however soon it comes, but not the same twice. */
const RIGHTS: ReadonlySet<string> = new Set(["forget", "forgetme", "optout", "optin"]);

/** Whether a viewer said a command a moment ago: nobody floods the chat with the bot's answers. */
function repeatWatch(
  now: () => number,
): (spoken: Spoken, order: { readonly name: string; readonly rest: string }) => boolean {
  const last = new Map<string, { readonly order: string; readonly atMs: number }>();
  return ({ channel, person }, { name, rest }) => {
    const key = `${channel} ${person.userId}`;
    const order = `${name} ${rest}`;
    const before = last.get(key);
    const isSoon = before !== undefined && Math.abs(now() - before.atMs) < COOLDOWN_MS;
    if (isSoon && (before.order === order || !RIGHTS.has(name))) return true;
    last.delete(key);
    last.set(key, { order, atMs: now() });
    const [oldest] = last.keys();
    if (last.size > RECENT_MAX && oldest !== undefined) last.delete(oldest);
    return false;
  };
}

interface AnswerRoom {
  isLeft(channel: string): boolean;
  /** Takes a place, if one is left. */
  take(channel: string): boolean;
}

function answerRoom(now: () => number): AnswerRoom {
  const saidAtMs = new Map<string, number[]>();
  const recentIn = (channel: string): number[] =>
    (saidAtMs.get(channel) ?? []).filter((atMs) => Math.abs(now() - atMs) < ANSWERS_WINDOW_MS);
  const isLeft = (channel: string): boolean => recentIn(channel).length < ANSWERS_MAX;
  return {
    isLeft,
    take: (channel) => {
      const hasRoom = isLeft(channel);
      saidAtMs.set(channel, hasRoom ? [...recentIn(channel), now()] : recentIn(channel));
      return hasRoom;
    },
  };
}
