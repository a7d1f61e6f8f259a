import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { withShellCommands } from "../config/command-line.ts";
import { readEnvironment } from "../config/environment.ts";
import { type Config, loadConfig, toConfig } from "../config/load.ts";
import { REPLY_MODES } from "../config/names.ts";
import { loadSecrets } from "../config/secrets.ts";
import { refuseRunning } from "../database/lock.ts";
import { type Db, openDatabase } from "../database/open-database.ts";
import { attempt, type Fault } from "../errors.ts";
import { sampleAnswer } from "../reply/try-out.ts";
import { prepareBot, runChecks } from "../system/checks.ts";
import {
  ACCOUNTS,
  type Answers,
  ASKED_CLASSES,
  isEnough,
  isLoggedIn,
  type Login,
  listBotScopes,
  listStreamerScopes,
  readFirstAnswers,
} from "../system/setup-answers.ts";
import {
  type InputResult,
  isSaidOften,
  readChannels,
  readClientId,
  readName,
} from "../system/setup-input.ts";
import {
  type DeviceLogins,
  findMissingChannels,
  findStoredLogin,
  openDeviceLogins,
  type TokenOwner,
} from "../system/setup-login.ts";
import { type Ground, mergeKeys, PRESETS, readModel, testModel } from "../system/setup-model.ts";
import { planConfig, planFiles } from "../system/setup-plan.ts";
import type { Wait } from "../twitch/bounded-call.ts";

/**
 * The client id of the application that the project has registered at Twitch, which setup takes without asking. Empty as
 * long as there is none: then every streamer registers one. docs/maintaining.md says how to get one.
 */
export const DEFAULT_CLIENT_ID: string = "";

/** The steps in their order, each a screen. */
const STEPS = ["channel", "twitch", "model", "voice", "start", "finish"] as const;
export type Step = (typeof STEPS)[number];

/** Steps that a bot without an account does not have. */
const SPEAKING: ReadonlySet<Step> = new Set(["voice", "start"]);
const VOICE_CHARS_MAX = 8_000;
const SAMPLE_SPEAKER = "mira_k";
const SAMPLE_QUESTION = "hi! just got home, today was long. what did i miss?";

/** A sample answer, and what it was made with. */
interface Sample {
  readonly name: string | null;
  readonly voice: string;
  readonly speaker: string;
  readonly question: string;
  /** Null if the model gave none. */
  readonly text: string | null;
}

type Fields = Readonly<Record<string, string>>;

export interface SetupWorld {
  readonly now: () => number;
  readonly wait: Wait;
  /** "" if the project has no application of its own. */
  readonly defaultClientId: string;
  /** Why the bot could not start with what setup wrote before; null at first. */
  readonly problem?: string | null;
  /** The address of the page if its usual port is taken. */
  readonly movedTo?: string | null;
}

/** A setup: the answers so far, in memory only. Every tab sees the same ones. */
export interface Setup {
  readonly ground: Ground;
  readonly movedTo: string | null;
  readonly now: () => number;
  /** Holds who may open the page. In memory. */
  readonly db: Db;
  readonly logins: DeviceLogins;
  answers: Answers;
  /** Steps that were answered. */
  readonly passed: Set<Step>;
  /** The sentence at the top of the next page. */
  message: { readonly text: string; readonly isWrong: boolean } | null;
  sample: Sample | null;
  /** The fields of a form that was refused, without keys: nothing that was typed is lost. */
  refused: Fields;
  isStoredLoginKnown: boolean;
  isWritten: boolean;
  /** Resolves with the configuration once it is written. */
  readonly done: Promise<Config>;
  readonly finish: (config: Config) => void;
  close(): void;
}

/** Reads what is there already. Throws a Fault if it cannot be read, or the bot is running. */
export function readGround(file: string): Ground {
  const isNew = !existsSync(file);
  const base = isNew ? toConfig({ channel: "x" }, dirname(resolve(file))) : loadConfig(file);
  // A running bot renews the log-ins, and would write over what setup writes.
  refuseRunning(base.dataDir, "run `forgetmenot setup` again");
  const environment = readEnvironment();
  return { file, isNew, base, environment, secrets: loadSecrets(base.dataDir, environment) };
}

