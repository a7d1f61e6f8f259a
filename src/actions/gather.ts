import type { PeopleStore } from "../chat/viewer-store.ts";
import type { RawArgs } from "../language/action-syntax.ts";
import type { Sayings } from "../language/languages.ts";
import { privateMatter } from "../language/private-matters.ts";
import { saidLength, wordForWord } from "../language/said-words.ts";
import { languagesIn } from "../language/which-language.ts";
import { findQuote, supportedBy } from "../memory/evidence.ts";
import type { HelixResult } from "../twitch/helix.ts";
import {
  type ActionPolicy,
  actionIn,
  decide,
  type Facts,
  type Proposal,
  type QuoteRefusal,
  type Settled,
  type TargetFact,
  type WaitsFor,
  type Written,
} from "./action-policy.ts";
import { CATALOGUE, factsOf, readCall } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { type ExecuteParts, mayCall } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";
import { loginOf, loginsIn, namedIn, type People, type Person, resolveTarget } from "./resolve.ts";

/** Where facts come from. Whatever throws is a fact that is not known. */
export interface GatherParts extends ExecuteParts {
  /** As configured now. */
  readonly policy: () => ActionPolicy;
  /** Read again where another process changed them. */
  readonly switches: () => { readonly paused: boolean; readonly safeMode: boolean };
  readonly ledger: Pick<Ledger, "recent" | "asking">;
  readonly people: PeopleStore;
  /** Asks Twitch. */
  readonly findUser: (login: string) => Promise<HelixResult<Omit<Person, "roles">>>;
  /** What a message said, as long as its text is kept; null where it is not. */
  readonly textOf: (messageId: string) => string | null;
  readonly isRaid: (channel: string) => boolean;
  /** What the reply guard says of one text. */
  readonly guard: (
    text: string,
  ) =>
    | { readonly ok: true; readonly text: string; readonly removed: readonly string[] }
    | { readonly ok: false };
  /** What code says in a channel. */
  readonly says: (channel: string) => Sayings;
}

/** The turn in which something was proposed, or the line that orders or confirms it. */
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
  readonly repliesTo: { readonly messageId: string; readonly userId: string | null } | null;
  /** Lines of chat that were shown to the model beside theirs: somebody else's, and all that is older. */
  readonly others: readonly string[];
  readonly shown: readonly string[];
}

/** What was asked for, and how: a proposal or a command, in its turn. */
export interface Asked extends ActionTurn, Proposal {
  /** As the model wrote it; "" for a command. */
  readonly span: string;
  readonly command: Command | null;
  /** Null for what was not held yet. */
  readonly fixed: Fixed | null;
}

/** What somebody is asked to say yes to; its own row in the ledger does not count. */
export interface Fixed {
  readonly id: number;
  readonly settled: Settled;
  readonly person: Person | null;
  readonly waitsFor: WaitsFor;
}

/**
 * Whom a proposal means, for which Twitch may have to be asked; null where nobody could say, or where it is refused
 * whoever it is. Never rejects, but where the policy itself cannot be read.
 */
export async function findMeant(parts: GatherParts, asked: Asked): Promise<TargetFact | null> {
  const decision = decide(asked, factsNow(parts, asked, null));
  if (decision.kind === "refuse" && decision.reason !== "unknown") return null;
  return whoIsMeant(parts, asked).catch(() => null);
}

/**
 * Everything that the decision on a proposal hangs on, at this moment. Whoever decides by it writes the decision down
 * before anything is awaited: what is read here would else be another's too, and both would run.
 */
export function factsNow(parts: GatherParts, asked: Asked, meant: TargetFact | null): Facts {
  const { channel, requesterId: requestedBy, words, others, fixed } = asked;
  const { people, ledger, now, policy, switches, isRaid } = parts;
  const action = actionIn(asked);
  const known = <T>(find: (of: Written) => T) => tried(() => action && find(action));
  const target = fixed === null ? meant : tried(() => fixedTarget(parts, asked, fixed));
  const streamerId = tried(() => parts.streamerId(channel));
  const botId = tried(() => parts.logins.bot.identity()?.userId ?? null);
  const targetId = target?.kind === "found" ? target.person.userId : null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  const isGiven = asked.command !== null || fixed !== null;
  // What a command says, or what was asked and confirmed.
  const written = action?.args["seconds"];
  const givenSeconds = written === undefined ? null : Number(written);
  const roles = asked.roles ?? tried(() => people.byId(channel, requestedBy)?.roles ?? null);
  return {
    nowMs: now(),
    policy: policy(),
    switches: tried(switches),
    mayCall: known(({ name }) => mayCall(name, parts, channel)),
    texts: known((of) => textsOf(of, isGiven ? null : words, parts, channel)),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: requestedBy === streamerId ? "streamer" : roles && rankOf(roles),
    isAsked: asked.isAsked,
    saidSeconds: isGiven ? givenSeconds : saidLength(words),
    recent: known(({ name }) => ledger.recent({ ...run, action: name })),
    consent: isGiven
      ? "given"
      : known(({ name, args }) => {
          const isMemory = CATALOGUE[name].class === "memory";
          const before = ledger.asking({ channel, requestedBy, isMemory });
          const asking = { ...before, isRaid: isRaid(channel) };
          return { quote: quoteRefusal(args, words, others), asking };
        }),
    isApproved: fixed?.waitsFor === "streamer",
  };
}

function rankOf({ broadcaster, moderator }: NonNullable<ActionTurn["roles"]>) {
  if (broadcaster) return "streamer";
  return moderator ? "moderator" : "viewer";
}

/**
 * Whom a proposal means, refused or not: by the requester's own words, or by whose message they answer, unless that one
 * names somebody else. Rejects where something that it needs throws.
 */
