interface Migration {
  /** The version a database has once this has run. */
  readonly to: number;
  readonly sql: string;
}

/** What brings a database of an earlier release to the one that schema.sql describes, in order. */
export const MIGRATIONS: readonly Migration[] = [];

export const SCHEMA_VERSION = 1 + MIGRATIONS.length;