/** Opens a setup. Nothing is written before its last step, except a stored log-in that Twitch renewed. */
export function createSetup(ground: Ground, world: SetupWorld): Setup {
  const { base, isNew } = ground;
  let finish: (config: Config) => void = () => undefined;
  const done = new Promise<Config>((taken) => {
    finish = taken;
  });
  const { problem = null, movedTo = null } = world;
  const setup: Setup = {
    ground,
    movedTo,
    now: world.now,
    db: openDatabase(":memory:"),
    logins: openDeviceLogins(world, (whose, login) => takeLogin(setup, whose, login)),
    answers: readFirstAnswers(base, isNew, world.defaultClientId),
    passed: new Set(isNew ? [] : STEPS),
    message: problem === null ? null : { text: problem, isWrong: true },
    sample: null,
    refused: {},
    isStoredLoginKnown: false,
    isWritten: false,
    done,
    finish,
    close: () => {
      setup.logins.cancel();
      setup.db.close();
    },
  };
  return setup;
}

function takeLogin(setup: Setup, whose: TokenOwner, login: Login): void {
  const { channels } = setup.answers;
  const isWrong = whose === "streamer" && !channels.includes(login.login);
  if (isWrong)
    return void refuse(
      setup,
      "twitch",
      `You logged in as ${login.login}, which is not your channel’s account (${channels.join(", ")}): log in as yourself.`,
    );
  change(setup, { [whose]: login });
  if (whose === "bot") setNameAfter(setup, login);
}

/** A new bot is called as its account, unless that is the streamer's. */
function setNameAfter(setup: Setup, { displayName }: Login): void {
  const { account, name } = setup.answers;
  if (name === null && account === "bot") change(setup, { name: displayName });
}

function change(setup: Setup, answers: Partial<Answers>): void {
  setup.answers = { ...setup.answers, ...answers };
}

/** The steps of this bot: one without an account has fewer. */
export function listSteps({ answers }: Setup): readonly Step[] {
  return STEPS.filter((step) => answers.account !== "none" || !SPEAKING.has(step));
}

export function isDone({ answers, passed }: Setup, step: Step): boolean {
  return passed.has(step) && (step !== "twitch" || isLoggedIn(answers));
}

/** Returns the wanted step, or the first one before it that is not done. */
export function findReachable(setup: Setup, wanted: string): Step {
  const all = listSteps(setup);
  const open = all.find((step) => !isDone(setup, step)) ?? "finish";
  const step = all.find((one) => one === wanted);
  return step !== undefined && all.indexOf(step) <= all.indexOf(open) ? step : open;
}

/** Returns where a browser begins that asks for no step: at the first open one, so that closing the tab loses nothing. */
export function findFirstStep(setup: Setup): Step {
  const isFresh = !setup.ground.isNew && !setup.isStoredLoginKnown && setup.message === null;
  return findReachable(setup, isFresh ? "channel" : "finish");
}

/** True if polls and markers were chosen and the streamer's own log-in for them is missing. */
export function needsStreamer({ answers }: Setup): boolean {
  const { clientId, streamer } = answers;
  const scopes = listStreamerScopes(answers);
  return scopes.length > 0 && !(streamer !== null && isEnough(streamer, clientId, scopes));
}

/** Marks a step as answered. Returns the next one. */
function pass(setup: Setup, step: Step): Step {
  setup.passed.add(step);
  const all = listSteps(setup);
  return all[all.indexOf(step) + 1] ?? "finish";
}

function refuse(setup: Setup, step: Step, text: string): Step {
  setup.message = { text, isWrong: true };
  return step;
}

function notify(setup: Setup, text: string): void {
  setup.message = { text, isWrong: false };
}

/** Goes on from the log-in, unless the channel does not exist. */
async function leaveTwitch(setup: Setup): Promise<Step> {
  const { bot, channels } = setup.answers;
  if (!isLoggedIn(setup.answers)) return "twitch";
  const [missing] = bot === null ? [] : await findMissingChannels(bot, channels);
  if (missing === undefined) return pass(setup, "twitch");
  return refuse(setup, "channel", `Twitch has no channel called ${missing}: correct its name.`);
}

