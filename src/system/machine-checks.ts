import { createServer } from "node:net";
import process from "node:process";
import { isNodeTooOld, NODE_OLDEST, REINSTALL } from "../config/environment.ts";
import { findSqliteFailure, lookAt } from "../database/open-database.ts";
import { RuntimeStore } from "../database/runtime-store.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import { type ExaminedBot, notChecked, ok, problem, type Seen, warning } from "./check.ts";

const SYSTEMS: Readonly<Record<string, string>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};

/** Checks that Node (`v20.19.0`) is new enough, and that the packages were installed for it. */
export function checkNode(
  { node, platform } = { node: process.version, platform: process.platform as string },
): Seen {
  const system = SYSTEMS[platform];
  const is = `${node.replace(/^v/, "")} on ${system ?? platform}`;
  if (isNodeTooOld(node)) return problem(`${is}; the oldest that works is ${NODE_OLDEST}`);
  const failure = findSqliteFailure();
  if (failure !== null)
    return problem(`${is}; the database package cannot be loaded (${failure})`, REINSTALL);
  return system === undefined ? warning(`${is}: untested`, "use Linux, macOS or Windows") : ok(is);
}

const HOST = "127.0.0.1";

/** Checks that the port of the page is free, or the bot's own. */
export async function checkPage(bot: ExaminedBot): Promise<Seen> {
  const { port } = bot.config.dashboard;
  if (port === false) return ok("none (dashboard.port is false)");
  const pageUrl = bot.running ? readPageUrl(bot) : null;
  if (pageUrl !== null && (port === 0 || pageUrl === `http://${HOST}:${port}/`))
    return ok(`the bot serves it at ${pageUrl}`);
  if (port === 0) return ok("takes any free port");
  if (bot.running && pageUrl === null)
    return notChecked("the bot runs, but the address of its page cannot be read");
  const failure = await tryListening(port);
  if (failure === null) return ok(`port ${port} is free`);
  const why =
    failure === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${failure})`;
  return warning(`port ${port} ${why}: the page takes another one, and the bot prints which`);
}

/** Returns the last address of the page; null if it is not known. */
function readPageUrl({ config, now }: ExaminedBot): string | null {
  try {
    return lookAt(config.databaseFile, (db) => {
      return new RuntimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value.pageUrl ?? null;
    });
  } catch {
    return null; // The check of the database names the reason.
  }
}

/** Takes the port for a moment. Returns the system's code if that fails, else null. */
function tryListening(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve("code" in error ? String(error.code) : error.name));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
