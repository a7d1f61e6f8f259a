import { describeBug } from "../errors.ts";
import type { Memory } from "../memory/memory-loop.ts";
import { type Secrets, saveTokens } from "../platform/config/secrets.ts";
import { isLoopbackUrl } from "../platform/config/urls.ts";
import type { WireMessage } from "../twitch/chat.ts";
import { openTwitch, type TwitchSession } from "../twitch/session.ts";
import { wait as realWait } from "../twitch/wait.ts";
import type { DaemonOptions } from "./options.ts";
import type { Stores } from "./stores.ts";

interface TwitchInput {
  readonly secrets: Secrets;
  readonly memory: Memory;
  readonly onMessage: (message: WireMessage) => void;
}

/** Logs in to Twitch and joins; what Twitch says of a channel is written down, and the end of a stream is looked into. */
export function joinTwitch(
  { options, stores }: { readonly options: DaemonOptions; readonly stores: Stores },
  { secrets, memory, onMessage }: TwitchInput,
): TwitchSession {
  const { config, environment, now, wait, random, log } = options;
  const { channels, notices } = stores;
  const { twitch: tokens, streamer } = secrets;
  const { clientId } = config.twitch;
  return openTwitch({
    chatUrl: config.twitch.chatUrl,
    channels: config.channels,
    botLogin: config.bot.login,
    tokens: tokens === null ? null : { ...tokens, clientId },
    streamer: streamer && {
      tokens: { ...streamer, clientId },
      saveTokens: (renewed) => saveTokens(config.dataDir, environment, renewed, "streamer"),
    },
    useHelix: environment.hasHelixStandIn || !isLoopbackUrl(config.twitch.chatUrl),
    saveTokens: (renewed) => saveTokens(config.dataDir, environment, renewed),
    broadcasterId: channels.twitchId,
    onMessage,
    onInfo: (channel, info) => {
      stores.gate.whenOpen(() => {
        const hasEnded = channels.refresh(channel, info);
        if (hasEnded) {
          memory.run().catch((thrown) => {
            log.error({ ...describeBug(thrown) }, "bug: a look at memory failed");
          });
        }
      });
    },
    notices,
    now,
    wait: wait ?? realWait,
    random,
    log,
  });
}
