import { BoundedMap } from "../bounded-map.ts";
import { addressFinder } from "../chat/addressed.ts";
import type { Spoken } from "../chat/normalise.ts";
import { AccountStore, IdentityStore, prepareInChannel } from "../chat/viewer-store.ts";
import { type Config, memoizeOn } from "../config/load.ts";
import { listBotNames } from "../config/personas.ts";
import type { Db } from "../database/open-database.ts";
import type { LiveSwitches, SwitchName } from "../database/runtime-store.ts";
import { toThirdPerson } from "../language/third-person.ts";
import { readTopicForms } from "../language/topic.ts";
import { NoteReader } from "../memory/note-reads-store.ts";
import { type OwnNote, ownNoteReader } from "../memory/recall/recall-store.ts";
import type { SuppressionStore } from "../memory/suppression-store.ts";
import type { ViewerRequests } from "../memory/viewer-requests.ts";
import { type Guard, REPLY_CHARS_MAX } from "../reply/guard.ts";
import { prepareChannelUnlearn } from "../reply/reply-view-store.ts";
import type { TwitchSession } from "../twitch/session.ts";
import {
  countNoun,
  makeForgottenAnswer,
  makeForgottenByModAnswer,
  makeOptOutAnswer,
  makeUnlearnAnswer,
  rememberAnswer,
  SAID,
} from "./command-answers.ts";
import { asksToForget } from "./plain-words.ts";
import type { ViewerRights } from "./viewer-rights.ts";

/** Viewers' requests about their data. Each returns null if the database cannot take it now. */
type Rights = Pick<ViewerRights, "forget" | "optOut" | "optIn" | "attempt">;

interface CommandParts {
  readonly rights: Rights;
  /** Sends one of several wordings in answer to a message. */
  readonly say: (spoken: Spoken, wordings: readonly string[]) => void;
  readonly now: () => number;
}

interface ViewerCommandParts extends CommandParts {
  /** The names that the bot answers to. The same array until they change, so that patterns are compiled once. */
  readonly botNames: () => readonly string[];
  readonly isToBot: (spoken: Spoken) => boolean;
  /** The notes that a prompt for this viewer could hold, best first; no others. */
  readonly notesFor: (channel: string, userId: string) => readonly OwnNote[];
  /** Counts older notes about this viewer that newer ones replaced. */
  readonly replacedFor: (channel: string, userId: string) => number;
  readonly requests: Pick<ViewerRequests, "remember" | "forget">;
  readonly isOptedOut: (userId: string) => boolean;
  /** Returns what may be sent of a text; null if nothing. */
  readonly maySay: (text: string) => string | null;
}

interface BotCommandParts extends CommandParts {
  readonly db: Db;
  readonly events: { readonly flush: () => unknown };
  /** Knows Twitch's id of a channel, which is the streamer's. */
  readonly channels: { readonly twitchId: (channel: string) => string | null };
  readonly live: Pick<LiveSwitches, "read" | "set">;
  readonly paceOf: (channel: string) => string;
  readonly perMinute: (channel: string) => number;
}

/** `wordless`: the event is stored without its words. `unstored`: not at all. */
export type StorageMode = "wordless" | "unstored";

/** An answer to a command expires after this time. */
const ANSWER_MS = 10_000;
/** Twitch shows a message to its sender within seconds. */
const ECHO_MS = 60_000;
const SENT_MAX = 500;

