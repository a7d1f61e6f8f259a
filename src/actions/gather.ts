import type { Sayings } from "../language/languages.ts";
import type { HelixResult } from "../twitch/helix.ts";
import {
  type ActionPolicy,
  decide,
  type Facts,
  type Proposal,
  type Settled,
  type TargetFact,
  type WaitsFor,
} from "./action-policy.ts";
import { actionNamed, CATALOGUE, readCall } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { type ExecuteParts, mayCall } from "./execute.ts";
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

/** What was asked for, and how. */
export interface Asked {
  readonly turn: ActionTurn;
  readonly proposal: Proposal;
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
  const decision = decide(asked.proposal, factsNow(parts, asked, null));
  if (decision.kind === "refuse" && decision.reason !== "unknown") return null;
  return whoIsMeant(parts, asked).catch(() => null);
}

/**
 * Everything that the decision on a proposal hangs on, at this moment. Whoever decides by it writes the decision down
 * before anything is awaited: what is read here would else be another's too, and both would run.
 */
export function factsNow(parts: GatherParts, asked: Asked, found: TargetFact | null): Facts {
  const { turn, fixed } = asked;
  const { channel, requesterId: requestedBy } = turn;
  const action = actionIn(asked);
  const known = <T>(find: (of: Action) => T) => (action === null ? null : read(() => find(action)));
  const target = fixed === null ? found : known((of) => fixedTarget(parts, turn, of, fixed));
  const streamerId = read(() => parts.streamerId(channel));
  const botId = read(() => parts.logins.bot.identity()?.userId ?? null);
  const targetId = target?.kind === "found" ? target.person.userId : null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  const isGiven = asked.command !== null || fixed !== null;
  return {
    nowMs: parts.now(),
    policy: parts.policy(),
    switches: read(parts.switches),
    mayCall: known(({ name }) => mayCall(name, parts, channel, streamerId)),
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
    saidSeconds: isGiven ? secondsIn(action) : saidLength(turn.words),
    recent: known(({ name }) => parts.ledger.recent({ ...run, action: name })),
    consent: isGiven ? "given" : known((of) => proofAndAsking(parts, turn, of)),
    isApproved: fixed?.waitsFor === "streamer",
  };
}

/** What is proposed, of what the catalogue has. */
type Action = NonNullable<ReturnType<typeof actionIn>>;

function actionIn({ proposal: { parsed } }: Asked) {
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  return parsed.kind === "malformed" || name === null ? null : { name, args: parsed.args };
}

/** What a command says, or what was asked and confirmed. */
function secondsIn(action: Action | null): number | null {
  const written = action?.args["seconds"];
  return written === undefined ? null : Number(written);
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
  const asking = { ...before, isRaid: isRaid(channel) };
  return { quote: quoteRefusal(args, words, others), asking };
}

/** Whom a proposal means, refused or not; rejects where something that it needs throws. */
export async function whoIsMeant(parts: GatherParts, asked: Asked): Promise<TargetFact | null> {
  const { turn, command } = asked;
  const { channel, words } = turn;
  const action = actionIn(asked);
  if (action === null) return null;
  if (CATALOGUE[action.name].target === "none") return noTarget(parts, turn, action);
  const id = command?.targetId ?? null;
  const ordered = id === null ? null : parts.people.byId(channel, id);
  if (ordered !== null) return found(parts, turn, ordered);
  const written = action.args["user"] ?? "";
  const seen = parts.people.named(channel, [...words, written]);
  const people = await withHolder(parts, channel, loginOf(written), seen);
  if (people === null) return null;
  const resolved = resolveTarget(written, people);
  if (resolved.kind === "refused") return resolved;
  const isMeant = command !== null || isNamed(parts, turn, resolved.person, people);
  return isMeant ? found(parts, turn, resolved.person) : { kind: "refused", reason: "not_named" };
}

/** By the requester's own words, or by whose message they answer, unless that one names somebody else. */
function isNamed(
  parts: GatherParts,
  { channel, words, repliesTo }: ActionTurn,
  { userId }: Person,
  people: readonly Person[],
): boolean {
  if (namedIn(words, people).has(userId)) return true;
  return repliesTo?.userId === userId && !tellsOfOthers(parts, channel, repliesTo);
}

/** Whether a message names anybody but who wrote it: then it may report somebody. */
export function tellsOfOthers(
  { textOf, people }: Pick<GatherParts, "textOf" | "people">,
  channel: string,
  { messageId, userId: writerId }: NonNullable<ActionTurn["repliesTo"]>,
): boolean {
  const lines = [textOf(messageId) ?? ""];
  return [...namedIn(lines, people.named(channel, lines))].some((userId) => userId !== writerId);
}

function found(parts: GatherParts, turn: ActionTurn, person: Person): TargetFact {
  const { channel, eventId, repliesTo } = turn;
  const isTheirs = repliesTo?.userId === person.userId;
  const last = () => parts.people.lastMessageId(channel, person.userId, eventId);
  return { kind: "found", person, messageId: isTheirs ? repliesTo.messageId : last() };
}

/** Whom it was fixed on, as they are seen now. */
function fixedTarget(
  parts: GatherParts,
  turn: ActionTurn,
  action: Action,
  { person, settled: { messageId } }: Fixed,
): TargetFact {
  if (person === null || CATALOGUE[action.name].target === "none")
    return noTarget(parts, turn, action);
  const now = parts.people.byId(turn.channel, person.userId);
  return { kind: "found", person: now ?? person, messageId };
}

/** A note must be the requester's own. */
function noTarget(
  { memory }: GatherParts,
  { channel, requesterId }: ActionTurn,
  { name, args }: Action,
): TargetFact {
  const call = readCall(name, args);
  const note = call !== null && "note" in call.args ? call.args.note : null;
  return note === null || memory?.owns(channel, requesterId, note) === true
    ? { kind: "none" }
    : { kind: "refused", reason: "not_own_note" };
}

/** With who has a login by Twitch, where nobody, or two, were seen here with it within a day. Null: no answer. */
async function withHolder(
  { people, findUser }: GatherParts,
  channel: string,
  login: string | null,
  seen: readonly Person[],
): Promise<readonly Person[] | null> {
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
