import type { Facts, RuleName } from "../actions/action-policy.ts";
import { actionNamed, CATALOGUE } from "../actions/catalogue.ts";
import { type Command, commandReader } from "../actions/command.ts";
import { type Parsed, parseAction } from "../actions/grammar.ts";
import { ledgerStore } from "../actions/ledger-store.ts";
import { quoteRefusal, textsOf } from "../actions/own-words.ts";
import { type PeopleStore, peopleStore } from "../actions/people-store.ts";
import { loginOf, type Person, resolveTarget } from "../actions/resolve.ts";
import { namedIn, saidLength } from "../actions/said-words.ts";
import { channelStore } from "../chat/channel-store.ts";
import { makeFence } from "../language/fence.ts";
import { type Sayings, sayingsOf } from "../language/languages.ts";
import type { Config } from "../platform/config/load.ts";
import type { ActionName } from "../platform/config/names.ts";
import { botNames } from "../platform/config/personas.ts";
import type { Db } from "../platform/database/open-database.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import { configuredGuard } from "../reply/configured-guard.ts";

export interface Where {
  readonly config: Config;
  /** null where the bot never ran. */
  readonly db: Db | null;
}

/** What an operator says of the turn. */
export interface Asker {
  readonly as: "viewer" | "moderator" | "streamer";
  /** Whom it would be done to, where that is not whom the line names. */
  readonly target?: string;
  /** What the requester would have said. */
  readonly words?: string;
}

/** The turn in which a proposal would come: what is known of it, and what is only taken for granted, by rule. */
export interface Supposed {
  readonly facts: Facts;
  readonly assumed: Readonly<Partial<Record<RuleName, string>>>;
  /** What code would say. */
  readonly says: Sayings;
}

type Known = Supposed["facts"];
type Assumed = Supposed["assumed"];

/** Stand for ids that nobody has told yet. */
const UNKNOWN_STREAMER = "the streamer";
const UNKNOWN_BOT = "the bot";
const NEVER_RAN = {
  actionAtMs: null,
  targetAtMs: null,
  requesterAtMs: null,
  runsThisHour: 0,
  runsThisStream: 0,
};

/**
 * The facts of a turn in which a line would be proposed: from the configuration and the database as they are now,
 * and, where only a running bot or the turn itself could tell, what is taken for granted.
 */
export function suppose(span: string, asker: Asker, where: Where): Supposed {
  const parsed = parseAction(span);
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  const ids = idsOf(where);
  const meant = whoIsMeant(parsed, name, asker, { ...where, ids });
  const says = saysIn(where);
  const said = saidOf(parsed, name, asker, { ...meant, config: where.config, says });
  const recent = recentOf(name, meant.target, where);
  return {
    facts: {
      nowMs: Date.now(),
      policy: where.config.actions,
      switches: switchesOf(where),
      mayCall: true,
      target: said.isNamed ? meant.target : { kind: "refused", reason: "not_named" },
      untouchable: { streamerId: ids.streamerId, botId: ids.botId },
      requester: asker.as,
      isAsked: true,
      recent,
      isApproved: false,
      ...said.facts,
    },
    says,
    assumed: {
      ...scopeAssumed(name),
      ...meant.assumed,
      ...said.assumed,
      cooldown:
        where.db === null
          ? "the bot never ran here"
          : "whoever asks did not ask for this lately; all else is from the ledger",
    },
  };
}

function switchesOf({ db }: Where): Known["switches"] {
  return db === null ? { paused: false, safeMode: false } : switchStore(db, Date.now).read();
}

function scopeAssumed(name: ActionName | null): Assumed {
  const scope = name === null ? null : CATALOGUE[name].scope;
  if (name === null || scope === null) return {};
  const whose = CATALOGUE[name].token === "streamer" ? "your own log-in" : "the bot's log-in";
  return { class: `${whose} has the scope ${scope}; only the running bot knows` };
}

interface Meant {
  readonly target: Known["target"];
  readonly people: readonly Person[];
  readonly assumed: Assumed;
}

function whoIsMeant(
  parsed: Parsed,
  name: ActionName | null,
  { target: named }: Asker,
  where: Where & { readonly ids: Ids },
): Meant {
  const args = parsed.kind === "action" ? parsed.args : {};
  if (name === null || CATALOGUE[name].target === "none") {
    const assumed = "note" in args ? { target: "the note is about whoever asks" } : {};
    return { target: { kind: "none" }, people: [], assumed };
  }
  const written = named ?? args["user"] ?? "";
  const { all, isStrange } = candidates(loginOf(written), where);
  const resolved = resolveTarget(written, all);
  if (resolved.kind === "refused") return { target: resolved, people: all, assumed: {} };
  const { person } = resolved;
  const messageId = isStrange ? "their last message" : lastMessageOf(person, where);
  return {
    target: { kind: "found", person, messageId },
    people: all,
    assumed: {
      ...(isStrange ? { target: "Twitch knows this login; it was not asked" } : {}),
      ...protectedAssumed(isStrange, where.ids),
    },
  };
}

