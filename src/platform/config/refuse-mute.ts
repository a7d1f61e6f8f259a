import { Fault } from "../../errors.ts";
import type { Config } from "./load.ts";
import type { Secrets } from "./secrets.ts";

/** A bot that could never speak, though it is meant to, is refused at start: throws a Fault. */
export function refuseMute(config: Config, secrets: Secrets): void {
  if (config.bot.login === null && config.mode !== "shadow") {
    throw new Fault(`bot.login is null, should be the bot's login in mode ${config.mode}`, {
      code: "config",
      mend: 'set bot.login, or set mode to "shadow" to listen without an account',
    });
  }
  if (config.bot.login !== null && secrets.twitch === null) {
    throw new Fault(`TWITCH_ACCESS_TOKEN is missing, should be a token of ${config.bot.login}`, {
      code: "secret",
      mend: "run `forgetmenot setup`, or set it in the environment; or set bot.login to null and mode to shadow to listen only",
    });
  }
}
