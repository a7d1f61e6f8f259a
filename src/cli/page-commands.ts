import { loadConfig } from "../config/load.ts";
import { isLocked } from "../database/lock.ts";
import { makeUsageFault } from "../errors.ts";
import { PageAccess } from "../page/access.ts";
import { readPageUrl } from "../telemetry/status.ts";
import { type CommandOutput, type OpenFolder, type Options, withFolder } from "./open-folder.ts";
import { openBrowser, type Terminal } from "./terminal.ts";

/**
 * Makes a link that opens the page of the running bot in one browser, once. At a terminal, opens it, unless `json`.
 * Throws a Fault if no bot shows a page now.
 */
export function makePageLink(
  opened: OpenFolder,
  { json }: Options,
  terminal: Terminal,
): CommandOutput {
  const url = `${findPageAddress(opened)}enter?key=${new PageAccess(opened.db, opened.now).make("link")}`;
  if (terminal.isTerminal && json !== true) openBrowser(url);
  return {
    value: { url },
    text: [url, "It works once, in one browser, which then stays logged in for a month."],
  };
}

/**
 * Prints a link to the page of a bot that runs already, and opens it at a terminal. Returns false if none runs, or the
 * configuration has no page. Throws a Fault if the page is not up.
 */
export function openRunningPage(config: string, terminal: Terminal): boolean {
  const { dataDir, dashboard } = loadConfig(config);
  if (dashboard.port === false || !isLocked(dataDir)) return false;
  withFolder(config, "change", (opened) => {
    const { text } = makePageLink(opened, { config }, terminal);
    terminal.print(["The bot is running already. Its page:", text].flat().join("\n"));
  });
  return true;
}

/**
 * Makes a token called `name` with which a program may use `/api`. With `revoke`, instead revokes all tokens that are
 * called so. With `list`, instead lists the names of the tokens. Both ignore `name`.
 */
export function managePageTokens(
  opened: OpenFolder,
  name: string,
  { revoke, list }: { revoke?: string; list?: true },
): CommandOutput | string {
  const access = new PageAccess(opened.db, opened.now);
  if (revoke !== undefined) return `${access.revoke("token", revoke)} revoked`;
  if (list === true) {
    const rows = access.list("token").map(({ name, createdAtMs }) => ({ name, createdAtMs }));
    const lines = rows.map((row) => `${row.name}  ${new Date(row.createdAtMs).toISOString()}`);
    return { value: rows, text: lines.length === 0 ? "none" : lines };
  }
  const made = access.make("token", name);
  return {
    value: { name, token: made },
    text: [
      made,
      `It is shown this once. Send it as \`Authorization: Bearer …\`; \`forgetmenot page token --revoke ${name}\` revokes it.`,
    ],
  };
}

/**
 * Makes a link for OBS that shows the overlay; earlier links stay valid. Throws a Fault if no bot shows a page now. With
 * `revoke`, instead revokes all such links, also without a bot.
 */
export function makeOverlayLink(
  opened: OpenFolder,
  { revoke }: { revoke?: true },
): CommandOutput | string {
  const access = new PageAccess(opened.db, opened.now);
  if (revoke === true) return `${access.revoke("overlay")} revoked`;
  const url = `${findPageAddress(opened)}overlay?key=${access.make("overlay")}`;
  return {
    value: { url },
    text: [
      url,
      "Add it to OBS as a browser source. It shows what the bot says in chat, and opens nothing else.",
      "To style it, add to the link: &seconds=8 &side=right &at=top &size=large &theme=dark &voice=on",
    ],
  };
}

/** Returns the address of the running bot's page. Throws a Fault if no bot shows a page now. */
function findPageAddress({ config: { dataDir, dashboard }, db, now }: OpenFolder): string {
  const url = readPageUrl(db, now);
  if (isLocked(dataDir) && url !== null) return url;
  throw makeUsageFault(
    "no bot shows a page now",
    dashboard.port === false
      ? "set dashboard.port in the configuration to a port, and start the bot"
      : "start the bot with `forgetmenot run`, and ask again",
  );
}
