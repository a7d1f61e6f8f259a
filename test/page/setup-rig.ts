import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { SECRET_VARIABLES, useHelixStandIn } from "../../src/config/environment.ts";
import { writePrivately } from "../../src/config/private-file.ts";
import { PageAccess } from "../../src/page/access.ts";
import { openDashboard } from "../../src/page/server.ts";
import { readGround, Setup } from "../../src/page/setup.ts";
import { wait as realWait } from "../../src/twitch/bounded-call.ts";
import { openGeminiServer } from "../stand-ins/gemini-server.ts";
import { type HelixServer, startHelixServer } from "../stand-ins/helix-server.ts";
import { openOpenAiServer } from "../stand-ins/openai-server.ts";
import { BOT, BOT_ID, CHANNEL, STREAMER_ID } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { exchange } from "./page-rig.ts";

export const CLIENT_ID = "abcdefghij0123456789abcdefghij";
export const KEY = "AIzaSyTheKeyThatNobodyMaySee";

/** Whom Twitch knows: ids, and the names as it writes them, by login. */
const USERS: Readonly<Record<string, readonly [id: string, displayName: string]>> = {
  [CHANNEL]: [STREAMER_ID, "LanternRoom"],
  otherroom: ["4002", "OtherRoom"],
  [BOT]: [BOT_ID, "AutoMark"],
};

interface SetupGiven {
  readonly config?: object | string;
  readonly secrets?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly port?: number;
  /** The application that the project has registered. */
  readonly defaultClientId?: string;
}

export type SetupRig = Awaited<ReturnType<typeof openSetupRig>>;

/** Setup on a page of its own, before a Twitch and a Gemini on loopback. */
export async function openSetupRig(given: SetupGiven = {}) {
  const folder = given.folder ?? temporaryFolder();
  const file = join(folder, "config.json");
  const { config, secrets, environment, defaultClientId = "" } = given;
  if (config !== undefined)
    writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config, null, 2));
  if (secrets !== undefined)
    writePrivately(join(folder, "data", "secrets.json"), JSON.stringify(secrets));
  for (const name of Object.values(SECRET_VARIABLES)) vi.stubEnv(name, environment?.[name]);
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const twitch = await openTwitch(now);
  const wait = (_ms: number, signal: AbortSignal) => realWait(5, signal);
  const page = await openDashboard(given.port ?? 0);
  const setup = new Setup(readGround(file), { now, wait, defaultClientId });
  page.showSetup(setup);
  onTestFinished(async () => {
    await page.close();
    setup.close();
    vi.unstubAllEnvs();
  });
  const access = new PageAccess(setup.db, now);
  return {
    ...twitch,
    ...visitor(page.url, () => access.make("link")),
    folder,
    file,
    setup,
    page,
    url: page.url,
    access,
    approves: approver(twitch.helix, () => {
      const progress = setup.logins.progress();
      return progress.kind === "waiting" ? progress.userCode : "";
    }),
    /** Moves the clock. */
    passes: (ms: number) => {
      clock.aheadMs += ms;
    },
    config: () => JSON.parse(readFileSync(file, "utf8")),
    secrets: () => JSON.parse(readFileSync(join(folder, "data", "secrets.json"), "utf8")),
    exists: (name: string) => existsSync(join(folder, name)),
  };
}

/** A Twitch on loopback that knows some people, and lets them log in by codes. */
async function openTwitch(now: () => number = Date.now) {
  const helix = await startHelixServer({ now });
  onTestFinished(helix.close);
  for (const [login, [id, displayName]] of Object.entries(USERS))
    helix.setUser({ id, login, displayName });
  useHelixStandIn(helix.port);
  return { helix, askedScopes: () => scopesAsked(helix) };
}

function scopesAsked(helix: HelixServer): readonly string[] {
  const asked = helix.requests.filter(({ path }) => path === "/auth/device").at(-1);
  return asked?.query["scopes"]?.split(" ") ?? [];
}

