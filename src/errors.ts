// Pure: values in, values out.
/** The kind of an error, for operators and scripts. It decides the exit code. */
export type FaultCode =
  | "usage"
  | "config"
  | "secret"
  | "folder"
  | "database"
  | "locked"
  | "port"
  /** The bot ran, and cannot go on. */
  | "broken"
  | "network";

/**
 * An error that an operator can fix. `message` is one line that names the thing and its problem; `fix` says what to do.
 * Neither contains chat text or a secret. Any other thrown value is a bug.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  readonly fix: string;

  constructor(message: string, details: { code: FaultCode; fix: string; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.fix = details.fix;
  }
}

/** Makes the error for unusable input. `fix` says what to type instead. */
export function makeUsageFault(message: string, fix: string): Fault {
  return new Fault(message, { code: "usage", fix });
}

/** Returns the text with a capital first letter, and one full stop at its end. */
export function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

/** Returns the value of `work`, or the Fault that it throws. Other errors are thrown on. */
export function attempt<T>(
  work: () => T,
): { value: T; fault: null } | { value: null; fault: Fault } {
  try {
    return { value: work(), fault: null };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { value: null, fault: thrown };
  }
}

/** Runs `work`, which writes `what`. Throws the Fault "WHAT: cannot be written (WHY)" if that fails. */
export function writeOrFault(
  what: string,
  { code, fix }: { code: FaultCode; fix: string },
  work: () => void,
): void {
  try {
    work();
  } catch (cause) {
    throw new Fault(`${what}: cannot be written (${getMessage(cause)})`, { code, fix, cause });
  }
}

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a file has the folder's name",
  EEXIST: "it exists already",
  EACCES: "this user may not: EACCES",
  EPERM: "the system does not allow it: EPERM",
  EROFS: "that disk can only be read: EROFS",
  ENOSPC: "the disk is full: ENOSPC",
};

/** Returns the message of anything thrown, without its stack. Frequent errors of the system are in plain words. */
export function getMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = "code" in thrown ? String(thrown.code) : "";
  return SYSTEM_WORDS[code] ?? thrown.message;
}

/** A bug in a log: the kind of error and its place in the code; `at` is null if unknown. */
export interface BugReport {
  readonly bug: string;
  readonly at: string | null;
}

/** Describes a bug by its kind and place, without its message, which could quote chat. */
export function describeBug(thrown: unknown): BugReport {
  if (!(thrown instanceof Error)) return { bug: typeof thrown, at: null };
  const frame = thrown.stack?.split("\n").find((line) => /^\s+at .+:\d+:\d+\)?$/.test(line));
  return { bug: thrown.name, at: frame?.trim() ?? null };
}
