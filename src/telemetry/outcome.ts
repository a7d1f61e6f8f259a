// Pure: values in, values out.

import { LANGUAGES } from "../language/languages.ts";

/**
 * What may come of a reply. `viewer_answered`: the viewer took it up; `went_on`: they asked on, asked again or denied
 * something, which tells nothing of how they liked it. `none`: the time passed, and nothing else did.
 */
export const OUTCOME_KINDS = [
  "viewer_answered",
  "went_on",
  "others_answered",
  "positive",
  "negative",
  "deleted",
  "timed_out",
  "good",
  "bad",
  "none",
] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/** A reply that was sent, for as long as something may come of it. */
export interface WatchedReply {
  readonly replyId: number;
  readonly channel: string;
  /** Whom it answers. */
  readonly userId: string;
  /** Null where Twitch did not tell it. */
  readonly messageId: string | null;
  readonly sentAtMs: number;
  /** The words it answers, for as long as it is watched; none where they may not be kept. */
  readonly asked?: ReadonlySet<string>;
}

/** A line of chat by a person. Its text is looked at and not kept. */
export interface HeardLine {
  readonly userId: string;
  /** The message it answers; null where it answers none. */
  readonly parent: { readonly messageId: string; readonly isBots: boolean } | null;
  /** It mentions the bot, or calls it by name. */
  readonly toBot: boolean;
  readonly text: string;
  readonly atMs: number;
}

export interface Outcome {
  readonly replyId: number;
  readonly kind: OutcomeKind;
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
  const isQuestion = asksSomething(line.text) || isSameAgain(reply, line);
  // Words that stand in a question are no verdict.
  const reaction = isQuestion ? null : reactionOf(line.text);
  const taken =
    isQuestion || (reaction === null && denies(line.text)) ? "went_on" : "viewer_answered";
  const kind = reply.userId === line.userId ? taken : "others_answered";
  // Somebody else who names the bot asks something of their own, unless they say how they liked it.
  const isOwnQuestion = line.parent === null && kind === "others_answered" && reaction === null;
  if (isOwnQuestion) return [];
  return [{ replyId, kind }, ...(reaction === null ? [] : [{ replyId, kind: reaction }])];
}

/** What a time-out or ban means: of the viewer it answered; of the bot itself, Twitch took its messages away. */
export function sanctionOutcomes(
  recent: readonly WatchedReply[],
  {
    userId,
    isBots,
    atMs,
  }: { readonly userId: string; readonly isBots: boolean; readonly atMs: number },
): Outcome[] {
  return recent
    .filter((reply) => isWithin(reply.sentAtMs, atMs, OUTCOME_WINDOW_MS))
    .filter((reply) => isBots || reply.userId === userId)
    .map(({ replyId }) => ({ replyId, kind: isBots ? "deleted" : "timed_out" }));
}

/** How much of what was asked, and of what is said, has to be the same words. */
const SAME_SHARE = 0.6;

/** What a question is held against when it is asked again: its longer words. */
export function askedWords(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
  );
}

