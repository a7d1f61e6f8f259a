import type { PeopleStore } from "../chat/viewer-store.ts";
import { saidLength } from "../language/said-words.ts";
import type { HelixResult } from "../twitch/helix.ts";
import {
  type ActionPolicy,
  actionIn,
  decide,
  type Facts,
  type Proposal,
  type Settled,
  type TargetFact,
  type WaitsFor,
  type Written,
} from "./action-policy.ts";
import { CATALOGUE, readCall } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { type ExecuteParts, mayCall } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";
import { loginOf, loginsIn, namedIn, type People, type Person, resolveTarget } from "./resolve.ts";
import { quoteRefusal, type TextParts, textsOf } from "./wording.ts";

/** Where facts come from. Whatever throws is a fact that is not known. */
export interface GatherParts extends ExecuteParts, TextParts {
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
  const { channel, requesterId: requestedBy, words, fixed } = asked;
  const action = actionIn(asked);
  const known = <T>(find: (of: Written) => T) => read(() => action && find(action));
  const target = fixed === null ? meant : read(() => fixedTarget(parts, asked, fixed));
  const streamerId = read(() => parts.streamerId(channel));
  const botId = read(() => parts.logins.bot.identity()?.userId ?? null);
  const targetId = target?.kind === "found" ? target.person.userId : null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  const isGiven = asked.command !== null || fixed !== null;
  // What a command says, or what was asked and confirmed.
  const written = action?.args["seconds"];
  const givenSeconds = written === undefined ? null : Number(written);
  return {
    nowMs: parts.now(),
    policy: parts.policy(),
    switches: read(parts.switches),
    mayCall: known(({ name }) => mayCall(name, parts, channel)),
    texts: known((of) => textsOf(of, isGiven ? null : words, parts, channel)),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: read(() => roleOf(parts, asked)),
    isAsked: asked.isAsked,
    saidSeconds: isGiven ? givenSeconds : saidLength(words),
    recent: known(({ name }) => parts.ledger.recent({ ...run, action: name })),
    consent: isGiven ? "given" : known((of) => proofAndAsking(parts, asked, of)),
    isApproved: fixed?.waitsFor === "streamer",
  };
}

function roleOf(parts: GatherParts, asked: Asked): Facts["requester"] {
  const { channel, requesterId } = asked;
  if (!asked.isAsked) return "viewer";
  if (requesterId === parts.streamerId(channel)) return "streamer";
  const roles = asked.roles ?? parts.people.byId(channel, requesterId)?.roles ?? null;
  if (roles === null) return null;
  if (roles.broadcaster) return "streamer";
  return roles.moderator ? "moderator" : "viewer";
}

/** What the requester's words prove, and how they were asked before. */
function proofAndAsking(parts: GatherParts, asked: Asked, { name, args }: Written) {
  const { channel, requesterId: requestedBy, words, others } = asked;
  const isMemory = CATALOGUE[name].class === "memory";
  const before = parts.ledger.asking({ channel, requestedBy, isMemory });
  const asking = { ...before, isRaid: parts.isRaid(channel) };
  return { quote: quoteRefusal(args, words, others), asking };
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
  const id = command?.targetId ?? null;
  const ordered = id === null ? null : parts.people.byId(channel, id);
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

function read<T>(find: () => T): T | null {
  try {
    return find();
  } catch {
    return null;
  }
}
