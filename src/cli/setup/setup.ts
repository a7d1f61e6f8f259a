import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readEnvironment } from "../../config/environment.ts";
import { type Config, loadConfig, toConfig } from "../../config/load.ts";
import { personaFor } from "../../config/personas.ts";
import { loadSecrets } from "../../config/secrets.ts";
import { refuseRehearsalFolder } from "../../demo/data-folder.ts";
import { attempt, wrongUse } from "../../errors.ts";
import { examinedBot, runChecks } from "../../system/checks.ts";
import { wait } from "../../twitch/bounded-call.ts";
import { CONFIG_FILE, typed, typedStart } from "../command-line.ts";
import { refuseRunning } from "../open-folder.ts";
import { openBrowser, type Terminal, when } from "../terminal.ts";
import { Cancelled, type ChoiceQuestion, type Choices, openAsk } from "./ask.ts";
import { DEFAULT_CLIENT_ID, settleLogins } from "./login.ts";
import { type Answers, firstAnswers } from "./setup-answers.ts";
import { askModel, askName, askVoice } from "./setup-model.ts";
import { planFiles, type SetupPlan } from "./setup-plan.ts";
import { type Ground, type SetupState, type SetupWorld, STEPS, type Step } from "./setup-state.ts";
import { askAccount, askApplication, askChannel, askClasses, askMode } from "./setup-twitch.ts";

/**
 * Asks a person everything that the bot needs to go live, tries it out, and writes the configuration and the secrets
 * at the end. False where the person stopped before. Rejects with a Fault where nobody can be asked, or the bot is running.
 */
export async function setup(
  file: string,
  terminal: Terminal,
  world: SetupWorld = {
    now: Date.now,
    wait,
    open: openBrowser,
    defaultClientId: DEFAULT_CLIENT_ID,
  },
): Promise<boolean> {
  const person = terminal.person?.() ?? null;
  if (person === null) {
    throw wrongUse(
      "setup asks questions, and there is no terminal to ask them in",
      "run it in a terminal window; or copy config.example.json to config.json and fill it in by hand",
    );
  }
  const ground = survey(file);
  const ask = await openAsk(person, terminal.stop);
  const state: SetupState = { ...ground, ...world, ask, renewed: false, failed: false };
  try {
    await talk(state);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) throw thrown;
    const but = state.renewed ? ", but for the log-in that was stored here: it is renewed" : "";
    ask.stopped(state.failed ? `${file} was not changed.` : `Nothing was changed${but}.`);
    return false;
  }
}

const SETUP_AGAIN = "run setup again";

function survey(file: string): Ground {
  const isNew = !existsSync(file);
  const base = isNew ? toConfig({ channel: "x" }, dirname(resolve(file))) : loadConfig(file);
  refuseRehearsalFolder(base.dataDir);
  // A running bot renews the log-ins, and would write over what setup writes.
  refuseRunning(base.dataDir, SETUP_AGAIN);
  const environment = readEnvironment();
  const secrets = loadSecrets(base.dataDir, environment);
  return { file, isNew, base, environment, secrets };
}

async function talk(state: SetupState): Promise<void> {
  const { ask, base, defaultClientId, file, isNew } = state;
  ask.begin("ForgetMeNot: going live");
  ask.say(
    "A few questions: your channel, who speaks, the log-in at Twitch, the language model. Most of the time goes into your browser.",
    ...(isNew ? [] : [`There is a ${file} already. Enter keeps what it says.`]),
    "Arrow keys choose, Enter goes on. The configuration is written when you say so at the end. Ctrl-C stops.",
  );
  await showLocalProblems(state);
  let answers = firstAnswers(base, isNew, defaultClientId);
  for (const step of STEPS) answers = await askStep(state, answers, step);
  ask.end(...farewell(file, await reviewAndWrite(state, answers)));
}

/** Shows what the doctor finds wrong with this machine, before the user answers anything. */
async function showLocalProblems({ ask, base }: SetupState): Promise<void> {
  for await (const findings of runChecks(examinedBot(base, ask.signal), ["node", "folder", "disk"]))
    for (const { found, mend } of findings) if (mend !== null) ask.warn(found, `→ ${mend}`);
}

/** Shows what will be written and has it changed until it is right and stands in its files. */
async function reviewAndWrite(state: SetupState, before: Answers): Promise<Config> {
  const { ask } = state;
  let answers = before;
  for (;;) {
    const plan = told(state, "The bot could not start with this:", () => planFiles(state, answers));
    if (plan !== null) ask.say(...plan.lines);
    const next = await ask.choose(lastQuestion(plan));
    if (next === "stop") throw new Cancelled();
    if (next === "write" && plan !== null) {
      const written = told(state, "That did not work:", () => {
        refuseRunning(state.base.dataDir, SETUP_AGAIN);
        plan.write();
        return plan.after;
      });
      if (written !== null) return written;
      state.failed = true;
      continue;
    }
    const part = await ask.choose({ message: "Which one?", choices: partsOf(answers) });
    answers = await changePart(state, answers, part);
  }
}