function isSameAgain({ asked = new Set() }: WatchedReply, { text }: HeardLine): boolean {
  const said = askedWords(text);
  const shared = [...said].filter((word) => asked.has(word)).length;
  return shared > 1 && shared / Math.max(said.size, asked.size) >= SAME_SHARE;
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
  "icant seemsgood vohiyo 4head kreygasm heyguys bloodtrail coolcat tehepelo widepeepohappy <3";
const DISLIKED_EMOTES =
  "residentsleeper notlikethis wutface failfish dansgame babyrage weirdchamp madge pepepains";

const LIKED_ALL = LANGUAGES.flatMap(({ praise }) => praise);
const DISLIKED_ALL = LANGUAGES.flatMap(({ complaint }) => complaint);
const LIKED = new Set([...LIKED_ALL, ...LIKED_EMOTES.split(" ")]);
const DISLIKED = new Set([...DISLIKED_ALL, ...DISLIKED_EMOTES.split(" ")]);
const LIKED_PHRASES = LIKED_ALL.filter(isPhrase);
const DISLIKED_PHRASES = DISLIKED_ALL.filter(isPhrase);
const NEGATING = new Set(LANGUAGES.flatMap(({ negators }) => negators));
const NEGATION_REACH = 2;
const DENIAL_WORDS_MAX = 12;
/** A word in a longer line is about something else. */
const REACTION_WORDS_MAX = 8;

/** Laughter, as it is typed: haha, jajaja, kkkk, хаха, ахах, www, 草, ㅋㅋ and ㅎㅎ (in NFKC's letters), 哈哈, ههه. */
const LAUGHTER =
  /(?<![\p{L}\p{N}])(?:a*(?:ha){2,}h?|(?:he){2,}|(?:ja){2,}j?|(?:rs){2,}|k{3,}|w{2,}|[ах]{4,}|(?:хе){2,})(?!\.?[\p{L}\p{N}])|[草笑]|\u110f{2,}|\u1112{2,}|哈{2,}|ه{3,}/u;
const LIKED_SIGNS = /[😂🤣😄😁😆😍🥰😘👍👏🙌💜❤💙💚💛🔥🎉🤗😎💯]/u;
const DISLIKED_SIGNS = /[👎😡😠🤬🤮🤢🙄💩😒🖕😴]/u;
const BESIDE_WORDS = /^[^\p{L}\p{N}<]+|[^\p{L}\p{N}]+$/gu;

/**
 * What a line says about the answer it follows, by a table of words, emotes and signs: null where nothing, or both.
 * A table sees no irony: its counts are worth something in sum, not one by one.
 */
export function reactionOf(text: string): Reaction | null {
  const lower = text.normalize("NFKC").toLowerCase();
  const words = lower
    .split(/\s+/u)
    .map((word) => (word === "<3" ? word : word.replace(BESIDE_WORDS, "")));
  const says = (table: ReadonlySet<string>): boolean =>
    words.length <= REACTION_WORDS_MAX &&
    words.some((word, at) => table.has(word) && !isNegated(words, at));
  const holds = (phrases: readonly string[]): boolean =>
    phrases.some((phrase) => lower.includes(phrase));
  const isDisliked = says(DISLIKED) || holds(DISLIKED_PHRASES) || DISLIKED_SIGNS.test(lower);
  const isLiked =
    says(LIKED) || holds(LIKED_PHRASES) || LIKED_SIGNS.test(lower) || LAUGHTER.test(lower);
  if (isLiked === isDisliked) return null;
  return isLiked ? "positive" : "negative";
}

const ENDS_AS_QUESTION = /[?？؟]/u;

/** Whether a line asks something: it says how nobody liked an answer. */
function asksSomething(text: string): boolean {
  return ENDS_AS_QUESTION.test(text);
}

/** Whether a short line denies something: "that is not what I asked" thanks nobody. */
function denies(text: string): boolean {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{M}\p{N}']+/u);
  return words.length <= DENIAL_WORDS_MAX && words.some((word) => NEGATING.has(word));
}

/** Of several words, or of a script that writes none apart: looked for anywhere in a line. */
function isPhrase(word: string): boolean {
  return word.includes(" ") || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(word);
}

function isNegated(words: readonly string[], at: number): boolean {
  return words.slice(Math.max(0, at - NEGATION_REACH), at).some((word) => NEGATING.has(word));
}

/** The replies of each channel that something may still come of. */
interface WatchedReplies {
  add(reply: WatchedReply): void;
  /** Remembers a reply only as the last one. */
  remember(reply: WatchedReply): void;
  /** Oldest first. */
  of(channel: string): readonly WatchedReply[];
  /** The bot's last reply in a channel, however old. */
  last(channel: string): WatchedReply | null;
  /** Of these outcomes, those that were not told before. */
  news(outcomes: readonly Outcome[]): readonly Outcome[];
  /** Lets go of the replies whose time has passed, and says which. */
  expire(nowMs: number): readonly number[];
}

export function watchedReplies(): WatchedReplies {
  const open = new Map<string, readonly WatchedReply[]>();
  const latest = new Map<string, WatchedReply>();
  /** By reply: a talkative viewer costs one row. */
  const told = new Map<number, Set<Outcome["kind"]>>();
  const isNews = ({ replyId, kind }: Outcome): boolean => {
    const kinds = told.get(replyId);
    if (kinds === undefined || kinds.has(kind)) return false;
    kinds.add(kind);
    return true;
  };
  const expireIn = (channel: string, nowMs: number): readonly number[] => {
    const replies = open.get(channel) ?? [];
    const left = replies.filter(({ sentAtMs }) => nowMs - sentAtMs <= OUTCOME_WINDOW_MS);
    if (left.length === 0) open.delete(channel);
    else open.set(channel, left);
    const ids = replies.slice(0, replies.length - left.length).map(({ replyId }) => replyId);
    for (const id of ids) told.delete(id);
    return ids;
  };
  return {
    add: (reply) => {
      open.set(reply.channel, [...(open.get(reply.channel) ?? []), reply]);
      latest.set(reply.channel, reply);
      told.set(reply.replyId, new Set());
    },
    remember: (reply) => {
      latest.set(reply.channel, reply);
    },
    of: (channel) => open.get(channel) ?? [],
    last: (channel) => latest.get(channel) ?? null,
    news: (outcomes) => outcomes.filter(isNews),
    expire: (nowMs) => [...open.keys()].flatMap((channel) => expireIn(channel, nowMs)),
  };
}
