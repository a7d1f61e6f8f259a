// Pure: values in, values out.
/** A service that starts the bot at log-in, without a window. */
export interface Service {
  /** The path that the system reads. */
  readonly path: string;
  readonly text: string;
  /** Windows' scheduler reads UTF-16 only. */
  readonly encoding: "utf8" | "utf16le";
  readonly install: readonly Call[];
  readonly uninstall: readonly Call[];
  /** Ends with 0 where the service is there and runs, or will at the next log-in. */
  readonly status: Call;
}

/** A program and its arguments, as they are: no shell reads them. */
export type Call = readonly [program: string, ...args: string[]];

export type System = "linux" | "darwin" | "win32";

export interface ServiceGiven {
  /** Paths, each whole. */
  readonly node: string;
  readonly main: string;
  readonly config: string;
  readonly workingFolder: string;
  readonly home: string;
  /** The user: by number (macOS), or by name (Windows). */
  readonly user: string;
}

const NAME = "forgetmenot";
const ABOUT = "ForgetMeNot, a Twitch bot that remembers people";
/** Wrong usage or configuration: to start it again mends nothing. */
const EXIT_WRONG_USE = 2;
const RESTART_SECONDS = 15;

export function serviceFor(system: System, given: ServiceGiven): Service {
  return { linux: systemdUnit, darwin: launchdAgent, win32: scheduledTask }[system](given);
}

function commandOf({ node, main, config }: ServiceGiven): string[] {
  return [node, main, "run", "--config", config];
}

function systemdUnit(given: ServiceGiven): Service {
  const path = `${given.home}/.config/systemd/user/${NAME}.service`;
  return {
    path,
    encoding: "utf8",
    text: [
      "[Unit]",
      `Description=${ABOUT}`,
      "StartLimitIntervalSec=0",
      "",
      "[Service]",
      `WorkingDirectory=${given.workingFolder.replaceAll("%", "%%")}`,
      `ExecStart=${commandOf(given).map(inUnit).join(" ")}`,
      "Restart=on-failure",
      `RestartSec=${RESTART_SECONDS}`,
      `RestartPreventExitStatus=${EXIT_WRONG_USE}`,
      "",
      "[Install]",
      "WantedBy=default.target",
      "",
    ].join("\n"),
    install: [
      // By its path: where systemd looks for units may have been moved.
      ["systemctl", "--user", "enable", "--now", path],
      ["systemctl", "--user", "daemon-reload"],
    ],
    uninstall: [["systemctl", "--user", "disable", "--now", `${NAME}.service`]],
    status: ["systemctl", "--user", "is-active", `${NAME}.service`],
  };
}

/** A word of ExecStart: systemd reads quotes, backslashes, `%` for its specifiers and `$` for variables. */
function inUnit(word: string): string {
  const escaped = word
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

function launchdAgent(given: ServiceGiven): Service {
  const path = `${given.home}/Library/LaunchAgents/${NAME}.plist`;
  const target = `gui/${given.user}`;
  const text = (value: string): string => `<string>${inXml(value)}</string>`;
  return {
    path,
    encoding: "utf8",
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0"><dict>',
      `  <key>Label</key>${text(NAME)}`,
      "  <key>ProgramArguments</key><array>",
      ...commandOf(given).map((word) => `    ${text(word)}`),
      "  </array>",
      `  <key>WorkingDirectory</key>${text(given.workingFolder)}`,
      "  <key>RunAtLoad</key><true/>",
      "  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
      `  <key>ThrottleInterval</key><integer>${RESTART_SECONDS}</integer>`,
      "  <key>ProcessType</key><string>Background</string>",
      "</dict></plist>",
      "",
    ].join("\n"),
    install: [["launchctl", "bootstrap", target, path]],
    uninstall: [["launchctl", "bootout", `${target}/${NAME}`]],
    status: ["launchctl", "print", `${target}/${NAME}`],
  };
}

function scheduledTask(given: ServiceGiven): Service {
  const path = `${given.home}\\AppData\\Local\\${NAME}\\${NAME}-task.xml`;
  // conhost gives a console without a window; Node alone would open one.
  const [program, ...words] = ["conhost.exe", "--headless", ...commandOf(given)];
  return {
    path,
    encoding: "utf16le",
    text: [
      '\ufeff<?xml version="1.0" encoding="UTF-16"?>',
      '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
      `  <RegistrationInfo><Description>${ABOUT}</Description></RegistrationInfo>`,
      `  <Triggers><LogonTrigger><UserId>${inXml(given.user)}</UserId></LogonTrigger></Triggers>`,
      `  <Principals><Principal id="Author"><UserId>${inXml(given.user)}</UserId>`,
      "    <LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>",
      "  <Settings><MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>",
      "    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>",
      "    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>",
      "    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit><Hidden>true</Hidden>",
      "    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure></Settings>",
      `  <Actions Context="Author"><Exec><Command>${program}</Command>`,
      `    <Arguments>${inXml(words.map(inWindows).join(" "))}</Arguments>`,
      `    <WorkingDirectory>${inXml(given.workingFolder)}</WorkingDirectory></Exec></Actions>`,
      "</Task>",
      "",
    ].join("\r\n"),
    install: [
      ["schtasks.exe", "/Create", "/TN", NAME, "/XML", path, "/F"],
      ["schtasks.exe", "/Run", "/TN", NAME],
    ],
    uninstall: [
      ["schtasks.exe", "/End", "/TN", NAME],
      ["schtasks.exe", "/Delete", "/TN", NAME, "/F"],
    ],
    status: ["schtasks.exe", "/Query", "/TN", NAME],
  };
}

/** One argument as Windows' programs read it: backslashes count double before a quote, and only there. */
function inWindows(word: string): string {
  if (/^[\w:\\/.-]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, "$&$&")}"`;
}

function inXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
