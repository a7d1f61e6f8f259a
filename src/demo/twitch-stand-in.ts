import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";
import { parseWireLine } from "../twitch/wire.ts";
import type { CastMember } from "./script.ts";

interface StandInOptions {
  /** The channel's login is the streamer's; its room id is the streamer's user id. */
  readonly streamer: CastMember;
  readonly bot: CastMember;
  readonly scopes: readonly string[];
  /** Simulated time, epoch ms. */
  readonly now: () => number;
  /** The bot sent a message, in reply to the message with that id or to none. */
  readonly onBotSaid: (text: string, replyTo: string | null) => void;
  /** The bot timed a viewer out. */
  readonly onTimeout: (userId: string, seconds: number) => void;
  readonly onClip: () => void;
}

interface SpokenLine {
  readonly text: string;
  /** Id of the message that it replies to. */
  readonly replyTo?: string | null;
  readonly isAction?: boolean;
}

/** The running stream; null while the channel is offline. */
type Stream = { readonly title: string; readonly category: string; readonly atMs: number } | null;
type Body = Readonly<Record<string, unknown>>;
type Tags = Readonly<Record<string, string>>;
type Chat = ReturnType<typeof createChat>;

const LISTEN_TRIES = 5;

/**
 * Opens a stand-in for Twitch with one channel and one bot on loopback: chat server, Helix and log-in server, as far
 * as the demo needs. Any program on this machine may log in; other machines cannot reach it.
 */
export async function openTwitchStandIn(options: StandInOptions) {
  let stream: Stream = null;
  const chat = createChat(options);
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on("connection", (socket) => serveChat(socket, options, chat));
  await once(http.listen(0, "127.0.0.1"), "listening");
  const routes = createRoutes(options, chat, () => stream);
  const helix = await listenOnLocalhost((request, response) => {
    serveHelix(request, response, routes).catch(() => response.destroy());
  });
  return {
    chatUrl: `ws://127.0.0.1:${getPort(http)}`,
    helixPort: getPort(helix[0]),
    /** Sends a viewer's message to chat. Returns its id. */
    say: (author: CastMember, line: SpokenLine) => chat.say(author, line),
    raid: chat.raid,
    /** null ends the stream. */
    setStream: (next: { readonly title: string; readonly category: string } | null) => {
      stream = next === null ? null : { ...next, atMs: options.now() };
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      await Promise.all([http, ...helix].map(closeServer));
    },
  };
}

/** Sends lines to every client that joined. */
function createChat({ streamer, bot, now, onBotSaid, onTimeout }: StandInOptions) {
  const clients = new Set<WebSocket>();
  const said = new Map<string, { readonly author: CastMember; readonly text: string }>();
  const broadcast = (line: string, except?: WebSocket): void => {
    for (const client of clients) if (client !== except) client.send(`${line}\r\n`);
  };
  const say = (author: CastMember, line: SpokenLine, except?: WebSocket): string => {
    const id = randomUUID();
    const parent = said.get(line.replyTo ?? "");
    said.set(id, { author, text: line.text });
    const text = parent === undefined ? line.text : `@${parent.author.displayName} ${line.text}`;
    const tags = {
      ...makePersonTags(author),
      id,
      "room-id": streamer.userId,
      "tmi-sent-ts": String(now()),
      "user-id": author.userId,
      ...(parent === undefined
        ? {}
        : {
            "reply-parent-display-name": parent.author.displayName,
            "reply-parent-msg-body": parent.text,
            "reply-parent-msg-id": line.replyTo ?? "",
            "reply-parent-user-id": parent.author.userId,
            "reply-parent-user-login": parent.author.login,
          }),
    };
    const body = line.isAction === true ? `\u0001ACTION ${text}\u0001` : text;
    const { login } = author;
    const from = `:${login}!${login}@${login}.tmi.twitch.tv`;
    broadcast(formatTaggedLine(tags, `${from} PRIVMSG #${streamer.login} :${body}`), except);
    return id;
  };
  return {
    clients,
    say,
    raid: (from: CastMember, raiders: number): void => {
      const tags = {
        ...makePersonTags(from),
        id: randomUUID(),
        login: from.login,
        "msg-id": "raid",
        "msg-param-displayName": from.displayName,
        "msg-param-login": from.login,
        "msg-param-viewerCount": String(raiders),
        "room-id": streamer.userId,
        "system-msg": `${raiders} raiders from ${from.displayName} have joined!`,
        "tmi-sent-ts": String(now()),
        "user-id": from.userId,
      };
      broadcast(formatTaggedLine(tags, `:tmi.twitch.tv USERNOTICE #${streamer.login}`));
    },
    /** A client does not hear its own message. */
    sayAsBot: (text: string, replyTo: string | null, sender?: WebSocket): string => {
      const id = say(bot, { text, replyTo }, sender);
      onBotSaid(text, replyTo);
      return id;
    },
    timeOut: (userId: string, seconds: number): void => {
      const author = [...said.values()].find((one) => one.author.userId === userId)?.author;
      const tags = {
        "ban-duration": String(seconds),
        "room-id": streamer.userId,
        "target-user-id": userId,
        "tmi-sent-ts": String(now()),
      };
      const target = author === undefined ? "" : ` :${author.login}`;
      broadcast(formatTaggedLine(tags, `:tmi.twitch.tv CLEARCHAT #${streamer.login}${target}`));
      onTimeout(userId, seconds);
    },
  };
}

