import type { Addressed } from "../chat/addressed.ts";
import type { Spoken } from "../chat/normalise.ts";
import { asksSomething } from "../language/asking.ts";
import { LANGUAGES } from "../language/languages.ts";
import { deniesAnything } from "../language/negation.ts";
import { languagesIn } from "../language/which-language.ts";
import {
  type FoundEntry,
  foldText,
  isUnspaced,
  type ReadText,
  readWords,
  wordFinder,
  wordSpans,
} from "../language/word-spans.ts";
import { normalWords, wordsIn } from "../language/words.ts";
import type { Db } from "../platform/database/open-database.ts";
import { type AnyOutcome, type Outcome, outcomeStore, type WatchedReply } from "./replies-store.ts";

/** A line of chat by a person. Its text is looked at and not kept. */
export interface HeardLine {
  readonly userId: string;
  /** The message it answers; null where it answers none. */
  readonly parent: { readonly messageId: string; readonly isBots: boolean } | null;
  /** It mentions the bot, or calls it by name. */
  readonly toBot: boolean;
  /** The bot is to answer it. */
  readonly asks: boolean;
  readonly text: string;
  readonly atMs: number;
}

/** How long something may come of a reply by itself. Design part 7, Outcomes. */
export const OUTCOME_WINDOW_MS = 120_000;
/** How soon a line of the answered viewer that names nobody is still an answer. */
const RIGHT_AFTER_MS = 30_000;

/**
 * What a line means for the replies of its channel, oldest first: that the viewer or somebody else answered, and how
 * they liked it. Without a word to the bot only the next lines of the answered viewer count.
 */
export function heardOutcomes(recent: readonly WatchedReply[], line: HeardLine): Outcome[] {
  const open = recent.filter(({ sentAtMs }) => isWithin(sentAtMs, line.atMs, OUTCOME_WINDOW_MS));
  const reply = replyMeant(open, line);
  if (reply === undefined) return [];
  const { replyId } = reply;
  const said = reactionOf(line.text);
  const goesOn =
    said === "both" ||
    (line.asks && (said === null || !onlyReacts(line.text))) ||
    asksSomething(line.text) ||
    isSameAgain(reply, line) ||
    (said !== "negative" && denies(line.text));
  // Words that stand in a question are no verdict, nor is praise beside a complaint or a laugh beside a denial.
  const reaction = goesOn ? null : said;
  const taken = goesOn ? "went_on" : "viewer_answered";
  const kind = reply.userId === line.userId ? taken : "others_answered";
  // Somebody else who names the bot asks something of their own, unless they say how they liked it.
  const isOwnQuestion = line.parent === null && kind === "others_answered" && reaction === null;
  if (isOwnQuestion) return [];
  return [{ replyId, kind }, ...(reaction === null ? [] : [{ replyId, kind: reaction }])];
}

/** What a time-out or ban means: of the viewer it answered; of the bot itself, Twitch took its messages away. */
export function sanctionOutcomes(
  recent: readonly WatchedReply[],
  of: { readonly userId: string; readonly isBots: boolean; readonly atMs: number },
): Outcome[] {
  return recent
    .filter(({ sentAtMs }) => isWithin(sentAtMs, of.atMs, OUTCOME_WINDOW_MS))
    .filter(({ userId }) => of.isBots || userId === of.userId)
    .map(({ replyId }) => ({ replyId, kind: of.isBots ? "deleted" : "timed_out" }));
}

/** How much of what was asked, and of what is said, has to be the same words. */
const SAME_SHARE = 0.6;

/** By their words, less the stop words of their language. */
function isSameAgain({ question = "" }: WatchedReply, { text }: HeardLine): boolean {
  const asked = new Set(normalWords(question));
  const said = new Set(normalWords(text));
  const shared = [...said].filter((word) => asked.has(word)).length;
  const longest = Math.max(said.size, asked.size);
  // One word that is shared is the same question where it is all there is.
  return shared === 1 ? longest === 1 : shared > 1 && shared / longest >= SAME_SHARE;
}

function replyMeant(open: readonly WatchedReply[], line: HeardLine): WatchedReply | undefined {
  const own = open.findLast(({ userId }) => userId === line.userId);
  if (line.parent !== null && !line.parent.isBots) return undefined;
  const parentId = line.parent?.messageId;
  const answered = open.find(({ messageId }) => messageId !== null && messageId === parentId);
  if (answered !== undefined) return answered;
  if (line.parent !== null || line.toBot) return own ?? open.at(-1);
  const isNext = own !== undefined && isWithin(own.sentAtMs, line.atMs, RIGHT_AFTER_MS);
  return isNext && !isForAnother(line.text) ? own : undefined;
}

/** It names somebody, or is a command to another bot. */
function isForAnother(text: string): boolean {
  return /^[@＠!！]/u.test(text);
}

function isWithin(fromMs: number, atMs: number, windowMs: number): boolean {
  return atMs >= fromMs && atMs - fromMs <= windowMs;
}

type Reaction = "positive" | "negative";

