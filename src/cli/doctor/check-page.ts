import { createServer } from "node:net";
import { type Finding, notChecked, ok, problem } from "./finding.ts";

export interface PageGiven {
  readonly port: number | false;
  /** Whether a daemon runs, and where it serves its page as far as is known. */
  readonly running: boolean;
  readonly pageUrl: string | null;
}

const HOST = "127.0.0.1";

/** Whether the port of the status page is free, or the bot's own. */
export async function checkPage({ port, running, pageUrl }: PageGiven): Promise<Finding[]> {
  const isServed = running && pageUrl !== null;
  if (port === false) return [ok("page", "none (dashboard.port is false)")];
  if (isServed && (port === 0 || pageUrl === `http://${HOST}:${port}/`))
    return [ok("page", `the bot serves it at ${pageUrl}`)];
  if (port === 0) return [ok("page", "takes any free port")];
  if (running && pageUrl === null)
    return [notChecked("page", "the bot runs, and where it serves its page cannot be read")];
  const failure = await listenFailure(port);
  if (failure === null) return [ok("page", `port ${port} is free`)];
  const found =
    failure === "EADDRINUSE"
      ? `port ${port} is taken by another program, so the bot cannot start`
      : `port ${port} cannot be used (${failure}), so the bot cannot start`;
  const mend =
    "stop what uses it, or set dashboard.port to another one, to 0 for any, or to false for none";
  return [problem("page", found, mend)];
}

/** Takes the port for a moment. The system's code where it cannot be had. */
function listenFailure(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve("code" in error ? String(error.code) : error.name));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
