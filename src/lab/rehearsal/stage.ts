import { type CastMember, gatherCast } from "./cast.ts";
import type { HelixRequest, HelixRoute, HelixRoutes } from "./helix-routes.ts";
import { ACTION_ROUTES } from "./helix-routes.ts";
import { type HelixServer, startHelixServer } from "./helix-server.ts";
import type { Beat } from "./scene.ts";
import { type ReceivedPrivmsg, startTwitchServer, type TwitchServer } from "./twitch-server.ts";

export interface StageOptions {
  readonly channel: string;
  readonly botLogin: string;
  /** Simulated time, epoch ms. */
  readonly now: () => number;
  /** The bot said something on the wire, and in answer to which beat; null where to none. */
  readonly onBotSaid: (text: string, beat: number | null) => void;
  /** The bot did something to somebody, or made something, by Twitch's API. */
  readonly onBotDid: (what: string) => void;
}

/** A simulated channel: chat and API on loopback, and the means to let a script happen in it. */
export interface SimulatedChannel {
  readonly chatUrl: string;
  readonly helixPort: number;
  readonly accessToken: string;
  perform(beat: Beat): void;
  close(): Promise<void>;
}

const BOT_USER_ID = "990000001";
const ACCESS_TOKEN = "rehearsal";
const SCOPES = [
  "chat:read",
  "chat:edit",
  "user:write:chat",
  "user:read:chat",
  "moderator:manage:banned_users",
  "clips:edit",
];
const BANS = "POST /mock/moderation/bans";
const CLIPS = "POST /mock/clips";

interface Theatre {
  readonly channel: string;
  readonly roomId: string;
  readonly irc: TwitchServer;
  readonly helix: HelixServer;
  /** Message ids by the index of the beat that said them. */
  readonly said: Map<
    number,
    { readonly id: string; readonly person: CastMember; readonly text: string }
  >;
  /** Of the bot's latest message. */
  lastBotMessageId: string | null;
  readonly people: readonly CastMember[];
  readonly now: () => number;
}

/** Sets a channel up on loopback. Nothing of it can be reached from another machine. */
export async function openSimulatedChannel(options: StageOptions): Promise<SimulatedChannel> {
  const { channel, botLogin, now } = options;
  const { streamer } = gatherCast(channel, 1);
  const onPrivmsg = (message: ReceivedPrivmsg): void => {
    if (message.id !== null) theatre.lastBotMessageId = message.id;
    if (message.dropped === null) {
      options.onBotSaid(message.text, beatOf(theatre, message.replyTo));
    }
  };
  const irc = await startTwitchServer({
    now,
    users: {
      [botLogin]: {
        userId: BOT_USER_ID,
        displayName: botLogin,
        badgesIn: { [channel]: "moderator/1" },
      },
    },
    roomIds: { [channel]: streamer.userId },
    onPrivmsg,
  });
  const helix = await startHelixServer({
    now,
    onChatMessage: ({ text, replyTo }) => {
      const bot = { userId: BOT_USER_ID, login: botLogin, displayName: botLogin, text };
      const id = irc.say(channel, replyTo === null ? bot : { ...bot, replyTo });
      theatre.lastBotMessageId = id;
      options.onBotSaid(text, beatOf(theatre, replyTo));
      return { kind: "taken", messageId: id };
    },
    routes: watchedActions((request) => act(theatre, request, options.onBotDid)),
  });
  const theatre: Theatre = {
    channel,
    roomId: streamer.userId,
    irc,
    helix,
    said: new Map(),
    lastBotMessageId: null,
    people: Object.values(gatherCast(channel, 1)),
    now,
  };
  introduce(theatre, botLogin);
  return {
    chatUrl: irc.url,
    helixPort: helix.port,
    accessToken: ACCESS_TOKEN,
    perform: (beat) => perform(theatre, beat),
    close: async () => {
      await Promise.all([irc.close(), helix.close()]);
    },
  };
}

/** Index of the beat that wrote this message; null where none did. */
function beatOf({ said }: Theatre, messageId: string | null): number | null {
  for (const [index, { id }] of said) if (id === messageId) return index;
  return null;
}

/** What Twitch would do, and then `then`, for what can be seen in chat. */
function watchedActions(then: (request: HelixRequest) => void): HelixRoutes {
  const watched = (route: HelixRoute): HelixRoute => ({
    ...route,
    handle: (request, state) => {
      const reply = route.handle(request, state);
      if (reply.status < 300) then(request);
      return reply;
    },
  });
  return Object.fromEntries(
    [BANS, CLIPS].flatMap((key) => {
      const route = ACTION_ROUTES[key];
      return route === undefined ? [] : [[key, watched(route)]];
    }),
  );
}

