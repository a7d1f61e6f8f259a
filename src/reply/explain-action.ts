import {
  type Decision,
  decide,
  type Facts,
  findAction,
  judgeRules,
  type RuleName,
} from "../actions/action-policy.ts";
import { type Command, CommandReader } from "../actions/direct-command.ts";
import type { ActionRequest, ActionTurn, GatherParts } from "../actions/gather.ts";
import { findTarget, gatherFacts } from "../actions/gather.ts";
import { Ledger } from "../actions/ledger-store.ts";
import { writeQuestion } from "../actions/wording.ts";
import { ACTIONS, type ActionName } from "../catalogue/actions.ts";
import { ChannelStore } from "../chat/channel-store.ts";
import { EventLookups } from "../chat/event-reads-store.ts";
import { type Person, parseLogin } from "../chat/people.ts";
import { openPeopleStore } from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import type { Db } from "../database/open-database.ts";
import { SwitchStore } from "../database/runtime-store.ts";
import { parseAction, type RawArgs } from "../language/action-syntax.ts";
import { makeFence } from "../language/fence.ts";
import { openConfiguredGuard } from "./reply-service.ts";

/** The supposed turn, as the operator describes it. */
export interface RequesterInput {
  readonly as: "viewer" | "moderator" | "streamer";
  /** The requester's message. Default: one that asks for the action without a command. */
  readonly words?: string;
}

type RuleVerdict = ReturnType<typeof judgeRules>[number];

/** One line of an explanation. */
interface ExplainedRule extends RuleVerdict {
  /** True for the rule that decides. */
  readonly isDeciding: boolean;
  /** The assumption behind its verdict; null if it rests on facts alone. */
  readonly assumed: string | null;
}

export interface Explanation {
  readonly decision: Decision;
  readonly rules: readonly ExplainedRule[];
  /** The question to the requester; null if there is none. */
  readonly question: string | null;
  /** The target; null if it is unknown. */
  readonly target: { readonly userId: string; readonly displayName: string } | null;
}

/**
 * Explains, rule by rule, how the policy would decide on an action in the first channel. Sends and writes nothing.
 * `span`: the action as the model writes it; a malformed one is explained too. `requester`: who asks for it. `db`: an
 * empty database if the bot never ran.
 */
export async function explainAction(
  span: string,
  requester: RequesterInput,
  config: Config,
  db: Db,
): Promise<Explanation> {
  const { facts, assumed, asked, parts } = await supposeFacts(span, requester, config, db);
  const proposal = { parsed: asked.parsed, index: 0 };
  const all = judgeRules(proposal, facts);
  const deciding = all.findIndex(({ verdict }) => verdict !== "passes" && verdict !== "not_judged");
  const decision = decide(proposal, facts);
  const person = facts.target?.person ?? null;
  return {
    decision,
    target: person === null ? null : { userId: person.userId, displayName: person.displayName },
    question:
      decision.kind === "hold" && decision.waitsFor === "requester"
        ? writeQuestion(parts, decision.settled, asked, person?.login)
        : null,
    rules: all.map((rule, index) => ({
      ...rule,
      isDeciding: index === deciding,
      assumed: rule.verdict === "not_judged" ? null : (assumed[rule.rule] ?? null),
    })),
  };
}

/** A supposed turn with a proposal. `assumed` has an assumption for each rule that needs one. */
interface SupposedTurn {
  readonly asked: ActionRequest;
  readonly parts: GatherParts;
  readonly facts: Facts;
  readonly assumed: Readonly<Partial<Record<RuleName, string>>>;
}

/** Ids for accounts whose Twitch id is unknown. */
const UNKNOWN_STREAMER = "the streamer";
const UNKNOWN_BOT = "the bot";
/** Before the login of an account that was never seen here. */
const UNSEEN = "whoever is ";
const NOBODY_ASKED = { lastAtMs: null, ignored: 0 };
const CALM = { quote: null, asking: { ...NOBODY_ASKED, isRaid: false } };

