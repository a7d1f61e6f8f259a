import type { Config } from "../../platform/config/load.ts";
import type { Secrets } from "../../platform/config/secrets.ts";
import type { LlmFailure } from "../../platform/models/model-port.ts";
import { type Probe, probeModel } from "../../platform/models/probe.ts";
import { type Finding, notChecked, ok, problem, warning } from "./finding.ts";
import { NETWORK_MEND } from "./network.ts";

export interface ModelGiven {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Whether a daemon runs, which may have a key that is not set here. */
  readonly running: boolean;
  readonly now: () => number;
  readonly stop: AbortSignal;
}

const ELSEWHERE =
  "no key is set here; the running bot may have one: look from where it was started";

/** Asks each model that the configuration names one question. */
export async function checkModel(given: ModelGiven): Promise<Finding[]> {
  const { config, secrets, running, now, stop } = given;
  const { llm } = config;
  if (llm.provider === "offline") return [ok("model", "none is asked: rules answer")];
  if (llm.provider === "gemini" && secrets.geminiApiKey === null) {
    if (running) return [notChecked("model", ELSEWHERE)];
    const mend =
      "get a key at https://aistudio.google.com, and save it with `forgetmenot setup` or set GEMINI_API_KEY";
    return [problem("model", "there is no key for Gemini (GEMINI_API_KEY)", mend)];
  }
  const apiKeys = { gemini: secrets.geminiApiKey, openai: secrets.openaiApiKey };
  const probes = await Promise.all(
    namedModels(config).map((reply) =>
      probeModel({
        config: { ...llm, models: { ...llm.models, reply } },
        apiKeys,
        budgetTokens: config.prompt.budgetTokens,
        now,
        signal: stop,
      }),
    ),
  );
  return probes.flatMap((probe) => judgeProbe(probe, config));
}

/** Each once, the one that answers in chat first. */
function namedModels({ llm: { model, models }, memory }: Config): string[] {
  const { reply, summarise, extract, rerank } = models;
  const used = [reply, summarise, extract, ...(memory.recall.rerank === "off" ? [] : [rerank])];
  return [...new Set(used.map((name) => name ?? model))];
}

function judgeProbe(probe: Probe, { llm }: Config): Finding[] {
  if (probe.ok) {
    const answered = ok("model", `${probe.model} answers, after ${seconds(probe.latencyMs)}`);
    return [answered, ...probe.warnings.map(warned)];
  }
  const { failure, model, detail } = probe;
  if (failure === "aborted") return [notChecked("model", "stopped")];
  const say = failure === "rate_limit" ? warning : problem;
  const words = FAILURES[failure] ?? { found: `failed (${failure})`, mend: "try again" };
  const found = `${model} ${words.found}${detail === "" ? "" : ` (${detail})`}`;
  const key = llm.provider === "gemini" ? "GEMINI_API_KEY" : "OPENAI_API_KEY";
  return [say("model", found, words.mend.replace("KEY", key))];
}

/** The bot's own warnings say what to do about them in their second sentence. */
function warned(text: string): Finding {
  const [found = "", ...mend] = text.split(/(?<=\.) /);
  return warning("model", found.replace(/\.$/, ""), mend.join(" ").replace(/\.$/, ""));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const FAILURES: Readonly<
  Partial<Record<LlmFailure, { readonly found: string; readonly mend: string }>>
> = {
  auth: {
    found: "cannot be asked: the key is refused",
    mend: "look whether KEY is whole and still in force with the provider, or save a fresh one with `forgetmenot setup`",
  },
  quota: {
    found: "cannot be asked: what the account may use is used up",
    mend: "wait until it is filled up again, as the provider's site tells, or raise it there",
  },
  rate_limit: {
    found: "was asked too often just now",
    mend: "try again in a minute; if it stays so, the account's limit is too low for your chat",
  },
  model: {
    found: "is not known to the provider",
    mend: "set llm.model, or the one in llm.models, to a model that the provider has",
  },
  request: {
    found: "does not take the bot's question",
    mend: "look whether llm.model is one for text, llm.baseUrl is right, and the server's context is large enough",
  },
  network: {
    found: "cannot be reached",
    mend: `${NETWORK_MEND}; with a server of your own, whether it runs and llm.baseUrl is right`,
  },
  server: {
    found: "has a failure of its own",
    mend: "try again in some minutes; with a server of your own, look into its log",
  },
  timeout: {
    found: "does not answer in time",
    mend: "try again, as a model that was just loaded is slow; then raise llm.timeoutSeconds or take a smaller model",
  },
};
