// Pure: values in, values out.
import type { Config } from "./load.ts";

/** Who speaks in a channel. */
export interface SpeakingPersona {
  readonly name: string;
  readonly voice: string;
  /** Its name where it keeps notes of its own, null where it shares them. */
  readonly memoryScope: string | null;
}

type CastConfig = Pick<Config, "persona" | "personas" | "memory">;

/** The persona that speaks in a channel: the one that names the channel, else the default one. */
export function personaFor(
  { persona, personas, memory }: CastConfig,
  channel: string,
): SpeakingPersona {
  const own = personas.find(({ channels }) => channels.includes(channel));
  const { name, voice } = own ?? persona;
  const scope = own?.memory ?? memory.personaScope;
  return { name, voice, memoryScope: scope === "persona" ? name : null };
}

/** What the bot is called: its login, its aliases, and its persona's name in a channel, or every persona's. */
export function botNames(config: CastConfig & Pick<Config, "bot">, channel?: string): string[] {
  const { login, aliases } = config.bot;
  const names =
    channel === undefined
      ? [config.persona, ...config.personas].map(({ name }) => name)
      : [personaFor(config, channel).name];
  return [...new Set([...(login === null ? [] : [login]), ...aliases, ...names])];
}
