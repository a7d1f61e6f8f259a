import { REHEARSAL_BOT } from "./data-folder.ts";
import { type Beat, CAST, type CastMember } from "./script.ts";
import { openTwitchStandIn } from "./twitch-stand-in.ts";

/** A simulated channel, in which a script can be performed. */
export type SimulatedChannel = Awaited<ReturnType<typeof openSimulatedChannel>>;

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

/** Opens a channel on loopback. No other machine reaches it. */
export async function openSimulatedChannel(options: {
  /** Simulated time, epoch ms. */
  readonly now: () => number;
  /** The bot sent a message in answer to that beat; null if it answered none. */
  readonly onBotSaid: (text: string, beat: number | null) => void;
  /** The bot did something through Twitch's API. */
  readonly onBotDid: (what: string) => void;
}) {
  const streamer = CAST["streamer"];
  if (streamer === undefined) throw new RangeError("the cast has no streamer");
  /** Index of the beat behind each message id. */
  const beats = new Map<string, number>();
  const twitch = await openTwitchStandIn({
    streamer,
    bot: BOT,
    scopes: SCOPES,
    now: options.now,
    onBotSaid: (text, replyTo) => options.onBotSaid(text, beats.get(replyTo ?? "") ?? null),
    onTimeout: (userId, seconds) => {
      const person = Object.values(CAST).find((one) => one.userId === userId);
      options.onBotDid(`timed ${person?.displayName ?? userId} out for ${seconds} s`);
    },
    onClip: () => options.onBotDid("made a clip"),
  });
  return {
    chatUrl: twitch.chatUrl,
    helixPort: twitch.helixPort,
    accessToken: "rehearsal",
    perform: (beat: Beat): void => {
      switch (beat.kind) {
        case "message":
        case "action": {
          const isAction = beat.kind === "action";
          beats.set(twitch.say(beat.person, { text: beat.text, isAction }), beat.index);
          return;
        }
        case "raid":
          twitch.raid(beat.person, beat.raiders);
          return;
        case "live":
          twitch.setStream(beat);
          return;
        case "offline":
          twitch.setStream(null);
      }
    },
    close: twitch.close,
  };
}
