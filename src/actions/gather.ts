import { ACTION_CLASSES, ACTIONS, type ActionArg } from "../catalogue/actions.ts";
import { type Person, parseLogin, resolveTarget } from "../chat/people.ts";
import type { PeopleStore } from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import { fold } from "../language/fold.ts";
import { findSayings, type Sayings } from "../language/languages.ts";
import { findVerbatim } from "../language/words.ts";
import { findQuoteRefusal } from "../memory/evidence.ts";
import {
  type ActionCall,
  type Decision,
  type Facts,
  type Proposal,
  readAction,
  type TargetFact,
} from "./action-policy.ts";
import type { Command } from "./direct-command.ts";
import { type ExecuteParts, mayCall } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";

/** The sources of facts. If a source throws, its fact is null. */
export interface GatherParts extends ExecuteParts {
  readonly config: Config;
  readonly channels: Readonly<Record<"twitchId" | "language", (channel: string) => string | null>>;
  readonly switches: () => { readonly paused: boolean; readonly safeMode: boolean };
  readonly ledger: { readRecent: Ledger["readRecent"]; readQuestions: Ledger["readQuestions"] };
  readonly people: PeopleStore;
  readonly events: {
    lastDeletableId(channel: string, userId: string, beforeEventId: number | null): string | null;
  };
  readonly isRaid: (channel: string) => boolean;
  readonly guard: (
    text: string,
  ) => Readonly<{ ok: true; text: string; removed: readonly string[] } | { ok: false }>;
  /** Returns epoch ms, by a clock that is never set back. */
  readonly now: () => number;
}

/** The turn in which an action was proposed, or the message that is a command. */
export interface ActionTurn {
  readonly channel: string;
  readonly replyId: number | null;
  readonly requesterId: string;
  /** The requester's roles by their message. If missing, their roles when last seen count. */
  readonly roles?: { readonly broadcaster: boolean; readonly moderator: boolean };
  /** False if the bot joined in by chance. */
  readonly isAsked: boolean;
  /** The requester's own messages that this turn answers. */
  readonly words: readonly string[];
  readonly messageId: string | null;
  /** The message's event; later messages do not count. Null: the newest event. */
  readonly eventId: number | null;
  /** The message that was replied to. `text`: as Twitch repeats it, only to be compared. */
  readonly repliesTo: Readonly<{
    messageId: string;
    userId: string | null;
    text?: string | null;
  }> | null;
  /** Chat that the model saw: other viewers' messages, and every message. */
  readonly others: readonly string[];
  readonly shown: readonly string[];
}

/** A request: a proposal as the model wrote it (`span`), or a command. */
export type ActionRequest = ActionTurn &
  Proposal &
  Readonly<{ span: string; command: Command | null }>;

/** An action that waits for an answer, with its row of the ledger: target, message and length are fixed. */
export type Hold = Extract<Decision, { kind: "hold" }> &
  Readonly<{ id: number; person: Person | null }>;

/**
 * Reads everything that a decision depends on, at this moment; null for a fact that cannot be read. `found`: the target
 * of a new request. `fixed`: an action that waited and got its yes or approval; its target replaces `found`. Write the
 * decision down before you await anything: otherwise two requests read the same facts, and both run.
 */
export function gatherFacts(
  parts: GatherParts,
  asked: ActionRequest,
  found: TargetFact | null,
  fixed?: Hold,
): Facts {
  const { channel, requesterId: requestedBy } = asked;
  const action = readAction(asked);
  /** Reads a fact about the proposed action; null if the catalogue lacks the action. */
  const read = <T>(find: (of: ActionCall) => T) => readOrNull(() => action && find(action));
  const target = fixed === undefined ? found : readOrNull(() => rereadTarget(parts, asked, fixed));
  const targetId = target?.person?.userId ?? null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  // The texts of a command, and of a confirmed question, are the requester's.
  const isGiven = asked.command?.isExact === true || fixed !== undefined;
  return {
    nowMs: parts.now(),
    policy: readActionPolicy(parts.config),
    switches: readOrNull(parts.switches),
    mayCall: read(({ name }) => mayCall(name, parts, channel)),
    texts: read((of) => readSendableArgs(of, asked, isGiven, parts)),
    target,
    untouchable: readUntouchable(parts, channel),
    requester: readRequester(parts, asked),
    isAsked: asked.isAsked,
    recent: read(({ name }) => parts.ledger.readRecent({ ...run, action: name })),
    consent: isGiven ? "given" : read((of) => readConsent(of, asked, parts)),
    isApproved: fixed?.waitsFor === "streamer",
  };
}

