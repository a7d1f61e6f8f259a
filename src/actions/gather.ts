import type { PeopleStore } from "../chat/viewer-store.ts";
import type { RawArgs } from "../language/action-syntax.ts";
import type { Sayings } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";
import { saidLength, wordForWord } from "../language/said-words.ts";
import { languagesIn } from "../language/which-language.ts";
import { findQuote, supportedBy } from "../memory/evidence.ts";
import type { HelixResult } from "../twitch/helix.ts";
import type { Facts, Proposal, QuoteRefusal, TargetFact, Written } from "./action-policy.ts";
import { actionIn, type Settled, type WaitsFor } from "./action-policy.ts";
import { CATALOGUE, factsOf, readCall } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { type ExecuteParts, mayCall } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";
import { loginOf, loginsIn, namedIn, type People, type Person, resolveTarget } from "./resolve.ts";

/** Where facts come from, as they are now. Whatever throws is a fact that is not known. */
export interface GatherParts extends ExecuteParts {
  readonly policy: () => Facts["policy"];
  readonly switches: () => { readonly paused: boolean; readonly safeMode: boolean };
  readonly ledger: Pick<Ledger, "recent" | "asking">;
  readonly people: PeopleStore;
  readonly findUser: (login: string) => Promise<HelixResult<Omit<Person, "roles">>>;
  /** What a message said, as long as its text is kept; null where it is not. */
  readonly textOf: (messageId: string) => string | null;
  readonly isRaid: (channel: string) => boolean;
  readonly guard: (
    text: string,
  ) => Readonly<{ ok: true; text: string; removed: readonly string[] } | { ok: false }>;
  readonly says: (channel: string) => Sayings;
}

/** `text`: as Twitch repeats it, to be compared alone. */
type RepliedTo = Readonly<{ messageId: string; userId: string | null; text?: string | null }>;

/** The turn in which something was proposed, or the line that orders it. */
export interface ActionTurn {
  readonly channel: string;
  readonly replyId: number | null;
  readonly requesterId: string;
  /** What their line says they are; missing: as last seen. */
  readonly roles?: { readonly broadcaster: boolean; readonly moderator: boolean };
  /** False where nobody asked: the bot joined in by chance. */
  readonly isAsked: boolean;
  /** The requester's own lines that this turn answers. */
  readonly words: readonly string[];
  readonly messageId: string | null;
  /** The line's own; what was said after it does not count. Null: nothing was said after it yet. */
  readonly eventId: number | null;
  readonly repliesTo: RepliedTo | null;
  /** Lines of chat that were shown to the model beside theirs: somebody else's, and all that is older. */
  readonly others: readonly string[];
  readonly shown: readonly string[];
}

/** What was asked for in a turn: a proposal as the model wrote it (`span`), or a command. */
export type Asked = ActionTurn & Proposal & Readonly<{ span: string; command: Command | null }>;

type Meant = TargetFact | null;
type Unproved = QuoteRefusal | null;

/** What somebody is asked to say yes to, and its row of the ledger. */
export type Fixed = Readonly<{ id: number; person: Person | null; waitsFor: WaitsFor }> & {
  readonly settled: Settled;
};

/**
 * Everything that a decision hangs on, at this moment. Whoever decides by it writes the decision down before anything is
 * awaited: what is read here would else be another's too, and both would run.
 */
