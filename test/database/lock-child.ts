import process from "node:process";
import { isLocked, lockFolder } from "../../src/database/lock.ts";

// Another process for lock.test.ts: takes the lock of a folder and keeps it, or says whether it is taken.
const [task = "", folder = ""] = process.argv.slice(2);
if (task === "ask") {
  process.stdout.write(isLocked(folder) ? "locked\n" : "free\n");
} else {
  const lock = lockFolder(folder);
  process.stdout.write("held\n");
  setInterval(() => undefined, 1_000);
  // A lock that nothing holds on to is let go when memory is tidied.
  process.once("exit", () => lock.release());
}
