import type { Command } from "commander";
import { wrongUse } from "../errors.ts";
import { type Access, pageAccess } from "../page/access.ts";
import type { Config } from "../platform/config/load.ts";
import { isLocked } from "../platform/database/lock.ts";
import type { Db } from "../platform/database/open-database.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import { telling } from "./command-options.ts";
import { changing, type Opened, type Options } from "./open-folder.ts";
import { openBrowser, type Terminal } from "./terminal.ts";

interface TokenOptions extends Options {
  readonly revoke?: string;
  readonly list?: true;
}

interface OverlayOptions extends Options {
  readonly revoke?: true;
}

/** The commands that let somebody in: a browser, a program, or OBS. */
export function addPage(program: Command, terminal: Terminal): void {
  const page = program.command("page").description("the page of the running bot: who may open it");
  telling(page, "link", "a link that opens it in one browser, once", { isDefault: true }).action(
    (options: Options) => link(options, terminal),
  );
  telling(page, "token", "a token with which a program may use /api")
    .argument("[name]", "what you call it", "program")
    .option("--list", "list the tokens there are, without the tokens themselves")
    .option("--revoke <name>", "take away those of that name")
    .action((name: string, options: TokenOptions) => token(name, options, terminal));
  telling(page, "overlay", "a link for OBS that shows the overlay alone")
    .option("--revoke", "take away every such link")
    .action((options: OverlayOptions) => overlay(options, terminal));
}

function link(options: Options, terminal: Terminal): void {
  withAccess(options.config, ({ access, db, config }) => {
    const url = `${addressOf(config, db)}enter?key=${access.make("link")}`;
    if (options.json === true) return terminal.print(JSON.stringify({ url }));
    terminal.print(
      `${url}\nIt works once, in one browser, which then stays logged in for a month.`,
    );
    if (terminal.isTerminal) openBrowser(url);
  });
}

function token(name: string, options: TokenOptions, terminal: Terminal): void {
  withAccess(options.config, ({ access }) => {
    if (options.revoke !== undefined) {
      const count = access.revoke("token", options.revoke);
      return terminal.print(`${count} taken away`);
    }
    if (options.list === true) {
      const rows = access
        .list("token")
        .map((row) => ({ name: row.name, createdAtMs: row.createdAtMs }));
      const lines = rows.map((row) => `${row.name}  ${new Date(row.createdAtMs).toISOString()}`);
      return terminal.print(
        options.json === true ? JSON.stringify(rows) : lines.join("\n") || "none",
      );
    }
    const made = access.make("token", name);
    if (options.json === true) return terminal.print(JSON.stringify({ name, token: made }));
    terminal.print(
      `${made}\nIt is shown this once. Send it as \`Authorization: Bearer …\`; \`forgetmenot page token --revoke ${name}\` takes it away.`,
    );
  });
}

function overlay(options: OverlayOptions, terminal: Terminal): void {
  withAccess(options.config, ({ access, db, config }) => {
    if (options.revoke === true) return terminal.print(`${access.revoke("overlay")} taken away`);
    const url = `${addressOf(config, db)}overlay?key=${access.make("overlay")}`;
    if (options.json === true) return terminal.print(JSON.stringify({ url }));
    terminal.print(
      [
        url,
        "Add it to OBS as a browser source. It shows what the bot says in chat, and opens nothing else.",
        "To style it, add to the link: &seconds=8 &side=right &at=top &size=large &theme=dark &voice=on",
      ].join("\n"),
    );
  });
}

function withAccess(file: string, work: (opened: Opened & { access: Access }) => void): void {
  changing(file, (opened) =>
    work({ ...opened, access: pageAccess(opened.db, clockOf(opened.db)) }),
  );
}

/** A rehearsal's clock may be ahead of the wall's: its keys last by its own. */
function clockOf(db: Db): () => number {
  const beat = runtimeStore(db, Date.now).read(HEARTBEAT, heartbeatSchema);
  const aheadMs = Math.max(0, (beat?.updatedAtMs ?? 0) - Date.now());
  return () => Date.now() + aheadMs;
}

/** Throws a Fault where no bot shows a page now. */
function addressOf({ dataDir, dashboard }: Config, db: Db): string {
  const url = runtimeStore(db, Date.now).read(HEARTBEAT, heartbeatSchema)?.value.pageUrl ?? null;
  if (isLocked(dataDir) && url !== null) return url;
  throw wrongUse(
    "no bot shows a page now",
    dashboard.port === false
      ? "set dashboard.port in the configuration to a port, and start the bot"
      : "start the bot with `forgetmenot run`, and ask again",
  );
}