export function factsNow(parts: GatherParts, asked: Asked, meant: Meant, fixed?: Fixed): Facts {
  const { channel, requesterId: requestedBy, words, isAsked } = asked;
  const action = actionIn(asked);
  const known = <T>(find: (of: Written) => T) => tried(() => action && find(action));
  const target = fixed === undefined ? meant : tried(() => fixedTarget(parts, asked, fixed));
  const streamerId = tried(() => parts.streamerId(channel));
  const botId = tried(() => parts.logins.bot.identity()?.userId ?? null);
  const targetId = target?.person?.userId ?? null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  // What a command says, or what was asked and confirmed, is theirs already.
  const isGiven = asked.command !== null || fixed !== undefined;
  const seconds = action?.args["seconds"];
  const said = seconds === undefined ? null : Number(seconds);
  const roles = asked.roles ?? tried(() => parts.people.byId(channel, requestedBy)?.roles ?? null);
  return {
    nowMs: parts.now(),
    policy: parts.policy(),
    switches: tried(parts.switches),
    mayCall: known(({ name }) => mayCall(name, parts, channel)),
    texts: known((of) => textsOf(of, asked, isGiven, parts)),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: requestedBy === streamerId ? "streamer" : roles && rankOf(roles),
    isAsked,
    saidSeconds: isGiven ? said : saidLength(words),
    recent: known(({ name }) => parts.ledger.recent({ ...run, action: name })),
    consent: isGiven ? "given" : known((of) => consentIn(of, asked, parts)),
    isApproved: fixed?.waitsFor === "streamer",
  };
}

function rankOf({ broadcaster, moderator }: NonNullable<ActionTurn["roles"]>) {
  if (broadcaster) return "streamer";
  return moderator ? "moderator" : "viewer";
}

function consentIn({ name, args }: Written, asked: Asked, { ledger, isRaid }: GatherParts) {
  const { channel, requesterId: requestedBy } = asked;
  const isMemory = CATALOGUE[name].class === "memory";
  const asking = ledger.asking({ channel, requestedBy, isMemory });
  return { quote: unproved(args, asked), asking: { ...asking, isRaid: isRaid(channel) } };
}

/** What is to be kept about somebody stands in their own words; a private matter they have to ask for by command. */
function unproved({ fact = "", quote = "" }: RawArgs, { words, others }: Asked): Unproved {
  const at = findQuote(quote, words);
  if (at === null) return "no_quote";
  const said = { own: words, quoted: words[at] ?? "", others };
  if (supportedBy(fact, said) !== null) return "unsupported";
  return privateMatter(fact, languagesIn([...words, ...others])) === null ? null : "private";
}

/** Mends of the guard that show that the text was to be more than a text. */
const TELLTALE_MENDS = new Set(["action", "thought", "lead"]);
const YES_OR_NO = /^\s*yes\s*\|\s*no\s*$/iu;

/**
 * The arguments as they may be said: free text as it stands in the requester's own words, unless it is theirs already,
 * and as the guard lets it pass. What is not theirs is left out where it may be.
 */
function textsOf({ name, args }: Written, asked: Asked, isTheirs: boolean, parts: GatherParts) {
  const { texts, consent } = factsOf(name);
  const { pollYes, pollNo, warnReason } = parts.says(asked.channel);
  const inWords = (key: string, text: string): string | null => {
    if (isTheirs || texts[key] === undefined || consent === "quote") return text;
    const choices = key === "choices" && YES_OR_NO.test(text) ? `${pollYes}|${pollNo}` : null;
    return inParts(text, (part) => wordForWord(part, asked.words)) ?? choices;
  };
  const cleared = (part: string): string | null => {
    const verdict = parts.guard(part);
    const isClean = verdict.ok && !verdict.removed.some((mend) => TELLTALE_MENDS.has(mend));
    return isClean ? verdict.text : null;
  };
  const own = Object.entries(args).map(([key, text]) => [key, inWords(key, text)] as const);
  if (own.some(([key, text]) => text === null && texts[key] === "must")) return "not_verbatim";
  const said = own.flatMap(([key, text]) =>
    text === null ? [] : [[key, texts[key] === undefined ? text : inParts(text, cleared)] as const],
  );
  if (said.some(([, text]) => text === null)) return "guard";
  const reason = name === "warn" ? { reason: warnReason } : {};
  return { ...reason, ...(Object.fromEntries(said) as RawArgs) };
}

/** What becomes of each part of a text; null where one comes to nothing. */
function inParts(written: string, toSaid: (part: string) => string | null): string | null {
  const parts = written.split("|").map(toSaid);
  return parts.includes(null) ? null : parts.join("|");
}

