import type { Spoken } from "../events/normalise.ts";
import type { Pace } from "../recall/depth.ts";
import { botCommands } from "../rights/bot-commands.ts";
import type { TwitchSession } from "../twitch/session.ts";
import type { LiveSwitches } from "./live-switches.ts";
import type { DaemonOptions } from "./options.ts";

interface CommandParts {
  readonly options: DaemonOptions;
  readonly live: LiveSwitches;
  readonly paceOf: (channel: string) => Pace;
  readonly perMinute: (channel: string) => number;
  readonly twitch: () => TwitchSession;
}

/** How long an answer to a command makes sense. */
const ANSWER_MS = 10_000;

/** What moderators say to the bot itself; it works while the model is down, paused or spent. */
export function commands({
  options,
  live,
  paceOf,
  perMinute,
  twitch,
}: CommandParts): (spoken: Spoken) => boolean {
  const { config, now } = options;
  return botCommands({
    command: config.replies.moderatorCommand,
    set: live.set,
    describe: (channel) => {
      const { paused, safeMode } = live.read();
      const state = paused ? "paused" : "awake";
      return `I am ${state}${safeMode ? ", in safe mode" : ""}; chat is ${paceOf(channel)}, ${perMinute(channel)} messages in the last minute.`;
    },
    say: ({ channel, messageId }, text) => {
      if (config.mode === "shadow") return;
      const offer = { channel, text, replyTo: messageId, expiresAtMs: now() + ANSWER_MS };
      void twitch().outbox.offer({ ...offer, onSending: () => true });
    },
  });
}
