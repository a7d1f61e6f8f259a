import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";
import { parseWireLine } from "../twitch/wire.ts";
import { REHEARSAL_BOT } from "./data-folder.ts";
import { type Beat, CAST, type CastMember, findCastMember } from "./script.ts";

type Body = Readonly<Record<string, unknown>>;
type Tags = Readonly<Record<string, string>>;
type Route = (query: URLSearchParams, body: Body) => object;

const SCOPES = [
  "chat:read",
  "chat:edit",
  "user:write:chat",
  "user:read:chat",
  "moderator:manage:banned_users",
  "clips:edit",
];
const BOT: CastMember = {
  userId: "990000001",
  login: REHEARSAL_BOT,
  displayName: REHEARSAL_BOT,
  color: "",
  badges: "moderator/1",
};
const STREAMER = findCastMember("streamer");
const CHANNEL = `#${STREAMER.login}`;
const SERVER = ":tmi.twitch.tv";

/**
 * Performs a script in a stand-in for the parts of Twitch's chat, Helix and log-in that the demo needs. It is on
 * loopback: any program on this machine may log in, and no other machine reaches it.
 */
export class SimulatedChannel {
  readonly accessToken = "rehearsal";
  readonly #options;
  readonly #clients = new Set<WebSocket>();
  /** Messages by id, with the index of the beat that sent one. */
  readonly #said = new Map<string, { author: CastMember; text: string; beat: number | null }>();
  /** The running stream; null while the channel is offline. */
  #stream: { readonly title: string; readonly category: string; readonly atMs: number } | null =
    null;
  readonly #chat = createServer();
  readonly #sockets = new WebSocketServer({ server: this.#chat, perMessageDeflate: false });
  /** Twurple calls `localhost`, which is 127.0.0.1 or ::1. */
  readonly #helix: readonly [Server, Server];

  constructor(options: {
    readonly now: () => number;
    /** Called when the bot sent a message. `beat`: the index of the one that it answers, or null. */
    readonly onBotSaid: (text: string, beat: number | null) => void;
    /** Called when the bot did something else; `what` is a phrase such as `made a clip`. */
    readonly onBotDid: (what: string) => void;
  }) {
    this.#options = options;
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serveHelix(request, response).catch(() => response.destroy());
    this.#helix = [createServer(answer), createServer(answer)];
    this.#sockets.on("connection", (socket) => this.#serveChat(socket));
  }