/**
 * Collects the facts for a proposed action from the configuration and database. Assumes facts that only a running bot
 * would know; `assumed` names these.
 */
async function supposeFacts(
  span: string,
  { as, words }: RequesterInput,
  config: Config,
  db: Db,
): Promise<SupposedTurn> {
  const written = parseAction(span);
  const name = written.kind === "action" ? findAction(written.name) : null;
  const args = written.kind === "action" ? written.args : {};
  const ids = readIds(config, db);
  const parts = createParts(config, db, ids);
  const turn = makeTurn(as, words, config);
  const ordered = words === undefined ? null : findCommand(words, { name, args }, parts, config);
  const isAssumed = words === undefined && name !== null;
  const command = isAssumed ? { name, args: {}, targetId: null, isExact: true } : ordered;
  // A command says itself how long it lasts.
  const parsed = ordered === null ? written : { kind: "action" as const, ...ordered };
  const asked = { ...turn, span, command, parsed, index: 0 };
  const target = await findTarget(parts, asked);
  const known = gatherFacts(parts, asked, target);
  const person = target?.person ?? null;
  const isUnseen = person?.userId.startsWith(UNSEEN) === true;
  const consent = isAssumed ? { consent: CALM } : {};
  const areIdsKnown = ids.streamer !== UNKNOWN_STREAMER && ids.bot !== UNKNOWN_BOT;
  return {
    asked,
    parts,
    facts: { ...known, mayCall: true, ...consent },
    assumed: {
      ...describeScope(name),
      ...describeTargetAssumed(args, isUnseen),
      ...describeProtected(person, isUnseen, areIdsKnown),
      ...describeConsent(isAssumed, ordered),
      cooldown: "whoever asks did not ask for this lately; all else is from the ledger",
    },
  };
}

/** Makes a turn in the first channel, of an unknown requester. `words`: the requester's message, if known. */
function makeTurn(
  as: RequesterInput["as"],
  words: string | undefined,
  { channels }: Config,
): ActionTurn {
  return {
    channel: channels[0] ?? "",
    replyId: null,
    requesterId: "",
    roles: { broadcaster: as === "streamer", moderator: as === "moderator" },
    isAsked: true,
    words: words === undefined ? [] : [words],
    ...{ messageId: null, eventId: null, repliesTo: null, others: [], shown: [] },
  };
}

type SupposedIds = ReturnType<typeof readIds>;

/** Reads the ids of the streamer and the bot; UNKNOWN_STREAMER and UNKNOWN_BOT if they are not stored. */
function readIds({ bot, channels }: Config, db: Db) {
  const channel = channels[0] ?? "";
  const people = openPeopleStore(db, () => undefined, Date.now);
  const [account] = bot.login === null ? [] : people.withLogin(channel, bot.login);
  return {
    streamer: new ChannelStore(db, Date.now).twitchId(channel) ?? UNKNOWN_STREAMER,
    bot: account?.userId ?? UNKNOWN_BOT,
  };
}

