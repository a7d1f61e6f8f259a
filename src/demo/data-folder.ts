import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "../database/open-database.ts";
import { Fault, getMessage } from "../errors.ts";

/**
 * Written by each demo in its folder, to mark that no live bot owns it. It is also a configuration, so that every
 * command can read the folder.
 */
const MARKER = "rehearsal.json";
const LIVE_FILES = ["forgetmenot.db", "secrets.json"];
/** No server listens there, so a bot that is run by the marker reaches no real channel. */
const NOWHERE = "ws://127.0.0.1:9";

/**
 * Creates `folder` if it is missing, and writes the demo's configuration there. Returns that file's path. Keeps the
 * database of an earlier demo. Throws a Fault if it cannot write, or the folder has a live bot's database or secrets.
 */
export function claimRehearsalFolder(folder: string): string {
  const marker = join(folder, MARKER);
  const found = LIVE_FILES.find((name) => existsSync(join(folder, name)));
  if (found !== undefined && !existsSync(marker)) {
    throw new Fault(`--data: ${folder} holds a ${found} that is not a rehearsal's`, {
      code: "usage",
      fix: "name a folder of its own for the rehearsal",
    });
  }
  makePrivateFolder(folder);
  try {
    const config = { ...REHEARSAL_SETTINGS, dataDir: ".", twitch: { chatUrl: NOWHERE } };
    writeFileSync(marker, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    return marker;
  } catch (cause) {
    throw new Fault(`--data: ${folder} cannot be written (${getMessage(cause)})`, {
      code: "folder",
      fix: "make the folder writable for this user, or name another one",
      cause,
    });
  }
}

/** Throws a Fault if a demo claimed `folder`: a live bot must not remember its invented viewers. */
export function refuseRehearsalFolder(folder: string): void {
  if (!existsSync(join(folder, MARKER))) return;
  throw new Fault(`${folder} holds a rehearsal, not a channel`, {
    code: "config",
    fix: "name another folder as dataDir, or look at this one with `forgetmenot memory list`, `forgetmenot report` and so on",
  });
}

const REHEARSAL_CHANNEL = "lanternlark";
export const REHEARSAL_BOT = "automark";

/** Configuration of every rehearsal. */
export const REHEARSAL_SETTINGS = {
  channel: REHEARSAL_CHANNEL,
  bot: { login: REHEARSAL_BOT, aliases: ["mark"] },
  // What a moderator agrees to may run, so that it can be seen.
  actions: { classes: { stream: "live", moderation: "live" } },
  llm: { provider: "offline", model: "recorded" },
  // Simulated data needs no backup.
  backup: { everyHours: false },
} as const;
