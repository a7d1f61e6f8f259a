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

/** Opens a log that gives JSON lines of `level` and above to `write`. */
export function openLog(level: LogLevel, write: (line: string) => void = () => undefined): Log {
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
