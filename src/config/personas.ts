// Pure: values in, values out.

import { z } from "zod";
import { fold } from "../language/fold.ts";
import type { Config } from "./load.ts";
import { MEMORY_SCOPES } from "./names.ts";
import type { ConfigFile } from "./schema.ts";

const PERSONAS_MAX = 20;

const name = z.string().trim().min(1).max(40);
const voice = z.string().trim().min(1).max(8_000);

/** The persona of channels that no other persona names. */
export const personaSchema = z
  .strictObject({
    name: name
      .nullable()
      .default(null)
      .describe("The bot's name. It answers to this name. null: its login."),
    voice: voice
      .default("Warm, dry, brief. Teases gently, never mocks. Asks back when curious.")
      .describe("How it speaks. It is part of every prompt, so it costs tokens with every reply."),
  })
  .prefault({});

export const personasSchema = z
  .array(
    z.strictObject({
      name: name.describe("What it calls itself there. Its own notes go by this name."),
      voice: voice.describe("How it speaks."),
      channels: z
        .array(
          z
            .string()
            .trim()
            .toLowerCase()
            .transform((login) => login.replace(/^#/, "")),
        )
        .default([])
        .describe("Logins of the channels in which it speaks."),
      memory: z
        .enum(MEMORY_SCOPES)
        .optional()
        .describe("Whether it shares its notes; else as memory.personaScope says."),
    }),
  )
  .max(PERSONAS_MAX)
  .default([])
  .describe(
    "Other personas, each for some of the channels: name, voice, channels, and memory (shared or persona).",
  );

/**
 * Returns the errors of the personas; an empty list if all are right. Names must differ in more than case. A channel of
 * a persona must be joined, and belong to no other persona. A message says what the value should be.
 */
export function findPersonaErrors({ channel, persona, bot, personas }: ConfigFile) {
  const joined = new Set([channel].flat().map((login) => login.replace(/^#/, "")));
  const names = new Set([fold(persona.name ?? bot.login ?? "")]);
  const taken = new Set<string>();
  const problems: { path: (string | number)[]; message: string }[] = [];
  for (const [at, one] of personas.entries()) {
    if (names.has(fold(one.name)))
      problems.push({ path: ["personas", at, "name"], message: "a name of its own" });
    names.add(fold(one.name));
    for (const [nth, login] of one.channels.entries()) {
      const path = ["personas", at, "channels", nth];
      if (!joined.has(login)) problems.push({ path, message: "one of the logins in channel" });
      else if (taken.has(login))
        problems.push({ path, message: "a channel that has no other persona" });
      taken.add(login);
    }
  }
  return problems;
}

export interface SpeakingPersona {
  readonly name: string;
  readonly voice: string;
  /** The persona's name if it has its own notes; null if it shares them. */
  readonly memoryScope: string | null;
}

export interface CastConfig {
  readonly persona: Config["persona"];
  readonly personas: Config["personas"];
  readonly memory: { readonly personaScope: Config["memory"]["personaScope"] };
}

/** Returns the persona that speaks in a channel: the one that names the channel, else the default one. */
export function findPersona(
  { persona, personas, memory }: CastConfig,
  channel: string,
): SpeakingPersona {
  const own = personas.find(({ channels }) => channels.includes(channel));
  const { name, voice } = own ?? persona;
  const scope = own?.memory ?? memory.personaScope;
  return { name, voice, memoryScope: scope === "persona" ? name : null };
}

/** Lists the bot's names: its login, its aliases and its persona's name. Without `channel`, every persona's name. */
export function listBotNames(
  config: CastConfig & { readonly bot: Config["bot"] },
  channel?: string,
): string[] {
  const { login, aliases } = config.bot;
  const speaking =
    channel === undefined ? [config.persona, ...config.personas] : [findPersona(config, channel)];
  const names = [login ?? [], aliases, speaking.map(({ name }) => name)].flat();
  return [...new Set(names)];
}
