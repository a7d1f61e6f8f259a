import { openDashboard } from "../page/server.ts";
import type { Status } from "../telemetry/status.ts";
import type { DaemonOptions } from "./options.ts";

export interface Page {
  /** null where there is none. */
  readonly url: string | null;
  /** What it shows from now on; before, it says that it cannot. */
  show(status: () => Status): void;
}

/** Takes the port before anything else is done: one that is taken must change nothing. */
export async function openPage(
  { config, now }: DaemonOptions,
  closers: (() => unknown)[],
): Promise<Page> {
  const { port } = config.dashboard;
  if (port === false) return { url: null, show: () => undefined };
  let readStatus = (): Status => {
    throw new Error("the bot is starting");
  };
  const page = await openDashboard({ port, readStatus: () => readStatus(), now });
  closers.push(() => page.close());
  return {
    url: page.url,
    show: (status) => {
      readStatus = status;
    },
  };
}
