import { hash, randomBytes } from "node:crypto";
import { pino } from "pino";

/**
 * The program's log. It takes ids, counts and codes; never chat text, a login, a user id, a key or a token.
 * People are named by `person(userId)`: the same pseudonym all through one process, another one in the next.
 */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A short pseudonym for a Twitch user id, stable until the process ends. */
  person(userId: string): string;
}

type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** The most characters that wait for standard error until the next line. */
const WAITING_CHARACTERS_MAX = 64_000;

/** Writes to standard error at once. Lines are lost on a full disk or a closed terminal. */
export function toStandardError(): (line: string) => void {
  const destination = pino.destination({ fd: 2, sync: true, maxLength: WAITING_CHARACTERS_MAX });
  destination.on("error", () => undefined);
  return (line) => void destination.write(line);
}

/** A log that writes JSON lines of `level` and above to `write`. */
export function openLog(level: LogLevel, write = toStandardError()): Log {
  const destination = { write };
  const logger = pino({ level, base: null }, destination);
  const pseudonymKey = randomBytes(16).toString("hex");
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    // The key is never kept and a digest never shown whole: this is as good as an HMAC, and a reply waits for it.
    person: (userId) => `person-${hash("sha256", `${pseudonymKey} ${userId}`).slice(0, 8)}`,
  };
}
