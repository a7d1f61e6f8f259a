import { collectKeys, findKey, findProvider } from "../catalogue/providers.ts";
import { SECRET_VARIABLES } from "../config/environment.ts";
import { type Config, refuseMute } from "../config/load.ts";
import { loadSecrets, stripTokenPrefix } from "../config/secrets.ts";
import { attempt } from "../errors.ts";
import type { LlmFailure } from "../models/model-port.ts";
import { askProbe, type Probe } from "../models/open-model.ts";
import type { Advice } from "../models/reasons.ts";
import { refuseTightBudget } from "../reply/assemble.ts";
import {
  ELSEWHERE,
  type ExaminedBot,
  NETWORK_FIX,
  notChecked,
  ok,
  problem,
  type Seen,
  UNREAD,
  warning,
} from "./check.ts";

const EXAMPLE_CHANNEL = "yourchannel";

/** Checks that the bot could start with this configuration and a log-in. Warns about keys without effect. */
export function checkConfig({ config }: ExaminedBot): Seen[] {
  const { bot, channels, mode, removedKeys } = config;
  // The log-in is another check.
  const token = { accessToken: "", refreshToken: null };
  const secrets = { twitch: token, streamer: null, ...collectKeys(() => null) };
  const found = [
    ...collectFaults(() => refuseMute(config, secrets)),
    ...collectFaults(() => refuseTightBudget(config, 1)),
  ];
  if (channels.includes(EXAMPLE_CHANNEL)) {
    const fix = "set channel to the name at the end of your channel's address on Twitch";
    found.push(problem(`channel is ${EXAMPLE_CHANNEL}, as in the example`, fix));
  }
  if (found.length === 0) {
    const places = channels.map((one) => `#${one}`).join(", ");
    const botName = bot.login ?? "an anonymous listener";
    found.push(ok(`it is valid: ${botName} in ${places}, mode ${mode}`));
  }
  if (removedKeys.length > 0) {
    const removed = removedKeys.join(", ");
    found.push(warning(`these keys have no effect any more: ${removed}`, "delete them"));
  }
  return found;
}

/** Runs `work`. Returns each line of the Fault that it throws as a problem; none if it throws none. */
function collectFaults(work: () => void): Seen[] {
  const { fault } = attempt(work);
  const lines = fault?.message.split("\n") ?? [];
  return lines.map((line) => problem(line, fault?.fix));
}

type Name = keyof typeof SECRET_VARIABLES;

