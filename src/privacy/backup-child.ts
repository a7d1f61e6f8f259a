import { existsSync } from "node:fs";
import process from "node:process";
import { messageOf } from "../errors.ts";
import { makeBackup } from "./backup-copy-store.ts";

// A process of its own: copying a large database blocks. Arguments: the database and the backup's path.
const [, , databaseFile = "", path = ""] = process.argv;
process.stdout.write(JSON.stringify({ failure: backUp() }));

function backUp(): string | null {
  if (!existsSync(databaseFile)) return "the database file is missing";
  try {
    makeBackup(path, databaseFile);
    return null;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
