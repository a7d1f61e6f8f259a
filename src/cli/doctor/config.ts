import { existsSync } from "node:fs";
import { Fault } from "../../errors.ts";
import { type Config, loadConfig } from "../../platform/config/load.ts";
import { refuseMute } from "../../platform/config/refuse-mute.ts";
import { isLoopbackUrl } from "../../platform/config/urls.ts";
import { refuseTightBudget } from "../../reply/refuse-tight-budget.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Whether there are tokens is another check: here only what the configuration itself says. */
const WITH_TOKEN = {
  twitch: { accessToken: "", refreshToken: null },
  streamer: null,
  geminiApiKey: null,
  openaiApiKey: null,
};

/** Loads the configuration; null where it cannot be loaded. A finding for each thing that is wrong with it. */
export function checkConfig(file: string): {
  readonly config: Config | null;
  readonly findings: readonly Finding[];
} {
  if (!existsSync(file)) {
    const mend = "run `forgetmenot setup`, or name the right file with --config";
    return { config: null, findings: [problem("config", `there is no ${file}`, mend)] };
  }
  try {
    const config = loadConfig(file);
    const wrong = [() => refuseMute(config, WITH_TOKEN), () => refuseTightBudget(config, 1)];
    const problems = wrong.flatMap(problemsOf);
    const findings = problems.length > 0 ? problems : [ok("config", summary(config, file))];
    return { config, findings: [...findings, ...worthKnowing(config), ...retired(config, file)] };
  } catch (thrown) {
    return { config: null, findings: problemsOf(() => throwAgain(thrown)) };
  }
}

/** Keys of an earlier edition do nothing; who still believes in one is told. */
function retired({ retiredKeys }: Config, file: string): Finding[] {
  if (retiredKeys.length === 0) return [];
  const found = `${file} has what only an earlier edition knew, and what does nothing: ${retiredKeys.join(", ")}`;
  return [warning("config", found, "`forgetmenot doctor --fix` takes it out, or do so by hand")];
}

function throwAgain(thrown: unknown): never {
  throw thrown;
}

/** Every problem of a Fault stands in a line of its own. */
function problemsOf(work: () => void): Finding[] {
  try {
    work();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const { message, mend } = thrown;
    return message.split("\n").map((line) => problem("config", line, mend));
  }
}

function summary({ channels, bot, mode }: Config, file: string): string {
  const where = channels.map((channel) => `#${channel}`).join(", ");
  const who = bot.login ?? "an anonymous listener";
  return `${file} is in order: ${who} in ${where}, mode ${mode}`;
}

/** What is valid and yet surprises, in one line. */
function worthKnowing(config: Config): Finding[] {
  const notes = NOTES.filter(([, holds]) => holds(config)).map(([note]) => note);
  return notes.length === 0 ? [] : [ok("config", `worth knowing: ${notes.join("; ")}`)];
}

const NOTES: readonly (readonly [note: string, holds: (config: Config) => boolean])[] = [
  ["in mode shadow it never writes in chat", ({ mode }) => mode === "shadow"],
  ["it answers while you are offline, too", ({ replies }) => replies.whenOffline],
  ["actions.safeMode refuses every action", ({ actions }) => actions.safeMode],
  [
    "actions.autonomy is of an earlier edition and does nothing: take it out",
    ({ actions }) => actions.autonomy !== null,
  ],
  [
    "in memory.mode shadow nothing that it learns is used",
    ({ memory }) => memory.mode === "shadow",
  ],
  ["in memory.mode manual every fact waits for you", ({ memory }) => memory.mode === "manual"],
  [
    "it learns nothing: memory.scopes or memory.kinds is empty",
    ({ memory }) => memory.scopes.length === 0 || memory.kinds.length === 0,
  ],
  ["rules answer in place of a model (llm.provider)", ({ llm }) => llm.provider === "offline"],
  [
    "a cap of 0 in llm.caps keeps it from asking the model",
    ({ llm: { caps } }) =>
      [caps.callsPerHour, caps.callsPerDay, caps.tokensPerDay, caps.dollarsPerDay].includes(0),
  ],
  ["prompts travel unencrypted to llm.baseUrl", ({ llm }) => isUnencrypted(llm.baseUrl)],
];

function isUnencrypted(baseUrl: string | null): boolean {
  return baseUrl?.startsWith("http:") === true && !isLoopbackUrl(baseUrl);
}
