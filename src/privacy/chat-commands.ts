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
import { type OwnNote, openRecall } from "../memory/recall/recall-store.ts";
import type { SuppressionStore } from "../memory/suppression-store.ts";
import type { ViewerRequests } from "../memory/viewer-requests.ts";
import type { Guard } from "../reply/guard.ts";
import { prepareChannelUnlearn } from "../reply/reply-view-store.ts";
import type { TwitchSession } from "../twitch/session.ts";
import {
  countNoun,
  makeForgottenAnswer,
  makeOptOutAnswer,
  makeRememberAnswer,
  makeUnlearnAnswer,
  SAID,
  writeMemoryLines,
} from "./command-answers.ts";
import { answerForgetRequest } from "./plain-words.ts";
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
  /** The notes that a prompt for this viewer could hold, best first. */
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

const ANSWER_EXPIRES_MS = 10_000;
/** Twitch shows a message to its sender within seconds. */
const ECHO_MS = 60_000;
const SENT_MAX = 500;

/**
 * Opens the chat commands: `obey` carries one out, and `isAnswer` recognises the bot's answers. None needs a model, so
 * they work while it is down, paused or over its caps. In shadow mode they work too, but send no answer.
 */
export function openChatCommands(
  parts: Omit<BotCommandParts, "say"> & {
    readonly config: Config;
    readonly suppressions: SuppressionStore;
    readonly requests: ViewerRequests;
    readonly guard: Guard;
    readonly twitch: TwitchSession;
    /** Ends an open question to a viewer. */
    readonly actions: { readonly endQuestionTo: (channel: string, userId: string) => void };
    readonly service: { readonly interrupt: (channel: string) => void };
  },
) {
  const { config, db, events, guard, now, suppressions, twitch } = parts;
  const sent = new BoundedMap<string, true>(SENT_MAX, ECHO_MS);
  /** Sends the first wording that is no duplicate, at last with `Again:` in front; nothing if all are duplicates. */
  const offer = async (spoken: Spoken, wordings: readonly string[]): Promise<void> => {
    const { channel, messageId: replyTo, person } = spoken;
    const expiresAtMs = now() + ANSWER_EXPIRES_MS;
    parts.actions.endQuestionTo(channel, person.userId);
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
  const recall = openRecall({ config, now }, { db, suppressions });
  const obeyViewer = openViewerCommands({
    ...{ ...parts, say, isOptedOut: suppressions.isOptedOut },
    botNames: memoizeOn(
      () => [config.bot, config.persona, config.personas],
      () => listBotNames(config),
    ),
    isToBot: ({ parent }) => parent !== null && parent.userId === twitch.botUserId(),
    notesFor: (channel, userId) => {
      events.flush(); // notes are read with stored names
      return recall.ownNotes(channel, userId, now());
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
      obeyModerator({ ...parts, say }, spoken) ? "wordless" : obeyViewer(spoken),
    /** Returns true if the bot sent this text in answer to a command within a minute. A reply has a name in front. */
    isAnswer: (text: string): boolean =>
      sent.keys(now()).some((said) => text === said || text.endsWith(` ${said}`)),
  };
}

export type ChatCommands = ReturnType<typeof openChatCommands>;

const COMMANDS = ["memory", "remember", "forget", "forgetme", "optout", "optin"] as const;

/** A viewer's request, by command or in plain words. */
interface ViewerRequest {
  readonly name: (typeof COMMANDS)[number] | "plain";
  /** The words after the command; of a plain request, the answer. */
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
/** A command with its rest. Punctuation may follow it; a Chinese or Japanese keyboard has another exclamation mark. */
const COMMAND = /^[!！]([a-z]+)[\p{Po}\p{Pe}]*(?: (.*))?$/isu;
const NUMBER = /^#?(\d{1,12})$/;

/**
 * Opens viewers' requests about themselves, by command or in plain words. The returned function carries a request out,
 * sends the answer, and returns how to store the message. It returns null for other messages and for all of bots. A
 * request that comes too soon (see `prepareCooldown`) does nothing. If a channel has no room for the answer, the
 * request is carried out without one.
 */
export function openViewerCommands(
  parts: ViewerCommandParts,
): (spoken: Spoken) => StorageMode | null {
  const isTooSoon = prepareCooldown(parts.now);
  const takeRoom = prepareAnswerLimit(parts.now);
  const getFindAddress = memoizeOn(
    () => [parts.botNames()],
    () => addressFinder(parts.botNames()),
  );
  return (spoken) => {
    if (spoken.isBotItself || spoken.isKnownBot) return null;
    const request = readCommand(parts, spoken) ?? readPlainRequest(parts, spoken, getFindAddress());
    if (request === null) return null;
    if (!isTooSoon(spoken, request)) {
      const wordings = answerRequest(parts, spoken, request);
      if (takeRoom(spoken.channel)) parts.say(spoken, wordings);
    }
    return LEAVES_NOTHING.has(request.name) ? "unstored" : "wordless";
  };
}

/** Returns a plain-words request to forget the speaker, if the message names or replies to the bot; else null. */
function readPlainRequest(
  parts: ViewerCommandParts,
  spoken: Spoken,
  findAddress: ReturnType<typeof addressFinder>,
): ViewerRequest | null {
  const toBot = findAddress(spoken.text);
  if (toBot === null && !parts.isToBot(spoken)) return null;
  const said = toBot?.rest ?? spoken.text.replace(/^[@＠][\p{L}\p{N}_]+[,:]?\s+/u, "");
  const answer = answerForgetRequest(said);
  return answer === null ? null : { name: "plain", rest: answer };
}

/** Commands whose line is not stored: it would be the first trace of the viewer again. */
const LEAVES_NOTHING: ReadonlySet<string> = new Set(["forgetme", "optout"]);

/**
 * Carries a request out, and returns the wordings of its answer. A plain request forgets nothing: its answer names
 * `!forgetme`. For a viewer who opted out, `!memory`, `!remember` and `!forget` do nothing.
 */
function answerRequest(
  parts: ViewerCommandParts,
  spoken: Spoken,
  { name, rest }: ViewerRequest,
): readonly string[] {
  const { rights } = parts;
  const { person } = spoken;
  const isOptedOut = parts.isOptedOut(person.userId);
  switch (name) {
    case "plain":
      return [rest];
    case "forgetme":
      return answerOrLater(rights.forget(person), (done) => makeForgottenAnswer(done, "you"));
    case "optout":
      return answerOrLater(rights.optOut(person), makeOptOutAnswer);
    case "optin":
      return answerOrLater(rights.optIn(person), ({ wasOut }) =>
        wasOut ? SAID.optedIn : SAID.wasIn,
      );
    case "memory":
      return isOptedOut ? SAID.nothingKept : answerMemory(parts, spoken, rest);
    case "remember": {
      if (isOptedOut) return SAID.nothingKept;
      const fact = toThirdPerson(rest);
      const remember = () => parts.requests.remember(spoken.channel, person.userId, fact);
      return answerOrLater(rights.attempt(remember), makeRememberAnswer);
    }
    case "forget":
      if (isOptedOut) return SAID.nothingKept;
      return rights.attempt(() => answerForget(parts, spoken, rest)) ?? SAID.later;
  }
}

/** Returns `answer(done)`; `SAID.later` if `done` is null: the database could not take the request. */
function answerOrLater<T>(
  done: T | null,
  answer: (done: T) => readonly string[],
): readonly string[] {
  return done === null ? SAID.later : answer(done);
}

/** Lists the viewer's notes: the page whose number is `rest`, the first for any other text. */
function answerMemory(parts: ViewerCommandParts, spoken: Spoken, rest: string): readonly string[] {
  const notes = parts.notesFor(spoken.channel, spoken.person.userId);
  const replaced = parts.replacedFor(spoken.channel, spoken.person.userId);
  if (notes.length === 0 && replaced === 0) return SAID.nothingKnown;
  const page = Number(NUMBER.exec(rest)?.[1] ?? 1);
  const line = writeMemoryLines(notes, replaced, parts.maySay)[page - 1];
  return line === undefined ? SAID.noSuchPage : [line];
}

const ALL_OF_IT = /^(?:(?:about )?me|everything(?: about me)?|all(?: about me)?)$/iu;

/**
 * Forgets one note or topic of the viewer, and returns the answer. `what`: the note's number, or the topic. For all
 * that is stored (`me`, `everything`) it forgets nothing: the answer names `!forgetme`.
 */
function answerForget(
  { requests }: ViewerCommandParts,
  { channel, person }: Spoken,
  what: string,
): readonly string[] {
  const all = answerForgetRequest(ALL_OF_IT.test(what) ? "forget me" : `forget ${what}`);
  if (all !== null) return [all];
  const number = NUMBER.exec(what)?.[1];
  if (number === undefined && readTopicForms(what).length === 0) return SAID.noTopic;
  const which = number === undefined ? { topic: what } : Number(number);
  const outcome = requests.forget(channel, person.userId, which);
  if (outcome.kind === "done") return SAID.noteForgotten;
  return number === undefined ? SAID.topicUnknown : SAID.notYours;
}

/** Returns the viewer's command at the start of a message, or after the bot's name there; null if none or unknown. */
function readCommand({ botNames }: ViewerCommandParts, spoken: Spoken): ViewerRequest | null {
  const [, word = "", rest = ""] = COMMAND.exec(removeNameBeforeCommand(spoken, botNames())) ?? [];
  const name = COMMANDS.find((one) => one === word.toLowerCase());
  return name === undefined ? null : { name, rest: rest.trim() };
}

/** Removes a name before `!`: the bot's or, in a reply, any with an `@`. Returns other texts unchanged. */
function removeNameBeforeCommand({ text, parent }: Spoken, botNames: readonly string[]): string {
  const lead = NAME_IN_FRONT.exec(text)?.[0];
  if (lead === undefined) return text;
  const named = lead.replace(/^[@＠]|[,:]?\s+$/gu, "").toLowerCase();
  const isBot = botNames.some((name) => name.toLowerCase() === named);
  const isThreaded = parent !== null && /^[@＠]/u.test(lead);
  return isThreaded || isBot ? text.slice(lead.length) : text;
}

/** Commands that work in the cooldown after a command, unless they repeat it. */
const ALLOWED_IN_COOLDOWN: ReadonlySet<string> = new Set(["forget", "forgetme", "optout", "optin"]);

/**
 * Returns a function that returns true if a request comes too soon: within five seconds of the last one that the viewer
 * made in this channel. One in `ALLOWED_IN_COOLDOWN` is too soon only if it repeats the last, word for word. A request
 * that is too soon does not restart the five seconds; any other does.
 */
function prepareCooldown(now: () => number): (spoken: Spoken, request: ViewerRequest) => boolean {
  const last = new BoundedMap<string, string>(RECENT_MAX, COOLDOWN_MS);
  return ({ channel, person }, { name, rest }) => {
    const key = `${channel} ${person.userId}`;
    const request = `${name} ${rest}`;
    const before = last.get(key, now());
    if (before !== undefined && (before === request || !ALLOWED_IN_COOLDOWN.has(name))) return true;
    last.set(key, request, now());
    return false;
  };
}

/**
 * Returns a function that counts one more answer in a channel and returns true. It returns false, and counts nothing,
 * if eight were counted in the last half minute.
 */
function prepareAnswerLimit(now: () => number): (channel: string) => boolean {
  const saidAtMs = new Map<string, number[]>();
  return (channel) => {
    const last = (saidAtMs.get(channel) ?? []).filter((atMs) => now() - atMs < ANSWERS_WINDOW_MS);
    const hasRoom = last.length < ANSWERS_MAX;
    saidAtMs.set(channel, hasRoom ? [...last, now()] : last);
    return hasRoom;
  };
}

const SWITCHES: Readonly<Record<string, { name: SwitchName; on: boolean; answer: string }>> = {
  pause: { name: "paused", on: true, answer: "Paused. I answer only commands until !bot resume." },
  resume: { name: "paused", on: false, answer: "Back again." },
  "safe on": { name: "safe_mode", on: true, answer: "Safe mode is on: I do nothing but talk." },
  "safe off": { name: "safe_mode", on: false, answer: "Safe mode is off." },
};
const HELP = "pause, resume, safe on, safe off, status, unlearn, forget @viewer";
const FORGET = /^forget [@＠]?([a-z0-9_]{1,25})$/u;

/**
 * Carries out and answers a `!bot` command of a moderator or the streamer; ignores one of another viewer. Returns true
 * for both. Returns false if the first word is not `!bot`, and for a bot's message.
 */
export function obeyModerator(parts: BotCommandParts, spoken: Spoken): boolean {
  const words = spoken.text.toLowerCase().split(" ");
  if (words[0] !== "!bot" || spoken.isBotItself || spoken.isKnownBot) return false;
  const { roles } = spoken.person;
  if (roles.broadcaster || roles.moderator)
    parts.say(spoken, answerModerator(parts, spoken, words.slice(1).join(" ")));
  return true;
}

/** Carries a command out, and returns the wordings of its answer: the list of commands for an unknown one. */
function answerModerator(
  parts: BotCommandParts,
  spoken: Spoken,
  command: string,
): readonly string[] {
  const { db, now, rights, live } = parts;
  const { channel } = spoken;
  const login = FORGET.exec(command)?.[1];
  if (login !== undefined) return forgetByModerator(parts, spoken, login);
  if (command === "unlearn")
    return answerOrLater(
      rights.attempt(() => prepareChannelUnlearn(db, now)(channel)),
      makeUnlearnAnswer,
    );
  if (command === "status") {
    const { paused, safeMode } = live.read();
    const state = `${paused ? "paused" : "awake"}${safeMode ? ", in safe mode" : ""}`;
    const messages = countNoun(parts.perMinute(channel), "message");
    return [`I am ${state}; chat is ${parts.paceOf(channel)}, ${messages} in the last minute.`];
  }
  const change = SWITCHES[command];
  if (change === undefined) return [`I know: ${HELP}.`];
  return live.set(change.name, change.on, "moderator") ? [change.answer] : SAID.later;
}

/**
 * Forgets the viewer with this login, in every channel, and returns the answer. Forgets nothing if the login was not
 * seen in this channel, if two accounts had it, or if a moderator names the streamer.
 */
function forgetByModerator(
  { db, events, channels, rights }: BotCommandParts,
  { channel, person }: Spoken,
  login: string,
): readonly string[] {
  events.flush(); // a viewer who spoke a moment ago is known
  const holders = new AccountStore(db).withLogin(login);
  const isHere = prepareInChannel(db);
  const [holder, ...others] = holders;
  const isKnown = holders.some(({ userId }) => isHere(channel, userId));
  if (holder === undefined || !isKnown) return SAID.loginUnknown;
  // A login passes from one account to another.
  if (others.length > 0) return SAID.loginAmbiguous;
  const isStreamer = holder.login === channel || holder.userId === channels.twitchId(channel);
  if (isStreamer && !person.roles.broadcaster) return SAID.streamersOwn;
  return answerOrLater(rights.forget(holder), (done) => makeForgottenAnswer(done, "that viewer"));
}
