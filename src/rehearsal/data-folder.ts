import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder } from "../db/open.ts";
import { Fault, messageOf } from "../errors.ts";

/** Made at the first rehearsal in a folder: what is in there belongs to no live bot. */
const MARKER = "rehearsal.json";
const LIVE_FILES = ["forgetmenot.db", "secrets.json"];

/**
 * Makes `folder` a rehearsal's own. Throws a Fault, and touches nothing, where the database or the secrets in it are
 * not a rehearsal's: its invented people would be remembered as the channel's.
 */
export function claimRehearsalFolder(folder: string): void {
  const marker = join(folder, MARKER);
  if (existsSync(marker)) return;
  const found = LIVE_FILES.find((name) => existsSync(join(folder, name)));
  if (found !== undefined) {
    throw new Fault(`--data: ${folder} holds a ${found} that is not a rehearsal's`, {
      code: "usage",
      mend: "name a folder of its own for the rehearsal",
    });
  }
  makePrivateFolder(folder);
  try {
    writeFileSync(marker, "{}\n", { mode: 0o600 });
  } catch (cause) {
    throw new Fault(`--data: ${folder} cannot be written (${messageOf(cause)})`, {
      code: "folder",
      mend: "make the folder writable for this user, or name another one",
      cause,
    });
  }
}