/** Opens the chat commands. They need no model, so they work while it is down, paused or over its caps. */
export function openChatCommands(
  parts: Omit<BotCommandParts, "say"> & {
    readonly config: Config;
    readonly suppressions: SuppressionStore;
    readonly requests: ViewerRequests;
    readonly guard: Guard;
    readonly twitch: TwitchSession;
    /** Ends an open question to a viewer. */
    readonly actions: { readonly speaksTo: (channel: string, userId: string) => void };
    readonly service: { readonly interrupt: (channel: string) => void };
  },
) {
  const { config, db, events, guard, now, suppressions, twitch } = parts;
  const sent = new BoundedMap<string, true>(SENT_MAX, ECHO_MS);
  /**
   * Sends the first wording that is no duplicate, at last with `Again:` in front. Sends nothing if all are duplicates.
   */
  const offer = async (spoken: Spoken, wordings: readonly string[]): Promise<void> => {
    const { channel, messageId: replyTo, person } = spoken;
    const expiresAtMs = now() + ANSWER_MS;
    parts.actions.speaksTo(channel, person.userId);
    for (const text of [...wordings, ...wordings.map((one) => `Again: ${one}`)]) {
      sent.set(text, true, now());
      const message = { channel, text, replyTo, expiresAtMs, onSending: () => true };
      if ((await twitch.outbox.offer(message)).kind === "duplicate") continue;
      return parts.service.interrupt(channel);
    }
  };
  const say = (spoken: Spoken, wordings: readonly string[]): void => {
    if (config.mode !== "shadow") void offer(spoken, wordings);
  };
  const notes = new NoteReader(db, now);
  const { accountsOf } = new IdentityStore(db, now);
  const ownNotes = ownNoteReader({ config, now }, { db, suppressions });
  const isModerators = openBotCommands({ ...parts, say });
  const isViewers = openViewerCommands({
    ...{ ...parts, say, isOptedOut: suppressions.isOptedOut },
    botNames: memoizeOn(
      () => [config.bot, config.persona, config.personas],
      () => listBotNames(config),
    ),
    isToBot: ({ parent }) => parent !== null && parent.userId === twitch.botUserId(),
    notesFor: (channel, userId) => {
      events.flush(); // notes are read with stored names
      return ownNotes(channel, userId);
    },
    replacedFor: (channel, userId) => notes.countReplaced(channel, accountsOf(userId)),
    maySay: (text) => {
      const said = guard(text);
      return said.ok ? said.text : null;
    },
  });
  return {
    /** Executes a command, and returns how to store its event. Returns null for any other message. */
    obey: (spoken: Spoken): StorageMode | null =>
      isModerators(spoken) ? "wordless" : isViewers(spoken),
    /** Returns true if the bot sent this text in answer to a command within a minute. A reply has a name in front. */
    isAnswer: (text: string): boolean =>
      sent.keys(now()).some((said) => text === said || text.endsWith(` ${said}`)),
  };
}

export type ChatCommands = ReturnType<typeof openChatCommands>;

const COMMANDS = {
  memory: "!memory",
  remember: "!remember",
  forget: "!forget",
  forgetme: "!forgetme",
  optout: "!optout",
  optin: "!optin",
} as const;
type Name = keyof typeof COMMANDS;
const NAMES = new Map<string, Name>(
  (Object.keys(COMMANDS) as Name[]).map((name) => [COMMANDS[name], name]),
);

/** A viewer's request, by command or in plain words. */
interface ViewerRequest {
  readonly name: Name | "plain";
  readonly rest: string;
}

/** The pause between two commands of one viewer. */
const COOLDOWN_MS = 5_000;
/** The most answers in a channel in half a minute: the bot's other messages need room too. */
const ANSWERS_MAX = 8;
const ANSWERS_WINDOW_MS = 30_000;
/** Viewers whose last command is remembered, for as long as the cooldown. */
const RECENT_MAX = 5_000;
const NAME_IN_FRONT = /^[@＠]?[\p{L}\p{N}_]+[,:]?\s+(?=[!！])/u;
/** Punctuation after a single word: `!forgetme.` */
const WORD_END = /[\p{Po}\p{Pe}]+$/u;
const NUMBER = /^#?(\d{1,12})$/;

/**
 * Opens viewers' requests about themselves, by command or in plain words; none needs a model. The returned function
 * carries a request out and returns how to store its line; null for other lines. For five seconds after a command it
 * ignores the viewer's next one, unless that is a different removal or opt-in. If there is no room for the answer, a
 * request runs without one; `!memory` does not run.
 */
export function openViewerCommands(
  parts: ViewerCommandParts,
): (spoken: Spoken) => StorageMode | null {
  const isRepeated = watchRepeats(parts.now);
  const room = answerRoom(parts.now);
  const addressedIn = memoizeOn(
    () => [parts.botNames()],
    () => addressFinder(parts.botNames()),
  );
  return (spoken) => {
    const { isBotItself, isKnownBot, text } = spoken;
    const asked =
      isBotItself || isKnownBot || text === "" ? null : readRequest(parts, spoken, addressedIn());
    if (asked === null) return null;
    // If the answer has no room, skip the lookup.
    const isInVain = asked.name === "memory" && !room.isLeft(spoken.channel);
    if (!isInVain && !isRepeated(spoken, asked)) {
      const wordings = answerRequest(parts, spoken, asked);
      if (room.take(spoken.channel)) parts.say(spoken, wordings);
    }
    return LEAVES_NOTHING.has(asked.name) ? "unstored" : "wordless";
  };
}