/** Returns the target of an action that waited, with their roles as they are now and the message as it was. */
function rereadTarget(
  parts: GatherParts,
  asked: ActionRequest,
  { person, settled: { messageId } }: Hold,
): TargetFact {
  if (person === null) return describeNoTarget(parts, asked);
  const now = parts.people.findById(asked.channel, person.userId);
  return { person: now ?? person, messageId, refused: null };
}

/** Returns the ids of the streamer and the bot, on whom no action runs; null if one is unknown. */
function readUntouchable({ api, channels }: GatherParts, channel: string): Facts["untouchable"] {
  const streamerId = readOrNull(() => channels.twitchId(channel));
  const botId = readOrNull(() => api()?.identity()?.userId ?? null);
  return streamerId === null || botId === null ? null : { streamerId, botId };
}

/** Returns the requester's rank in the channel; null if it depends on roles, and these are unknown. */
function readRequester(
  { channels, people }: GatherParts,
  { channel, requesterId, ...asked }: ActionRequest,
): Facts["requester"] {
  const seen = () => people.findById(channel, requesterId)?.roles ?? null;
  const roles = asked.roles ?? readOrNull(seen);
  const streamerId = readOrNull(() => channels.twitchId(channel));
  if (requesterId === streamerId || roles?.broadcaster === true) return "streamer";
  if (roles === null) return null;
  return roles.moderator ? "moderator" : "viewer";
}

/**
 * Returns `quote`: why the quoted words do not prove the request, null if they do. `asking`: the requester's earlier
 * questions, and whether a raid is on.
 */
function readConsent(
  { name, args }: ActionCall,
  { channel, requesterId: requestedBy, words, others }: ActionRequest,
  { isRaid, ledger }: GatherParts,
) {
  const isMemory = ACTIONS[name].class === "memory";
  const asking = ledger.readQuestions({ channel, requestedBy, isMemory });
  const quote = findQuoteRefusal(args["fact"] ?? "", args["quote"] ?? "", words, others);
  return { quote, asking: { ...asking, isRaid: isRaid(channel) } };
}

/** The guard's changes after which a text is refused: it was to be more than a text. */
const SUSPECT_CHANGES = new Set(["action", "thought", "lead"]);
const YES_OR_NO = /^\s?yes\s?\|\s?no\s?$/iu;

/**
 * Returns the arguments, their texts checked, without empty ones; or why a text may not be sent. The catalogue's usual
 * words, if any, replace a missing text. `isGiven`: the texts are the requester's, so they are not looked for in the
 * message.
 */
function readSendableArgs(
  call: ActionCall,
  asked: ActionRequest,
  isGiven: boolean,
  parts: GatherParts,
) {
  const { args, consent } = ACTIONS[call.name];
  const says = channelSayings(asked.channel, parts);
  const sent: Record<string, string> = { ...call.args };
  const words = isGiven || consent === "quote" ? null : asked.words;
  for (const [key, arg] of Object.entries(args)) {
    if (arg.kind !== "text" && arg.kind !== "choices") continue;
    const read = readText(arg, call.args[key] ?? "", words, parts);
    if ("refused" in read) return read.refused;
    sent[key] = read.text || (arg.usual ?? []).map((one) => says[one]).join("|");
  }
  return Object.fromEntries(Object.entries(sent).filter(([, text]) => text !== ""));
}

/**
 * Returns a written text as it is in the requester's `words` (null: as written), after the guard. If it is not there,
 * an optional text, or the choices "yes|no", become empty; others are refused. The guard may refuse it, too.
 */
function readText(
  arg: Extract<ActionArg, { kind: "text" | "choices" }>,
  written: string,
  words: readonly string[] | null,
  parts: GatherParts,
) {
  const own = words && written ? mapParts(written, (one) => findVerbatim(one, words)) : written;
  const mayBeMissing = arg.kind === "text" ? !arg.isNeeded : YES_OR_NO.test(written);
  if (own === null) return mayBeMissing ? { text: "" } : ({ refused: "not_verbatim" } as const);
  const passGuard = (one: string): string | null => {
    const verdict = parts.guard(one);
    const isClean = verdict.ok && !verdict.removed.some((change) => SUSPECT_CHANGES.has(change));
    return isClean ? verdict.text : null;
  };
  const text = own && mapParts(own, passGuard);
  return text === null ? ({ refused: "guard" } as const) : { text };
}

