import { actionNamed, CATALOGUE } from "../actions/catalogue.ts";
import { findEcho } from "../actions/echo.ts";
import type { Supposed } from "../actions/explain-decision.ts";
import { type Parsed, parseAction } from "../actions/grammar.ts";
import { ledgerStore } from "../actions/ledger-store.ts";
import { type PeopleStore, peopleStore } from "../actions/people-store.ts";
import { loginOf, type Person, resolveTarget } from "../actions/resolve.ts";
import { saidSeconds } from "../actions/said-seconds.ts";
import { type Wish, wishOf } from "../actions/wish.ts";
import { channelStore } from "../chat/channel-store.ts";
import type { Config } from "../platform/config/load.ts";
import type { ActionName } from "../platform/config/names.ts";
import { botNames } from "../platform/config/personas.ts";
import type { Db } from "../platform/database/open-database.ts";
import { switchStore } from "../platform/database/switches-store.ts";

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
  const said = saidOf({ parsed, span }, name, asker, { ...meant, config: where.config });
  const recent = recentOf(name, meant.target, where);
  return {
    facts: {
      nowMs: Date.now(),
      policy: where.config.actions,
      switches: switchesOf(where),
      mayCall: true,
      target: meant.target,
      untouchable: { streamerId: ids.streamerId, botId: ids.botId },
      requester: asker.as,
      isAsked: true,
      recent,
      ...said.facts,
    },
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
  return db === null ? null : peopleFor(db).lastMessageId(channelOf(config), userId);
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
  readonly facts: Pick<Known, "wish" | "saidSeconds" | "echo">;
  readonly assumed: Assumed;
}

/** What hangs on the requester's words: as they are given, or what suits the line. */
function saidOf(
  { parsed, span }: { readonly parsed: Parsed; readonly span: string },
  name: ActionName | null,
  { words: given }: Asker,
  { target, people, config }: Pick<Meant, "target" | "people"> & Pick<Where, "config">,
): Said {
  const nothingAlike = "nothing alike stands in chat, notes or titles";
  if (given === undefined || name === null || parsed.kind === "malformed") {
    const facts = { wish: "said", saidSeconds: null, echo: "none" } as const;
    const requester = "they ask for it in words of their own; try --words";
    return { facts, assumed: { requester, echo: nothingAlike } };
  }
  const words = [given];
  const wish: Wish = wishOf(name, parsed.args, {
    words,
    repliesToId: null,
    ownNames: botNames(config, channelOf(config)),
    target: target?.kind === "found" ? target.person : null,
    people,
  });
  const turn = { requesterId: "", words, untrusted: [{ userId: "", text: given }] };
  const echo = findEcho(span, parsed, turn, wish);
  return {
    facts: { wish, saidSeconds: saidSeconds(words), echo },
    assumed: { echo: `beside these words ${nothingAlike}` },
  };
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