/** Somebody logs in on Twitch's page, with the code that is shown, as this account. */
export function approver(helix: HelixServer, shownCode: () => string) {
  return (login: string, { renewable = true }: { readonly renewable?: boolean } = {}) => {
    const userId = USERS[login]?.[0] ?? "999";
    const grant = { userId, login, clientId: CLIENT_ID, scopes: scopesAsked(helix) };
    const token = { ...grant, expiresInSeconds: 14_000 };
    const first = { accessToken: `first-${login}`, refreshToken: `spent-${login}`, token };
    const second = { accessToken: `access-${login}`, refreshToken: `refresh-${login}`, token };
    if (renewable) helix.setRefreshToken(`spent-${login}`, second);
    helix.approveDevice(shownCode().replace("CODE", "device-"), first);
  };
}

/** A browser without scripts, as far as setup needs one. */
function visitor(url: string, makeLink: () => string) {
  const origin = url.replace(/\/$/, "");
  let session: { cookie: string; csrf: string } | null = null;
  const open = async (path: string): Promise<{ path: string; text: string }> => {
    const cookie = session?.cookie ?? "";
    const answer = await exchange(url, path, { headers: { cookie, accept: "text/html" } });
    const { location } = answer.headers;
    if (answer.status === 303) return await open(String(location));
    return { path, text: answer.text };
  };
  const enter = async () => {
    const entered = await exchange(url, `/enter?key=${makeLink()}`, {});
    session = { cookie: String(entered.headers["set-cookie"]).split(";")[0] ?? "", csrf: "" };
    const { text } = await open("/");
    session.csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
  };
  return {
    /** Opens an address, and follows where it leads. */
    open: async (path: string) => {
      if (session === null) await enter();
      return await open(path);
    },
    /** Sends a form of setup. Returns the page that it leads to. */
    send: async (form: string, fields: Readonly<Record<string, string>> = {}) => {
      if (session === null) await enter();
      const { cookie, csrf } = session ?? { cookie: "", csrf: "" };
      const answer = await exchange(url, `/setup/${form}`, {
        method: "POST",
        headers: { cookie, origin, "content-type": "application/x-www-form-urlencoded" },
        body: String(new URLSearchParams({ ...fields, _csrf: csrf })),
      });
      if (answer.status !== 303) return { path: "", text: answer.text };
      return await open(String(answer.headers["location"]));
    },
  };
}

/** A configuration that says only where Gemini is: setup asks for the rest. */
export async function withGemini(): Promise<{ channel: string; llm: { baseUrl: string } }> {
  return { channel: CHANNEL, llm: { baseUrl: (await openGemini()).url } };
}

export async function openGemini() {
  const model = await openGeminiServer();
  onTestFinished(model.close);
  return model;
}

/** A model server of the streamer's own, and the fields that name it. */
export async function openOwnServer() {
  const model = await openOpenAiServer();
  onTestFinished(model.close);
  const baseUrl = `${model.url}/v1`;
  return { model, fields: { provider: "openai-compatible", baseUrl, model: "llama3.1:8b" } };
}

/** Answers up to the log-in: the page shows a code then. */
export async function reachCode(rig: SetupRig, fields: Readonly<Record<string, string>> = {}) {
  await rig.send("channel", { channel: CHANNEL });
  return await rig.send("twitch/choose", { account: "bot", clientId: CLIENT_ID, ...fields });
}

/** Answers up to the model, for a bot without an account. */
export async function reachModel(rig: SetupRig, channel = CHANNEL) {
  await rig.send("channel", { channel });
  return await rig.send("twitch/choose", { account: "none" });
}

/** Logs in with a new code. Returns the page that follows. */
export async function logIn(
  rig: SetupRig,
  login = "automark",
  fields: Readonly<Record<string, string>> = {},
) {
  await reachCode(rig, fields);
  rig.approves(login);
  return await goesOn(rig);
}

/** Waits until the page that shows a code goes on. */
export async function goesOn(rig: SetupRig) {
  await until(() => rig.setup.logins.progress().kind !== "waiting");
  return await rig.open("/setup/twitch/wait");
}

/** From the model to the last step. */
export async function reachFinish(rig: SetupRig, mode = "shadow") {
  await rig.send("model", { provider: "gemini", "key-gemini": KEY });
  await rig.send("voice", { name: "Mark", preset: "Deadpan", own: "" });
  return await rig.send("start", { mode });
}
