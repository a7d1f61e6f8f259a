import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readEnvironment, withShellCommands } from "../config/environment.ts";
import { type Config, loadConfig, toConfig } from "../config/load.ts";
import { loadSecrets } from "../config/secrets.ts";
import { refuseRunning } from "../database/lock.ts";
import { openDatabase } from "../database/open-database.ts";
import { Fault } from "../errors.ts";
import { sampleAnswer } from "../reply/try-out.ts";
import {
  type Answers,
  type Ground,
  isEnough,
  isLoggedIn,
  type Login,
  listStreamerScopes,
  planConfig,
  planFiles,
  readFirstAnswers,
} from "../system/setup-answers.ts";
import { mergeKeys } from "../system/setup-input.ts";
import {
  DeviceLogins,
  findMissingChannel,
  findStoredLogin,
  type TokenOwner,
} from "../system/setup-login.ts";
import type { Wait } from "../twitch/bounded-call.ts";

/**
 * The client id of the project's application at Twitch, which setup takes without asking. "" until there is one: then
 * every streamer registers an application. docs/maintaining.md says how to get one.
 */
export const DEFAULT_CLIENT_ID: string = "";

/** The steps in their order, each a screen. */
export const STEP_NAMES = ["channel", "twitch", "model", "voice", "start", "finish"] as const;
export type Step = (typeof STEP_NAMES)[number];

/** Steps that a bot without an account does not have. */
const SPEAKING: ReadonlySet<Step> = new Set(["voice", "start"]);
export const SAMPLE_SPEAKER = "mira_k";
const SAMPLE_QUESTION = "hi! just got home, today was long. what did i miss?";

type Fields = Readonly<Record<string, string>>;
/** Takes the fields of a form. Returns the step to show next. */
export type TakeForm = (setup: Setup, fields: Fields) => Step | Promise<Step>;

interface Sample {
  readonly name: string | null;
  readonly voice: string;
  readonly question: string;
  /** The answer; null if the model gave none. */
  readonly text: string | null;
}

export interface SetupWorld {
  readonly now: () => number;
  readonly wait: Wait;
  /** "" if the project has not registered an application. */
  readonly defaultClientId: string;
}

/**
 * Reads the configuration and secrets that setup begins with; defaults if `file` does not exist. Throws a Fault if it
 * cannot read them, or the bot is running.
 */
export function readGround(file: string): Ground {
  const isNew = !existsSync(file);
  const base = isNew ? toConfig({ channel: "x" }, dirname(resolve(file))) : loadConfig(file);
  // A running bot renews the log-ins, and would write over what setup writes.
  refuseRunning(base.dataDir, "run `forgetmenot setup` again");
  const environment = readEnvironment();
  return { file, isNew, base, environment, secrets: loadSecrets(base.dataDir, environment) };
}

/**
 * The answers of a setup so far, in memory. Every tab sees the same ones. It writes nothing before the last step,
 * except a stored log-in that Twitch renewed.
 */
export class Setup {
  readonly ground: Ground;
  readonly now: () => number;
  /** False if the client id is the project's, so that no user is asked for it. */
  readonly asksClientId: boolean;
  /** Holds who may open the page. In memory. */
  readonly db = openDatabase(":memory:");
  readonly logins: DeviceLogins;
  readonly answers: Answers;
  /** Resolves with the configuration once it is written. */
  readonly done: Promise<Config>;
  isWritten = false;
  /** The sentence at the top of the next page. */
  message: { readonly text: string; readonly isWrong: boolean } | null;
  /** A sample answer for a name and a voice. */
  sample: Sample | null = null;
  /** The fields of a form that was refused, without keys, so that the user need not type them again. */
  refused: Fields = {};
  readonly #passed: Set<Step>;
  #areStoredLoginsTaken = false;
  #finish: (config: Config) => void = () => undefined;

