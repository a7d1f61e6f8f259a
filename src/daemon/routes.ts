import { type ChatEvent, normalise, type Spoken } from "../chat/normalise.ts";
import { cleanLine } from "../language/clean.ts";
import type { Config } from "../platform/config/load.ts";
import { remade } from "../platform/config/remade.ts";
import type { Desk } from "../reply/reply-service.ts";
import type { Outcomes } from "../telemetry/gather-outcomes.ts";
import type { WireMessage } from "../twitch/chat.ts";
import type { DaemonActions } from "./build-actions.ts";
import type { Commands } from "./commands.ts";
import type { Stores } from "./stores.ts";

export interface Routes {
  take(message: WireMessage): void;
  /** Writes down how many lines were ignored since, by reason. */
  countIgnored(): void;
}

interface RoutesParts {
  readonly stores: Stores;
  readonly desk: Desk;
  /** What chat may tell the bot without any model. */
  readonly commands: Commands;
  /** What is ordered or confirmed in so many words, without any model. */
  readonly actions: Pick<DaemonActions, "hear" | "ownDeleted">;
  /** What comes of the bot's replies. */
  readonly outcomes: Outcomes;
  readonly botUserId: () => string | null;
}

/** Where each line of Twitch's wire goes. */
export function routes(
  config: Config,
  { stores, desk, commands, actions, outcomes, botUserId }: RoutesParts,
): Routes {
  const channels = new Set(config.channels);
  const knownBots = remade(
    () => [config.bot],
    () => new Set(config.bot.knownBots),
  );
  const ignored = new Map<string, number>();
  const takeSpoken = (spoken: Spoken): void => {
    if (spoken.memorable) stores.channels.noteActivity(spoken.channel);
    if (spoken.isBotItself && commands.isAnswer(spoken.text)) return;
    const obeyed = commands.obey(spoken);
    if (obeyed === "unstored") return;
    if (obeyed === "wordless" || actions.hear(spoken) || outcomes.thumb(spoken)) {
      stores.events.add({ ...spoken, text: "", memorable: false });
      return;
    }
    const heard = desk.hear(spoken);
    outcomes.heard(spoken, heard.addressed !== null);
    desk.answer(heard, stores.events.add(spoken, heard.addressed !== null));
  };
  /** What a moderator's act means for what the bot said. */
  const follow = (event: ChatEvent, message: WireMessage): void => {
    if (event.kind === "timeout" || event.kind === "ban") outcomes.sanctioned(event);
    if (event.kind !== "deletion") return;
    const { channel, messageId } = event;
    if (message.tags["login"]?.toLowerCase() === config.bot.login) {
      const text = cleanLine(message.params[1] ?? "");
      stores.ownDeleted({ channel, text, messageId });
      actions.ownDeleted(channel, text);
    }
    outcomes.deleted(messageId);
  };
  return {
    take: (message) => {
      const botLogin = config.bot.login;
      const context = { channels, botUserId: botUserId(), botLogin, knownBots: knownBots() };
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
      follow(event, message);
    },
    countIgnored: () => {
      for (const [reason, count] of ignored)
        stores.counters.bump(`ingest.ignored.${reason}`, count);
      ignored.clear();
    },
  };
}
