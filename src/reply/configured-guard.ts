import { offerableLines } from "../actions/execute.ts";
import type { Fence } from "../language/fence.ts";
import { type Config, remade } from "../platform/config/load.ts";
import { botNames, personaFor } from "../platform/config/personas.ts";
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
  return prepareGuard({
    allowedHosts: config.replies.allowedHosts,
    forbidden: config.replies,
    secretTexts: promptSecrets(config, fence),
    voiceTexts: [config.persona, ...config.personas].map(({ voice }) => voice),
    markers: [fence.marker.slice(1, -1)],
    ownNames: botNames(config),
  });
}

/** Persona and rules as a prompt has them, for each channel, with and without actions: nothing of it is said in chat. */
export function promptSecrets(config: Config, fence: Fence): string[] {
  const offered = offerableLines(config.actions);
  return config.channels.flatMap((channel) =>
    [[], offered].map((lines) => rulesText(personaFor(config, channel), channel, fence, lines)),
  );
}
