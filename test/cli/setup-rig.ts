import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished, vi } from "vitest";
import { setup } from "../../src/cli/setup/setup.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { SECRET_VARIABLES, useHelixStandIn } from "../../src/config/environment.ts";
import { writePrivately } from "../../src/config/private-file.ts";
import { wait as realWait } from "../../src/twitch/bounded-call.ts";
import { openGeminiServer } from "../stand-ins/gemini-server.ts";
import { type HelixServer, startHelixServer } from "../stand-ins/helix-server.ts";
import type { ModelServer } from "../stand-ins/model-server.ts";
import { BOT, BOT_ID, CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const CLIENT_ID = "abcdefghij0123456789abcdefghij";
export const ENTER = "\r";
export const SPACE = " ";
export const DOWN = "\u001b[B";
const CTRL_C = "\u0003";
const BACKSPACES = "\u007f".repeat(80);

/** Somebody at a terminal: types, and waits by what stands on the screen. */
export interface Somebody {
  /** Everything that was on the screen, without colours. */
  screen(): string;
  /** Resolves once `text` stands on the screen behind what was seen last. */
  sees(text: string): Promise<void>;
  press(keys: string): void;
  /** What came behind what was seen last. */
  last(): string;
  /** Takes what stands in the line away, then types. */
  types(question: string, text: string): Promise<void>;
  /** Presses Enter on what stands there. */
  agrees(question: string): Promise<void>;
  /** Goes down to a choice that begins so, and takes it. */
  picks(question: string, label: string): Promise<void>;
  stops(question: string): Promise<void>;
}

/** The question for the bot's name, which comes once it is logged in. */
export const NAMED = "What is the bot called?";

/** Somebody at these two ends: what they type goes into `input`, what they see comes out of `output`. */
export function somebody(input: Writable, output: Readable): Somebody {
  let written = "";
  let seen = 0;
  output.setEncoding("utf8").on("data", (text: string) => {
    written += text;
  });
  const screen = () => stripVTControlCharacters(written);
  const fresh = () => screen().slice(seen);
  const sees = async (text: string) => {
    await until(() => fresh().includes(text), 30_000).catch((cause: unknown) => {
      throw new Error(`"${text}" was not to be seen; last:\n${screen().slice(-2_000)}`, { cause });
    });
    seen += fresh().indexOf(text) + text.length;
  };
  const press = (keys: string) => void input.write(keys);
  const marked = () => [...fresh().matchAll(/^[^\n]*[●>] (.*)$/gm)].map(([, label]) => label ?? "");
  return {
    screen,
    sees,
    press,
    last: fresh,
    types: async (question, text) => {
      await sees(question);
      press(`${BACKSPACES}${text}${ENTER}`);
    },
    agrees: async (question) => {
      await sees(question);
      press(ENTER);
    },
    picks: async (question, label) => {
      await sees(question);
      await until(() => marked().length > 0);
      while (!marked().at(-1)?.startsWith(label)) {
        const before = marked().length;
        press(DOWN);
        await until(() => marked().length > before);
        if (before > 12) throw new Error(`no choice "${label}":\n${screen().slice(-1_500)}`);
      }
      press(ENTER);
    },
    stops: async (question) => {
      await sees(question);
      press(CTRL_C);
    },
  };
}

export interface Rig extends Somebody {
  readonly folder: string;
  readonly file: string;
  readonly helix: HelixServer;
  /** What `setup` came to. */
  readonly done: Promise<boolean>;
  readonly stop: AbortController;
  /** Addresses that were opened in the browser. */
  readonly opened: readonly string[];
  /** Moves the clock. */
  passes(ms: number): void;
  /** Somebody logs in on Twitch's page, as this account. */
  approves(login: string, how?: { readonly renewable?: boolean }): void;
  /** The scopes that were asked of Twitch last. */
  askedScopes(): readonly string[];
  /** Of the configuration file, as it stands there. */
  text(): string;
  config(): unknown;
  secrets(): Readonly<Record<string, unknown>>;
  exists(name: string): boolean;
}

export interface RigGiven {
  readonly config?: Readonly<Record<string, unknown>> | string;
  readonly secrets?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly helix?: HelixServer;
  readonly folder?: string;
  /** Of the terminal. */
  readonly columns?: number;
  /** The application that the project has registered. */
  readonly defaultClientId?: string;
}

/** Whom Twitch knows: ids, and the names as it writes them, by login. */
const USERS: Readonly<Record<string, readonly [id: string, displayName: string]>> = {
  [CHANNEL]: [STREAMER_ID, "LanternRoom"],
  otherroom: ["4002", "OtherRoom"],
  [BOT]: [BOT_ID, "AutoMark"],
};

/** Starts setup in this process, before a Twitch on loopback. */
export async function openSetup(given: RigGiven = {}): Promise<Rig> {
  const folder = given.folder ?? temporaryFolder();
  const file = join(folder, "config.json");
  if (given.config !== undefined) writeFileSync(file, textOf(given.config));
  if (given.secrets !== undefined) writeSecrets(folder, given.secrets);
  for (const name of Object.values(SECRET_VARIABLES)) vi.stubEnv(name, given.environment?.[name]);
  const stop = new AbortController();
  const opened: string[] = [];
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const helix = given.helix ?? (await startHelixServer({ now }));
  for (const [login, [id, displayName]] of Object.entries(USERS))
    helix.setUser({ id, login, displayName });
  useHelixStandIn(helix.port);
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { columns: given.columns ?? 80 });
  const person = atTerminal(somebody(input, output), stop);
  const terminal: Terminal = {
    print: () => undefined,
    complain: () => undefined,
    write: () => undefined,
    isTerminal: true,
    columns: () => given.columns ?? 80,
    stop: stop.signal,
    person: () => ({ input, output }),
  };
  const done = setup(file, terminal, {
    now,
    wait: (_ms, signal) => realWait(5, signal),
    open: (url) => void opened.push(url),
    defaultClientId: given.defaultClientId ?? "",
  });
  done.catch(() => undefined);
  onTestFinished(async () => {
    stop.abort();
    await done.catch(() => undefined);
    if (given.helix === undefined) await helix.close();
    vi.unstubAllEnvs();
  });
  return {
    ...person,
    folder,
    file,
    helix,
    done,
    stop,
    opened,
    passes: (ms) => {
      clock.aheadMs += ms;
    },
    approves: approver(helix, person),
    askedScopes: () => scopesAsked(helix),
    text: () => readFileSync(file, "utf8"),
    config: () => JSON.parse(readFileSync(file, "utf8")),
    secrets: () => JSON.parse(readFileSync(join(folder, "data", "secrets.json"), "utf8")),
    exists: (name) => existsSync(join(folder, name)),
  };
}

