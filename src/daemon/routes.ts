import type { Config } from "../config/load.ts";
import { normalise, type Spoken } from "../events/normalise.ts";
import type { Desk } from "../reply/desk.ts";
import { cleanLine } from "../text/clean.ts";
import type { WireMessage } from "../twitch/chat.ts";
import type { Stores } from "./stores.ts";

export interface Routes {
  take(message: WireMessage): void;
  /** Writes down how many lines were ignored since, by reason. */
  countIgnored(): void;
}

interface RoutesParts {
  readonly stores: Stores;
  readonly desk: Desk;
  /** Whether a line was a moderator's command, which it then obeyed. */
  readonly obeys: (spoken: Spoken) => boolean;
  readonly botUserId: () => string | null;
}

/** Where each line of Twitch's wire goes. */
export function routes(config: Config, { stores, desk, obeys, botUserId }: RoutesParts): Routes {
  const channels = new Set(config.channels);
  const knownBots = new Set(config.bot.knownBots);
  const ignored = new Map<string, number>();
  const takeSpoken = (spoken: Spoken): void => {
    if (spoken.memorable) stores.channels.noteActivity(spoken.channel);
    if (obeys(spoken)) {
      stores.events.add({ ...spoken, memorable: false });
      return;
    }
    const heard = desk.hear(spoken);
    desk.answer(heard, stores.events.add(spoken, heard.addressed !== null));
  };
  return {
    take: (message) => {
      const context = { channels, botUserId: botUserId(), botLogin: config.bot.login, knownBots };
      const event = normalise(message, context);
      if (event.kind === "ignored") {
        ignored.set(event.reason, (ignored.get(event.reason) ?? 0) + 1);
        return;
      }
      if ("person" in event) return takeSpoken(event);
      if (event.kind === "room_state" && event.roomId !== null) {
        stores.channels.setTwitchId(event.channel, event.roomId);
      }
      stores.events.add(event);
      const { login } = message.tags;
      if (event.kind === "deletion" && login?.toLowerCase() === config.bot.login) {
        const text = cleanLine(message.params[1] ?? "");
        stores.ownDeleted({ channel: event.channel, text, messageId: event.messageId });
      }
    },
    countIgnored: () => {
      for (const [reason, count] of ignored)
        stores.counters.bump(`ingest.ignored.${reason}`, count);
      ignored.clear();
    },
  };
}
