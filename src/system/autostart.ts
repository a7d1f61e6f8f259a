import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { makeFolder } from "../config/private-file.ts";
import { Fault, writeOrFault } from "../errors.ts";

/** A service that starts the bot at log-in, without a window. */
interface Service {
  /** The file that the system reads, and its text. */
  readonly path: string;
  readonly text: string;
  /** The part of `text` that names the configuration. */
  readonly named: string;
  /** Windows' scheduler reads UTF-16 only. */
  readonly encoding: "utf8" | "utf16le";
  /** Has the system start the bot from the next log-in on. */
  readonly enable: readonly Call[];
  readonly start: Call;
  readonly stop: Call;
  /** Undoes `enable`, and does not end the bot. */
  readonly disable: readonly Call[];
  /** Ends with 0 if the system knows the service. */
  readonly status: Call;
}

/** A program and its arguments. No shell reads them. */
type Call = readonly [program: string, ...args: string[]];

/** The command that a service starts, and its user: a number on macOS, a name on Windows. Paths are absolute. */
type ServiceGiven = Readonly<
  Record<"node" | "main" | "config" | "workingFolder" | "home" | "user", string>
>;

const NAME = "forgetmenot";
const ABOUT = "ForgetMeNot, a Twitch bot that remembers people";
/** Wrong usage or configuration: a restart fixes nothing. */
const EXIT_WRONG_USE = 2;
const RESTART_SECONDS = 15;
const CALL_MS_MAX = 30_000;
const BY_HAND = "have your desktop run `forgetmenot run` at log-in";

/** Turns the bot's start at log-in on and off, for the switch on the page and for `forgetmenot service`. */
export class Autostart {
  readonly service: Service;

  constructor(configFile: string) {
    const config = resolve(configFile);
    this.service = createService(process.platform, {
      node: process.execPath,
      main: realpathSync(process.argv[1] ?? ""),
      config,
      workingFolder: dirname(config),
      home: homedir(),
      user: process.getuid === undefined ? userInfo().username : String(process.getuid()),
    });
  }

  /** True if the service's file exists. `isKnown` asks the system. */
  isOn(): boolean {
    return existsSync(this.service.path);
  }

  /**
   * Rewrites an installed service of this configuration if its file differs, as after the program's folder moved. The
   * change takes effect at the next log-in. Else changes nothing. Rejects like `turnOn`.
   */
  async renew(): Promise<void> {
    const { path, text, named, encoding } = this.service;
    const written = this.isOn() ? readFileSync(path, { encoding }) : text;
    if (written !== text && written.includes(named)) await this.turnOn("later");
  }

  /**
   * Has the system start the bot from the next log-in on; `now` also starts it at once. If the system refuses, deletes
   * the service's file, also one from before, and rejects with a Fault. A file that cannot be written is a Fault, too.
   */
  async turnOn(when: "later" | "now"): Promise<void> {
    const { path, text, encoding, enable, start } = this.service;
    const fix = `make ${dirname(path)} writable for your user`;
    writeOrFault(path, { code: "folder", fix }, () => {
      makeFolder(dirname(path));
      writeFileSync(path, text, { encoding });
    });
    for (const call of when === "now" ? [...enable, start] : enable) {
      const failure = await callSystem(call);
      if (failure === null) continue;
      rmSync(path, { force: true });
      throw new Fault(failure, { code: "broken", fix: BY_HAND });
    }
  }

  /**
   * Has the system start the bot no more, and deletes the service's file; `now` also ends a bot that the system started.
   * Resolves with the calls that failed. If one failed and the system still knows the service, keeps the file and
   * rejects with a Fault.
   */
  async turnOff(when: "later" | "now"): Promise<readonly string[]> {
    const { path, stop, disable } = this.service;
    const failures: string[] = [];
    for (const call of when === "now" ? [stop, ...disable] : disable) {
      const failure = await callSystem(call);
      if (failure !== null) failures.push(failure);
    }
    // Calls also fail for a service that the system has forgotten.
    if (failures.length > 0 && (await this.isKnown())) {
      const fix = `type the commands by hand, then delete ${path}`;
      throw new Fault(failures.join("\n"), { code: "broken", fix });
    }
    rmSync(path, { force: true });
    return failures;
  }

  /** Resolves with true if the system knows the service; false also if the system cannot be asked. */
  async isKnown(): Promise<boolean> {
    return (await callSystem(this.service.status)) === null;
  }
}

/** Makes a call, for at most 30 seconds. Resolves with a line that says why it failed; null if it did not. */
function callSystem(call: Call): Promise<string | null> {
  const [program, ...args] = call;
  const options = { timeout: CALL_MS_MAX, windowsHide: true };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, _, stderr) => {
      if (error === null) return resolve(null);
      const isMissing = error.code === "ENOENT";
      const reason = isMissing ? `this system has no ${program}` : stderr.trim().split("\n")[0];
      resolve(`${call.join(" ")} failed: ${reason || error.message}`);
    });
  });
}