export async function whoIsMeant(parts: GatherParts, asked: Asked): Promise<TargetFact | null> {
  const { channel, words, repliesTo, command } = asked;
  const action = actionIn(asked);
  if (action === null) return null;
  if (CATALOGUE[action.name].target === "none") return noTarget(parts, asked);
  const ordered = command?.targetId == null ? null : parts.people.byId(channel, command.targetId);
  if (ordered !== null) return found(parts, asked, ordered);
  const written = action.args["user"] ?? "";
  const seen = whoMayBeNamed(parts, channel, [...words, written]);
  const people = await withHolder(parts, channel, loginOf(written), seen);
  if (people === null) return null;
  const resolved = resolveTarget(written, people);
  if (resolved.kind === "refused") return resolved;
  const { userId } = resolved.person;
  const isMeant =
    command !== null ||
    namedIn(words, people).has(userId) ||
    (repliesTo?.userId === userId && !tellsOfOthers(parts, channel, repliesTo));
  return isMeant ? found(parts, asked, resolved.person) : { kind: "refused", reason: "not_named" };
}

/** All whom lines may name, of those who wrote in a channel lately. */
export function whoMayBeNamed({ people }: GatherParts, channel: string, lines: readonly string[]) {
  return people.named(channel, loginsIn(lines));
}

/** Whether a message names anybody but who wrote it: then it may report somebody. */
export function tellsOfOthers(
  parts: GatherParts,
  channel: string,
  { messageId, userId }: NonNullable<ActionTurn["repliesTo"]>,
): boolean {
  const lines = [parts.textOf(messageId) ?? ""];
  return [...namedIn(lines, whoMayBeNamed(parts, channel, lines))].some((id) => id !== userId);
}

function found({ people }: GatherParts, asked: Asked, person: Person): TargetFact {
  const { channel, eventId, repliesTo } = asked;
  const isTheirs = repliesTo?.userId === person.userId;
  const last = () => people.lastMessageId(channel, person.userId, eventId);
  return { kind: "found", person, messageId: isTheirs ? repliesTo.messageId : last() };
}

/** Whom it was fixed on, as they are seen now. */
function fixedTarget(parts: GatherParts, asked: Asked, { person, settled }: Fixed): TargetFact {
  if (person === null) return noTarget(parts, asked);
  const now = parts.people.byId(asked.channel, person.userId);
  return { kind: "found", person: now ?? person, messageId: settled.messageId };
}

/** A note must be the requester's own. */
function noTarget({ memory }: GatherParts, asked: Asked): TargetFact {
  const action = actionIn(asked);
  const call = action && readCall(action.name, action.args);
  const note = call !== null && "note" in call.args ? call.args.note : null;
  return note === null || memory?.owns(asked.channel, asked.requesterId, note) === true
    ? { kind: "none" }
    : { kind: "refused", reason: "not_own_note" };
}

/** With who has a login by Twitch, where nobody, or two, were seen here with it within a day. Null: no answer. */
async function withHolder(
  { people, findUser }: GatherParts,
  channel: string,
  login: string | null,
  seen: People,
): Promise<People | null> {
  const others = seen.filter((person) => person.login !== login);
  if (login === null || seen.length === others.length + 1) return seen;
  const asked = await findUser(login);
  if (!asked.ok) return asked.reason === "not_found" ? others : null;
  const { userId, displayName } = asked.value;
  const roles = people.byId(channel, userId)?.roles ?? null;
  return [...others, { userId, login: asked.value.login.toLowerCase(), displayName, roles }];
}

/** What is to be kept about somebody stands in their own words; a private matter they have to ask for by command. */
function quoteRefusal(
  { fact = "", quote = "" }: RawArgs,
  words: readonly string[],
  others: readonly string[],
): QuoteRefusal | null {
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
 * The arguments as they may be said: free text as it stands in the requester's own `words` (null: it is theirs already),
 * and as the guard lets it pass. What is not theirs is left out where it may be.
 */
function textsOf(
  { name, args }: Written,
  words: readonly string[] | null,
  { guard, says, policy }: GatherParts,
  channel: string,
): Facts["texts"] {
  const { texts, consent } = factsOf(name);
  const { pollYes, pollNo, warnReason } = says(channel);
  const inWords = (key: string, text: string): string | null => {
    if (words === null || texts[key] === undefined || consent === "quote") return text;
    const choices = key === "choices" && YES_OR_NO.test(text) ? `${pollYes}|${pollNo}` : null;
    return inParts(text, (part) => wordForWord(part, words)) ?? choices;
  };
  const cleared = (part: string): string | null => {
    const verdict = guard(part);
    const isClean = verdict.ok && !verdict.removed.some((mend) => TELLTALE_MENDS.has(mend));
    return isClean ? verdict.text : null;
  };
  const own = Object.entries(args).map(([key, text]) => [key, inWords(key, text)] as const);
  if (own.some(([key, text]) => text === null && texts[key] === "must"))
    return { kind: "refused", reason: "not_verbatim" };
  const said = own.flatMap(([key, text]) =>
    text === null ? [] : [[key, texts[key] === undefined ? text : inParts(text, cleared)] as const],
  );
  if (said.some(([, text]) => text === null)) return { kind: "refused", reason: "guard" };
  const reason = name === "warn" ? { reason: policy().warnReason ?? warnReason } : {};
  return { kind: "passed", args: { ...reason, ...(Object.fromEntries(said) as RawArgs) } };
}

/** What becomes of each part of a text; null where one comes to nothing. */
function inParts(written: string, toSaid: (part: string) => string | null): string | null {
  const parts = written.split("|").map(toSaid);
  return parts.includes(null) ? null : parts.join("|");
}

/** Null for what throws: the database, or Twitch, is out of order. That must not stop anything else. */
export function tried<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
