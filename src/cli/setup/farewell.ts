import type { Config } from "../../config/load.ts";
import { CONFIG_FILE } from "../command-options.ts";

/** What the person does next, a line each. */
export function farewell(file: string, config: Config): readonly string[] {
  const isUsual = file === CONFIG_FILE;
  const option = isUsual ? "" : ` --config ${file}`;
  return [
    "All set.",
    "",
    `   ${(isUsual ? "npm start" : `npm start -- run${option}`).padEnd(24)}  starts the bot; Ctrl-C ends it`,
    ...pageLines(config),
    `   ${`npm start -- doctor${option}`.padEnd(24)}  looks what is wrong, when something is off`,
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

function modeLines({ bot, mode, replies }: Config): readonly string[] {
  if (bot.login === null) return ["It listens and remembers, and says nothing."];
  if (mode === "shadow")
    return [
      "It begins silently: it listens, remembers and thinks up answers, and sends none.",
      'When you want it to speak, run setup again, or set "mode" to "mentions".',
    ];
  const when = replies.whenOffline ? "" : ", while you are live";
  return [`It answers whoever speaks to @${bot.login}${when}.`];
}

function moderatorLines({ actions: { classes }, bot, channels }: Config): readonly string[] {
  const needs = classes.chat !== "off" || classes.moderation !== "off";
  if (!needs || bot.login === null || channels.includes(bot.login)) return [];
  return [`Make it a moderator, for what it may do: in your chat, type   /mod ${bot.login}`];
}
