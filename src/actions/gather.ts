import { ACTION_CLASSES, ACTIONS, type ActionArg } from "../catalogue/actions.ts";
import { loginOf, type Person, resolveTarget } from "../chat/people.ts";
import type { PeopleStore } from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import { fold } from "../language/fold.ts";
import { findSayings, type Sayings } from "../language/languages.ts";
import { findVerbatim } from "../language/words.ts";
import { checkRequest } from "../memory/evidence.ts";
import {
  type ActionCall,
  checkArgs,
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
  readonly ledger: { recent: Ledger["recent"]; asking: Ledger["asking"] };
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
 * Reads everything that a decision depends on, at this moment. `found`: the target of a new request. `fixed`: an action
 * that waited and got its yes; its target replaces `found`. The caller must write its decision down before it awaits
 * anything; otherwise two requests would read the same facts, and both would run.
 */
export function gatherFacts(
  parts: GatherParts,
  asked: ActionRequest,
  found: TargetFact | null,
  fixed?: Hold,
): Facts {
  const { channel, requesterId: requestedBy, isAsked } = asked;
  const action = readAction(asked);
  /** Returns why the quote is no proof in the requester's words (null if it is), and their earlier questions. */
  const readConsent = ({ name, args }: ActionCall) => {
    const isMemory = ACTIONS[name].class === "memory";
    const asking = parts.ledger.asking({ channel, requestedBy, isMemory });
    const quote = checkRequest(args["fact"] ?? "", args["quote"] ?? "", asked.words, asked.others);
    return { quote, asking: { ...asking, isRaid: parts.isRaid(channel) } };
  };
  const known = <T>(find: (of: ActionCall) => T) => readOrNull(() => action && find(action));
  const target = readOrNull(() => {
    if (fixed === undefined) return found;
    // The target's roles may have changed; the message stays.
    const { person, settled } = fixed;
    const now = person && (parts.people.findById(channel, person.userId) ?? person);
    return { ...describeTarget(parts, asked, now), messageId: settled.messageId };
  });
  const streamerId = readOrNull(() => parts.channels.twitchId(channel));
  const botId = readOrNull(() => parts.api()?.identity()?.userId ?? null);
  const targetId = target?.person?.userId ?? null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  // The texts of a command, and of a confirmed question, are the requester's.
  const isGiven = asked.command?.isExact === true || fixed !== undefined;
  const roles =
    asked.roles ?? readOrNull(() => parts.people.findById(channel, requestedBy)?.roles ?? null);
  const rank = roles?.moderator ? "moderator" : "viewer";
  const isStreamer = requestedBy === streamerId || roles?.broadcaster === true;
  return {
    nowMs: parts.now(),
    policy: readActionPolicy(parts.config),
    switches: readOrNull(parts.switches),
    mayCall: known(({ name }) => mayCall(name, parts, channel)),
    texts: known((of) => readSendableArgs(of, asked, isGiven, parts)),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: isStreamer ? "streamer" : roles && rank,
    isAsked,
    recent: known(({ name }) => parts.ledger.recent({ ...run, action: name })),
    consent: isGiven ? "given" : known(readConsent),
    isApproved: fixed?.waitsFor === "streamer",
  };
}

/** The guard's changes after which a text is refused: it was to be more than a text. */
const SUSPECT_CHANGES = new Set(["action", "thought", "lead"]);
const YES_OR_NO = /^\s?yes\s?\|\s?no\s?$/iu;

/**
 * Returns the arguments, their texts checked, without empty ones; or why a text may not be sent. The bot's own words
 * replace a missing text. `isGiven`: the requester wrote the texts, so they are not looked for in the message.
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
 * Finds a written text in the requester's `words` (null: not checked), and guards it. If it is not there, the text is
 * empty if it is optional or just "yes|no"; else it is refused. The guard may refuse it, too.
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

/** Changes each part between `|` of a text. Null if `change` returns null for a part. */
function mapParts(written: string, change: (part: string) => string | null): string | null {
  const parts = written.split("|").map(change);
  return parts.includes(null) ? null : parts.join("|");
}

const LINE_CHARS_MAX = 500;

/**
 * Finds the target: by id if a command has one, else by the written name. Refuses a name that is unknown or ambiguous.
 * Refuses a viewer whom no command, no word of the requester and no reply names. `person` is null if the action has no
 * target. Null if the action is unknown or Twitch does not answer.
 */
export async function findTarget(
  parts: GatherParts,
  asked: ActionRequest,
): Promise<TargetFact | null> {
  const { channel, command, words, repliesTo } = asked;
  const action = readAction(asked);
  if (action === null) return null;
  const commanded =
    command?.targetId == null ? null : parts.people.findById(channel, command.targetId);
  if (commanded !== null || ACTIONS[action.name].target === "none")
    return describeTarget(parts, asked, commanded);
  const written = action.args["user"] ?? "";
  const people = await findPeople(parts, channel, written);
  const resolved = people && resolveTarget(written, people);
  if (resolved?.kind !== "found") return resolved && refuseTarget(resolved.reason);
  const { person } = resolved;
  // A command names a login, not a display name that looks like it.
  if (command?.isExact === true && person.login !== written) return refuseTarget("target_unknown");
  const names = [person.login, fold(person.displayName)];
  // A name may have an ending: "bobs", "bob'u".
  const isNamed =
    command !== null ||
    repliesTo?.userId === person.userId ||
    words
      .map((line) => fold(line.slice(0, LINE_CHARS_MAX)))
      .some((line) => names.some((name) => line.includes(name)));
  return isNamed ? describeTarget(parts, asked, person) : refuseTarget("not_named");
}

function refuseTarget(refused: TargetFact["refused"]): TargetFact {
  return { person: null, messageId: null, refused };
}

/**
 * Returns a target with their message: the one replied to, else their last one; null if none is known. Without a
 * target, refuses a note that is not the requester's own.
 */
function describeTarget(
  parts: GatherParts,
  asked: ActionRequest,
  person: Person | null,
): TargetFact {
  const { channel, requesterId, eventId, repliesTo } = asked;
  if (person !== null) {
    const isTheirs = repliesTo?.userId === person.userId;
    const last = () => parts.events.lastDeletableId(channel, person.userId, eventId);
    return { person, messageId: isTheirs ? repliesTo.messageId : last(), refused: null };
  }
  const action = readAction(asked);
  const note = action && checkArgs(action.name, action.args)?.args["note"];
  const isOwn = parts.memory?.owns(channel, requesterId, Number(note)) === true;
  return refuseTarget(note == null || isOwn ? null : "not_own_note");
}

/**
 * Finds the viewers with a login or display name. Asks Twitch who has the login, unless exactly one viewer wrote here
 * with it within a day. Empty for a text that can be no login; null if Twitch gives no answer.
 */
async function findPeople(parts: GatherParts, channel: string, written: string) {
  const login = loginOf(written);
  const seen = parts.people.named(channel, login === null ? [] : [login]);
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
