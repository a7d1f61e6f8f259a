import type { PeopleStore } from "../chat/viewer-store.ts";
import type { RawArgs } from "../language/action-syntax.ts";
import { foldLetters } from "../language/clean.ts";
import type { Sayings } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";
import { languagesIn } from "../language/which-language.ts";
import { literalPattern, UNSPACED } from "../language/word-spans.ts";
import { findQuote, supportedBy } from "../memory/evidence.ts";
import type { HelixResult } from "../twitch/helix.ts";
import type { Facts, Proposal, QuoteRefusal, TargetFact, Written } from "./action-policy.ts";
import { actionIn, type Settled, type WaitsFor } from "./action-policy.ts";
import { CATALOGUE, factsOf, readCall } from "./catalogue.ts";
import type { Command } from "./direct-command.ts";
import { type ExecuteParts, mayCall } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";
import { loginOf, type People, type Person, resolveTarget } from "./resolve.ts";

/** Where facts come from, as they are now. Whatever throws is a fact that is not known. */
export interface GatherParts extends ExecuteParts {
  readonly policy: () => Facts["policy"];
  readonly switches: () => { readonly paused: boolean; readonly safeMode: boolean };
  readonly ledger: Pick<Ledger, "recent" | "asking">;
  readonly people: PeopleStore;
  readonly findUser: (login: string) => Promise<HelixResult<Omit<Person, "roles">>>;
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

/** True for the strict form of a command, which needs no question. */
export function isCommand({ command }: Asked): boolean {
  return command?.isExact === true;
}

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
  const { channel, requesterId: requestedBy, isAsked } = asked;
  const action = actionIn(asked);
  const known = <T>(find: (of: Written) => T) => tried(() => action && find(action));
  const target = fixed === undefined ? meant : tried(() => fixedTarget(parts, asked, fixed));
  const streamerId = tried(() => parts.streamerId(channel));
  const botId = tried(() => parts.logins.bot.identity()?.userId ?? null);
  const targetId = target?.person?.userId ?? null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  // What a command says, or what was asked and confirmed, is theirs already.
  const isGiven = isCommand(asked) || fixed !== undefined;
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
  const said = { own: words, quoted: words[at] ?? "", quote, others };
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
    return inParts(text, (part) => findVerbatim(part, asked.words)) ?? choices;
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

/**
 * Whom an action is about: by id if a command found them, else by the name that was written, if the requester named them,
 * too. Null if it cannot be found out.
 */
export async function whoIsMeant(parts: GatherParts, asked: Asked): Promise<Meant> {
  const { channel, command } = asked;
  const action = actionIn(asked);
  if (action === null) return null;
  const ordered = command?.targetId == null ? null : parts.people.byId(channel, command.targetId);
  if (ordered !== null || CATALOGUE[action.name].target === "none")
    return targetOf(parts, asked, ordered);
  const written = action.args["user"] ?? "";
  const people = await namable(parts, channel, written);
  const resolved = people && resolveTarget(written, people);
  if (resolved?.kind !== "found") return resolved && refused(resolved.reason);
  const { person } = resolved;
  const isMeant = command !== null || isNamed(person, asked);
  return isMeant ? targetOf(parts, asked, person) : refused("not_named");
}

/** True if the requester's words hold a name of a viewer, also with an ending, or reply to them. */
function isNamed({ userId, login, displayName }: Person, { words, repliesTo }: Asked): boolean {
  const said = words.map((line) => foldLetters(line.slice(0, TEXT_CHARS_MAX)));
  const names = [login, foldLetters(displayName)];
  return (
    repliesTo?.userId === userId || said.some((line) => names.some((one) => line.includes(one)))
  );
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

/** With who has a login by Twitch, if nobody, or two, were seen here with it within a day. Null: no answer. */
async function namable(parts: GatherParts, channel: string, written: string) {
  const login = loginOf(written);
  const seen: People = parts.people.named(channel, login === null ? [] : [login]);
  const others = seen.filter((person) => person.login !== login);
  if (login === null || seen.length === others.length + 1) return seen;
  const asked = await parts.findUser(login);
  if (!asked.ok) return asked.reason === "not_found" ? others : null;
  const roles = parts.people.byId(channel, asked.value.userId)?.roles ?? null;
  return [...others, { ...asked.value, login: asked.value.login.toLowerCase(), roles }];
}

const TEXT_CHARS_MAX = 500;
const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_]`;
/** Between words: at most one of its sides is a letter. */
const EDGE = `(?:(?<!${LETTER})|(?!${LETTER}))`;

/** A text as messages hold it, but for case, spaces and a last stop; null if none holds it. */
function findVerbatim(text: string, lines: readonly string[]): string | null {
  const plain = (one: string) => one.replace(/[’ʼ]/gu, "'");
  const body = plain(text).trim();
  const stop = /[.!,;…。！，、~]$/u.exec(body)?.[0] ?? "";
  const said = body.slice(0, body.length - stop.length).trim();
  if (said === "" || said.length > TEXT_CHARS_MAX) return null;
  const wanted = new RegExp(
    `${EDGE}${literalPattern(said)}${EDGE}(?:${literalPattern(stop)})?`,
    "iu",
  );
  for (const line of lines) {
    const found = wanted.exec(plain(line));
    if (found !== null) return line.slice(found.index, found.index + found[0].length);
  }
  return null;
}

/** Null for what throws: the database, or Twitch, is out of order. That must not stop anything else. */
export function tried<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
