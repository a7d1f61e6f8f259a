import { offerableLines } from "../actions/offered.ts";
import type { Config } from "../config/load.ts";
import { rulesText } from "../prompt/rules.ts";
import type { Fence } from "../text/fence.ts";
import { type GuardResult, prepareGuard } from "./guard.ts";

/** The guard on everything that is said or done in the bot's name, by the configuration. */
export function configuredGuard(config: Config, fence: Fence): (raw: string) => GuardResult {
  const offered = offerableLines(config.actions);
  return prepareGuard({
    allowedHosts: config.replies.allowedHosts,
    banned: config.replies.bannedWords,
    secretTexts: config.channels.flatMap((channel) =>
      [[], offered].map((lines) => rulesText(config.persona, channel, fence, lines)),
    ),
    voiceTexts: [config.persona.voice],
    markers: [fence.marker.slice(1, -1)],
    ownNames: namesOf(config),
  });
}

/** The names that the bot answers to. */
export function namesOf(config: Config): string[] {
  const { login, aliases } = config.bot;
  return [...(login === null ? [] : [login]), ...aliases, config.persona.name];
}
