import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Fault } from "../../errors.ts";
import { refuseRehearsalFolder } from "../../lab/rehearsal/data-folder.ts";
import { readEnvironment } from "../../platform/config/environment.ts";
import { type Config, loadConfig, toConfig } from "../../platform/config/load.ts";
import { loadSecrets } from "../../platform/config/secrets.ts";
import { isLocked } from "../../platform/database/lock.ts";
import { wait } from "../../twitch/wait.ts";
import type { Terminal } from "../terminal.ts";
import { Cancelled, type Choice, type ChoiceQuestion, openAsk } from "./ask.ts";
import { farewell } from "./farewell.ts";
import { settleLogins } from "./login.ts";
import { askName } from "./name.ts";
import { type Answers, firstAnswers } from "./setup-answers.ts";
import { askModel } from "./setup-model.ts";
import { type Plan, planFiles } from "./setup-plan.ts";
import type { Desk, Ground, SetupTime } from "./setup-service.ts";
import { askAccount, askApplication, askChannel, askClasses, askMode } from "./setup-twitch.ts";

/**
 * Asks a person everything that the bot needs to go live, tries it out, and writes the configuration and the secrets
 * at the end. False where the person stopped before. Rejects with a Fault where nobody can be asked, or the bot is running.
 */
export async function setup(
  file: string,
  terminal: Terminal,
  time: SetupTime = { now: Date.now, wait },
): Promise<boolean> {
  const person = terminal.person?.() ?? null;
  if (person === null) throw nobody();
  const ground = survey(file);
  const ask = await openAsk(person, terminal.stop);
  const desk: Desk = { ...ground, ...time, ask, renewed: false, failed: false };
  try {
    await talk(desk);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) throw thrown;
    ask.stopped(leftBehind(desk));
    return false;
  }
}

/** What the person finds who stopped. Secrets are written first, so some may be there though writing failed. */
function leftBehind({ failed, renewed, file }: Desk): string {
  if (failed) return `${file} was not changed.`;
  const but = renewed ? ", but for the log-in that was kept here: it is renewed" : "";
  return `Nothing was changed${but}.`;
}

function nobody(): Fault {
  return new Fault("setup asks questions, and there is no terminal to ask them in", {
    code: "usage",
    mend: "run it in a terminal window; or copy config.example.json to config.json and fill it in by hand",
  });
}

function survey(file: string): Ground {
  const isNew = !existsSync(file);
  const base = isNew ? toConfig({ channel: "x" }, dirname(resolve(file))) : loadConfig(file);
  refuseRehearsalFolder(base.dataDir);
  refuseRunning(base.dataDir);
  const environment = readEnvironment();
  const secrets = loadSecrets(base.dataDir, environment);
  return { file, isNew, base, environment, secrets };
}

/** A running bot renews the log-ins, and would write over what setup writes. */
function refuseRunning(dataDir: string): void {
  if (!isLocked(dataDir)) return;
  throw new Fault(`dataDir: the bot is running on ${dataDir}`, {
    code: "locked",
    mend: "end it with Ctrl-C in its window, then run setup again",
  });
}

async function talk(desk: Desk): Promise<void> {
  const { ask, base, file, isNew } = desk;
  ask.begin("ForgetMeNot: going live");
  ask.say(
    "A few questions: your channel, who speaks, the log-in at Twitch, the language model. It takes about ten minutes, most of them in your browser.",
    ...(isNew ? [] : [`There is a ${file} already. What it says stands there; Enter keeps it.`]),
    "Arrow keys choose, Enter goes on. Nothing is written before you say so at the end, and Ctrl-C leaves everything as it was.",
  );
  let answers = firstAnswers(base, isNew);
  for (const part of ["channel", "account", "model", "mode"] as const)
    answers = await askPart(desk, answers, part);
  const written = await reviewAndWrite(desk, answers);
  ask.end(...farewell(file, written));
}

/** Shows what will be written and has it changed until it is right and stands in its files. */
async function reviewAndWrite(desk: Desk, before: Answers): Promise<Config> {
  const { ask } = desk;
  let answers = before;
  for (;;) {
    const plan = planned(desk, answers);
    const next = await ask.choose(lastQuestion(plan));
    if (next === "stop") throw new Cancelled();
    if (next === "write") {
      if (plan !== null && tryToWrite(desk, plan)) return plan.after;
      continue;
    }
    const part = await ask.choose({ message: "Which one?", choices: partsOf(answers) });
    answers = await askPart(desk, answers, part);
  }
}

/** Whether it could be written; where it could not, the person is told, and no answer is lost. */
function tryToWrite(desk: Desk, plan: Plan): boolean {
  const { ask, base } = desk;
  try {
    refuseRunning(base.dataDir);
    plan.write();
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    desk.failed = true;
    ask.warn("That did not work:", thrown.message, `→ ${thrown.mend}`);
    return false;
  }
}

function lastQuestion(plan: Plan | null): ChoiceQuestion<"write" | "change" | "stop"> {
  const others = [
    { value: "change", label: "Change an answer" },
    { value: "stop", label: "No: leave everything as it was" },
  ] as const;
  if (plan === null) return { message: "What now?", choices: others };
  return plan.isChange
    ? {
        message: "Write this?",
        choices: [{ value: "write", label: "Yes, write it" }, ...others],
      }
    : {
        message: "There is nothing to write. Is that right?",
        choices: [{ value: "write", label: "Yes" }, others[0]],
      };
}

function planned(desk: Desk, answers: Answers): Plan | null {
  const { ask } = desk;
  try {
    const plan = planFiles(desk, answers);
    ask.say(...plan.lines);
    return plan;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    ask.warn("The bot could not start with this:", thrown.message, `→ ${thrown.mend}`);
    return null;
  }
}

function partsOf({ account }: Answers): readonly Choice<Part>[] {
  const speaking: readonly Choice<Part>[] = [
    { value: "application", label: "The Twitch application" },
    { value: "classes", label: "What it may do besides talking" },
    { value: "login", label: "The log-in" },
    { value: "name", label: "What it is called" },
    { value: "mode", label: "How it begins" },
  ];
  return [
    { value: "channel", label: "The channel" },
    { value: "account", label: "Who speaks" },
    ...(account === "none" ? [] : speaking),
    { value: "model", label: "The language model" },
  ];
}

type Part = "channel" | "account" | "application" | "classes" | "login" | "name" | "model" | "mode";

async function askPart(desk: Desk, answers: Answers, part: Part): Promise<Answers> {
  switch (part) {
    case "channel": {
      const asked = await askChannel(desk, answers);
      return answers.bot === null ? asked : await settleLogins(desk, asked);
    }
    case "account":
      return await askSpeaker(desk, answers);
    case "application":
      return await settleLogins(desk, await askApplication(desk, answers));
    case "classes":
      return await settleLogins(desk, await askClasses(desk, answers));
    case "login":
      return await settleLogins(desk, { ...answers, bot: null, streamer: null });
    case "name":
      return await askName(desk, answers);
    case "model":
      return await askModel(desk, answers);
    case "mode":
      return answers.account === "none" ? answers : await askMode(desk, answers);
  }
}

async function askSpeaker(desk: Desk, before: Answers): Promise<Answers> {
  let answers = await askAccount(desk, before);
  if (answers.account === "none") return { ...answers, mode: "shadow" };
  answers = await askApplication(desk, answers);
  answers = await askClasses(desk, answers);
  answers = await settleLogins(desk, answers);
  return await askName(desk, answers);
}
