import type { Sayings } from "../language/languages.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { HelixResult } from "../twitch/helix-call.ts";
import {
  type ActionPolicy,
  decide,
  type Facts,
  type Proposal,
  type Settled,
  type TargetFact,
} from "./action-policy.ts";
import { type ActionCall, actionNamed, CATALOGUE, readCall } from "./catalogue.ts";
import type { Command } from "./command.ts";
import type { ExecuteParts } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";
import { loginFor } from "./logins.ts";
import { type GuardVerdict, quoteRefusal, textsOf } from "./own-words.ts";
import type { PeopleStore } from "./people-store.ts";
import { loginOf, type Person, resolveTarget } from "./resolve.ts";
import { namedIn, saidLength } from "./said-words.ts";

/** Where facts come from. Whatever throws is a fact that is not known. */
export interface GatherParts extends ExecuteParts {
  /** As configured now. */
  readonly policy: () => ActionPolicy;
  /** Read again where another process changed them. */
  readonly switches: () => { readonly paused: boolean; readonly safeMode: boolean };
  readonly guard: (text: string) => GuardVerdict;
  readonly ledger: Pick<Ledger, "recent" | "asking">;
  readonly people: PeopleStore;
  readonly streamerId: (channel: string) => string | null;
  /** Asks Twitch. */
  readonly findUser: (login: string) => Promise<HelixResult<Omit<Person, "roles">>>;
  /** What a message said, as long as its text is kept; null where it is not. */
  readonly textOf: (messageId: string) => string | null;
  readonly isRaid: (channel: string) => boolean;
  /** What code says in a channel. */
  readonly says: (channel: string) => Sayings;
  /** What a warning says whose reason nobody gave; null: what the language has for it. */
  readonly warnReason: () => string | null;
  readonly now: () => number;
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

/** What somebody said yes to, or what waits for the streamer. */
export interface Fixed {
  readonly settled: Settled;
  readonly person: Person | null;
  readonly saidSeconds: number | null;
  /** Its own row in the ledger, which does not count. */
  readonly ledgerId: number;
  readonly isApproved: boolean;
}

export interface Asked {
  readonly turn: ActionTurn;
  readonly proposal: Proposal;
  /** As the model wrote it; "" for a command. */
  readonly span: string;
  readonly command: Command | null;
}

/** A row of this age says who holds a login without asking Twitch. */
const LOGIN_FRESH_MS = 86_400_000;

/**
 * Whom a proposal means, for which Twitch may have to be asked; null where nobody could say, or where it is refused
 * whoever it is. Never rejects, but where the policy itself cannot be read.
 */
export async function findMeant(
  parts: GatherParts,
  asked: Asked,
  isOpen: boolean,
): Promise<TargetFact | null> {
  const decision = decide(asked.proposal, factsNow(parts, asked, { target: null, isOpen }));
  if (decision.kind === "refuse" && decision.reason !== "unknown") return null;
  try {
    return await whoIsMeant(parts, asked);
  } catch {
    return null;
  }
}

/**
 * Everything that the decision on a proposal hangs on, at this moment. Whoever decides by it writes the decision down
 * before anything is awaited: what is read here would else be another's too, and both would run.
 */
export function factsNow(
  parts: GatherParts,
  asked: Asked,
  given: { readonly target: TargetFact | null; readonly isOpen: boolean },
  fixed: Fixed | null = null,
): Facts {
  const { turn, command } = asked;
  const target = fixed === null ? given.target : read(() => fixedTarget(parts, turn, fixed));
  const streamerId = read(() => parts.streamerId(turn.channel));
  const botId = read(() => parts.logins.bot.identity()?.userId ?? null);
  const action = nameOf(asked);
  const run = {
    channel: turn.channel,
    targetId: target?.kind === "found" ? target.person.userId : null,
    requestedBy: turn.requesterId,
    exceptId: fixed?.ledgerId ?? null,
  };
  return {
    nowMs: parts.now(),
    policy: parts.policy(),
    switches: read(parts.switches),
    mayCall: read(() => mayCall(parts, asked, streamerId)),
    texts: read(() => textsIn(parts, asked, fixed !== null)),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: read(() => roleOf(parts, turn, streamerId)),
    isAsked: turn.isAsked,
    saidSeconds: fixed === null ? lengthSaid(asked) : fixed.saidSeconds,
    recent: action === null ? null : read(() => parts.ledger.recent({ ...run, action })),
    consent:
      command !== null || fixed !== null
        ? "given"
        : read(() => proofAndAsking(parts, asked, given.isOpen)),
    isApproved: fixed?.isApproved ?? false,
  };
}

function nameOf({ proposal: { parsed } }: Asked): ActionName | null {
  return parsed.kind === "action" ? actionNamed(parsed.name) : null;
}

function lengthSaid({ command, turn }: Asked): number | null {
  const ordered = command?.args["seconds"];
  if (command !== null) return ordered === undefined ? null : Number(ordered);
  return saidLength(turn.words);
}

function mayCall(
  { logins, memory }: GatherParts,
  asked: Asked,
  streamerId: string | null,
): Facts["mayCall"] {
  const name = nameOf(asked);
  if (name !== null && CATALOGUE[name].class === "memory") return memory !== null;
  const scope = name === null ? null : CATALOGUE[name].scope;
  if (name === null || scope === null) return true;
  if (streamerId === null || logins.bot.identity() === null) return null;
  const login = loginFor(name, logins, asked.turn.channel, streamerId);
  if (login?.isHeldBack?.() === true) return "rate_limited";
  return login?.identity()?.scopes.includes(scope) ?? false;
}

function roleOf(
  { people }: GatherParts,
  turn: ActionTurn,
  streamerId: string | null,
): Facts["requester"] {
  if (!turn.isAsked) return "viewer";
  if (turn.requesterId === streamerId) return "streamer";
  const roles = turn.roles ?? people.byId(turn.channel, turn.requesterId)?.roles;
  if (roles === undefined || roles === null) return null;
  if (roles.broadcaster) return "streamer";
  return roles.moderator ? "moderator" : "viewer";
}

/** What the requester's words prove, and how they were asked before. */
function proofAndAsking(parts: GatherParts, asked: Asked, isOpen: boolean): Facts["consent"] {
  const { channel, requesterId: requestedBy, words, others } = asked.turn;
  const { parsed } = asked.proposal;
  const name = nameOf(asked);
  if (name === null) return null;
  const isMemory = CATALOGUE[name].class === "memory";
  const before = parts.ledger.asking({ channel, requestedBy, isMemory });
  return {
    quote: parsed.kind === "action" ? quoteRefusal(parsed.args, words, others) : "no_quote",
    asking: { ...before, isRaid: parts.isRaid(channel), isOpen: isMemory && isOpen },
  };
}

function textsIn(parts: GatherParts, asked: Asked, isFixed: boolean): Facts["texts"] {
  const { turn, command, proposal } = asked;
  const name = nameOf(asked);
  if (proposal.parsed.kind === "malformed" || name === null) return null;
  const isOwn = command !== null || isFixed;
  return textsOf(name, proposal.parsed.args, isOwn ? null : turn.words, {
    guard: parts.guard,
    says: parts.says(turn.channel),
    warnReason: parts.warnReason(),
  });
}

/** Whom a proposal means, refused or not; rejects where something that it needs throws. */
export async function whoIsMeant(parts: GatherParts, asked: Asked): Promise<TargetFact | null> {
  const { turn, command, proposal } = asked;
  const { parsed } = proposal;
  const name = nameOf(asked);
  if (parsed.kind === "malformed" || name === null) return null;
  if (CATALOGUE[name].target === "none")
    return noTarget(parts.memory, turn, readCall(name, parsed.args));
  const written = parsed.args["user"] ?? "";
  const known =
    command?.targetId == null ? null : parts.people.byId(turn.channel, command.targetId);
  if (known !== null) return found(parts, turn, known);
  const people = await peopleFor(parts, turn.channel, written);
  if (people === null) return null;
  const resolved = resolveTarget(written, people);
  if (resolved.kind === "refused") return resolved;
  const { person } = resolved;
  return command !== null || isNamed(parts, turn, person, people)
    ? found(parts, turn, person)
    : { kind: "refused", reason: "not_named" };
}

/** By the requester's own words, or by whose message they answer, unless that one names somebody else. */
function isNamed(
  parts: GatherParts,
  { words, repliesTo }: ActionTurn,
  person: Person,
  people: readonly Person[],
): boolean {
  if (namedIn(words, people).has(person.userId)) return true;
  if (repliesTo === null || repliesTo.userId !== person.userId) return false;
  return !tellsOfOthers(parts.textOf(repliesTo.messageId), person, people);
}

/** Whether a message names anybody but who wrote it: then it may report somebody. */
export function tellsOfOthers(
  text: string | null,
  writer: Person,
  people: readonly Person[],
): boolean {
  if (text === null) return false;
  const named = namedIn([text], people);
  return [...named].some((userId) => userId !== writer.userId);
}

function found(parts: GatherParts, turn: ActionTurn, person: Person): TargetFact {
  const { channel, eventId, repliesTo } = turn;
  const messageId =
    repliesTo?.userId === person.userId
      ? repliesTo.messageId
      : parts.people.lastMessageId(channel, person.userId, eventId);
  return { kind: "found", person, messageId };
}

/** Whom it was fixed on, as they are seen now. */
function fixedTarget(
  { people, memory }: GatherParts,
  turn: ActionTurn,
  { settled, person }: Fixed,
): TargetFact {
  const { targetId, messageId, call } = settled;
  if (targetId === null || person === null) return noTarget(memory, turn, call);
  return { kind: "found", person: people.byId(turn.channel, targetId) ?? person, messageId };
}

/** A note must be the requester's own. */
function noTarget(
  memory: GatherParts["memory"],
  { channel, requesterId }: ActionTurn,
  call: ActionCall | null,
): TargetFact {
  const note = call !== null && "note" in call.args ? call.args.note : null;
  return note === null || memory?.owns(channel, requesterId, note) === true
    ? { kind: "none" }
    : { kind: "refused", reason: "not_own_note" };
}

/** All whom a name may mean. A login changes hands, so Twitch is asked where it was not seen lately; null: no answer. */
async function peopleFor(
  { people, findUser, now }: GatherParts,
  channel: string,
  written: string,
): Promise<readonly Person[] | null> {
  const speakers = people.speakers(channel);
  const login = loginOf(written);
  if (login === null) return speakers;
  const known = people.withLogin(channel, login);
  const isFresh = known.every(({ lastSeenAtMs }) => now() - lastSeenAtMs < LOGIN_FRESH_MS);
  if (known.length === 1 && isFresh) return [...speakers, ...known];
  const asked = await findUser(login);
  const others = speakers.filter((person) => person.login !== login);
  if (!asked.ok) return asked.reason === "not_found" ? others : null;
  const { userId, displayName } = asked.value;
  const roles = people.byId(channel, userId)?.roles ?? null;
  return [...others, { userId, login: asked.value.login.toLowerCase(), displayName, roles }];
}

function read<T>(find: () => T): T | null {
  try {
    return find();
  } catch {
    return null;
  }
}
