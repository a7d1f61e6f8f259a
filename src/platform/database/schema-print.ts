import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { SCHEMA_VERSION } from "./migrations.ts";
import { type Db, SCHEMA_FILE } from "./open-database.ts";

/** Of released schemas; the present one's is made from schema.sql. A test holds them against the recorded ones. */
const RELEASED: Readonly<Record<number, string>> = {
  1: "a674494214109c013233f1a71f1252cfd4a6dc8e22c29043ed8531a6c591662c",
  2: "5dbf334879204edfc05adce275a949ceb7628f3376f4fa3227069b7efeceeae1",
  3: "662e6a60faa5f8ee9b4be9b9204e77b27f9962fc3c235760add7d174031b6634",
  4: "02a9f3b03ea02cb777ef5f6da0566b15a3c0cc3c9d90171b2e59068c8e21daf7",
};

/** A quoted string or name, a comment, or anything else. */
const PIECE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\s+|[^'"\s-]+|-/g;

/** The fingerprint of what a database of this version is made of; null for a version that never was. */
export function expectedPrint(version: number): string | null {
  if (version !== SCHEMA_VERSION) return RELEASED[version] ?? null;
  const db = new Database(":memory:");
  try {
    db.exec(readFileSync(SCHEMA_FILE, "utf8"));
    return schemaPrint(db);
  } finally {
    db.close();
  }
}

/** A fingerprint of every table, index, view and trigger of a database, whatever their spacing and comments. */
export function schemaPrint(db: Db): string {
  const parts = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      "SELECT type, name, sql FROM sqlite_master",
    )
    .all()
    .map(({ type, name, sql }) => `${type} ${name} ${normalised(sql ?? "")}`)
    .sort();
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** What quotes hold stays as it is: a comment sign or a space in them is none. */
function normalised(sql: string): string {
  const pieces = (sql.match(PIECE) ?? []).filter((piece) => !/^(--|\s)/.test(piece));
  return pieces
    .flatMap((piece) => (/^['"]/.test(piece) ? [piece] : (piece.match(/[\w.]+|[^\w.]/g) ?? [])))
    .join(" ");
}
