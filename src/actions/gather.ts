import type { ActionName } from "../platform/config/names.ts";
import type { HelixResult } from "../twitch/helix-call.ts";
import { decide } from "./action-policy.ts";
import { actionNamed, CATALOGUE, readCall } from "./catalogue.ts";
import { type Echo, findEcho, type Untrusted } from "./echo.ts";
import { type ExecuteParts, loginFor } from "./execute.ts";
import type { RawArgs } from "./grammar.ts";
import { type GuardVerdict, guardArgs } from "./guard-args.ts";
import type { Ledger } from "./ledger-store.ts";
import type { PeopleStore, SeenPerson } from "./people-store.ts";
import type { ActionPolicy, Facts, Proposal, TargetFact } from "./policy-facts.ts";
import { loginOf, type Person, resolveTarget } from "./resolve.ts";
import { type WishContext, wishedSeconds, wishOf } from "./wish.ts";

/** A user as Twitch names them. */
interface FoundUser {
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
}

/** Where facts come from. Whatever throws is a fact that is not known. */
export interface GatherParts extends ExecuteParts {
  /** As configured now. */
  readonly policy: () => ActionPolicy;
  /** Read again where another process changed them. */
  readonly switches: () => { readonly paused: boolean; readonly safeMode: boolean };
  readonly guard: (text: string) => GuardVerdict;
  readonly ledger: Pick<Ledger, "recent">;
  readonly people: PeopleStore;
  readonly streamerId: (channel: string) => string | null;
  readonly findUser: (login: string) => Promise<HelixResult<FoundUser>>;
  /** What the bot is called, so that its name in a request is no other word. */
  readonly ownNames: () => readonly string[];
  readonly now: () => number;
}

/** The turn in which the model proposed something. */
export interface ActionTurn {
  readonly channel: string;
  readonly replyId: number | null;
  readonly requesterId: string;
  /** False where nobody asked: the bot joined in by chance. */
  readonly isAsked: boolean;
  /** The requester's own words that this turn answers. */
  readonly words: readonly string[];
  /** Who wrote the message that the requester's one replies to. */
  readonly repliesToId: string | null;
  /** Everything in the prompt that viewers or memory wrote, `words` too. */
  readonly untrusted: readonly Untrusted[];
}

/** What a held proposal keeps from when it was made. */
export interface Fixed {
  readonly echo: Echo | null;
  readonly targetId: string | null;
  readonly messageId: string | null;
  /** Its own row in the ledger, which does not count. */
  readonly ledgerId: number;
}

export interface Asked {
  readonly turn: ActionTurn;
  readonly proposal: Proposal;
  /** As the model wrote it. */
  readonly span: string;
}

/** A row of this age says who holds a login without asking Twitch. */
const LOGIN_FRESH_MS = 86_400_000;
/** The target, and everybody whom words may name. */
export interface Meant {
  readonly fact: TargetFact;
  readonly people: readonly Person[];
}

/**
 * Whom a proposal means, for which Twitch may have to be asked; null where nobody could say, or where it is refused
 * whoever it is. Never rejects, but where the policy itself cannot be read.
 */
export async function findMeant(
  parts: GatherParts,
  asked: Asked,
  fixed: Fixed | null,
): Promise<Meant | null> {
  const decision = decide(asked.proposal, factsNow(parts, asked, fixed, null));
  const isDecided = decision.kind === "refuse" && decision.reason !== "unknown";
  return isDecided ? null : attempt(() => whoIsMeant(parts, asked, fixed));
}

/**
 * Everything that the decision on a proposal hangs on, at this moment. Whoever decides by it writes the decision down
 * before anything is awaited: what is read here would else be another's too, and both would run.
 */
export function factsNow(
  parts: GatherParts,
  asked: Asked,
  fixed: Fixed | null,
  meant: Meant | null,
): Facts {
  const { turn, proposal, span } = asked;
  const target = meant?.fact ?? null;
  const wish = read(() => inWords(parts, asked, meant, wishOf));
  const streamerId = read(() => parts.streamerId(turn.channel));
  const botId = read(() => parts.logins.bot.identity()?.userId ?? null);
  return {
    nowMs: parts.now(),
    policy: parts.policy(),
    switches: read(parts.switches),
    mayCall: read(() => mayCall(parts, asked, streamerId)),
    texts: read(() => guardArgs(proposal.parsed, parts.guard)),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: read(() => roleOf(parts, turn, streamerId)),
    isAsked: turn.isAsked,
    wish,
    saidSeconds: read(() => inWords(parts, asked, meant, secondsIn)),
    echo: fixed === null ? read(() => findEcho(span, proposal.parsed, turn, wish)) : fixed.echo,
    recent: read(() => recentOf(parts, asked, target, fixed)),
    isApproved: fixed !== null,
  };
}

