import { readEnvironment, SECRET_VARIABLES } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import { isLocked, refuseRunning } from "../database/lock.ts";
import { Autostart } from "../system/autostart.ts";
import type { Options } from "./open-folder.ts";
import { EXIT_FAILED, Exit, type Terminal } from "./terminal.ts";

/**
 * Has the system start the bot now and at every log-in, without a window, and restart it if it fails. Warns of secrets
 * in environment variables: the service does not see them. Throws a Fault if a bot runs already or the system refuses.
 */
export async function installService({ config }: Options, terminal: Terminal): Promise<void> {
  const { dataDir } = loadConfig(config);
  const autostart = new Autostart(config);
  refuseRunning(dataDir, "run `forgetmenot service install` again, or use the switch on its page");
  await autostart.turnOn("now");
  terminal.print(
    `${autostart.service.path}\nThe bot runs from now on, and after each log-in. \`forgetmenot service status\` shows its state, \`forgetmenot service uninstall\` ends it.`,
  );
  const environment = readEnvironment();
  for (const [name, variable] of Object.entries(SECRET_VARIABLES))
    if (environment[name as keyof typeof SECRET_VARIABLES] !== null)
      terminal.print(
        `${variable} is set in this terminal, and the service does not see it: store it with \`forgetmenot setup\`.`,
      );
}

/**
 * Ends the service and removes it, if one is installed. The data folder stays as it is. If a call fails and the system
 * still knows the service, throws a Fault and removes nothing; else prints the failed calls.
 */
export async function uninstallService({ config }: Options, terminal: Terminal): Promise<void> {
  const autostart = new Autostart(config);
  if (!autostart.isOn()) return terminal.print("No service is installed.");
  const failures = await autostart.turnOff("now");
  terminal.print(
    `${autostart.service.path} is removed. The bot does not start by itself any more.`,
  );
  for (const line of failures)
    terminal.print(`${line}: \`forgetmenot status\` shows whether it runs`);
}

/**
 * Shows whether the service is installed and known to the system, and whether a bot runs. Ends with 1 if it is
 * installed and one of the others does not hold.
 */
export async function printServiceStatus({ config }: Options, terminal: Terminal): Promise<void> {
  const { dataDir } = loadConfig(config);
  const autostart = new Autostart(config);
  const isInstalled = autostart.isOn();
  const isKnown = isInstalled && (await autostart.isKnown());
  const isRunning = isLocked(dataDir);
  terminal.print(isInstalled ? `installed: ${autostart.service.path}` : "not installed");
  if (isInstalled)
    terminal.print(isKnown ? "the system starts it at log-in" : "the system does not start it");
  terminal.print(isRunning ? "the bot is running" : "the bot is not running");
  if (isInstalled && !(isKnown && isRunning)) throw new Exit(EXIT_FAILED);
}
