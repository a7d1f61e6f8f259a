import { onTestFinished } from "vitest";
import { openLog } from "../../src/log.ts";
import { Chat, type ChatOptions, type ChatState } from "../../src/twitch/chat.ts";
import type { WireMessage } from "../../src/twitch/wire.ts";
import {
  startTwitchServer,
  type TwitchServer,
  type TwitchServerOptions,
} from "../stand-ins/twitch-server.ts";
import { until } from "../stand-ins/until.ts";

/** Waits that are to end are short; limits that are to hold are longer than a machine ever stands still. */
export const FAST = {
  connectMs: 30_000,
  idleMs: 30_000,
  pongMs: 30_000,
  closeMs: 200,
  stableMs: 30_000,
  joinSpacingMs: 15,
  joinAckMs: 30_000,
  channelIdleMs: 30_000,
  joinBackoff: { baseMs: 20, capMs: 80 },
  backoff: { baseMs: 20, capMs: 80 },
};

/** Asks a silent server for a sign of life all the time. */
export const WATCHFUL = { ...FAST, idleMs: 60 };
export const SHORT_CONNECT = { ...FAST, connectMs: 100 };
export const SHORT_JOIN = { ...FAST, joinAckMs: 60 };

export const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };

export interface Rig {
  readonly server: TwitchServer;
  readonly chat: Chat;
  readonly states: ChatState[];
  readonly messages: WireMessage[];
  readonly logged: string[];
}

interface Given {
  readonly chat?: Partial<ChatOptions>;
  readonly server?: Partial<TwitchServerOptions>;
  readonly faults?: Partial<TwitchServer["faults"]>;
}

export async function open(given: Given = {}): Promise<Rig> {
  const server = await startTwitchServer({ now: Date.now, ...given.server });
  Object.assign(server.faults, given.faults);
  const states: ChatState[] = [];
  const messages: WireMessage[] = [];
  const logged: string[] = [];
  const chat = new Chat({
    url: server.url,
    login: "markbot",
    password: () => Promise.resolve("secret"),
    mayBeGood: () => Promise.resolve(false),
    channels: ["lanternroom"],
    onMessage: (message) => void messages.push(message),
    onState: (state) => void states.push(state),
    log: openLog("info", (line) => void logged.push(line)),
    now: Date.now,
    random: () => 0.5,
    timings: FAST,
    ...given.chat,
  });
  chat.start();
  onTestFinished(async () => {
    await chat.close();
    await server.close();
  });
  return { server, chat, states, messages, logged };
}

export async function openJoined(given: Given = {}): Promise<Rig> {
  const rig = await open(given);
  await until(() => rig.chat.joined().length === 1);
  return rig;
}

export const texts = (messages: readonly WireMessage[]) =>
  messages.filter(({ command }) => command === "PRIVMSG").map(({ params }) => params[1]);

export const kinds = (states: readonly ChatState[]) => states.map(({ kind }) => kind);
