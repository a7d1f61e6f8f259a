import type { Config } from "../../platform/config/load.ts";
import { personaFor } from "../../platform/config/personas.ts";
import { CONFIG_FILE } from "../command-options.ts";
import { commandLine } from "./command-line.ts";

/** What the person does next, a line each. */
export function farewell(file: string, config: Config): readonly string[] {
  const start = file === CONFIG_FILE ? "npm start" : commandLine(file, "run");
  const doctor = commandLine(file, "doctor");
  return [
    "All set.",
    "",
    `   ${start.padEnd(24)}  starts the bot; Ctrl-C ends it`,
    ...pageLines(config),
    `   ${doctor.padEnd(24)}  looks what is wrong, when something is off`,
    "",
    ...modeLines(config),
    ...moderatorLines(config),
    "Run setup again whenever you like: it keeps what you do not change.",
  ];
}

function pageLines({ dashboard: { port } }: Config): readonly string[] {
  if (port === false || port === 0) return [];
  return [`   ${`http://127.0.0.1:${port}/`.padEnd(24)}  shows how it is, while it runs`];
}

function modeLines(config: Config): readonly string[] {
  const { bot, channels, mode, replies } = config;
  if (bot.login === null)
    return [
      "It listens and remembers, and says nothing.",
      `Without an account, Twitch could not be asked about the ${channels.length === 1 ? "name" : "names"} ${channels.join(", ")}. Where there is no such channel, "cannot join" shows some ten seconds after the start.`,
    ];
  if (mode === "shadow")
    return [
      "It begins silently: it listens, remembers and thinks up answers, and sends none.",
      'When you want it to speak, run setup again, or set "mode" to "mentions".',
    ];
  const when = replies.whenOffline ? "" : ", while you are live";
  const names = new Set(channels.map((channel) => personaFor(config, channel).name));
  return [`It answers whoever speaks to @${bot.login} or says ${[...names].join(" or ")}${when}.`];
}

function moderatorLines({ actions: { classes }, bot, channels }: Config): readonly string[] {
  const needs = classes.chat !== "off" || classes.moderation !== "off";
  if (!needs || bot.login === null || channels.includes(bot.login)) return [];
  return [`Make it a moderator, for what it may do: in your chat, type   /mod ${bot.login}`];
}