/** All whom a login may mean; with somebody made up where nobody was ever seen with it. */
function candidates(
  login: string | null,
  where: Where & { readonly ids: Ids },
): { readonly all: readonly Person[]; readonly isStrange: boolean } {
  const channel = channelOf(where.config);
  const people = where.db === null ? null : peopleFor(where.db);
  const seen = people?.speakers(channel) ?? [];
  if (login === null) return { all: seen, isStrange: false };
  const holders = people?.withLogin(channel, login) ?? [];
  const isStrange = holders.length === 0;
  return { all: [...seen, ...(isStrange ? [stranger(login, where)] : holders)], isStrange };
}

function lastMessageOf({ userId }: Person, { config, db }: Where): string | null {
  return db === null ? null : peopleFor(db).lastMessageId(channelOf(config), userId, null);
}

function protectedAssumed(isStrange: boolean, { isKnown }: Ids): Assumed {
  if (isStrange) return { protected: "somebody never seen here is an ordinary viewer" };
  return isKnown ? {} : { protected: "it is neither you nor the bot, whose ids are not known yet" };
}

function stranger(login: string, { config, ids }: Where & { readonly ids: Ids }): Person {
  const known = new Map([
    [channelOf(config), ids.streamerId],
    [config.bot.login ?? "", ids.botId],
  ]);
  const roles = { broadcaster: false, moderator: false, vip: false };
  return { userId: known.get(login) ?? `whoever is ${login}`, login, displayName: login, roles };
}

interface Said {
  readonly facts: Pick<Known, "texts" | "saidSeconds" | "consent">;
  readonly isNamed: boolean;
  readonly assumed: Assumed;
}

const NOBODY_ASKED = { isRaid: false, isOpen: false, lastAtMs: null, ownVain: 0, allVain: 0 };

/** What hangs on the requester's words: as they are given, or what suits the line. */
function saidOf(
  parsed: Parsed,
  name: ActionName | null,
  { words: given }: Asker,
  {
    target,
    people,
    config,
    says,
  }: Pick<Meant, "target" | "people"> & Pick<Where, "config"> & { readonly says: Sayings },
): Said {
  const guard = configuredGuard(config, makeFence("0".repeat(12)));
  const voice = { guard, says, warnReason: config.actions.warnReason };
  const args = parsed.kind === "action" ? parsed.args : {};
  const words = given === undefined ? null : [given];
  const texts = name === null ? null : textsOf(name, args, words, voice);
  const asking = { consent: "nobody was asked of late, and chat is calm" };
  if (words === null || name === null) {
    const facts = { texts, saidSeconds: null, consent: { quote: null, asking: NOBODY_ASKED } };
    const consent = `their words hold a quote for it, and ${asking.consent}`;
    const named = "their words name whom it is about; try --words";
    return { facts, isNamed: true, assumed: { requester: named, consent } };
  }
  const command = commandIn(words[0] ?? "", name, people, config);
  const quote = quoteRefusal(args, words, []);
  const seconds = command?.args["seconds"];
  return {
    facts: {
      texts,
      saidSeconds: seconds === undefined ? saidLength(words) : Number(seconds),
      consent: command === null ? { quote, asking: NOBODY_ASKED } : "given",
    },
    isNamed:
      target?.kind !== "found" ||
      namedIn(words, [target.person, ...people]).has(target.person.userId),
    assumed: command === null ? asking : { consent: "their words are a command" },
  };
}

/** What the words order, said to the bot, where that is this action. */
function commandIn(
  text: string,
  name: ActionName,
  people: readonly Person[],
  config: Config,
): Command | null {
  const login = config.bot.login ?? "";
  const names = botNames(config, channelOf(config));
  const reader = commandReader({ login, names, words: config.actions.words });
  const command = reader.command({ text, repliesTo: null }, () => people);
  return command?.name === name ? command : null;
}

function saysIn({ config, db }: Where): Sayings {
  const channel = channelOf(config);
  const told = db === null ? null : channelStore(db, Date.now).language(channel);
  return sayingsOf(config.language ?? told);
}

interface Ids {
  readonly streamerId: string;
  readonly botId: string;
  readonly isKnown: boolean;
}

function idsOf({ config, db }: Where): Ids {
  const { login } = config.bot;
  const channel = channelOf(config);
  const [bot] = db === null || login === null ? [] : peopleFor(db).withLogin(channel, login);
  const streamerId = db === null ? null : channelStore(db, Date.now).twitchId(channel);
  return {
    streamerId: streamerId ?? UNKNOWN_STREAMER,
    botId: bot?.userId ?? UNKNOWN_BOT,
    isKnown: streamerId !== null && bot !== undefined,
  };
}

/** How often it ran of late; who asks is made up, so nothing of theirs counts. */
function recentOf(
  action: ActionName | null,
  target: Known["target"],
  { config, db }: Where,
): Known["recent"] {
  if (action === null || db === null) return NEVER_RAN;
  return ledgerStore(db, Date.now).recent({
    channel: channelOf(config),
    action,
    targetId: target?.kind === "found" ? target.person.userId : null,
    requestedBy: "",
    exceptId: null,
  });
}

function channelOf({ channels }: Config): string {
  return channels[0] ?? "";
}

function peopleFor(db: Db): PeopleStore {
  return peopleStore(db, () => undefined, Date.now);
}
