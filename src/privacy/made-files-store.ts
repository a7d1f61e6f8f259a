import type { Db } from "../platform/database/open-database.ts";

export interface MadeFile {
  /** Absolute. */
  readonly path: string;
  /** `viewer`: all that is kept about one person. */
  readonly kind: "backup" | "export" | "viewer";
}

/** Files that the program made and that hold memory: a forget reaches them, too. */
export interface MadeFilesStore {
  add(file: MadeFile): void;
  remove(path: string): void;
  list(): MadeFile[];
}

export function madeFilesStore(db: Db, now: () => number): MadeFilesStore {
  const add = db.prepare<[string, string, number]>(
    `INSERT INTO made_files (path, kind, created_at) VALUES (?, ?, ?)
     ON CONFLICT (path) DO UPDATE SET kind = excluded.kind, created_at = excluded.created_at`,
  );
  const remove = db.prepare<[string]>("DELETE FROM made_files WHERE path = ?");
  const list = db.prepare<[], MadeFile>("SELECT path, kind FROM made_files ORDER BY path");
  return {
    add: ({ path, kind }) => void add.run(path, kind, now()),
    remove: (path) => void remove.run(path),
    list: () => list.all(),
  };
}