/** Refused or not: by the requester's own words, or by whose message they answer, unless that one names somebody else. */
export async function whoIsMeant(parts: GatherParts, asked: Asked): Promise<Meant> {
  const { channel, words, repliesTo, command } = asked;
  const action = actionIn(asked);
  if (action === null) return null;
  const ordered = command?.targetId == null ? null : parts.people.byId(channel, command.targetId);
  if (ordered !== null || CATALOGUE[action.name].target === "none")
    return targetOf(parts, asked, ordered);
  const written = action.args["user"] ?? "";
  const people = await namable(parts, asked, written);
  const resolved = people && resolveTarget(written, people);
  if (resolved?.kind !== "found") return resolved && refused(resolved.reason);
  const { userId } = resolved.person;
  const isMeant =
    command !== null ||
    namedIn(words, people ?? []).has(userId) ||
    (repliesTo?.userId === userId && !tellsOfOthers(parts, channel, repliesTo));
  return isMeant ? targetOf(parts, asked, resolved.person) : refused("not_named");
}

function refused(reason: TargetFact["refused"]): TargetFact {
  return { person: null, messageId: null, refused: reason };
}

/** With the message that was replied to, or their last one; a note must be the requester's own. */
function targetOf(parts: GatherParts, asked: Asked, person: Person | null): TargetFact {
  const { channel, requesterId, eventId, repliesTo } = asked;
  if (person !== null) {
    const isTheirs = repliesTo?.userId === person.userId;
    const last = () => parts.people.lastMessageId(channel, person.userId, eventId);
    return { person, messageId: isTheirs ? repliesTo.messageId : last(), refused: null };
  }
  const action = actionIn(asked);
  const args = action && readCall(action.name, action.args)?.args;
  const isOwn = (note: number) => parts.memory?.owns(channel, requesterId, note) === true;
  return refused(args && "note" in args && !isOwn(args.note) ? "not_own_note" : null);
}

function fixedTarget(parts: GatherParts, asked: Asked, { person, settled }: Fixed): TargetFact {
  const now = person && (parts.people.byId(asked.channel, person.userId) ?? person);
  return { ...targetOf(parts, asked, now), messageId: settled.messageId };
}

/** All whom lines may name, of those who wrote in a channel lately. */
export function whoMayBeNamed({ people }: GatherParts, channel: string, lines: readonly string[]) {
  return people.named(channel, loginsIn(lines));
}

const SPOKEN_TO = /^(?:\s*[@＠][\p{L}\p{N}_]+[,:]?)+/u;

/** Whether a message names others, or is gone: a report, maybe. For a command (`said`) it may just speak to them. */
export function tellsOfOthers(parts: GatherParts, channel: string, to: RepliedTo, said?: string) {
  const text = parts.textOf(to.messageId) ?? to.text;
  if (text == null) return true;
  const lines = said === undefined ? [text.replace(SPOKEN_TO, "")] : [text, said];
  return [...namedIn(lines, whoMayBeNamed(parts, channel, lines))].some((id) => id !== to.userId);
}

/** With who has a login by Twitch, where nobody, or two, were seen here with it within a day. Null: no answer. */
async function namable(parts: GatherParts, { channel, words }: Asked, written: string) {
  const login = loginOf(written);
  const seen: People = whoMayBeNamed(parts, channel, [...words, written]);
  const others = seen.filter((person) => person.login !== login);
  if (login === null || seen.length === others.length + 1) return seen;
  const asked = await parts.findUser(login);
  if (!asked.ok) return asked.reason === "not_found" ? others : null;
  const roles = parts.people.byId(channel, asked.value.userId)?.roles ?? null;
  return [...others, { ...asked.value, login: asked.value.login.toLowerCase(), roles }];
}

/** Null for what throws: the database, or Twitch, is out of order. That must not stop anything else. */
export function tried<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
