import { dirname } from "node:path";
import process from "node:process";
import { hashKey } from "../config/secrets.ts";
import { openDatabase } from "../db/open.ts";
import { keyedHash } from "../text/keyed-hash.ts";
import { madeFilesStore } from "./made-files-store.ts";
import { rewriteFiles } from "./rewrite-files.ts";
import { tombstoneStore } from "./tombstone-store.ts";

// A process of its own: rewriting files blocks whoever does it. Its one argument is the database, its one line the end.
const databaseFile = process.argv[2] ?? "";
const db = openDatabase(databaseFile, { readOnly: true });
const files = madeFilesStore(db, () => 0).list();
const tombstones = tombstoneStore(db).read();
db.close();
const hash = keyedHash(hashKey(dirname(databaseFile)));
process.stdout.write(JSON.stringify(rewriteFiles(files, tombstones, hash)));