  /** Listens on free ports. Only then `chatUrl` and `helixPort` can be read. */
  async listen(): Promise<void> {
    const [v4, v6] = this.#helix;
    await once(this.#chat.listen(0, "127.0.0.1"), "listening");
    await once(v4.listen(0, "127.0.0.1"), "listening");
    // A machine without this family calls the other one.
    v6.on("error", () => undefined).listen(this.helixPort, "::1");
  }

  get chatUrl(): string {
    return `ws://127.0.0.1:${getPort(this.#chat)}`;
  }

  get helixPort(): number {
    return getPort(this.#helix[0]);
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    for (const server of [this.#chat, ...this.#helix]) {
      server.close();
      server.closeAllConnections();
    }
  }

  /** Sends a message, action or raid to chat. `live` and `offline` send nothing: they change what Helix answers. */
  perform(beat: Beat): void {
    switch (beat.kind) {
      case "message":
      case "action":
        this.#say(beat.person, beat.text, { beat: beat.index, isAction: beat.kind === "action" });
        break;
      case "raid": {
        const { person, raiders } = beat;
        const tags = {
          ...makePersonTags(person),
          id: randomUUID(),
          login: person.login,
          "msg-id": "raid",
          "msg-param-displayName": person.displayName,
          "msg-param-login": person.login,
          "msg-param-viewerCount": String(raiders),
          "system-msg": `${raiders} raiders from ${person.displayName} have joined!`,
        };
        this.#broadcast(tags, `${SERVER} USERNOTICE ${CHANNEL}`);
        break;
      }
      case "live":
        this.#stream = { ...beat, atMs: this.#options.now() };
        break;
      case "offline":
        this.#stream = null;
    }
  }

  /** Sends a line to all joined clients but `except`. Adds the room and the time to its tags. */
  #broadcast(tags: Tags, rest: string, except?: WebSocket): void {
    const sent = { "room-id": STREAMER.userId, "tmi-sent-ts": String(this.#options.now()) };
    const line = formatTaggedLine({ ...sent, ...tags }, rest);
    for (const client of this.#clients) if (client !== except) client.send(line);
  }

  /** Sends a message to all clients but `except`. Returns its id. An unknown id as `replyTo` counts as null. */
  #say(
    author: CastMember,
    said: string,
    how: { beat?: number; isAction?: boolean; replyTo?: string | null; except?: WebSocket },
  ): string {
    const id = randomUUID();
    const { beat = null, isAction = false, replyTo = null, except } = how;
    const parent = this.#said.get(replyTo ?? "");
    this.#said.set(id, { author, text: said, beat });
    const text = parent === undefined ? said : `@${parent.author.displayName} ${said}`;
    const reply = parent && {
      "reply-parent-display-name": parent.author.displayName,
      "reply-parent-msg-body": parent.text,
      "reply-parent-msg-id": replyTo ?? "",
      "reply-parent-user-id": parent.author.userId,
      "reply-parent-user-login": parent.author.login,
    };
    const body = isAction ? `\u0001ACTION ${text}\u0001` : text;
    const { login } = author;
    const from = `:${login}!${login}@${login}.tmi.twitch.tv`;
    const tags = { ...makePersonTags(author), id, ...reply };
    this.#broadcast(tags, `${from} PRIVMSG ${CHANNEL} :${body}`, except);
    return id;
  }

  /** Sends the bot's message to all clients but `except`, its sender, and calls `onBotSaid`. Returns its id. */
  #sayAsBot(text: string, replyTo: string | null, except?: WebSocket): string {
    const id = this.#say(BOT, text, { replyTo, ...(except && { except }) });
    this.#options.onBotSaid(text, this.#said.get(replyTo ?? "")?.beat ?? null);
    return id;
  }

  /** Answers a client as Twitch's chat does. Its messages are the bot's. */
  #serveChat(socket: WebSocket): void {
    const send = (rest: string, tags: Tags = {}) => socket.send(formatTaggedLine(tags, rest));
    const sendState = () => send(`${SERVER} USERSTATE ${CHANNEL}`, makePersonTags(BOT));
    const answer = (line: string): void => {
      const message = parseWireLine(line);
      switch (message?.command) {
        case "CAP":
          send(`${SERVER} CAP * ACK :${message.params.at(-1) ?? ""}`);
          break;
        case "NICK":
          for (const code of ["001", "002", "003", "004", "375", "372", "376"])
            send(`${SERVER} ${code} ${BOT.login} :-`);
          send(`${SERVER} GLOBALUSERSTATE`, makePersonTags(BOT));
          break;
        case "JOIN":
          this.#clients.add(socket);
          send(`:${BOT.login}!${BOT.login}@${BOT.login}.tmi.twitch.tv JOIN ${CHANNEL}`);
          sendState();
          send(`${SERVER} ROOMSTATE ${CHANNEL}`, { "room-id": STREAMER.userId });
          break;
        case "PING":
          send(`PONG :${message.params[0] ?? ""}`);
          break;
        case "PRIVMSG": {
          sendState();
          const replyTo = message.tags["reply-parent-msg-id"] ?? null;
          this.#sayAsBot(message.params[1] ?? "", replyTo, socket);
          break;
        }
        default:
      }
    };
    socket.once("close", () => this.#clients.delete(socket));
    socket.on("error", () => socket.terminate());
    socket.on("message", (data) => {
      for (const line of String(data).split("\r\n")) answer(line);
    });
  }

  /** Answers by `#routes`; anything else with a 404. */
  async #serveHelix(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    const text = await readText(request);
    const isJson = request.headers["content-type"]?.includes("json") === true;
    const body: Body = isJson ? JSON.parse(text) : {};
    const answer = this.#routes[`${request.method} ${url.pathname}`]?.(url.searchParams, body);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "Not Found", status: 404, message: "" }));
  }

  /** The routes of Helix and of the log-in server, by method and path, as in Twitch's API reference. */
  readonly #routes: Readonly<Record<string, Route>> = {
    "GET /auth/validate": () => ({
      client_id: "rehearsal",
      login: BOT.login,
      user_id: BOT.userId,
      scopes: SCOPES,
      expires_in: null,
    }),
    "GET /mock/users": (query) => ({
      data: [STREAMER, BOT]
        .filter((one) => one.userId === query.get("id") || one.login === query.get("login"))
        .map(({ userId: id, login, displayName }) => ({ id, login, display_name: displayName })),
    }),
    "GET /mock/channels": () => ({
      data: [
        {
          broadcaster_id: STREAMER.userId,
          broadcaster_login: STREAMER.login,
          broadcaster_name: STREAMER.displayName,
          game_name: this.#stream?.category ?? "",
          title: this.#stream?.title ?? "",
        },
      ],
    }),
    "GET /mock/streams": () => ({
      data: [this.#stream]
        .flatMap((stream) => stream ?? [])
        .map(({ title, category, atMs }) => ({
          id: `stream-${atMs}`,
          type: "live",
          user_id: STREAMER.userId,
          user_login: STREAMER.login,
          user_name: STREAMER.displayName,
          game_name: category,
          title,
          started_at: new Date(atMs).toISOString(),
        })),
    }),
    "POST /mock/chat/messages": (_, { message, reply_parent_message_id: parent }) => {
      const id = this.#sayAsBot(String(message), typeof parent === "string" ? parent : null);
      return { data: [{ message_id: id, is_sent: true }] };
    },
    "POST /mock/moderation/bans": (_, { data }) => {
      const { user_id: userId, duration }: Body = Object(data);
      const target = Object.values(CAST).find((one) => one.userId === userId);
      const tags = { "ban-duration": String(duration), "target-user-id": String(userId) };
      this.#broadcast(tags, `${SERVER} CLEARCHAT ${CHANNEL} :${target?.login ?? ""}`);
      this.#options.onBotDid(`timed ${target?.displayName ?? userId} out for ${duration} s`);
      return { data: [{ user_id: userId }] };
    },
    "POST /mock/clips": () => {
      this.#options.onBotDid("made a clip");
      const edit_url = "https://clips.twitch.tv/StandInClip/edit";
      return { data: [{ id: "StandInClip", edit_url }] };
    },
  };
}

/**
 * Returns the line `@a=1;b=2 rest`, with values escaped as the IRCv3 message-tags specification says, and its line end.
 */
function formatTaggedLine(tags: Tags, rest: string): string {
  const escapes: Tags = { ";": "\\:", " ": "\\s", "\\": "\\\\", "\r": "\\r", "\n": "\\n" };
  const written = Object.entries(tags).map(
    ([key, value]) => `${key}=${value.replace(/[; \\\r\n]/g, (char) => escapes[char] ?? char)}`,
  );
  return `${written.length === 0 ? "" : `@${written.join(";")} `}${rest}\r\n`;
}

function makePersonTags({ userId, badges, color, displayName }: CastMember): Tags {
  const wears = (badge: string) => (badges.includes(`${badge}/`) ? "1" : "0");
  return {
    badges,
    color,
    "display-name": displayName,
    mod: wears("moderator"),
    subscriber: wears("subscriber"),
    "user-id": userId,
    vip: wears("vip"),
  };
}

function getPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}
