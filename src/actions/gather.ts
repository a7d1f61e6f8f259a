import type { Sayings } from "../language/languages.ts";
import type { ActionName } from "../platform/config/names.ts";
import type { HelixResult } from "../twitch/helix.ts";
import {
  type ActionPolicy,
  decide,
  type Facts,
  type Proposal,
  type Settled,
  type TargetFact,
} from "./action-policy.ts";
import { type ActionCall, actionNamed, CATALOGUE, type RawArgs, readCall } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { type ExecuteParts, loginFor } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";
import type { PeopleStore } from "./people-store.ts";
import { loginOf, namedIn, type Person, resolveTarget } from "./resolve.ts";
import { saidLength } from "./said-words.ts";
import { type GuardVerdict, quoteRefusal, textsOf } from "./wording.ts";

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
  /** Its own row in the ledger, which does not count. */
  readonly ledgerId: number;
  /** By the streamer; else by whoever asked for it. */
  readonly isApproved: boolean;
}

export interface Asked {
  readonly turn: ActionTurn;
  readonly proposal: Proposal;
  /** As the model wrote it; "" for a command. */
  readonly span: string;
  readonly command: Command | null;
  /** Null for what was not held yet. */
  readonly fixed: Fixed | null;
}

/**
 * Whom a proposal means, for which Twitch may have to be asked; null where nobody could say, or where it is refused
 * whoever it is. Never rejects, but where the policy itself cannot be read.
 */
export async function findMeant(parts: GatherParts, asked: Asked): Promise<TargetFact | null> {
  const decision = decide(asked.proposal, factsNow(parts, asked, null));
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
export function factsNow(parts: GatherParts, asked: Asked, found: TargetFact | null): Facts {
  const { turn, command, fixed } = asked;
  const { channel, requesterId: requestedBy } = turn;
  const action = actionIn(asked);
  const target = fixed === null ? found : read(() => fixedTarget(parts, turn, fixed));
  const streamerId = read(() => parts.streamerId(channel));
  const botId = read(() => parts.logins.bot.identity()?.userId ?? null);
  const targetId = target?.kind === "found" ? target.person.userId : null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.ledgerId ?? null };
  const isGiven = command !== null || fixed !== null;
  const known = <T>(find: (action: Action) => T) =>
    action === null ? null : read(() => find(action));
  return {
    nowMs: parts.now(),
    policy: parts.policy(),
    switches: read(parts.switches),
    mayCall: action === null || known((one) => mayCall(parts, channel, one, streamerId)),
    texts: known(({ name, args }) =>
      textsOf(name, args, isGiven ? null : turn.words, {
        guard: parts.guard,
        says: parts.says(channel),
        warnReason: parts.warnReason(),
      }),
    ),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: read(() => roleOf(parts, turn, streamerId)),
    isAsked: turn.isAsked,
    saidSeconds: lengthSaid(asked),
    recent: known(({ name }) => parts.ledger.recent({ ...run, action: name })),
    consent: isGiven ? "given" : known((one) => proofAndAsking(parts, turn, one)),
    isApproved: fixed?.isApproved ?? false,
  };
}

/** What is proposed, of what the catalogue has. */
interface Action {
  readonly name: ActionName;
  readonly args: RawArgs;
}

function actionIn({ proposal: { parsed } }: Asked): Action | null {
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  return parsed.kind === "malformed" || name === null ? null : { name, args: parsed.args };
}

function lengthSaid({ command, turn, fixed, proposal: { parsed } }: Asked): number | null {
  if (command === null && fixed === null) return saidLength(turn.words);
  const held = parsed.kind === "action" ? parsed.args : {};
  const written = (fixed === null ? command?.args : held)?.["seconds"];
  return written === undefined ? null : Number(written);
}

function mayCall(
  { logins, memory }: GatherParts,
  channel: string,
  { name }: Action,
  streamerId: string | null,
): Facts["mayCall"] {
  const { class: actionClass, scope } = CATALOGUE[name];
  if (actionClass === "memory") return memory !== null;
  if (scope === null) return true;
  if (streamerId === null || logins.bot.identity() === null) return null;
  const login = loginFor(name, logins, channel, streamerId);
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
  const roles = turn.roles ?? people.byId(turn.channel, turn.requesterId)?.roles ?? null;
  if (roles === null) return null;
  if (roles.broadcaster) return "streamer";
  return roles.moderator ? "moderator" : "viewer";
}

/** What the requester's words prove, and how they were asked before. */
function proofAndAsking(
  { ledger, isRaid }: GatherParts,
  { channel, requesterId: requestedBy, words, others }: ActionTurn,
  { name, args }: Action,
): Facts["consent"] {
  const isMemory = CATALOGUE[name].class === "memory";
  const before = ledger.asking({ channel, requestedBy, isMemory });
  return {
    quote: quoteRefusal(args, words, others),
    asking: { ...before, isRaid: isRaid(channel) },
  };
}

/** Whom a proposal means, refused or not; rejects where something that it needs throws. */
export async function whoIsMeant(parts: GatherParts, asked: Asked): Promise<TargetFact | null> {
  const { turn, command } = asked;
  const action = actionIn(asked);
  if (action === null) return null;
  const { name, args } = action;
  if (CATALOGUE[name].target === "none") return noTarget(parts.memory, turn, readCall(name, args));
  const written = args["user"] ?? "";
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

/** All whom a name may mean: Twitch is asked who has a login that nobody, or two, had here within a day. Null: no answer. */
async function peopleFor(
  { people, findUser }: GatherParts,
  channel: string,
  written: string,
): Promise<readonly Person[] | null> {
  const today = people.ofToday(channel);
  const login = loginOf(written);
  if (login === null || today.filter((person) => person.login === login).length === 1) return today;
  const asked = await findUser(login);
  const others = today.filter((person) => person.login !== login);
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