function readRequest(
  parts: ViewerCommandParts,
  spoken: Spoken,
  addressedIn: ReturnType<typeof addressFinder>,
): ViewerRequest | null {
  const command = readCommand(parts, spoken);
  if (command !== null) return command;
  const toBot = addressedIn(spoken.text);
  if (toBot === null && !parts.isToBot(spoken)) return null;
  const said = toBot?.rest ?? spoken.text.replace(/^[@＠][\p{L}\p{N}_]+[,:]?\s+/u, "");
  const how = asksToForget(said, COMMANDS.forgetme);
  return how === null ? null : { name: "plain", rest: how };
}

/** Commands whose line is not stored: it would be the first trace of the viewer again. */
const LEAVES_NOTHING: ReadonlySet<string> = new Set(["forgetme", "optout"]);

/** Carries a request out, and returns the wordings of its answer. */
function answerRequest(
  parts: ViewerCommandParts,
  spoken: Spoken,
  { name, rest }: ViewerRequest,
): readonly string[] {
  const { rights } = parts;
  const { person } = spoken;
  switch (name) {
    case "plain":
      return [rest];
    case "forgetme":
      return answerOrLater(rights.forget(person), makeForgottenAnswer);
    case "optout":
      return answerOrLater(rights.optOut(person), (forgotten) =>
        makeOptOutAnswer(COMMANDS.optin, forgotten),
      );
    case "optin":
      return answerOrLater(rights.optIn(person), ({ wasOut }) =>
        wasOut ? SAID.optedIn : SAID.wasIn,
      );
    case "memory":
    case "remember":
    case "forget": {
      if (parts.isOptedOut(person.userId)) return SAID.nothingKept;
      if (name === "memory") return answerMemory(parts, spoken, rest);
      const answer = (): readonly string[] =>
        name === "forget"
          ? answerForget(parts, spoken, rest)
          : rememberAnswer(
              parts.requests.remember(spoken.channel, person.userId, toThirdPerson(rest)),
            );
      return rights.attempt(answer) ?? SAID.later;
    }
  }
}

/** Returns the answer to a request; `later` if the database could not take it. */
function answerOrLater<T>(
  done: T | null,
  answer: (done: T) => readonly string[],
): readonly string[] {
  return done === null ? SAID.later : answer(done);
}

function answerMemory(parts: ViewerCommandParts, spoken: Spoken, rest: string): readonly string[] {
  const notes = parts.notesFor(spoken.channel, spoken.person.userId);
  const replaced = parts.replacedFor(spoken.channel, spoken.person.userId);
  if (notes.length === 0 && replaced === 0) return SAID.nothingKnown;
  const page = Number(NUMBER.exec(rest)?.[1] ?? 1);
  const line = writeMemoryLines(notes, replaced, parts.maySay)[page - 1];
  return line === undefined ? SAID.noSuchPage : [line];
}

const ALL_OF_IT = /^(?:(?:about )?me|everything(?: about me)?|all(?: about me)?)$/iu;

function answerForget(
  { requests }: ViewerCommandParts,
  { channel, person }: Spoken,
  what: string,
): readonly string[] {
  const request = ALL_OF_IT.test(what) ? "forget me" : `forget ${what}`;
  const all = asksToForget(request, COMMANDS.forgetme);
  if (all !== null) return [all];
  const number = NUMBER.exec(what)?.[1];
  if (number === undefined && readTopicForms(what).length === 0) return SAID.noTopic;
  const which = number === undefined ? { topic: what } : Number(number);
  const outcome = requests.forget(channel, person.userId, which);
  if (outcome.kind === "done") return SAID.noteForgotten;
  return number === undefined ? SAID.topicUnknown : SAID.notYours;
}

