import { existsSync } from "node:fs";
import { type Db, openDatabase } from "../platform/database/open-database.ts";

/** Opens a database to change what is in it. Throws a Fault where there is none: there is nothing to change. */
export function existingDatabase(file: string): Db {
  return openDatabase(file, { readOnly: !existsSync(file) });
}