  /** `problem`: the reason why the bot could not start after the setup before; null at first. */
  constructor(ground: Ground, world: SetupWorld, problem: string | null = null) {
    this.ground = ground;
    this.now = world.now;
    this.asksClientId = ground.base.twitch.clientId !== "" || world.defaultClientId === "";
    this.answers = readFirstAnswers(ground.base, ground.isNew, world.defaultClientId);
    this.message = problem === null ? null : { text: problem, isWrong: true };
    this.logins = new DeviceLogins(world, (whose, login) => this.#takeLogin(whose, login));
    // An existing configuration has all answers; its user begins with the channel all the same.
    this.#passed = new Set(ground.isNew ? [] : STEP_NAMES.slice(1));
    this.done = new Promise((taken) => {
      this.#finish = taken;
    });
  }

  close(): void {
    this.logins.cancel();
    this.db.close();
  }

  /** Returns the steps of this bot: one without an account has fewer. */
  listSteps(): readonly Step[] {
    return STEP_NAMES.filter((step) => this.answers.account !== "none" || !SPEAKING.has(step));
  }

  /** True if a step was answered. The step `twitch` also needs a fitting log-in, unless the bot needs none. */
  isDone(step: Step): boolean {
    return this.#passed.has(step) && (step !== "twitch" || isLoggedIn(this.answers));
  }

  /** Returns the wanted step, if those before it are done; else the first that is not done, or `finish` if all are. */
  findReachable(wanted: string): Step {
    const steps = this.listSteps();
    const open = steps.findIndex((step) => !this.isDone(step));
    const reachable = open < 0 ? steps : steps.slice(0, open + 1);
    return reachable.find((step) => step === wanted) ?? reachable.at(-1) ?? "channel";
  }

  /** True if the user chose polls and markers, and the streamer's own log-in for them is missing. */
  needsStreamer(): boolean {
    const { clientId, streamer } = this.answers;
    const scopes = listStreamerScopes(this.answers);
    return scopes.length > 0 && !(streamer !== null && isEnough(streamer, clientId, scopes));
  }

  /** Marks a step as answered. Returns the next one. */
  pass(step: Step): Step {
    this.#passed.add(step);
    const steps = this.listSteps();
    return steps[steps.indexOf(step) + 1] ?? "finish";
  }

  /** Takes back that a step was answered. */
  reopen(step: Step): void {
    this.#passed.delete(step);
  }

  /**
   * Marks the step `twitch` as answered, and returns the next one. If Twitch has no such channel, returns `channel` and
   * sets a message. Returns `twitch` if a log-in is missing; with `canLackStreamer`, the streamer's may be.
   */
  async leaveTwitch(canLackStreamer = false): Promise<Step> {
    const { bot, channels } = this.answers;
    if (!isLoggedIn(this.answers)) return "twitch";
    const missing = bot === null ? undefined : await findMissingChannel(bot, channels);
    if (missing !== undefined) {
      const text = `Twitch has no channel called ${missing}: correct its name.`;
      this.message = { text, isWrong: true };
      this.reopen("channel");
      return "channel";
    }
    return canLackStreamer || !this.needsStreamer() ? this.pass("twitch") : "twitch";
  }

  /** Once the log-in has ended, does as `leaveTwitch`, with a message. While it waits, or if it failed: `twitch`. */
  async leaveAfterLogin(): Promise<Step> {
    if (this.logins.progress().kind !== "idle") return "twitch";
    const next = await this.leaveTwitch();
    const text = `Logged in as ${this.answers.bot?.login}.`;
    if (next === "model") this.message = { text, isWrong: false };
    return next;
  }

  /**
   * Fills missing log-ins in the answers with stored ones that Twitch accepts. Renews an expired one and stores it.
   * Does nothing at later calls, or for a bot without an account.
   */
  async takeStoredLogins(): Promise<void> {
    const { answers, ground, now } = this;
    if (this.#areStoredLoginsTaken || answers.account === "none") return;
    this.#areStoredLoginsTaken = true;
    for (const whose of ["bot", "streamer"] as const) {
      if (whose === "streamer" && listStreamerScopes(answers).length === 0) continue;
      const login = await findStoredLogin(ground, whose, answers.clientId, now);
      answers[whose] ??= login;
    }
  }

  /** Puts a log-in into the answers. Sets a message instead if the streamer's is not that of a channel. */
  #takeLogin(whose: TokenOwner, login: Login): void {
    const { answers } = this;
    const { channels } = answers;
    if (whose === "streamer" && !channels.includes(login.login)) {
      const text = `You logged in as ${login.login}, which is not your channel’s account (${channels.join(", ")}): log in as yourself.`;
      this.message = { text, isWrong: true };
      return;
    }
    answers[whose] = login;
    if (whose === "bot") this.takeNameOf(login);
  }

  /** If the bot has no name yet, sets its account's. Does nothing if it uses the streamer's account. */
  takeNameOf({ displayName }: Login): void {
    if (this.answers.account === "bot") this.answers.name ??= displayName;
  }

  /**
   * Has the model answer a sample question by the real prompt, and sets `sample`; its text is null if the model failed.
   * Does nothing for a bot without an account, or with the demo's model.
   */
  async hearSample(): Promise<void> {
    const { answers, ground, now } = this;
    const { account, bot, model, name, voice } = answers;
    if (account === "none" || model.provider === "offline") return;
    const question = `@${name ?? bot?.login ?? "you"} ${SAMPLE_QUESTION}`;
    const { after: config } = planConfig(ground, answers);
    const apiKeys = mergeKeys(answers, ground.secrets);
    const text = await sampleAnswer({ config, apiKeys, speaker: SAMPLE_SPEAKER, question, now });
    this.sample = { name, voice, question, text };
  }

  /** Writes configuration and secrets, once, and resolves `done`. Throws a Fault if it cannot, or a bot runs. */
  write(): void {
    if (this.isWritten) return;
    refuseRunning(this.ground.base.dataDir, "save here again");
    const { after, write } = planFiles(this.ground, this.answers);
    write();
    this.isWritten = true;
    this.#finish(after);
  }

  /**
   * Runs `take` with the fields of a form. Returns the step to show next. If `take` throws a Fault, that is `step`:
   * `message` has the reason, and `refused` the fields without keys.
   */
  async submit(step: Step, take: TakeForm, fields: Fields): Promise<Step> {
    this.message = null;
    this.refused = {};
    try {
      return await take(this, fields);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      this.message = { text: describeFault(thrown), isWrong: true };
      const isSecret = (name: string) => /^(?:key-|_)/.test(name);
      this.refused = Object.fromEntries(Object.entries(fields).filter(([name]) => !isSecret(name)));
      return step;
    }
  }
}

export function describeFault({ message, fix }: Fault): string {
  return `${withShellCommands(message)}: ${withShellCommands(fix)}.`;
}

export function describeTakenPort(url: string): string {
  return `The usual port of this page is taken, so it is at ${url}. If another ForgetMeNot is open, close one of the two.`;
}
