// Pure: values in, values out.
/** What went wrong, for an operator and for scripts: it decides the exit code. */
export type FaultCode =
  | "usage"
  | "config"
  | "secret"
  | "folder"
  | "database"
  | "locked"
  | "port"
  /** It ran, and cannot go on. */
  | "broken"
  | "network";

/**
 * Something an operator can act on. `message` is one line that names the thing and what is wrong with it;
 * `mend` says what to do about it. Neither ever holds chat text or a secret. Any other throw is a bug.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  readonly mend: string;

  constructor(message: string, details: { code: FaultCode; mend: string; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.mend = details.mend;
  }
}

/** The text of anything thrown, without its stack. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What kind of bug was thrown and where, without its message: that could quote chat. */
export function describeBug(thrown: unknown): { readonly bug: string; readonly at: string | null } {
  if (!(thrown instanceof Error)) return { bug: typeof thrown, at: null };
  const frames = thrown.stack?.split("\n").filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  return { bug: thrown.name, at: frames?.[0]?.trim() ?? null };
}
