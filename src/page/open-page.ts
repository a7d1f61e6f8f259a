import type { NoticeBoard } from "../database/notices-store.ts";
import { pageAccess } from "./access.ts";
import type { ShownPage } from "./route.ts";
import { type Dashboard, openDashboard } from "./server.ts";

export interface OpenPage extends Pick<Dashboard, "isMoved" | "show" | "hide" | "close"> {
  /** Null if there is none. */
  readonly url: string | null;
}

/**
 * Opens the page before the rest of the program, so that its address is known. `port` false: no page. A page that is
 * given stays open at the end, and shows nothing then.
 */
export async function openPage(port: number | false, given?: Dashboard): Promise<OpenPage> {
  const nothing = () => Promise.resolve();
  if (given !== undefined) return { ...given, close: nothing };
  if (port !== false) return await openDashboard(port);
  return { url: null, isMoved: false, show: () => undefined, hide: nothing, close: nothing };
}

/**
 * Fills the page. Returns a function that makes a link which opens it, once; null if there is no page, or if the
 * database takes no link now. `heard` takes the database's errors.
 */
export function showPage(
  page: OpenPage,
  shown: ShownPage,
  notices: NoticeBoard,
  heard: (thrown: unknown) => boolean,
): () => string | null {
  page.show(shown);
  const { url } = page;
  if (page.isMoved)
    notices.raise(
      "page_moved",
      "info",
      `Port ${shown.config.dashboard.port} is taken, so the page is at ${url}. Set \`dashboard.port\` to a free port to keep the address.`,
    );
  else notices.clear("page_moved");
  return () => {
    if (url === null) return null;
    try {
      return `${url}enter?key=${pageAccess(shown.db, Date.now).make("link")}`;
    } catch (thrown) {
      if (heard(thrown)) return null;
      throw thrown;
    }
  };
}
