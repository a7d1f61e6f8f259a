import { existsSync } from "node:fs";
import { actionNamed, CATALOGUE } from "../actions/catalogue.ts";
import { type Explanation, explainLine, type Supposed } from "../actions/explain.ts";
import { parseAction } from "../actions/grammar.ts";
import { ledgerStore } from "../actions/ledger-store.ts";
import { type PeopleStore, peopleStore } from "../actions/people-store.ts";
import { loginOf, type Person, resolveTarget } from "../actions/resolve.ts";
import { type Config, loadConfig } from "../config/load.ts";
import type { ActionName } from "../config/names.ts";
import { type Db, openDatabase } from "../db/open.ts";
import { switchStore } from "../db/switches-store.ts";
import { channelStore } from "../events/channel-store.ts";
import { configuredGuard } from "../reply/configured-guard.ts";
import { makeFence } from "../text/fence.ts";
import type { Terminal } from "./terminal.ts";

export interface ExplainOptions {
  readonly config: string;
  readonly as: "viewer" | "moderator" | "streamer";
  readonly target?: string;
  readonly json?: true;
}

/** Stand for ids that nobody has told yet. */
const UNKNOWN_STREAMER = "the streamer";
const UNKNOWN_BOT = "the bot";

/** Shows how a line that the model may write would be decided, rule by rule. Sends nothing, writes nothing. */
export function explainAction(span: string, options: ExplainOptions, terminal: Terminal): void {
  const config = loadConfig(options.config);
  const db = existsSync(config.databaseFile)
    ? openDatabase(config.databaseFile, { readOnly: true })
    : null;
  try {
    const supposed = suppose(span, options, { config, db });
    const guard = configuredGuard(config, makeFence("0".repeat(12)));
    const explained = explainLine(span, supposed, guard);
    terminal.print(
      options.json === true
        ? JSON.stringify(explained, null, 2)
        : textOf(explained, supposed, options.as),
    );
  } finally {
    db?.close();
  }
}

interface Where {
  readonly config: Config;
  /** null where the bot never ran. */
  readonly db: Db | null;
}

function suppose(
  span: string,
  { as, target: named }: ExplainOptions,
  { config, db }: Where,
): Supposed {
  const parsed = parseAction(span);
  const name = parsed.kind === "action" ? actionNamed(parsed.name) : null;
  const written = named ?? (parsed.kind === "action" ? (parsed.args["user"] ?? "") : "");
  const untouchable = idsOf({ config, db });
  const target =
    name === null || CATALOGUE[name].target === "none"
      ? ({ kind: "none" } as const)
      : targetOf(written, untouchable, { config, db });
  return {
    nowMs: Date.now(),
    policy: config.actions,
    switches: db === null ? { paused: false, safeMode: false } : switchStore(db, Date.now).read(),
    mayCall: true,
    target,
    untouchable,
    requester: as,
    echo: "none",
    isAsked: true,
    isOwnWish: true,
    recent: recentOf(name, target, { config, db }),
  };
}

/** Whom code would find under a name; where the bot never saw them, an ordinary viewer is supposed. */
function targetOf(written: string, ids: Ids, { config, db }: Where): Supposed["target"] {
  const channel = channelOf(config);
  const login = loginOf(written);
  const people = db === null ? null : peopleFor(db);
  const seen = people === null ? [] : people.speakers(channel);
  const named = people === null || login === null ? [] : people.withLogin(channel, login);
  const all: Person[] = [...seen, ...named];
  if (login !== null && named.length === 0) all.push(stranger(login, ids, config));
  const resolved = resolveTarget(written, all);
  if (resolved.kind === "refused") return resolved;
  const { person } = resolved;
  const messageId = people?.lastMessageId(channel, person.userId) ?? "their last message";
  return { kind: "found", person, messageId, isNamed: true };
}

function stranger(login: string, { streamerId, botId }: Ids, config: Config): Person {
  const ids = new Map([
    [channelOf(config), streamerId],
    [config.bot.login ?? "", botId],
  ]);
  const roles = { broadcaster: false, moderator: false, vip: false };
  return { userId: ids.get(login) ?? `whoever is ${login}`, login, displayName: login, roles };
}

interface Ids {
  readonly streamerId: string;
  readonly botId: string;
}

function idsOf({ config, db }: Where): Ids {
  const { login } = config.bot;
  const channel = channelOf(config);
  const bot = db === null || login === null ? [] : peopleFor(db).withLogin(channel, login);
  const streamerId = db === null ? null : channelStore(db, Date.now).twitchId(channel);
  return { streamerId: streamerId ?? UNKNOWN_STREAMER, botId: bot[0]?.userId ?? UNKNOWN_BOT };
}

/** How often it ran of late; who asks is made up, so nothing of theirs counts. */
function recentOf(
  action: ActionName | null,
  target: Supposed["target"],
  { config, db }: Where,
): Supposed["recent"] {
  if (action === null || db === null) return NEVER_RAN;
  return ledgerStore(db, Date.now).recent({
    channel: channelOf(config),
    action,
    targetId: target?.kind === "found" ? target.person.userId : null,
    requestedBy: "",
    exceptId: null,
  });
}

const NEVER_RAN = {
  actionAtMs: null,
  targetAtMs: null,
  requesterAtMs: null,
  runsThisHour: 0,
  runsThisStream: 0,
};

function channelOf({ channels }: Config): string {
  return channels[0] ?? "";
}

function peopleFor(db: Db): PeopleStore {
  return peopleStore(db, () => undefined, Date.now);
}

function textOf({ decision, rules }: Explanation, { target }: Supposed, as: string): string {
  const lines = rules.map(
    ({ rule, verdict, isDeciding }) => `${isDeciding ? "→" : " "} ${rule.padEnd(10)} ${verdict}`,
  );
  return [...lines, "", verdictOf(decision), supposedOf(target, as)].join("\n");
}

function verdictOf(decision: Explanation["decision"]): string {
  if (decision.kind === "refuse") return `refuse (${decision.reason})`;
  const { call } = decision.settled;
  return `${decision.kind} (${decision.reason}): ${call.name} ${JSON.stringify(call.args)}`;
}

function supposedOf(target: Supposed["target"], as: string): string {
  const whom =
    target?.kind === "found"
      ? `, and names ${target.person.displayName} (${target.person.userId})`
      : "";
  return `Supposed: a ${as} asks for it in plain words of their own${whom}; the log-in has every scope.`;
}
