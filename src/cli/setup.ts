import { isOverSsh } from "../config/environment.ts";
import { refuseRehearsalFolder } from "../demo/data-folder.ts";
import { Fault } from "../errors.ts";
import { type Dashboard, openDashboard } from "../page/server.ts";
import {
  DEFAULT_CLIENT_ID,
  describeFault,
  describeTakenPort,
  readGround,
  Setup,
  type SetupWorld,
} from "../page/setup.ts";
import { wait } from "../twitch/bounded-call.ts";
import { run } from "./run.ts";
import { EXIT_FAILED, Exit, openBrowser, type Terminal, waitForAbort } from "./terminal.ts";

export interface SetupPlace {
  readonly config: string;
  /** A page that is open already, such as the demo's: its browser then shows setup. */
  readonly page?: Dashboard;
  readonly world?: SetupWorld;
}

const WORLD: SetupWorld = { now: Date.now, wait, defaultClientId: DEFAULT_CLIENT_ID };

/**
 * Serves setup on the local page, then runs the bot in this process. If the bot cannot start, shows setup again with the
 * reason. Throws a Fault if the bot runs already, or the exit with 1 if the user stops setup. At its end closes the
 * page, also a given one.
 */
export async function serveSetupAndRun(
  { config: file, page: given, world = WORLD }: SetupPlace,
  terminal: Terminal,
): Promise<void> {
  const { base } = readGround(file);
  refuseRehearsalFolder(base.dataDir);
  const page = given ?? (await openDashboard(base.dashboard.port || 0));
  let problem: string | null = null;
  try {
    for (let isLinked = given !== undefined; ; isLinked = true) {
      const setup = new Setup(readGround(file), world, problem);
      try {
        page.showSetup(setup);
        if (!isLinked) printAndOpenLink(page, page.makeLink(setup.db, setup.now), terminal);
        problem = await runAfterSetup(setup, page, terminal);
      } finally {
        await page.hide();
        setup.close();
      }
      if (problem === null) return;
      terminal.complain(problem);
    }
  } finally {
    await page.close();
  }
}

/**
 * Waits for the end of setup, and runs the bot. Resolves with the reason if it could not start; null once it ended.
 * Throws the exit with 1 if the user stops setup, and any error after the bot joined.
 */
async function runAfterSetup(
  setup: Setup,
  page: Dashboard,
  terminal: Terminal,
): Promise<string | null> {
  const config = await Promise.race([setup.done, waitForAbort(terminal.stop).then(() => null)]);
  if (config === null) {
    terminal.print("Setup was stopped, and nothing was written.");
    throw new Exit(EXIT_FAILED);
  }
  const hasPage = config.dashboard.port !== false;
  let isUp = false;
  const onJoined = (): void => {
    isUp = true;
    if (!hasPage) void page.close();
  };
  try {
    // Until the bot shows itself on the page, setup says there that the bot starts.
    await run({ config: setup.ground.file }, terminal, { page: hasPage ? page : null, onJoined });
    return null;
  } catch (thrown) {
    // Before it joined, the fix is in setup: a wrong log-in, a folder that cannot be written.
    if (isUp || !(thrown instanceof Fault)) throw thrown;
    return `The bot could not start. ${describeFault(thrown)}`;
  }
}

function printAndOpenLink(page: Dashboard, link: string, terminal: Terminal): void {
  const { port } = new URL(page.url);
  terminal.print(
    `Setup is open in your browser. If it is not, open this link, which works once:\n\n  ${link}\n`,
  );
  if (page.isMoved) terminal.print(describeTakenPort(page.url));
  if (isOverSsh())
    terminal.print(
      `Over SSH: on your own computer, type \`ssh -L ${port}:127.0.0.1:${port} YOU@THIS-MACHINE\`, then open the link there.`,
    );
  terminal.print(`If you close the tab, open ${page.url} in the same browser. Ctrl-C stops.`);
  openBrowser(link);
}