/** Returns the command at the start of a line or after the bot's name; null if none. */
function readCommand({ botNames }: ViewerCommandParts, spoken: Spoken): ViewerRequest | null {
  // A keyboard for Chinese or Japanese has another exclamation mark.
  const text = removeBotName(spoken, botNames()).replace(/^！/u, "!");
  if (!text.startsWith("!")) return null;
  const [first = "", ...rest] = text.split(" ");
  const said = first.toLowerCase();
  const name = NAMES.get(said) ?? NAMES.get(said.replace(WORD_END, ""));
  return name === undefined ? null : { name, rest: rest.join(" ").trim() };
}

function removeBotName({ text, parent }: Spoken, botNames: readonly string[]): string {
  const lead = NAME_IN_FRONT.exec(text)?.[0];
  if (lead === undefined) return text;
  const named = lead.replace(/^[@＠]|[,:]?\s+$/gu, "").toLowerCase();
  const isBot = botNames.some((name) => name.toLowerCase() === named);
  const isThreaded = parent !== null && /^[@＠]/u.test(lead);
  return isThreaded || isBot ? text.slice(lead.length) : text;
}

/** Commands that work during the pause after another command, but not after the same one. */
const RIGHTS: ReadonlySet<string> = new Set(["forget", "forgetme", "optout", "optin"]);

/**
 * Returns a function that returns true if a command comes within five seconds of the viewer's last one: any in `RIGHTS`
 * only if it is the same. So no one floods the chat with answers. It notes each command that comes in time.
 */
function watchRepeats(now: () => number): (spoken: Spoken, request: ViewerRequest) => boolean {
  const last = new BoundedMap<string, string>(RECENT_MAX, COOLDOWN_MS);
  return ({ channel, person }, { name, rest }) => {
    const key = `${channel} ${person.userId}`;
    const request = `${name} ${rest}`;
    const before = last.get(key, now());
    if (before !== undefined && (before === request || !RIGHTS.has(name))) return true;
    last.set(key, request, now());
    return false;
  };
}

/**
 * Limits the answers in a channel to eight in half a minute. `take` takes a place; it returns false if none is left.
 */
function answerRoom(now: () => number) {
  const saidAtMs = new Map<string, number[]>();
  const recentAnswers = (channel: string): number[] =>
    (saidAtMs.get(channel) ?? []).filter((atMs) => Math.abs(now() - atMs) < ANSWERS_WINDOW_MS);
  const isLeft = (channel: string): boolean => recentAnswers(channel).length < ANSWERS_MAX;
  return {
    isLeft,
    take: (channel: string): boolean => {
      const hasRoom = isLeft(channel);
      saidAtMs.set(channel, hasRoom ? [...recentAnswers(channel), now()] : recentAnswers(channel));
      return hasRoom;
    },
  };
}

const TOPICS_TOLD = 5;
const HIDDEN = "(not for chat; the streamer can show it)";
const BETWEEN = " · ";

/**
 * Lists a viewer's notes as chat messages: the count, then each note with its number. Topics follow the count if one
 * message is not enough. `maySay` returns the text that may be sent; null hides the note's text. Replaced notes are
 * only counted.
 */
function writeMemoryLines(
  notes: readonly OwnNote[],
  replaced: number,
  maySay: (text: string) => string | null,
): string[] {
  const items = notes.map(({ id, fact }) => `#${id} ${maySay(fact) ?? HIDDEN}`);
  const things = (count: number) => `${count} ${count === 1 ? "thing" : "things"}`;
  const older = replaced === 0 ? "" : `, and keep ${things(replaced)} from before a change`;
  const start = `I know ${things(notes.length)} about you${older}`;
  if (items.length === 0) return [`${start}.`];
  const more = (page: number) => ` (${COMMANDS.memory} ${page} goes on)`;
  const splitBehind = (head: string) =>
    splitPages(items, REPLY_CHARS_MAX - head.length - more(items.length).length);
  // What fits into one message needs no topics before it.
  const topics = splitBehind(`${start}: `).length === 1 ? "" : findCommonTopics(notes, maySay);
  const head = `${start}${topics === "" ? "" : ` (${topics})`}: `;
  const pages = splitBehind(head);
  return pages.map((page, index) => {
    const rest = index + 1 < pages.length ? more(index + 2) : "";
    return `${index === 0 ? head : ""}${page}${rest}`;
  });
}