/** Takes log-ins that are stored here already, once. */
export async function takeStoredLogins(setup: Setup): Promise<void> {
  const { answers, ground, now } = setup;
  if (setup.isStoredLoginKnown || answers.account === "none") return;
  setup.isStoredLoginKnown = true;
  const isWanted = listStreamerScopes(answers).length > 0;
  const accounts: readonly TokenOwner[] = isWanted ? ["bot", "streamer"] : ["bot"];
  for (const one of accounts) {
    const login = await findStoredLogin(ground, one, answers.clientId, now);
    if (login !== null && setup.answers[one] === null) change(setup, { [one]: login });
  }
}

/** Returns the step after the log-in once it is there, so that the page that waits goes on by itself. */
export async function leaveAfterLogin(setup: Setup): Promise<Step> {
  const isOver = setup.logins.progress().kind === "idle" && !needsStreamer(setup);
  if (!isOver || !isLoggedIn(setup.answers)) return "twitch";
  const next = await leaveTwitch(setup);
  if (next !== "channel") notify(setup, `Logged in as ${setup.answers.bot?.login}.`);
  return next;
}

/** Lets the model answer once by the real prompt. */
async function hearSample(setup: Setup): Promise<void> {
  const { answers, ground, now } = setup;
  if (answers.account === "none" || answers.model.provider === "offline") return;
  const question = `@${answers.name ?? answers.bot?.login ?? "you"} ${SAMPLE_QUESTION}`;
  const { after: config } = planConfig(ground, answers);
  const apiKeys = mergeKeys(answers, ground.secrets);
  const given = { config, apiKeys, speaker: SAMPLE_SPEAKER, question, now };
  const { name, voice } = answers;
  setup.sample = {
    name,
    voice,
    speaker: SAMPLE_SPEAKER,
    question,
    text: await sampleAnswer(given),
  };
}

/** Says that the page's usual port is taken, for page and terminal. */
export function describeTakenPort(url: string): string {
  return `The usual port of this page is taken, so it is at ${url}. If another ForgetMeNot is open, close one of the two.`;
}

type Forms = Readonly<Record<string, (setup: Setup, fields: Fields) => Step | Promise<Step>>>;

