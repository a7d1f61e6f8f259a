import { ACTIONS, type ActionArg } from "../catalogue/actions.ts";
import { loginOf, type Person, resolveTarget } from "../chat/people.ts";
import type { PeopleStore } from "../chat/viewer-store.ts";
import { fold } from "../language/fold.ts";
import type { Sayings } from "../language/languages.ts";
import { findVerbatim } from "../language/words.ts";
import { requestRefusal } from "../memory/evidence.ts";
import type { HelixResult } from "../twitch/helix.ts";
import type { Settled, TargetFact, WaitsFor, Written } from "./action-policy.ts";
import { actionIn, type Facts, type Proposal } from "./action-policy.ts";
import { readCall, textKeys } from "./calls.ts";
import type { Command } from "./direct-command.ts";
import { type ExecuteParts, mayCall } from "./execute.ts";
import type { Ledger } from "./ledger-store.ts";

/** Where facts come from, as they are now. A source that throws gives a fact that is not known. */
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

/** The turn in which an action was proposed, or the message that is a command. */
export interface ActionTurn {
  readonly channel: string;
  readonly replyId: number | null;
  readonly requesterId: string;
  /** The requester's roles by their message; missing: as last seen. */
  readonly roles?: { readonly broadcaster: boolean; readonly moderator: boolean };
  /** False if nobody asked: the bot joined in by chance. */
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

/** An action that was asked about, with its row of the ledger: target, message and length are fixed. */
export type Fixed = Readonly<{
  id: number;
  person: Person | null;
  waitsFor: WaitsFor;
  settled: Settled;
}>;

/**
 * Reads everything that a decision depends on, at this moment. The caller must write its decision down before it awaits
 * anything; otherwise two requests would read the same facts, and both would run.
 */
export function factsNow(
  parts: GatherParts,
  asked: ActionRequest,
  found: TargetFact | null,
  fixed?: Fixed,
): Facts {
  const { channel, requesterId: requestedBy, isAsked, command } = asked;
  const action = actionIn(asked);
  const known = <T>(find: (of: Written) => T) => readOrNull(() => action && find(action));
  /** The viewer as they are now; the message stays. */
  const fixedTarget = ({ person, settled }: Fixed) => {
    const now = person && (parts.people.byId(channel, person.userId) ?? person);
    return { ...targetOf(parts, asked, now), messageId: settled.messageId };
  };
  const target = fixed === undefined ? found : readOrNull(() => fixedTarget(fixed));
  const streamerId = readOrNull(() => parts.streamerId(channel));
  const botId = readOrNull(() => parts.logins.bot.identity()?.userId ?? null);
  const targetId = target?.person?.userId ?? null;
  const run = { channel, targetId, requestedBy, exceptId: fixed?.id ?? null };
  // The texts of a command, and of a confirmed question, are the requester's.
  const isGiven = command?.isExact === true || fixed !== undefined;
  const roles =
    asked.roles ?? readOrNull(() => parts.people.byId(channel, requestedBy)?.roles ?? null);
  const rank = roles?.moderator ? "moderator" : "viewer";
  const isStreamer = requestedBy === streamerId || roles?.broadcaster === true;
  return {
    nowMs: parts.now(),
    policy: parts.policy(),
    switches: readOrNull(parts.switches),
    mayCall: known(({ name }) => mayCall(name, parts, channel)),
    texts: known((of) => textsOf(of, asked, isGiven, parts)),
    target,
    untouchable: streamerId === null || botId === null ? null : { streamerId, botId },
    requester: isStreamer ? "streamer" : roles && rank,
    isAsked,
    recent: known(({ name }) => parts.ledger.recent({ ...run, action: name })),
    consent: isGiven
      ? "given"
      : known(({ name, args: { fact = "", quote = "" } }) => {
          const isMemory = ACTIONS[name].class === "memory";
          const asking = parts.ledger.asking({ channel, requestedBy, isMemory });
          return {
            quote: requestRefusal(fact, quote, asked.words, asked.others),
            asking: { ...asking, isRaid: parts.isRaid(channel) },
          };
        }),
    isApproved: fixed?.waitsFor === "streamer",
  };
}

/** Changes of the guard that show that a text was to be more than a text. */
const SUSPECT_CHANGES = new Set(["action", "thought", "lead"]);
const YES_OR_NO = /^\s*yes\s*\|\s*no\s*$/iu;

/**
 * Returns the arguments with texts that may be sent: in the requester's own words, unless the requester gave them, and
 * passed by the guard. A text in other words is left out if it may be missing.
 */
function textsOf(
  { name, args }: Written,
  asked: ActionRequest,
  isTheirs: boolean,
  parts: GatherParts,
) {
  const action = ACTIONS[name];
  const isFree = isTheirs || action.consent === "quote";
  const sent: Record<string, string> = { ...args };
  const says = parts.says(asked.channel);
  const passGuard = (text: string): string | null => {
    const verdict = parts.guard(text);
    const isClean = verdict.ok && !verdict.removed.some((change) => SUSPECT_CHANGES.has(change));
    return isClean ? verdict.text : null;
  };
  for (const key of textKeys(name)) {
    const [arg, written = ""] = [action.args[key], args[key]];
    const isDroppable = arg?.kind === "text" ? !arg.isNeeded : YES_OR_NO.test(written);
    const own = isFree ? written : inParts(written, (part) => findVerbatim(part, asked.words));
    if (written !== "" && own === null && !isDroppable) return "not_verbatim";
    const cleared = own && inParts(own, passGuard);
    if (own && cleared === null) return "guard";
    sent[key] = cleared || usualText(arg, says);
  }
  return Object.fromEntries(Object.entries(sent).filter(([, text]) => text !== ""));
}

/** Returns the bot's own words for a missing text; "" if it has none. */
function usualText(arg: ActionArg | undefined, says: Sayings): string {
  if (arg?.kind === "choices") return `${says.pollYes}|${says.pollNo}`;
  return arg?.kind === "text" && arg.usual ? says[arg.usual] : "";
}

/** Changes each part of a text; null if a part becomes null. */
function inParts(written: string, change: (part: string) => string | null): string | null {
  const parts = written.split("|").map(change);
  return parts.includes(null) ? null : parts.join("|");
}

/**
 * Finds the target: by id if a command has it, else by the name that was written, if the requester named that viewer too.
 * Null if it cannot be found out.
 */
export async function findTarget(
  parts: GatherParts,
  asked: ActionRequest,
): Promise<TargetFact | null> {
  const { channel, command, words, repliesTo } = asked;
  const action = actionIn(asked);
  if (action === null) return null;
  const commanded = command?.targetId == null ? null : parts.people.byId(channel, command.targetId);
  if (commanded !== null || ACTIONS[action.name].target === "none")
    return targetOf(parts, asked, commanded);
  const written = action.args["user"] ?? "";
  const people = await peopleNamed(parts, channel, written);
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
  return isNamed ? targetOf(parts, asked, person) : refuseTarget("not_named");
}

const LINE_CHARS_MAX = 500;

function refuseTarget(reason: TargetFact["refused"]): TargetFact {
  return { person: null, messageId: null, refused: reason };
}

/** Adds the message that was replied to, or the target's last one. A note must be the requester's own. */
function targetOf(parts: GatherParts, asked: ActionRequest, person: Person | null): TargetFact {
  const { channel, requesterId, eventId, repliesTo } = asked;
  if (person !== null) {
    const isTheirs = repliesTo?.userId === person.userId;
    const last = () => parts.people.lastMessageId(channel, person.userId, eventId);
    return { person, messageId: isTheirs ? repliesTo.messageId : last(), refused: null };
  }
  const action = actionIn(asked);
  const note = action && readCall(action.name, action.args)?.args["note"];
  const isOwn = parts.memory?.owns(channel, requesterId, Number(note)) === true;
  return refuseTarget(note == null || isOwn ? null : "not_own_note");
}

/**
 * Returns the viewers whom a name may mean. Asks Twitch who has the login, unless exactly one viewer wrote here with it
 * within a day. Null: no answer.
 */
async function peopleNamed(parts: GatherParts, channel: string, written: string) {
  const login = loginOf(written);
  const seen = parts.people.named(channel, login === null ? [] : [login]);
  const others = seen.filter((person) => person.login !== login);
  if (login === null || seen.length === others.length + 1) return seen;
  const asked = await parts.findUser(login);
  if (!asked.ok) return asked.reason === "not_found" ? others : null;
  const roles = parts.people.byId(channel, asked.value.userId)?.roles ?? null;
  return [...others, { ...asked.value, login: asked.value.login.toLowerCase(), roles }];
}

/** Returns the value of `work`, or null if it throws: the database or Twitch failed, and nothing else may stop because of that. */
export function readOrNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
