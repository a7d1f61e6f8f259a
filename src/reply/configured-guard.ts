import { offerableLines } from "../actions/logins.ts";
import type { Fence } from "../language/fence.ts";
import type { Config } from "../platform/config/load.ts";
import { botNames, personaFor } from "../platform/config/personas.ts";
import { remade } from "../platform/config/remade.ts";
import { type Guard, prepareGuard } from "./guard.ts";
import { rulesText } from "./prompt/rules.ts";

/** The guard on everything that is said or done in the bot's name, by the configuration as it is at the time. */
export function configuredGuard(config: Config, fence: Fence): Guard {
  const current = remade(
    () => [config.replies, config.actions, config.persona, config.personas, config.bot],
    () => guardOf(config, fence),
  );
  return (raw, answer) => current()(raw, answer);
}

function guardOf(config: Config, fence: Fence): Guard {
  const offered = offerableLines(config.actions);
  return prepareGuard({
    allowedHosts: config.replies.allowedHosts,
    forbidden: config.replies,
    secretTexts: config.channels.flatMap((channel) =>
      [[], offered].map((lines) => rulesText(personaFor(config, channel), channel, fence, lines)),
    ),
    voiceTexts: [config.persona, ...config.personas].map(({ voice }) => voice),
    markers: [fence.marker.slice(1, -1)],
    ownNames: botNames(config),
  });
}