/** Returns a text with each part between `|` changed. Null if `change` returns null for a part. */
function mapParts(written: string, change: (part: string) => string | null): string | null {
  const parts = written.split("|").map(change);
  return parts.includes(null) ? null : parts.join("|");
}

/**
 * Finds the target: by a command's id, else by the written name. Refuses an unknown or ambiguous name. Without a
 * command, the requester must have named the viewer or replied to them. `person` is null if refused, or if the action
 * has no target. The result is null if the action is unknown or Twitch does not answer.
 */
export async function findTarget(
  parts: GatherParts,
  asked: ActionRequest,
): Promise<TargetFact | null> {
  const { channel, command, words, repliesTo } = asked;
  const action = readAction(asked);
  if (action === null) return null;
  if (ACTIONS[action.name].target === "none") return describeNoTarget(parts, asked);
  const commanded =
    command?.targetId == null ? null : parts.people.findById(channel, command.targetId);
  if (commanded !== null) return describeTarget(parts, asked, commanded);
  const written = action.args["user"] ?? "";
  const people = await findPeople(parts, channel, written);
  const resolved = people && resolveTarget(written, people);
  if (resolved?.kind !== "found") return resolved && refuseTarget(resolved.reason);
  const { person } = resolved;
  // A command names a login, not a display name that looks like it.
  if (command?.isExact === true && person.login !== written) return refuseTarget("target_unknown");
  const names = [person.login, fold(person.displayName)];
  // A name may have an ending: "bobs", "bob'u".
  const said = words.map((line) => fold(line));
  const isNamed =
    command !== null ||
    repliesTo?.userId === person.userId ||
    names.some((name) => said.some((line) => line.includes(name)));
  return isNamed ? describeTarget(parts, asked, person) : refuseTarget("not_named");
}

function refuseTarget(refused: TargetFact["refused"]): TargetFact {
  return { person: null, messageId: null, refused };
}

/**
 * Returns a target with the id of their message: the one replied to, else their last one before `eventId` that can
 * be deleted. `messageId` is null if there is none.
 */
function describeTarget(
  { events }: GatherParts,
  { channel, eventId, repliesTo }: ActionRequest,
  person: Person,
): TargetFact {
  const isTheirs = repliesTo?.userId === person.userId;
  const messageId = isTheirs
    ? repliesTo.messageId
    : events.lastDeletableId(channel, person.userId, eventId);
  return { person, messageId, refused: null };
}

/** Returns the fact, without a person, for an action on no viewer. Refuses a note that is not the requester's own. */
function describeNoTarget({ memory }: GatherParts, asked: ActionRequest): TargetFact {
  const note = readAction(asked)?.args["note"];
  const isOwn = note === undefined || memory.owns(asked.channel, asked.requesterId, Number(note));
  return refuseTarget(isOwn ? null : "not_own_note");
}

/**
 * Finds the viewers with a login or display name. Asks Twitch who has the login, unless exactly one viewer wrote here
 * with it within a day. Empty for a text that can be no login. Null before the log-in, or
 * if Twitch gives no answer.
 */
async function findPeople(parts: GatherParts, channel: string, written: string) {
  const login = parseLogin(written);
  const seen = parts.people.candidates(channel, login === null ? [] : [login]);
  const others = seen.filter((person) => person.login !== login);
  if (login === null || seen.length === others.length + 1) return seen;
  const asked = await parts.api()?.helix.userByLogin(login);
  if (!asked?.ok) return asked?.reason === "not_found" ? others : null;
  const roles = parts.people.findById(channel, asked.value.userId)?.roles ?? null;
  return [...others, { ...asked.value, login: asked.value.login.toLowerCase(), roles }];
}

/**
 * Returns the policy as configured. In mode shadow every class that is not off becomes `dry_run`: all is decided, and
 * nothing is done or asked.
 */
export function readActionPolicy({ actions, mode }: Config): Facts["policy"] {
  if (mode !== "shadow") return actions;
  const classes = { ...actions.classes };
  for (const key of ACTION_CLASSES) if (classes[key] !== "off") classes[key] = "dry_run";
  return { ...actions, classes };
}

/** Returns the bot's own sentences in the configured language, else in the channel's. */
export function channelSayings(channel: string, { config, channels }: GatherParts): Sayings {
  return findSayings(config.language ?? channels.language(channel));
}

/** Returns the value of `work`; null if it throws, so that a failure of the database or Twitch stops nothing else. */
export function readOrNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