function nameOf({ proposal: { parsed } }: Asked) {
  return parsed.kind === "action" ? actionNamed(parsed.name) : null;
}

function secondsIn(name: ActionName, _args: RawArgs, context: WishContext): number | null {
  return wishedSeconds(name, context);
}

/** What the requester's own words say of a proposal; null where nobody can tell. */
function inWords<T>(
  { ownNames }: GatherParts,
  asked: Asked,
  meant: Meant | null,
  find: (name: ActionName, args: RawArgs, context: WishContext) => T,
): T | null {
  const { parsed } = asked.proposal;
  const name = nameOf(asked);
  if (parsed.kind === "malformed" || name === null || meant === null) return null;
  const { words, repliesToId } = asked.turn;
  const target = meant.fact.kind === "found" ? meant.fact.person : null;
  const { people } = meant;
  return find(name, parsed.args, { words, repliesToId, ownNames: ownNames(), target, people });
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
  const login = loginFor(logins, CATALOGUE[name].token, asked.turn.channel, streamerId);
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
  const roles = people.byId(turn.channel, turn.requesterId)?.roles;
  if (roles === undefined || roles === null) return null;
  if (roles.broadcaster) return "streamer";
  return roles.moderator ? "moderator" : "viewer";
}

function recentOf(
  parts: GatherParts,
  asked: Asked,
  target: TargetFact | null,
  fixed: Fixed | null,
): Facts["recent"] {
  const { channel, requesterId } = asked.turn;
  const action = nameOf(asked);
  if (action === null) return null;
  return parts.ledger.recent({
    channel,
    action,
    targetId: target?.kind === "found" ? target.person.userId : null,
    requestedBy: requesterId,
    exceptId: fixed?.ledgerId ?? null,
  });
}

async function whoIsMeant(
  parts: GatherParts,
  asked: Asked,
  fixed: Fixed | null,
): Promise<Meant | null> {
  const { parsed } = asked.proposal;
  const { channel } = asked.turn;
  const name = nameOf(asked);
  if (parsed.kind === "malformed" || name === null) return null;
  if (CATALOGUE[name].target === "none") {
    const fact = noTarget(parts, asked, parsed.args);
    return { fact, people: parts.people.speakers(channel) };
  }
  const written = parsed.args["user"] ?? "";
  const people = await peopleFor(parts, channel, written);
  if (people === null) return null;
  const resolved = resolveTarget(written, people);
  if (resolved.kind === "refused") return { fact: resolved, people };
  const { person } = resolved;
  if (fixed !== null && fixed.targetId !== person.userId)
    return { fact: { kind: "refused", reason: "target_changed" }, people };
  const messageId =
    fixed === null ? parts.people.lastMessageId(channel, person.userId) : fixed.messageId;
  return { fact: { kind: "found", person, messageId }, people };
}

/** A note must be the requester's own. */
function noTarget({ memory }: GatherParts, { turn, proposal }: Asked, args: RawArgs): TargetFact {
  const name = nameOf({ turn, proposal, span: "" });
  const call = name === null ? null : readCall(name, args);
  const note = call !== null && "note" in call.args ? call.args.note : null;
  return note === null || memory?.owns(turn.channel, turn.requesterId, note) === true
    ? { kind: "none" }
    : { kind: "refused", reason: "not_own_note" };
}

/** All whom a name may mean. A login changes hands, so Twitch is asked where it was not seen lately; null: no answer. */
async function peopleFor(
  parts: GatherParts,
  channel: string,
  written: string,
): Promise<readonly Person[] | null> {
  const speakers = parts.people.speakers(channel);
  const login = loginOf(written);
  if (login === null) return speakers;
  const known = parts.people.withLogin(channel, login);
  if (known.length === 1 && known.every((person) => isFresh(parts, person)))
    return [...speakers, ...known];
  const found = await parts.findUser(login);
  const others = speakers.filter((person) => person.login !== login);
  if (found.ok) return [...others, personOf(parts, channel, found.value)];
  return found.reason === "not_found" ? others : null;
}

function isFresh({ now }: GatherParts, { lastSeenAtMs }: SeenPerson): boolean {
  return now() - lastSeenAtMs < LOGIN_FRESH_MS;
}

function personOf({ people }: GatherParts, channel: string, user: FoundUser): Person {
  const { userId, login, displayName } = user;
  return {
    userId,
    login: login.toLowerCase(),
    displayName,
    roles: people.byId(channel, userId)?.roles ?? null,
  };
}

function read<T>(find: () => T): T | null {
  try {
    return find();
  } catch {
    return null;
  }
}

async function attempt<T>(find: () => Promise<T | null>): Promise<T | null> {
  try {
    return await find();
  } catch {
    return null;
  }
}
