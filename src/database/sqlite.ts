import { createRequire } from "node:module";
import process from "node:process";
import type Sqlite from "better-sqlite3";
import { REINSTALL } from "../config/environment.ts";
import { Fault } from "../errors.ts";

/** Node-API version that better-sqlite3 13 needs. Node 20 has 9, and uses release 12 under another name. */
const NODE_API_NEEDED = 10;

const hasIt = Number(process.versions["napi"]) >= NODE_API_NEEDED;

/** better-sqlite3, in the release for this Node: release 12 crashes Node 24 from 24.19 on, and release 13 Node 20. */
export const Database = load(hasIt ? "better-sqlite3" : "better-sqlite3-node20");

/** Loads the package `name`. If that fails, returns a class whose constructor throws a Fault; the doctor reports it. */
function load(name: string): typeof Sqlite {
  try {
    const found: typeof Sqlite = createRequire(import.meta.url)(name);
    return found;
  } catch (cause) {
    class MissingSqlite {
      static readonly SqliteError = class extends Error {};
      constructor() {
        const details = { code: "database", fix: REINSTALL, cause } as const;
        throw new Fault(`database: the package ${name} was not installed`, details);
      }
    }
    return MissingSqlite as unknown as typeof Sqlite;
  }
}