/** What each form does. Returns the step to show next. */
const FORMS: Forms = {
  channel: (setup, { channel = "" }) => {
    const channels = readChannels(channel);
    if (!channels.ok) return refuse(setup, "channel", channels.why);
    change(setup, { channels: channels.value });
    // A log-in that is there says at once whether the channel exists.
    pass(setup, "channel");
    return setup.passed.has("twitch") ? leaveTwitch(setup) : "twitch";
  },
  "twitch/choose": async (setup, fields): Promise<Step> => {
    const account = ACCOUNTS.find((one) => one === fields["account"]) ?? setup.answers.account;
    setup.logins.cancel();
    if (account === "none") {
      change(setup, { account, mode: "shadow", bot: null, streamer: null });
      return pass(setup, "twitch");
    }
    const clientId = readClientId(fields["clientId"] ?? setup.answers.clientId);
    if (!clientId.ok) return refuse(setup, "twitch", clientId.why);
    const classes = ASKED_CLASSES.filter((one) => fields[one] === "on");
    change(setup, { account, classes, clientId: clientId.value, bot: null, streamer: null });
    const scopes = listBotScopes(setup.answers);
    await setup.logins.start("bot", { clientId: clientId.value, scopes });
    return "twitch";
  },
  "twitch/streamer": async (setup): Promise<Step> => {
    const { clientId } = setup.answers;
    await setup.logins.start("streamer", { clientId, scopes: listStreamerScopes(setup.answers) });
    return "twitch";
  },
  "twitch/again": (setup) => {
    setup.logins.cancel();
    change(setup, { bot: null, streamer: null });
    return "twitch";
  },
  "twitch/account": (setup) => {
    const { account, bot } = setup.answers;
    change(setup, { account: account === "bot" ? "streamer" : "bot" });
    if (bot !== null) setNameAfter(setup, bot);
    return leaveTwitch(setup);
  },
  "twitch/channel": (setup) => {
    const { bot } = setup.answers;
    if (bot !== null) change(setup, { channels: [bot.login] });
    return leaveTwitch(setup);
  },
  "twitch/go-on": (setup) => {
    setup.logins.cancel();
    return leaveTwitch(setup);
  },
  model: async (setup, fields): Promise<Step> => {
    const { ground, now } = setup;
    const read = readModel(fields, setup.answers, ground.secrets);
    if (!read.ok) return refuse(setup, "model", read.why);
    change(setup, read.value);
    setup.passed.delete("model");
    const tested = await testModel(setup.answers, ground, now);
    if (!tested.isGood) return refuse(setup, "model", tested.text);
    notify(setup, tested.text);
    const next = pass(setup, "model");
    if (next === "voice") await hearSample(setup);
    return next;
  },
  "model/anyway": (setup) => pass(setup, "model"),
  voice: async (setup, fields): Promise<Step> => {
    const name = readName(fields["name"] ?? "", setup.ground.base.personas);
    if (!name.ok) return refuse(setup, "voice", name.why);
    const voice = readVoice(fields);
    if (!voice.ok) return refuse(setup, "voice", voice.why);
    change(setup, { name: name.value, voice: voice.value });
    if (fields["then"] === "hear") {
      await hearSample(setup);
      return "voice";
    }
    if (isSaidOften(name.value))
      notify(
        setup,
        `Chat often says “${name.value}”, and the bot answers: a rarer name is better.`,
      );
    return pass(setup, "voice");
  },
  start: (setup, fields) => {
    const mode = REPLY_MODES.find((one) => one === fields["mode"]) ?? "shadow";
    const whenOffline = fields["whenOffline"] === "on";
    change(setup, mode === "shadow" ? { mode } : { mode, whenOffline });
    return pass(setup, "start");
  },
  finish: (setup) => {
    if (setup.isWritten) return "finish";
    const { value: plan, fault } = attempt(() => {
      refuseRunning(setup.ground.base.dataDir, "save here again");
      const planned = planFiles(setup.ground, setup.answers);
      planned.write();
      return planned;
    });
    if (fault !== null) return refuse(setup, "finish", describeFault(fault));
    setup.isWritten = true;
    if (plan !== null) setup.finish(plan.after);
    return "finish";
  },
};

function readVoice(fields: Fields): InputResult<string> {
  const own = (fields["own"] ?? "").trim().replaceAll("\r\n", "\n");
  const value = PRESETS[fields["preset"] ?? ""] ?? own;
  if (value === "")
    return { ok: false, why: "Describe the voice in a sentence, or choose one of the list." };
  if (value.length <= VOICE_CHARS_MAX) return { ok: true, value };
  return { ok: false, why: "The voice is too long: a sentence or two will do." };
}

/** What happened and the fix, in one line. */
export function describeFault({ message, fix }: Fault): string {
  return `${withShellCommands(message)}: ${withShellCommands(fix)}.`;
}

/** Takes a form, such as `twitch/choose`. Returns the step to show next; null if there is no such form. */
export async function submitForm(setup: Setup, form: string, fields: Fields): Promise<Step | null> {
  const take = Object.hasOwn(FORMS, form) ? FORMS[form] : undefined;
  if (take === undefined) return null;
  setup.message = null;
  setup.refused = {};
  const next = await take(setup, fields);
  if (hasProblem(setup))
    setup.refused = Object.fromEntries(
      Object.entries(fields).filter(([name]) => !/^(?:key-|_)/.test(name)),
    );
  return next;
}

function hasProblem({ message }: Setup): boolean {
  return message?.isWrong === true;
}

/** Returns what is wrong with this machine, each with its fix. */
export async function findLocalProblems({ ground, movedTo }: Setup): Promise<readonly string[]> {
  const problems: string[] = [];
  if (movedTo !== null) problems.push(describeTakenPort(movedTo));
  const bot = prepareBot(ground.base, new AbortController().signal);
  for await (const findings of runChecks(bot, ["node", "folder", "disk"]))
    for (const { found, mend } of findings)
      if (mend !== null) problems.push(withShellCommands(`${found}: ${mend}.`));
  return problems;
}
