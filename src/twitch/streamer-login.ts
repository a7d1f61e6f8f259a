import type { Log } from "../log.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import { openAuth, type TwitchAuth } from "./auth.ts";
import { type HelixCaller, helixCaller } from "./helix-call.ts";
import type { TwitchTokens } from "./token-keeper.ts";

/** The streamer's own log-in, beside the bot's. */
export interface StreamerLogin {
  readonly caller: Pick<HelixCaller, "call">;
  /** Whose token it is and what it may do; null as long as Twitch has not said. */
  readonly identity: TwitchAuth["identity"];
  close(): Promise<void>;
}

export interface StreamerLoginOptions {
  readonly tokens: TwitchTokens;
  readonly saveTokens: (tokens: TwitchTokens) => void;
  readonly channels: readonly string[];
  readonly notices: Pick<NoticeBoard, "raise" | "clear">;
  readonly now: () => number;
  readonly log: Log;
  /** How long one request may take, ms. */
  readonly timeoutMs: number;
}

const KIND = "twitch_streamer_token";
/** What the keeper of tokens has to tell, by its kinds, as it is told of this log-in. */
const TOLD: Readonly<Record<string, string>> = {
  twitch_token:
    "your own Twitch log-in is not good any more, so there are no polls and markers: set a fresh TWITCH_STREAMER_ACCESS_TOKEN and start again",
  twitch_token_expiry:
    "your own Twitch log-in runs out within a day and cannot be renewed: set a fresh TWITCH_STREAMER_ACCESS_TOKEN before",
  twitch_token_unsaved:
    "renewed tokens of your own Twitch log-in could not be saved: mend the data folder before the next start",
};

/** Opens it. Where Twitch refuses it, or it is of no channel's owner, the streamer is told, and the bot goes on without. */
export function openStreamerLogin(options: StreamerLoginOptions): StreamerLogin {
  const { tokens, saveTokens, channels, notices, now, log, timeoutMs } = options;
  const kindOf = (kind: string) => kind.replace("twitch_token", KIND);
  const auth = openAuth({
    tokens,
    saveTokens,
    notices: {
      raise: (kind, _severity, message) =>
        notices.raise(kindOf(kind), "warning", TOLD[kind] ?? message),
      clear: (kind) => notices.clear(kindOf(kind)),
    },
    now,
    log,
  });
  const caller = helixCaller({ auth, timeoutMs });
  void auth.check().then((outcome) => {
    if (outcome.kind !== "ok") return;
    const { login } = outcome.identity;
    const wrong = `${KIND}_account`;
    if (channels.includes(login)) notices.clear(wrong);
    else
      notices.raise(
        wrong,
        "warning",
        `TWITCH_STREAMER_ACCESS_TOKEN belongs to ${login}, which is none of the channels: it is not used`,
      );
  });
  return {
    caller,
    identity: auth.identity,
    close: async () => {
      caller.close();
      await auth.close();
    },
  };
}
