import { createRequire } from "node:module";
import process from "node:process";
import type Sqlite from "better-sqlite3";
import { Fault } from "../../errors.ts";

/** What better-sqlite3 needs of Node from its release 13 on; Node 20 has 9, and runs release 12 under another name. */
const NODE_API_NEEDED = 10;

const hasIt = Number(process.versions["napi"]) >= NODE_API_NEEDED;

/** SQLite: release 12 ends programs on Node 24 from 24.19 on, and release 13 on Node 20. */
export const Database = load(hasIt ? "better-sqlite3" : "better-sqlite3-node20");

function load(name: string): typeof Sqlite {
  try {
    return createRequire(import.meta.url)(name) as typeof Sqlite;
  } catch (cause) {
    throw new Fault(`database: the package ${name} was not installed`, {
      code: "database",
      mend: "install Node 22 or newer from https://nodejs.org, then run `npm ci`",
      cause,
    });
  }
}
