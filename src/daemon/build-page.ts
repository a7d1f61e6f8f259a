import { pageAccess } from "../page/access.ts";
import type { ShownPage } from "../page/route.ts";
import { type Dashboard, openDashboard } from "../page/server.ts";
import type { DaemonOptions } from "./lifetime.ts";
import type { Stores } from "./stores.ts";

export interface OpenPage {
  /** null where there is none. */
  readonly url: string | null;
  /** Whether the configured port was taken, and this is another one. */
  readonly isMoved: boolean;
  /** What it shows from now on; before, it says that the bot is starting. */
  readonly show: Dashboard["show"];
  /** Shows nothing any more; to be called before the database closes. */
  readonly hide: Dashboard["hide"];
}

/** Opens the page before anything else is done, so that its address is known. A page that is given stays open at the end. */
export async function openPage(
  { config, page: given }: DaemonOptions,
  closers: (() => unknown)[],
): Promise<OpenPage> {
  if (given !== undefined) return given;
  const { port } = config.dashboard;
  if (port === false) {
    const hide = () => Promise.resolve();
    return { url: null, isMoved: false, show: (_: ShownPage) => undefined, hide };
  }
  const page = await openDashboard(port);
  closers.push(() => page.close());
  return page;
}

/** Fills the page from a daemon that is built; gives what makes a link that opens it, once. */
export function showPage(
  page: OpenPage,
  {
    options,
    stores: { db, notices, health },
    tryAnswer,
  }: {
    readonly options: DaemonOptions;
    readonly stores: Pick<Stores, "db" | "notices" | "health">;
    readonly tryAnswer: ShownPage["tryAnswer"];
  },
): () => Promise<string | null> {
  const { config, now, log } = options;
  page.show({
    db,
    config,
    configFile: options.configFile ?? null,
    now,
    tryAnswer,
    ...(options.goLive === undefined ? {} : { goLive: options.goLive }),
    onBug: (bug) => log.error({ ...bug }, "the page failed at something"),
  });
  const { url } = page;
  const taken = `Port ${config.dashboard.port} is taken`;
  if (page.isMoved)
    notices.raise(
      "page_moved",
      "info",
      `${taken}, so the page is at ${url}. Set \`dashboard.port\` to a free port if that shall last.`,
    );
  else notices.clear("page_moved");
  return async () => {
    if (url === null) return null;
    try {
      return `${url}enter?key=${pageAccess(db, Date.now).make("link")}`;
    } catch (thrown) {
      if (health.heard(thrown)) return null;
      throw thrown;
    }
  };
}