/** Emotes of Twitch and the most used ones of BetterTTV, FrankerFaceZ and 7TV: the same in every language. */
const LIKED_EMOTES =
  "kekw kekwait lul lulw omegalul pog pogchamp poggers pogu pogslide ezclap clap peepohappy peepoclap catjam pepelaugh " +
  "icant seemsgood vohiyo 4head kreygasm heyguys bloodtrail coolcat tehepelo widepeepohappy";
const DISLIKED_EMOTES =
  "residentsleeper notlikethis wutface failfish dansgame babyrage weirdchamp madge pepepains";

/** Beside praise it turns it round. */
const IRONY = /(?<![\p{L}\p{N}])(?:kappa|keepo)(?![\p{L}\p{N}])|🙃|\s\/s$/u;

const VERDICTS = wordFinder({
  positive: [
    ...LANGUAGES.flatMap(({ thanks, praise }) => [...thanks, ...praise]),
    ...LIKED_EMOTES.split(" "),
  ],
  negative: [...LANGUAGES.flatMap(({ complaint }) => complaint), ...DISLIKED_EMOTES.split(" ")],
});
const NEGATING = new Set(LANGUAGES.flatMap(({ negators }) => negators).map(foldText));
const NEGATION_REACH = 2;
const DENIAL_WORDS_MAX = 12;
/** A word in a longer line is about something else. */
const REACTION_WORDS_MAX = 8;

/** Laughter, as it is typed: haha, jajaja, kkkk, хаха, ахах, www, 草, ㅋㅋ and ㅎㅎ (in NFKC's letters), 哈哈, ههه. */
const LAUGHTER =
  /(?<![\p{L}\p{N}])(?:a*(?:ha){2,}h?|(?:he){2,}|(?:ja){2,}j?|(?:rs){2,}|k{3,}|w{2,}|[ах]{4,}|(?:хе){2,})(?!\.?[\p{L}\p{N}])|[草笑]|\u110f{2,}|\u1112{2,}|哈{2,}|ه{3,}/u;
const LIKED_SIGNS = /[😂🤣😄😁😆😍🥰😘👍👏🙌💜❤💙💚💛🔥🎉🤗😎💯]|<3/u;
const DISLIKED_SIGNS = /[👎😡😠🤬🤮🤢🙄💩😒🖕😴]/u;

/**
 * What a line says about the answer it follows, by a table of words, emotes and signs: "both" where it says two things.
 * A table sees little irony: its counts are worth something in sum, not one by one.
 */
export function reactionOf(text: string): Reaction | "both" | null {
  const lower = text.normalize("NFKC").toLowerCase();
  const verdicts = new Set(verdictsIn(readWords(text)).map(({ name }) => name));
  const isDisliked = verdicts.has("negative") || DISLIKED_SIGNS.test(lower);
  const isLiked = verdicts.has("positive") || LIKED_SIGNS.test(lower) || LAUGHTER.test(lower);
  if (isLiked && (isDisliked || IRONY.test(lower))) return "both";
  if (isDisliked) return "negative";
  return isLiked ? "positive" : null;
}

/** Words and phrases of the table. A word of a longer line is about something else, and what is denied is none. */
function verdictsIn({ folded, words }: ReadText): readonly FoundEntry[] {
  const isShort = words.length <= REACTION_WORDS_MAX || isUnspaced(folded);
  const isDenied = (at: number): boolean =>
    words.slice(Math.max(0, at - NEGATION_REACH), at).some(({ word }) => NEGATING.has(word));
  return VERDICTS({ folded, words }).filter(
    ({ from, to }) => (isShort || from < to) && !isDenied(from),
  );
}

/** Whether a line that says how its writer liked something says nothing beside that. */
function onlyReacts(text: string): boolean {
  const read = readWords(text);
  const found = verdictsIn(read);
  const rest = read.words.filter((_, at) => !found.some(({ from, to }) => from <= at && at <= to));
  return wordsIn(rest.map(({ word }) => word).join(" ")).every(({ surface }) =>
    LAUGHTER.test(surface),
  );
}

/** Whether a short line denies something: "that is not what I asked" thanks nobody. */
function denies(text: string): boolean {
  return (
    wordSpans(text).length <= DENIAL_WORDS_MAX &&
    languagesIn([])(text).some((language) => deniesAnything(text, language))
  );
}

/** The replies of each channel that something may still come of. */
function watchedReplies(now: () => number) {
  const open = new Map<string, readonly WatchedReply[]>();
  const latest = new Map<string, WatchedReply>();
  const isOpen = ({ sentAtMs }: WatchedReply): boolean => now() - sentAtMs <= OUTCOME_WINDOW_MS;
  return {
    /** Behind its time a reply is remembered as the last one alone. */
    add: (reply: WatchedReply): void => {
      const { channel } = reply;
      latest.set(channel, reply);
      if (isOpen(reply)) open.set(channel, [...(open.get(channel) ?? []), reply]);
    },
    /** Oldest first. */
    of: (channel: string): readonly WatchedReply[] => open.get(channel) ?? [],
    /** The bot's last reply in a channel, however old. */
    last: (channel: string): WatchedReply | null => latest.get(channel) ?? null,
    /** Lets go of the replies whose time has passed, and says which. */
    expire: (): readonly number[] =>
      [...open].flatMap(([channel, replies]) => {
        const left = replies.filter(isOpen);
        if (left.length === 0) open.delete(channel);
        else open.set(channel, left);
        return replies.slice(0, replies.length - left.length).map(({ replyId }) => replyId);
      }),
  };
}