function lastQuestion(plan: SetupPlan | null): ChoiceQuestion<"write" | "change" | "stop"> {
  const change = "Change an answer";
  const stop = "No: leave everything as it was";
  if (plan === null) return { message: "What now?", choices: { change, stop } };
  return plan.isChange
    ? { message: "Write this?", choices: { write: "Yes, write it", change, stop } }
    : { message: "There is nothing to write. Is that right?", choices: { write: "Yes", change } };
}

/** What `work` gives; null where it throws a Fault, which the person is told. */
function told<T>({ ask }: SetupState, trouble: string, work: () => T): T | null {
  const { value, fault } = attempt(work);
  if (fault !== null) ask.warn(trouble, fault.message, `→ ${fault.mend}`);
  return value;
}

function partsOf({ account }: Answers): Choices<Step> {
  return {
    channel: "The channel",
    account: "Who speaks",
    ...(account !== "none" && {
      application: "The Twitch application",
      classes: "What it may do besides talking",
      login: "The log-in",
      name: "What it is called",
      voice: "How it talks",
      mode: "How it begins",
    }),
    model: "The language model",
  };
}

/** One question of the way from the first to the last. Most are asked only where somebody speaks. */
async function askStep(state: SetupState, answers: Answers, step: Step): Promise<Answers> {
  const isAsked = answers.account !== "none" || ASKED_OF_LISTENERS.has(step);
  return isAsked ? await QUESTIONS[step](state, answers) : answers;
}

const ASKED_OF_LISTENERS: ReadonlySet<Step> = new Set(["channel", "account", "model"]);

const QUESTIONS: Readonly<Record<Step, (state: SetupState, answers: Answers) => Promise<Answers>>> =
  {
    channel: askChannel,
    account: async (state, before) => {
      const answers = await askAccount(state, before);
      return answers.account === "none" ? { ...answers, mode: "shadow" } : answers;
    },
    application: async (state, answers) =>
      hasDefault(state, answers) ? answers : await askApplication(state, answers),
    classes: askClasses,
    login: settleLogins,
    name: askName,
    model: askModel,
    voice: askVoice,
    mode: askMode,
  };

/** The project's own application needs no question; another one is an answer to be changed. */
function hasDefault({ defaultClientId }: SetupState, { clientId }: Answers): boolean {
  return defaultClientId !== "" && clientId === defaultClientId;
}

/** Asks one thing anew, and what hangs on it. */
async function changePart(state: SetupState, answers: Answers, part: Step): Promise<Answers> {
  switch (part) {
    case "channel": {
      const asked = await askChannel(state, answers);
      return answers.bot === null ? asked : await settleLogins(state, asked);
    }
    case "account": {
      let asked = answers;
      for (const step of SPEAKING) asked = await askStep(state, asked, step);
      return asked;
    }
    case "application":
      return await settleLogins(state, await askApplication(state, answers));
    case "classes":
      return await settleLogins(state, await askClasses(state, answers));
    case "login":
      return await settleLogins(state, { ...answers, bot: null, streamer: null });
    default:
      return await askStep(state, answers, part);
  }
}

const SPEAKING = ["account", "application", "classes", "login", "name"] as const;

/** What the person does next, a line each. */
export function farewell(
  file: string,
  config: Config,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const { actions, bot, channels, dashboard } = config;
  const row = (command: string, does: string) => `   ${command.padEnd(24)}  ${does}`;
  const needsModerator = actions.classes.chat !== "off" || actions.classes.moderation !== "off";
  return [
    "All set.",
    "",
    row(typedStart(file, platform), "starts the bot; Ctrl-C ends it"),
    ...when(
      platform === "win32" && file === CONFIG_FILE,
      row("bin\\start.cmd", "does so by a double click"),
    ),
    ...when(dashboard.port !== false, row(typed("page", file), "opens its page, while it runs")),
    row(typed("doctor", file), "looks what is wrong, when something is off"),
    "",
    ...modeLines(config, file),
    ...when(
      needsModerator && bot.login !== null && !channels.includes(bot.login),
      `Make it a moderator, for what it may do: in your chat, type   /mod ${bot.login}`,
    ),
    "What you tell about yourself in chat, the bot may tell viewers. Reject such a note on the page, under Memory, to stop that.",
    "Run setup again whenever you like: it keeps what you do not change.",
  ];
}

function modeLines(config: Config, file: string): readonly string[] {
  const { bot, channels, mode, replies } = config;
  if (bot.login === null)
    return [
      "It listens and remembers, and says nothing.",
      `Without an account, Twitch could not be asked about the ${channels.length === 1 ? "name" : "names"} ${channels.join(", ")}. Where there is no such channel, "cannot join" shows some ten seconds after the start.`,
    ];
  if (mode === "shadow")
    return [
      "It begins silently: it listens, remembers and, while you are live, thinks up answers, and sends none. To see them:",
      `   ${typed("replies --shadow", file)}`,
      `When you want it to speak, set "mode" to "mentions" in ${file} and save: the running bot follows.`,
    ];
  const live = replies.whenOffline ? "" : ", while you are live";
  const names = new Set(channels.map((channel) => personaFor(config, channel).name));
  return [`It answers whoever speaks to @${bot.login} or says ${[...names].join(" or ")}${live}.`];
}
