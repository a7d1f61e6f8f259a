import { NODE_OLDEST } from "../../platform/config/version.ts";
import { sqliteFailure } from "../../platform/database/inspect-file.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

export interface Machine {
  /** `v20.19.0`. */
  readonly node: string;
  readonly platform: string;
}

const SYSTEMS: Readonly<Record<string, string>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};

/** Whether Node is new enough, and the packages were installed for it. */
export function checkMachine({ node, platform }: Machine): Finding[] {
  const system = SYSTEMS[platform];
  const is = `${node.replace(/^v/, "")} on ${system ?? platform}`;
  if (isOlder(node, NODE_OLDEST)) {
    const mend = `install Node ${NODE_OLDEST} or newer from https://nodejs.org, then \`npm ci\``;
    return [problem("node", `${is}; ${NODE_OLDEST} is the oldest that will do`, mend)];
  }
  const failure = sqliteFailure();
  if (failure !== null) {
    return [
      problem("node", `${is}; the database package cannot be loaded (${failure})`, REINSTALL),
    ];
  }
  return system === undefined
    ? [warning("node", `${is}: nobody ran the bot there yet`, "use Linux, macOS or Windows")]
    : [ok("node", is)];
}

const REINSTALL = "run `npm ci`: Node was changed since the packages were installed";

function isOlder(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = numbers(version);
  const [wantedMajor = 0, wantedMinor = 0] = numbers(wanted);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

function numbers(version: string): number[] {
  return version.replace(/^v/, "").split(".").map(Number);
}
