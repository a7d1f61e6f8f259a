import { type CastMember, gatherCast } from "./cast.ts";
import { ACTION_ROUTES, fieldsOf, type HelixRequest, type HelixRoute } from "./helix-routes.ts";
import { type HelixServer, startHelixServer } from "./helix-server.ts";
import type { Beat } from "./scene.ts";
import { startTwitchServer, type TwitchServer } from "./twitch-server.ts";

interface StageOptions {
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
export type SimulatedChannel = Awaited<ReturnType<typeof openSimulatedChannel>>;

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
    { readonly id: string; readonly login: string; readonly text: string }
  >;
  /** Of the bot's latest message. */
  lastBotMessageId: string | null;
  readonly now: () => number;
}

/** Sets a channel up on loopback. Nothing of it can be reached from another machine. */
export async function openSimulatedChannel(options: StageOptions) {
  const { channel, botLogin, now, onBotDid } = options;
  const people = gatherCast(channel, 1);
  const roomId = people.streamer.userId;
  const heard = (id: string, text: string, replyTo: string | null): void => {
    theatre.lastBotMessageId = id;
    const beat = [...theatre.said].find(([, one]) => one.id === replyTo)?.[0];
    options.onBotSaid(text, beat ?? null);
  };
  const bot = { userId: BOT_USER_ID, displayName: botLogin };
  const irc = await startTwitchServer({
    now,
    users: { [botLogin]: { ...bot, badgesIn: { [channel]: "moderator/1" } } },
    roomIds: { [channel]: roomId },
    onPrivmsg: ({ id, text, replyTo }) => {
      if (id !== null) heard(id, text, replyTo);
    },
  });
  const helix = await startHelixServer({
    now,
    onChatMessage: ({ text, replyTo }) => {
      const messageId = irc.sayAs(botLogin, channel, text, replyTo);
      heard(messageId, text, replyTo);
      return { kind: "taken", messageId };
    },
    routes: {
      [CLIPS]: watched(ACTION_ROUTES[CLIPS], () => onBotDid("made a clip")),
      [BANS]: watched(ACTION_ROUTES[BANS], ({ body }) => {
        const { user_id: userId, duration } = fieldsOf(fieldsOf(body)["data"]);
        const person = Object.values(people).find((one) => one.userId === userId);
        if (person === undefined) return;
        irc.timeout(channel, person, Number(duration));
        onBotDid(`timed ${person.displayName} out for ${Number(duration)} s`);
      }),
    },
  });
  for (const { userId: id, ...person } of Object.values(people)) helix.setUser({ id, ...person });
  helix.setUser({ id: BOT_USER_ID, login: botLogin, displayName: botLogin });
  helix.setToken(ACCESS_TOKEN, {
    userId: BOT_USER_ID,
    login: botLogin,
    clientId: "rehearsal",
    scopes: SCOPES,
    expiresInSeconds: null,
  });
  const said: Theatre["said"] = new Map();
  const theatre: Theatre = { channel, roomId, irc, helix, said, lastBotMessageId: null, now };
  return {
    chatUrl: irc.url,
    helixPort: helix.port,
    accessToken: ACCESS_TOKEN,
    perform: (beat: Beat) => perform(theatre, beat),
    close: async () => {
      await Promise.all([irc.close(), helix.close()]);
    },
  };
}

/** What Twitch would do, and then `then`, for what can be seen in chat. */
function watched(route: HelixRoute, then: (request: HelixRequest) => void): HelixRoute {
  return {
    ...route,
    handle: (request, state, token) => {
      const reply = route.handle(request, state, token);
      if (reply.status < 300) then(request);
      return reply;
    },
  };
}

function perform(theatre: Theatre, beat: Beat): void {
  const { irc, channel, said } = theatre;
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
    case "delete": {
      const message = said.get(beat.target);
      if (message !== undefined) irc.deleteMessage(channel, message);
      return;
    }
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

function speak({ irc, channel, said, lastBotMessageId }: Theatre, beat: Speech): void {
  const { person, text } = beat;
  const parent = beat.kind === "message" ? said.get(beat.replyTo ?? -1)?.id : null;
  const id = irc.say(channel, {
    ...userOf(person),
    text,
    action: beat.kind === "action",
    ...(beat.kind === "cheer" ? { bits: beat.bits } : {}),
    replyTo: beat.kind === "reply_to_bot" ? lastBotMessageId : (parent ?? null),
  });
  said.set(beat.index, { id, login: person.login, text });
}

function setStream(
  { helix, roomId, now }: Theatre,
  stream: { readonly isLive: boolean; readonly title: string; readonly category: string },
): void {
  helix.setStream(roomId, { ...stream, startedAtMs: stream.isLive ? now() : null });
}

const BADGE_BY_ROLE: Readonly<Record<string, string>> = {
  streamer: "broadcaster/1",
  moderator: "moderator/1",
  vip: "vip/1",
};

function userOf({ userId, login, displayName, color, role, subscribedMonths }: CastMember) {
  const subscribed = subscribedMonths > 0 ? `subscriber/${subscribedMonths}` : "";
  const badges = [BADGE_BY_ROLE[role] ?? "", subscribed].filter((badge) => badge !== "").join(",");
  return { userId, login, displayName, color, badges };
}