const NAMES = Object.keys(SECRET_VARIABLES) as Name[];
const NOT_TOKEN_LIKE = /^["'“‘«]|["'”’»]$|\s/;

/**
 * Lists the names of the secrets that the bot would use, by where each comes from. An unusable secrets.json is a problem.
 * Warns about variables with a space or a quotation mark.
 */
export function checkSecrets({ config, environment }: ExaminedBot): Seen[] {
  // Perhaps a shell kept quotation marks, or the user pasted a space.
  const odd = NAMES.filter((name) => NOT_TOKEN_LIKE.test(environment[name] ?? "")).map((name) =>
    warning(
      `${SECRET_VARIABLES[name]} contains a quotation mark or a space, as no token or key does`,
      "set it again, without quotation marks around it",
    ),
  );
  const { value: secrets, fault } = attempt(() => loadSecrets(config.dataDir, environment));
  if (fault !== null)
    return [...fault.message.split("\n").map((line) => problem(line, fault.fix)), ...odd];
  const { twitch, streamer } = secrets;
  const used: Record<Name, string | null> = {
    twitchAccessToken: twitch?.accessToken ?? null,
    twitchRefreshToken: twitch?.refreshToken ?? null,
    twitchStreamerAccessToken: streamer?.accessToken ?? null,
    twitchStreamerRefreshToken: streamer?.refreshToken ?? null,
    ...collectKeys((name) => secrets[name]),
  };
  const given: string[] = [];
  const saved: string[] = [];
  for (const name of NAMES) {
    const value = used[name];
    if (value === null) continue;
    const isGiven = value === stripTokenPrefix(environment[name] ?? "");
    (isGiven ? given : saved).push(SECRET_VARIABLES[name]);
  }
  const found: string[] = [];
  if (given.length > 0) found.push(`from the environment: ${given.join(", ")}`);
  if (saved.length > 0) found.push(`from secrets.json: ${saved.join(", ")}`);
  return [ok(found.join("; ") || "none, neither in the environment nor saved"), ...odd];
}

/**
 * Asks each model of the configuration one question, to see whether it answers; the reranker's only if it is on. A
 * missing key that the provider needs is a problem, or `not_checked` if the bot runs; then it asks none.
 */
export async function checkModel(bot: ExaminedBot): Promise<Seen[]> {
  const { config, secrets, running, now, stop } = bot;
  const { llm, prompt } = config;
  if (secrets === null) return [UNREAD];
  const provider = findProvider(llm.provider);
  if (provider === null) return [ok("none is asked: recorded answers")];
  const { variable, isNeeded, page } = provider.key;
  if (isNeeded && findKey(provider, secrets) === null) {
    if (running)
      return [notChecked(`no key is set here; the running bot may have one: ${ELSEWHERE}`)];
    const fix = `get a key${page === null ? "" : ` at ${page}`}, and save it with \`forgetmenot setup\` or set ${variable}`;
    return [problem(`there is no key for ${provider.label} (${variable})`, fix)];
  }
  const { reply, summarise, extract, rerank } = llm.models;
  const isReranked = config.memory.recall.rerank !== "off";
  // Each model once, the one that answers in chat first.
  const models = new Set(
    [reply, summarise, extract, isReranked ? rerank : reply].map((name) => name ?? llm.model),
  );
  const { budgetTokens } = prompt;
  const probes = await Promise.all(
    [...models].map((model) => {
      const asked = { ...llm, models: { ...llm.models, reply: model } };
      return askProbe({ config: asked, apiKeys: secrets, budgetTokens, now, signal: stop });
    }),
  );
  return probes.flatMap((probe) => judgeProbe(probe, llm));
}

function judgeProbe(probe: Probe, llm: Config["llm"]): Seen[] {
  if (!probe.ok) {
    const { found, fix } = adviseOnModel(probe, llm);
    return [probe.failure === "rate_limit" ? warning(found, fix) : problem(found, fix)];
  }
  const seconds = (probe.latencyMs / 1_000).toFixed(1);
  // A warning names its fix in the second sentence.
  const warnings = probe.warnings.map((text) => {
    const [found = "", ...fix] = text.split(/(?<=\.) /);
    return warning(found.replace(/\.$/, ""), fix.join(" ").replace(/\.$/, ""));
  });
  return [ok(`${probe.model} answers, after ${seconds} s`), ...warnings];
}

/** Returns why a model gave no answer, and the fix, each in one line. */
export function adviseOnModel(
  {
    failure,
    model,
    detail,
    advice,
  }: { failure: LlmFailure; model: string; detail: string; advice: Advice | null },
  { provider }: Config["llm"],
): { readonly found: string; readonly fix: string } {
  const [words, fix] = ADVICE[failure] ?? [`failed (${failure})`, "try again"];
  const key = findProvider(provider)?.key.variable ?? "the key";
  const isKnown = advice !== null && advice.fix !== "";
  const codes = detail === "" ? "" : ` (${detail})`;
  const own = advice === null || isKnown ? "" : `: ${advice.found}`;
  return {
    found: `${model} ${isKnown ? advice.found : words}${codes}${own}`,
    fix: (isKnown ? advice.fix : fix).replace("KEY", key),
  };
}

const ADVICE: Readonly<Partial<Record<LlmFailure, readonly [words: string, fix: string]>>> = {
  auth: [
    "cannot be asked: the key is refused",
    "check whether KEY is complete and still valid with the provider, or save a fresh one with `forgetmenot setup`",
  ],
  quota: [
    "cannot be asked: the account's quota is used up",
    "wait until the provider refills it, as its site says, or raise it there",
  ],
  rate_limit: [
    "was asked too often just now",
    "try again in a minute; if it stays so, the account's limit is too low for your chat",
  ],
  model: [
    "is not known to the provider",
    "set llm.model, or the one in llm.models, to a model that the provider has; most addresses of servers end in /v1",
  ],
  empty: [
    "gives empty answers",
    "set llm.model to another model, or turn its reasoning off at your server",
  ],
  truncated: [
    "spends all its tokens on thinking",
    "set llm.model to a model that thinks less, or turn its reasoning off at your server",
  ],
  blocked: [
    "is kept from answering by the provider's filter",
    "try again; if it stays so, set llm.model to another model",
  ],
  request: [
    "does not accept the bot's question",
    "check whether llm.model is one for text, llm.baseUrl is right, and the server's context is large enough",
  ],
  network: [
    "cannot be reached",
    `${NETWORK_FIX}; with a server of your own, whether it runs and llm.baseUrl is right`,
  ],
  server: [
    "reports an error of its own",
    "try again in some minutes; with a server of your own, read its log",
  ],
  timeout: [
    "does not answer in time",
    "try again, as a model that was just loaded is slow; then raise llm.timeoutSeconds or use a smaller model",
  ],
};