function act(
  { irc, channel, people }: Theatre,
  { path, body }: HelixRequest,
  onBotDid: (what: string) => void,
): void {
  if (path === CLIPS.slice(CLIPS.indexOf("/"))) {
    onBotDid("made a clip");
    return;
  }
  const { user_id: userId, duration } = bodyData(body);
  const person = people.find((one) => one.userId === userId);
  if (person === undefined) return;
  irc.timeout(channel, userOf(person), Number(duration));
  onBotDid(`timed ${person.displayName} out for ${duration} s`);
}

function bodyData(body: unknown): Record<string, unknown> {
  const data = typeof body === "object" && body !== null && "data" in body ? body.data : null;
  return typeof data === "object" && data !== null ? { ...data } : {};
}

function introduce({ helix, people }: Theatre, botLogin: string): void {
  for (const { userId, login, displayName } of people) {
    helix.setUser({ id: userId, login, displayName });
  }
  helix.setUser({ id: BOT_USER_ID, login: botLogin, displayName: botLogin });
  helix.setToken(ACCESS_TOKEN, {
    userId: BOT_USER_ID,
    login: botLogin,
    clientId: "rehearsal",
    scopes: SCOPES,
    expiresInSeconds: null,
  });
}

function perform(theatre: Theatre, beat: Beat): void {
  const { irc, channel } = theatre;
  switch (beat.kind) {
    case "message":
    case "action":
    case "reply_to_bot":
    case "cheer":
      speak(theatre, beat);
      return;
    case "announcement":
      irc.announce(channel, userOf(beat.person), beat.text);
      return;
    case "sub":
      irc.sub(channel, userOf(beat.person), { months: beat.months, text: beat.text });
      return;
    case "gift":
      for (const recipient of beat.recipients)
        irc.giftSub(channel, userOf(beat.person), userOf(recipient));
      return;
    case "raid":
      irc.raid(channel, userOf(beat.person), beat.viewers);
      return;
    case "timeout":
      irc.timeout(channel, beat.person, beat.seconds);
      return;
    case "ban":
      irc.ban(channel, beat.person);
      return;
    case "delete":
      erase(theatre, beat.target);
      return;
    case "live":
    case "title":
      setStream(theatre, { isLive: true, title: beat.title, category: beat.category });
      return;
    case "offline":
      setStream(theatre, { isLive: false, title: "", category: "" });
      return;
  }
}

type Speech = Exclude<Beat, { kind: "announcement" }> & {
  readonly person: CastMember;
  readonly text: string;
};

function speak(theatre: Theatre, beat: Speech): void {
  const { person, text } = beat;
  const replyTo = parentOf(theatre, beat);
  const id = theatre.irc.say(theatre.channel, {
    ...userOf(person),
    text,
    action: beat.kind === "action",
    ...(beat.kind === "cheer" ? { bits: beat.bits } : {}),
    ...(replyTo === null ? {} : { replyTo }),
  });
  theatre.said.set(beat.index, { id, person, text });
}

function parentOf(theatre: Theatre, beat: Speech): string | null {
  if (beat.kind === "reply_to_bot") return theatre.lastBotMessageId;
  if (beat.kind !== "message" || beat.replyTo === null) return null;
  return theatre.said.get(beat.replyTo)?.id ?? null;
}

function erase({ irc, channel, said }: Theatre, target: number): void {
  const message = said.get(target);
  if (message === undefined) return;
  irc.deleteMessage(channel, { id: message.id, login: message.person.login, text: message.text });
}

function setStream(
  { helix, roomId, now }: Theatre,
  stream: { readonly isLive: boolean; readonly title: string; readonly category: string },
): void {
  helix.setStream(roomId, { ...stream, startedAtMs: stream.isLive ? now() : null });
}

function userOf(person: CastMember) {
  const { userId, login, displayName, color } = person;
  return { userId, login, displayName, color, badges: badgesOf(person) };
}

function badgesOf({ role, subscribedMonths }: CastMember): string {
  const byRole = { streamer: "broadcaster/1", moderator: "moderator/1", vip: "vip/1" };
  return [
    ...(role in byRole ? [byRole[role as keyof typeof byRole]] : []),
    ...(subscribedMonths > 0 ? [`subscriber/${subscribedMonths}`] : []),
  ].join(",");
}