interface OutcomesParts {
  readonly db: Db;
  readonly now: () => number;
  readonly botUserId: () => string | null;
  /** The chat commands by which moderators and the streamer judge an answer; null where there is none. */
  readonly thumbs: () => { readonly good: string | null; readonly bad: string | null };
}

/** How long a thumb without a thread means the bot's last reply. */
const THUMB_MS = 15 * 60_000;
/** Far above what a channel can see in two minutes. */
const PENDING_MAX = 5_000;

export type Outcomes = ReturnType<typeof outcomeWatcher>;

/** Gathers what comes of the bot's replies. Nothing here touches the database until `settle`. */
export function outcomeWatcher({ db, now, botUserId, thumbs }: OutcomesParts) {
  const store = outcomeStore(db);
  const watched = watchedReplies(now);
  let pending: readonly AnyOutcome[] = [];
  const note = (outcomes: readonly AnyOutcome[]): void => {
    if (outcomes.length > 0) pending = [...pending, ...outcomes].slice(0, PENDING_MAX);
  };
  /** Whoever is to be answered does not wait for what their line says of earlier answers. */
  const unjudged: { readonly replies: readonly WatchedReply[]; readonly line: HeardLine }[] = [];
  const judge = (): void => {
    for (const { replies, line } of unjudged.splice(0)) note(heardOutcomes(replies, line));
  };
  const isBots = (userId: string | null): boolean => userId !== null && userId === botUserId();
  store.sentSince(now() - THUMB_MS).forEach(watched.add);
  return {
    /** A reply was sent: what comes of it is watched for two minutes. */
    said: (reply: Omit<WatchedReply, "sentAtMs">): void =>
      watched.add({ ...reply, sentAtMs: now() }),
    /** A person spoke, perhaps to the bot; `asks`: it is to answer. */
    heard: (spoken: Spoken, addressed: Addressed | null, asks: boolean): void => {
      const { channel, parent, person, text } = spoken;
      const replies = watched.of(channel);
      if (replies.length === 0 || spoken.isBotItself || spoken.isKnownBot) return;
      const answered = parent && {
        messageId: parent.messageId,
        isBots:
          isBots(parent.userId) || replies.some(({ messageId }) => messageId === parent.messageId),
      };
      const line = {
        ...{ userId: person.userId, parent: answered, toBot: addressed !== null, asks },
        ...{ text: addressed?.rest ?? text, atMs: now() },
      };
      if (unjudged.push({ replies, line }) === 1) setImmediate(judge);
    },
    /** Whether a line was a moderator's or the streamer's thumb. Then nobody else has to answer it. */
    thumb: (spoken: Spoken): boolean => {
      const { parent, channel } = spoken;
      const kind = thumbIn(spoken, thumbs());
      // A thread under somebody else's message: the command is not about the bot.
      const isElsewhere = parent !== null && parent.userId !== null && !isBots(parent.userId);
      if (kind === null || isElsewhere) return false;
      const last = watched.last(channel);
      const isRecent = last !== null && now() - last.sentAtMs <= THUMB_MS;
      const fallbackId = isRecent ? last.replyId : null;
      note([{ messageId: parent?.messageId ?? null, fallbackId, kind }]);
      return true;
    },
    /** A viewer, or the bot, was timed out or banned. */
    sanctioned: ({ channel, userId }: { channel: string; userId: string | null }): void => {
      if (userId === null) return;
      const sanction = { userId, isBots: isBots(userId), atMs: now() };
      note(sanctionOutcomes(watched.of(channel), sanction));
    },
    /** A message was deleted by a moderator; most are not the bot's. */
    deleted: (messageId: string): void => note([{ messageId, fallbackId: null, kind: "deleted" }]),
    /** Writes what was gathered, and `none` for what nothing came of. What the database did not take waits. */
    settle: (): void => {
      judge();
      note(watched.expire().map((replyId) => ({ replyId, kind: "none" })));
      if (pending.length === 0) return;
      const batch = pending;
      pending = [];
      try {
        store.add(batch, now());
      } catch {
        // The database is busy: they wait for the next time.
        pending = batch;
      }
    },
  };
}

function thumbIn(
  { person, text, isBotItself, isKnownBot }: Spoken,
  { good, bad }: { readonly good: string | null; readonly bad: string | null },
): "good" | "bad" | null {
  const { broadcaster, moderator } = person.roles;
  if (isBotItself || isKnownBot || !(broadcaster || moderator)) return null;
  // A threaded message begins with the name of whom it answers.
  const said = text
    .replace(/^[@＠][\p{L}\p{N}_]+\s+/u, "")
    .trim()
    .toLowerCase();
  if (said === good) return "good";
  return said === bad ? "bad" : null;
}