/** Returns at most five topics that may be sent, those of most notes first, joined by commas; "" if there are none. */
function findCommonTopics(
  notes: readonly OwnNote[],
  maySay: (text: string) => string | null,
): string {
  const counts = new Map<string, number>();
  for (const { topics = "" } of notes)
    for (const topic of topics.split(", "))
      if (topic !== "" && maySay(topic) !== null) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const common = [...counts].toSorted(([, one], [, other]) => other - one);
  return common
    .slice(0, TOPICS_TOLD)
    .map(([topic]) => topic)
    .join(", ");
}

function splitPages(items: readonly string[], charsMax: number): string[] {
  const pages: string[] = [];
  for (const item of items) {
    const last = pages.at(-1);
    const longer = last === undefined ? item : `${last}${BETWEEN}${item}`;
    if (last === undefined || longer.length > charsMax) pages.push(item);
    else pages[pages.length - 1] = longer;
  }
  return pages;
}

const ORDERS: Readonly<Record<string, { name: SwitchName; on: boolean; answer: string }>> = {
  pause: { name: "paused", on: true, answer: "Paused. I answer only commands until !bot resume." },
  resume: { name: "paused", on: false, answer: "Back again." },
  "safe on": { name: "safe_mode", on: true, answer: "Safe mode is on: I do nothing but talk." },
  "safe off": { name: "safe_mode", on: false, answer: "Safe mode is off." },
};
const HELP = "pause, resume, safe on, safe off, status, unlearn, forget @viewer";
const FORGET = /^forget [@＠]?([a-z0-9_]{1,25})$/u;

/**
 * Opens the commands of moderators and the streamer in chat; none needs a model. The returned function returns true for
 * each such line, also of another viewer, whom it does not answer; false for other lines and for lines of bots.
 */
export function openBotCommands(parts: BotCommandParts): (spoken: Spoken) => boolean {
  const accounts = new AccountStore(parts.db);
  const isHere = prepareInChannel(parts.db);
  const unlearn = prepareChannelUnlearn(parts.db, parts.now);
  const forget = ({ channel, person }: Spoken, login: string): readonly string[] => {
    parts.events.flush(); // a viewer who spoke a moment ago is known
    const holders = accounts.withLogin(login);
    const [holder, ...others] = holders;
    const isKnown = holders.some(({ userId }) => isHere(channel, userId));
    if (holder === undefined || !isKnown) return SAID.loginUnknown;
    // A login passes from one account to another.
    if (others.length > 0) return SAID.loginAmbiguous;
    const isStreamer =
      holder.login === channel || holder.userId === parts.channels.twitchId(channel);
    if (isStreamer && !person.roles.broadcaster) return SAID.streamersOwn;
    return answerOrLater(parts.rights.forget(holder), makeForgottenByModAnswer);
  };
  const statusLine = (channel: string): string => {
    const { paused, safeMode } = parts.live.read();
    const state = `${paused ? "paused" : "awake"}${safeMode ? ", in safe mode" : ""}`;
    const messages = countNoun(parts.perMinute(channel), "message");
    return `I am ${state}; chat is ${parts.paceOf(channel)}, ${messages} in the last minute.`;
  };
  const answerTo = (spoken: Spoken, order: string): readonly string[] => {
    const { channel } = spoken;
    const login = FORGET.exec(order)?.[1];
    if (login !== undefined) return forget(spoken, login);
    if (order === "unlearn") {
      const count = parts.rights.attempt(() => unlearn(channel));
      return count === null ? SAID.later : makeUnlearnAnswer(count);
    }
    if (order === "status") return [statusLine(channel)];
    const known = ORDERS[order];
    if (known === undefined) return [`I know: ${HELP}.`];
    return parts.live.set(known.name, known.on, "moderator") ? [known.answer] : SAID.later;
  };
  return (spoken) => {
    const words = spoken.text.toLowerCase().split(" ");
    if (words[0] !== "!bot" || spoken.isBotItself || spoken.isKnownBot) return false;
    const { roles } = spoken.person;
    if (roles.broadcaster || roles.moderator)
      parts.say(spoken, answerTo(spoken, words.slice(1).join(" ")));
    return true;
  };
}
