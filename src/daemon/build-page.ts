import { Fault } from "../errors.ts";
import { openDashboard } from "../page/server.ts";
import type { NoticeBoard } from "../platform/database/notices-store.ts";
import type { Status } from "../telemetry/status.ts";
import type { DaemonOptions } from "./options.ts";

const NOTICE = "page_moved";

export interface Page {
  /** null where there is none. */
  readonly url: string | null;
  /** The port that it should have had and somebody else holds; null where it has its own. */
  readonly takenPort: number | null;
  /** What it shows from now on; before, it says that it cannot. */
  show(status: () => Status): void;
}

/** A port that is taken is no reason to stop: the page moves to any free one, and the bot chats on. */
export async function openPage(
  { config, now }: DaemonOptions,
  closers: (() => unknown)[],
): Promise<Page> {
  const { port } = config.dashboard;
  if (port === false) return { url: null, takenPort: null, show: () => undefined };
  let readStatus = (): Status => {
    throw new Error("the bot is starting");
  };
  const source = { readStatus: () => readStatus(), now };
  let takenPort: number | null = null;
  const page = await openDashboard({ port, ...source }).catch((cause: unknown) => {
    if (!(cause instanceof Fault) || cause.code !== "port" || port === 0) throw cause;
    takenPort = port;
    return openDashboard({ port: 0, ...source });
  });
  closers.push(() => page.close());
  return {
    url: page.url,
    takenPort,
    show: (status) => {
      readStatus = status;
    },
  };
}

/** Tells the streamer where the page is, where that is not where it should be. */
export function tellPage({ url, takenPort }: Page, notices: NoticeBoard): void {
  if (takenPort === null) notices.clear(NOTICE);
  else {
    const message = `port ${takenPort} is taken, so the page is at ${url}; \`dashboard.port\` sets another`;
    notices.raise(NOTICE, "info", message);
  }
}
