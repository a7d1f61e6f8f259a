import { createServer } from "node:net";
import {
  isNodeTooOld,
  NODE_MEND,
  NODE_OLDEST,
  REINSTALL,
} from "../../platform/config/environment.ts";
import { sqliteFailure } from "../../platform/database/inspect-file.ts";
import { type Finding, notChecked, ok, problem, warning } from "./finding.ts";

const SYSTEMS: Readonly<Record<string, string>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};

/** Whether Node (`v20.19.0`) is new enough, and the packages were installed for it. */
export function checkMachine({ node, platform }: { node: string; platform: string }): Finding[] {
  const system = SYSTEMS[platform];
  const is = `${node.replace(/^v/, "")} on ${system ?? platform}`;
  if (isNodeTooOld(node))
    return [problem("node", `${is}; ${NODE_OLDEST} is the oldest that will do`, NODE_MEND)];
  const failure = sqliteFailure();
  const broken = `${is}; the database package cannot be loaded (${failure})`;
  if (failure !== null) return [problem("node", broken, REINSTALL)];
  return system === undefined
    ? [warning("node", `${is}: nobody ran the bot there yet`, "use Linux, macOS or Windows")]
    : [ok("node", is)];
}

const HOST = "127.0.0.1";

/** Whether the port of the status page is free, or the bot's own. */
export async function checkPage(page: {
  readonly port: number | false;
  readonly running: boolean;
  /** Where the bot that wrote last served its page; null where it is not known. */
  readonly pageUrl: string | null;
}): Promise<Finding[]> {
  const { port, running, pageUrl } = page;
  const isServed = running && pageUrl !== null;
  if (port === false) return [ok("page", "none (dashboard.port is false)")];
  if (isServed && (port === 0 || pageUrl === `http://${HOST}:${port}/`))
    return [ok("page", `the bot serves it at ${pageUrl}`)];
  if (port === 0) return [ok("page", "takes any free port")];
  if (running && pageUrl === null)
    return [notChecked("page", "the bot runs, and where it serves its page cannot be read")];
  const failure = await listenFailure(port);
  if (failure === null) return [ok("page", `port ${port} is free`)];
  const why =
    failure === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${failure})`;
  const found = `port ${port} ${why}: the page takes another one, and the bot says which`;
  const mend =
    "stop what uses it, or set dashboard.port to another one, to 0 for any, or to false for none";
  return [warning("page", found, mend)];
}

/** Takes the port for a moment. The system's code where it cannot be had. */
function listenFailure(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve("code" in error ? String(error.code) : error.name));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