/** Describes the service for macOS (an agent), Windows (a task) or any other system (a unit of systemd). */
export function createService(system: NodeJS.Platform, given: ServiceGiven): Service {
  if (system === "darwin") return describeAgent(given);
  return system === "win32" ? describeTask(given) : describeUnit(given);
}

function buildCommand({ node, main, config }: ServiceGiven): string[] {
  return [node, main, "run", "--config", config];
}

function describeUnit(given: ServiceGiven): Service {
  const unit = `${NAME}.service`;
  const path = `${given.home}/.config/systemd/user/${unit}`;
  return {
    path,
    encoding: "utf8",
    named: ` ${escapeUnit(given.config)}\n`,
    text: [
      "[Unit]",
      `Description=${ABOUT}`,
      "StartLimitIntervalSec=0",
      "",
      "[Service]",
      `WorkingDirectory=${given.workingFolder.replaceAll("%", "%%")}`,
      `ExecStart=${buildCommand(given).map(escapeUnit).join(" ")}`,
      "Restart=on-failure",
      `RestartSec=${RESTART_SECONDS}`,
      `RestartPreventExitStatus=${EXIT_WRONG_USE}`,
      "",
      "[Install]",
      "WantedBy=default.target",
      "",
    ].join("\n"),
    enable: [
      // By its path: systemd may look for units in another folder.
      ["systemctl", "--user", "enable", path],
      ["systemctl", "--user", "daemon-reload"],
    ],
    start: ["systemctl", "--user", "start", unit],
    stop: ["systemctl", "--user", "stop", unit],
    disable: [["systemctl", "--user", "disable", unit]],
    status: ["systemctl", "--user", "is-enabled", unit],
  };
}

/** Quotes a word of ExecStart: systemd reads quotes, backslashes, `%` for its specifiers and `$` for variables. */
function escapeUnit(word: string): string {
  const escaped = word
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

function describeAgent(given: ServiceGiven): Service {
  const path = `${given.home}/Library/LaunchAgents/${NAME}.plist`;
  const target = `gui/${given.user}`;
  const text = (value: string): string => `<string>${escapeXml(value)}</string>`;
  return {
    path,
    encoding: "utf8",
    named: text(given.config),
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0"><dict>',
      `  <key>Label</key>${text(NAME)}`,
      "  <key>ProgramArguments</key><array>",
      ...buildCommand(given).map((word) => `    ${text(word)}`),
      "  </array>",
      `  <key>WorkingDirectory</key>${text(given.workingFolder)}`,
      "  <key>RunAtLoad</key><true/>",
      "  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
      `  <key>ThrottleInterval</key><integer>${RESTART_SECONDS}</integer>`,
      "  <key>ProcessType</key><string>Background</string>",
      "</dict></plist>",
      "",
    ].join("\n"),
    // launchd reads the folder at each log-in.
    enable: [],
    start: ["launchctl", "bootstrap", target, path],
    stop: ["launchctl", "bootout", `${target}/${NAME}`],
    disable: [],
    status: ["launchctl", "print", `${target}/${NAME}`],
  };
}

function describeTask(given: ServiceGiven): Service {
  const path = `${given.home}\\AppData\\Local\\${NAME}\\${NAME}-task.xml`;
  // conhost gives a console without a window; Node alone would open one.
  const [program, ...words] = ["conhost.exe", "--headless", ...buildCommand(given)];
  return {
    path,
    encoding: "utf16le",
    named: ` ${escapeXml(escapeWindows(given.config))}</Arguments>`,
    text: [
      '\ufeff<?xml version="1.0" encoding="UTF-16"?>',
      '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
      `  <RegistrationInfo><Description>${ABOUT}</Description></RegistrationInfo>`,
      `  <Triggers><LogonTrigger><UserId>${escapeXml(given.user)}</UserId></LogonTrigger></Triggers>`,
      `  <Principals><Principal id="Author"><UserId>${escapeXml(given.user)}</UserId>`,
      "    <LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>",
      "  <Settings><MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>",
      "    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>",
      "    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>",
      "    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit><Hidden>true</Hidden>",
      "    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure></Settings>",
      `  <Actions Context="Author"><Exec><Command>${program}</Command>`,
      `    <Arguments>${escapeXml(words.map(escapeWindows).join(" "))}</Arguments>`,
      `    <WorkingDirectory>${escapeXml(given.workingFolder)}</WorkingDirectory></Exec></Actions>`,
      "</Task>",
      "",
    ].join("\r\n"),
    enable: [["schtasks.exe", "/Create", "/TN", NAME, "/XML", path, "/F"]],
    start: ["schtasks.exe", "/Run", "/TN", NAME],
    stop: ["schtasks.exe", "/End", "/TN", NAME],
    disable: [["schtasks.exe", "/Delete", "/TN", NAME, "/F"]],
    status: ["schtasks.exe", "/Query", "/TN", NAME],
  };
}

/**
 * Quotes an argument as Windows' programs read it: backslashes count double before a quote, and only there. Leaves a
 * plain word as it is.
 */
function escapeWindows(word: string): string {
  if (/^[\w:\\/.-]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, "$&$&")}"`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