function serveChat(socket: WebSocket, { streamer, bot }: StandInOptions, chat: Chat): void {
  const server = ":tmi.twitch.tv";
  const channel = `#${streamer.login}`;
  const send = (line: string) => socket.send(`${line}\r\n`);
  const answer = (line: string): void => {
    const message = parseWireLine(line);
    switch (message?.command) {
      case "CAP":
        send(`${server} CAP * ACK :${message.params.at(-1) ?? ""}`);
        return;
      case "NICK":
        for (const code of ["001", "002", "003", "004", "375", "372", "376"])
          send(`${server} ${code} ${bot.login} :-`);
        send(
          formatTaggedLine(
            { ...makePersonTags(bot), "user-id": bot.userId },
            `${server} GLOBALUSERSTATE`,
          ),
        );
        return;
      case "JOIN":
        chat.clients.add(socket);
        send(`:${bot.login}!${bot.login}@${bot.login}.tmi.twitch.tv JOIN ${channel}`);
        send(formatTaggedLine(makePersonTags(bot), `${server} USERSTATE ${channel}`));
        send(formatTaggedLine({ "room-id": streamer.userId }, `${server} ROOMSTATE ${channel}`));
        return;
      case "PING":
        send(`PONG :${message.params[0] ?? ""}`);
        return;
      case "PRIVMSG": {
        send(formatTaggedLine(makePersonTags(bot), `${server} USERSTATE ${channel}`));
        const replyTo = message.tags["reply-parent-msg-id"] ?? null;
        chat.sayAsBot(message.params[1] ?? "", replyTo, socket);
        return;
      }
      default:
    }
  };
  socket.once("close", () => chat.clients.delete(socket));
  socket.on("error", () => socket.terminate());
  socket.on("message", (data) => {
    for (const line of String(data).split("\r\n")) answer(line);
  });
}

type Routes = Readonly<Record<string, (query: URLSearchParams, body: Body) => object>>;

/** Makes the routes of Helix and of the log-in server, by method and path, as in Twitch's API reference. */
function createRoutes(
  { streamer, bot, scopes, onClip }: StandInOptions,
  chat: Chat,
  streamNow: () => Stream,
): Routes {
  return {
    "GET /auth/validate": () => ({
      client_id: "rehearsal",
      login: bot.login,
      user_id: bot.userId,
      scopes,
      expires_in: null,
    }),
    "GET /mock/users": (query) => ({
      data: [streamer, bot]
        .filter((one) => one.userId === query.get("id") || one.login === query.get("login"))
        .map(({ userId, login, displayName }) => ({
          id: userId,
          login,
          display_name: displayName,
        })),
    }),
    "GET /mock/channels": () => ({
      data: [
        {
          broadcaster_id: streamer.userId,
          broadcaster_login: streamer.login,
          broadcaster_name: streamer.displayName,
          game_name: streamNow()?.category ?? "",
          title: streamNow()?.title ?? "",
        },
      ],
    }),
    "GET /mock/streams": () => {
      const stream = streamNow();
      if (stream === null) return { data: [] };
      const one = {
        id: `stream-${stream.atMs}`,
        type: "live",
        user_id: streamer.userId,
        user_login: streamer.login,
        user_name: streamer.displayName,
        game_name: stream.category,
        title: stream.title,
        started_at: new Date(stream.atMs).toISOString(),
      };
      return { data: [one] };
    },
    "POST /mock/chat/messages": (_, { message, reply_parent_message_id: parent }) => {
      const id = chat.sayAsBot(String(message), typeof parent === "string" ? parent : null);
      return { data: [{ message_id: id, is_sent: true }] };
    },
    "POST /mock/moderation/bans": (_, { data }) => {
      const { user_id: userId, duration }: Body = Object(data);
      chat.timeOut(String(userId), Number(duration));
      return { data: [{ user_id: userId }] };
    },
    "POST /mock/clips": () => {
      onClip();
      const edit_url = "https://clips.twitch.tv/StandInClip/edit";
      return { data: [{ id: "StandInClip", edit_url }] };
    },
  };
}

async function serveHelix(
  request: IncomingMessage,
  response: ServerResponse,
  routes: Routes,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const text = await readText(request);
  const isJson = request.headers["content-type"]?.includes("json") === true;
  const body: Body = isJson ? JSON.parse(text) : {};
  const answer = routes[`${request.method} ${url.pathname}`]?.(url.searchParams, body);
  response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer ?? { error: "Not Found", status: 404, message: "" }));
}

/** `@a=1;b=2 rest`, with values escaped as the IRCv3 message-tags specification says. */
function formatTaggedLine(tags: Tags, rest: string): string {
  const escapes: Tags = { ";": "\\:", " ": "\\s", "\\": "\\\\", "\r": "\\r", "\n": "\\n" };
  const written = Object.entries(tags).map(
    ([key, value]) => `${key}=${value.replace(/[; \\\r\n]/g, (char) => escapes[char] ?? char)}`,
  );
  return `@${written.join(";")} ${rest}`;
}

function makePersonTags({ badges, color, displayName }: CastMember): Tags {
  const wears = (badge: string) => (badges.includes(`${badge}/`) ? "1" : "0");
  return {
    badges,
    color,
    "display-name": displayName,
    mod: wears("moderator"),
    subscriber: wears("subscriber"),
    vip: wears("vip"),
  };
}

/** Listens on both address families: twurple calls `localhost`, which is 127.0.0.1, ::1 or both. */
async function listenOnLocalhost(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<readonly [Server, ...Server[]]> {
  for (let tries = 1; ; tries += 1) {
    const v4 = createServer(handler).listen(0, "127.0.0.1");
    await once(v4, "listening");
    const v6 = createServer(handler).listen(getPort(v4), "::1");
    const code = await once(v6, "listening").then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === null) return [v4, v6];
    // Another program has that port of the other family: try another port.
    if (code !== "EADDRINUSE" || tries === LISTEN_TRIES) return [v4];
    await closeServer(v4);
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function getPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}