/** Makes parts like a running bot's, over the stored data: they ask Twitch nothing, and make up an unseen account. */
function createParts(config: Config, db: Db, ids: SupposedIds): GatherParts {
  const channel = config.channels[0] ?? "";
  const people = openPeopleStore(db, () => undefined, Date.now);
  const lookups = new EventLookups(db);
  const ledger = new Ledger(db, Date.now);
  const channels = new ChannelStore(db, Date.now);
  const noRoles = { broadcaster: false, moderator: false, vip: false };
  const ownIds = new Map([
    [config.bot.login, ids.bot],
    [channel, ids.streamer],
  ]);
  return {
    config,
    switches: () => new SwitchStore(db, Date.now).read(),
    guard: openConfiguredGuard(config, makeFence("0".repeat(12))),
    ledger: { readRecent: (query) => ledger.readRecent(query), readQuestions: () => NOBODY_ASKED },
    people: {
      ...people,
      findById: (_, id) =>
        id.startsWith(UNSEEN)
          ? { userId: id, login: id, displayName: id, roles: noRoles, lastSeenAtMs: 0 }
          : people.findById(channel, id),
    },
    events: {
      lastDeletableId: (_, id) =>
        id.startsWith(UNSEEN)
          ? "their last message"
          : lookups.lastDeletableId(channel, id, Date.now(), null),
    },
    channels: {
      twitchId: () => ids.streamer,
      language: (name) => channels.language(name),
    },
    api: () => ({
      helix: {
        /** Returns the viewer who was last seen with a login; makes one up if none was. */
        userByLogin: async (login) => {
          const holders = people.withLogin(channel, login);
          const [last] = holders.toSorted((one, other) => other.lastSeenAtMs - one.lastSeenAtMs);
          const userId = last?.userId ?? ownIds.get(login) ?? `${UNSEEN}${login}`;
          return { ok: true, value: { userId, login, displayName: last?.displayName ?? login } };
        },
        call: refuseCall,
      },
      identity: () => ({
        ...{ userId: ids.bot, login: config.bot.login ?? "", clientId: "" },
        ...{ scopes: [], expiresAtMs: null },
      }),
      streamer: null,
    }),
    isRaid: () => false,
    now: Date.now,
    memory: {
      owns: () => true,
      factsOf: () => ["…"],
      remember,
      correct: remember,
      forget: remember,
    },
  };
}

/** Fails as a call to Twitch: an explanation carries nothing out. */
const refuseCall = async () =>
  ({ ok: false, reason: "unauthorised", mayHaveActed: false }) as const;
const remember = () => ({ kind: "done", as: "kept" }) as const;

/**
 * Returns the direct command in the requester's message if it is exact and orders this action. If it names a target,
 * that must be the action's. Else null.
 */
function findCommand(
  text: string,
  { name, args }: { readonly name: ActionName | null; readonly args: RawArgs },
  { people }: GatherParts,
  config: Config,
): Command | null {
  const channel = config.channels[0] ?? "";
  const { bot, actions } = config;
  const reader = new CommandReader({
    names: [bot.login ?? "", ...bot.aliases],
    words: actions.words,
  });
  const seen = (names: readonly string[]) => [
    ...people.candidates(channel, names),
    ...names.flatMap((login) => people.withLogin(channel, login)),
  ];
  const command = reader.readCommand({ text, repliesTo: null }, seen);
  const user = command?.args["user"];
  const isSame = user === undefined || user === parseLogin(args["user"] ?? "");
  return command?.isExact === true && command.name === name && isSame ? command : null;
}

type Assumptions = SupposedTurn["assumed"];

function describeScope(name: ActionName | null): Assumptions {
  const scope = name === null ? null : ACTIONS[name].scope;
  if (name === null || scope === null) return {};
  const account = ACTIONS[name].token === "streamer" ? "your own log-in" : "the bot's log-in";
  return { class: `${account} has the scope ${scope}; only the running bot knows` };
}

function describeTargetAssumed(args: RawArgs, isUnseen: boolean): Assumptions {
  if (isUnseen) return { target: "Twitch knows this login; it was not asked" };
  return "note" in args ? { target: "the note is about whoever asks" } : {};
}

function describeProtected(
  person: Person | null,
  isUnseen: boolean,
  areIdsKnown: boolean,
): Assumptions {
  if (isUnseen) return { protected: "somebody never seen here is an ordinary viewer" };
  if (person === null || areIdsKnown) return {};
  return { protected: "it is neither you nor the bot, whose ids are not known yet" };
}

function describeConsent(isAssumed: boolean, ordered: Command | null): Assumptions {
  if (ordered !== null) return { consent: "their words are a command" };
  const calm = "nobody was asked of late, and chat is calm";
  if (!isAssumed) return { consent: calm };
  const requester = "their words name whom it is about";
  return { requester, consent: `their words hold a quote for it, and ${calm}` };
}