/** While no question is open, a terminal makes a signal of Ctrl-C. */
function atTerminal(person: Somebody, stop: AbortController): Somebody {
  const press = (keys: string) => {
    if (keys === CTRL_C && person.last().includes("(Ctrl-C stops)")) stop.abort();
    else person.press(keys);
  };
  return {
    ...person,
    press,
    stops: async (question) => {
      await person.sees(question);
      press(CTRL_C);
    },
  };
}

/** The scopes that were asked of Twitch last. */
function scopesAsked(helix: HelixServer): readonly string[] {
  const asked = helix.requests.filter(({ path }) => path === "/auth/device").at(-1);
  return asked?.query["scopes"]?.split(" ") ?? [];
}

/** Logs somebody in with the code that stands on the screen last. */
export function approver(helix: HelixServer, person: Somebody) {
  const askedScopes = () => scopesAsked(helix);
  return (login: string, { renewable = true }: { readonly renewable?: boolean } = {}) => {
    const userId = USERS[login]?.[0] ?? "999";
    const grant = { userId, login, clientId: CLIENT_ID, scopes: askedScopes() };
    const token = { ...grant, expiresInSeconds: 14_000 };
    const first = { accessToken: `first-${login}`, refreshToken: `spent-${login}`, token };
    const second = { accessToken: `access-${login}`, refreshToken: `refresh-${login}`, token };
    if (renewable) helix.setRefreshToken(`spent-${login}`, second);
    const codes = [...person.screen().matchAll(/Code: CODE(\d+)/g)];
    helix.approveDevice(`device-${codes.at(-1)?.[1]}`, first);
  };
}

function textOf(config: Readonly<Record<string, unknown>> | string): string {
  return typeof config === "string" ? config : JSON.stringify(config, null, 2);
}

function writeSecrets(folder: string, secrets: Readonly<Record<string, unknown>>): void {
  const text = JSON.stringify(secrets);
  writePrivately(join(folder, "data", "secrets.json"), text);
}

export async function openGemini(): Promise<ModelServer> {
  const model = await openGeminiServer();
  onTestFinished(model.close);
  return model;
}

/** What a configuration has to say for Gemini to be on loopback. */
export async function withGemini(): Promise<Readonly<Record<string, unknown>>> {
  return { channel: CHANNEL, llm: { baseUrl: (await openGemini()).url } };
}

/** Answers up to the log-in of a new configuration, with an account of the bot's own; `classKeys` choose what it may do. */
export async function reachLogin(rig: Rig, classKeys = ""): Promise<void> {
  await rig.types("your Twitch channel", CHANNEL);
  await rig.picks("Who speaks in chat?", "An account of the bot");
  await rig.types("Paste the Client ID", CLIENT_ID);
  await rig.sees("What may it do?");
  rig.press(`${classKeys}${ENTER}`);
}

/** Takes the voice that stands there, and its sample where the model gives one. */
export async function hearsVoice(rig: Rig): Promise<void> {
  await rig.agrees("How does it talk?");
  await until(() => /Is that how it should talk|gave no sample|How does it begin/.test(rig.last()));
  if (rig.last().includes("Is that how it should talk")) await rig.agrees("Is that how");
}
