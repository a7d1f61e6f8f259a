import { spawnSync } from "node:child_process";
import { existsSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { readEnvironment, SECRET_VARIABLES } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import { makeFolder } from "../config/private-file.ts";
import { isLocked } from "../database/lock.ts";
import { Fault, messageOf, writing, wrongUse } from "../errors.ts";
import { type Call, type Service, type System, serviceFor } from "../system/autostart.ts";
import { type Options, refuseRunning } from "./open-folder.ts";
import { EXIT_FAILED, endingWith, type Terminal } from "./terminal.ts";

const CALL_MS_MAX = 30_000;

interface ServiceOptions extends Options {
  readonly print?: true;
}

/** Has the system start the bot at every log-in, without a window, and restart it if it fails. */
export function installService({ config, print }: ServiceOptions, terminal: Terminal): void {
  const { dataDir } = loadConfig(config);
  const service = here(config);
  if (print === true) {
    const text = service.text.replace("\ufeff", "").trimEnd();
    terminal.print(`${service.path}:\n\n${text}\n\nThen:`);
    printCalls(service.install, terminal);
    return;
  }
  refuseRunning(dataDir, "install the service");
  const mend =
    "`forgetmenot service install --print` shows what would stand there, to put it there by hand";
  writing(`${service.path}:`, { code: "folder", mend }, () => {
    makeFolder(dirname(service.path));
    writeFileSync(service.path, service.text, { encoding: service.encoding });
  });
  for (const call of service.install) {
    const failed = failureOf(call);
    if (failed.length > 0) throw failureFault("install", failed);
  }
  terminal.print(
    `${service.path}\nThe bot runs from now on, and after each log-in. \`forgetmenot service status\` says whether, \`forgetmenot service uninstall\` ends it.`,
  );
  const environment = readEnvironment();
  for (const [name, variable] of Object.entries(SECRET_VARIABLES))
    if (environment[name as keyof typeof SECRET_VARIABLES] !== null)
      terminal.print(
        `${variable} is set in this terminal, and the service does not see it: keep it with \`forgetmenot setup\`.`,
      );
}

/** Ends the service and removes it. The data folder stays as it is. */
export function uninstallService({ config, print }: ServiceOptions, terminal: Terminal): void {
  const service = here(config);
  if (print === true) {
    printCalls(service.uninstall, terminal);
    return;
  }
  if (!existsSync(service.path)) {
    terminal.print("No service is installed.");
    return;
  }
  const failed = service.uninstall.flatMap(failureOf);
  // What does not run cannot be ended. That is no failure if the system does not have it any more.
  if (failed.length > 0 && failureOf(service.status).length === 0)
    throw failureFault("uninstall", failed);
  rmSync(service.path, { force: true });
  terminal.print(`${service.path} is gone; the bot does not start by itself any more.`);
  for (const line of failed) terminal.print(`${line}: \`forgetmenot status\` says whether it runs`);
}

/** Says whether it is installed, and whether a bot runs. Fails if it should run and does not. */
export function serviceStatus({ config }: Options, terminal: Terminal): void {
  const { dataDir } = loadConfig(config);
  const service = here(config);
  const isInstalled = existsSync(service.path);
  const isActive = isInstalled && failureOf(service.status).length === 0;
  const running = isLocked(dataDir);
  terminal.print(isInstalled ? `installed: ${service.path}` : "not installed");
  if (isInstalled) terminal.print(isActive ? "the system has it" : "the system does not run it");
  terminal.print(running ? "the bot is running" : "the bot is not running");
  if (isInstalled && !(isActive && running)) throw endingWith(EXIT_FAILED);
}

/** Describes the service for this system, program and configuration. */
function here(configFile: string): Service {
  const system = SYSTEMS.find((one) => one === process.platform);
  if (system === undefined) {
    throw wrongUse(
      `there are no services for ${process.platform} here`,
      "have your system run `forgetmenot run` at log-in",
    );
  }
  const config = resolve(configFile);
  const { uid, username } = userInfo();
  const given = {
    node: process.execPath,
    main: realpathSync(process.argv[1] ?? ""),
    config,
    workingFolder: dirname(config),
    home: homedir(),
    user: system === "win32" ? username : String(uid),
  };
  const broken = Object.values(given).find((path) => /\p{Cc}/u.test(path));
  if (broken === undefined) return serviceFor(system, given);
  throw wrongUse(
    "a path has a line break or another control character in it",
    "move the program or its configuration to a folder with an ordinary name",
  );
}

const SYSTEMS = ["linux", "darwin", "win32"] as const satisfies readonly System[];

function printCalls(calls: readonly Call[], terminal: Terminal): void {
  for (const call of calls)
    terminal.print(call.map((word) => (/\s/u.test(word) ? `"${word}"` : word)).join(" "));
}

/** Makes a call. Returns no line if it did what it should. */
function failureOf(call: Call): string[] {
  const [program, ...args] = call;
  const options = { encoding: "utf8", timeout: CALL_MS_MAX, windowsHide: true } as const;
  const { error, status, stderr } = spawnSync(program, args, options);
  if (status === 0) return [];
  const [said = ""] = (error === undefined ? stderr : messageOf(error)).trim().split("\n");
  return [`${call.join(" ")} failed${said === "" ? "" : `: ${said}`}`];
}

function failureFault(command: "install" | "uninstall", lines: readonly string[]): Fault {
  return new Fault(lines.join("\n"), {
    code: "broken",
    mend: `\`forgetmenot service ${command} --print\` shows what is called, to be tried by hand`,
  });
}
