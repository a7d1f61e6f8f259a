import { dirname } from "node:path";
import process from "node:process";
import { keyedHash } from "../language/keyed-hash.ts";
import { hashKey } from "../platform/config/secrets.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { madeFilesStore } from "./made-files-store.ts";
import { rewriteFiles } from "./rewrite-files.ts";
import { wishesIn } from "./wishes-store.ts";

// A process of its own: rewriting files blocks whoever does it. Its one argument is the database, its one line the end.
const databaseFile = process.argv[2] ?? "";
const db = openDatabase(databaseFile, { readOnly: true });
const files = madeFilesStore(db, () => 0).list();
const wishes = wishesIn(db, keyedHash(hashKey(dirname(databaseFile))));
db.close();
process.stdout.write(JSON.stringify(rewriteFiles(files, wishes)));
