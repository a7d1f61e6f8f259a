import { createHash, randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { z } from "zod";
import { type ApiKeys, collectKeys, KEY_NAMES, type KeyName } from "../catalogue/providers.ts";
import { Fault, getMessage, writeOrFault } from "../errors.ts";
import type { Environment } from "./environment.ts";
import { quotePath, readText, writePrivately } from "./private-file.ts";

export interface TwitchTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
}

export interface Secrets extends ApiKeys {
  /** The bot's own tokens; null if it has no access token. */
  readonly twitch: TwitchTokens | null;
  /** The streamer's own tokens, for polls and markers. */
  readonly streamer: TwitchTokens | null;
}

const FILE_NAME = "secrets.json";
const FINGERPRINT_CHARS = 16;
const HASH_KEY_BYTES = 32;

const storedKey = z.string().min(1).optional();

const secretsFile = z.strictObject({
  twitchAccessToken: z.string().min(1).optional(),
  twitchRefreshToken: z.string().min(1).optional(),
  /** Fingerprint of the environment's token that these tokens replaced. */
  rotatedFrom: z.string().optional(),
  twitchStreamerAccessToken: z.string().min(1).optional(),
  twitchStreamerRefreshToken: z.string().min(1).optional(),
  streamerRotatedFrom: z.string().optional(),
  ...(Object.fromEntries(KEY_NAMES.map((name) => [name, storedKey])) as Record<
    KeyName,
    typeof storedKey
  >),
  /** Key of the hashes in the database. Without it opt-outs are unknown. */
  hashKey: z
    .string()
    .regex(/^[\da-f]{64}$/)
    .optional(),
});
/** Keys of the tokens by account, in the file and in the environment. */
const ACCOUNTS = {
  bot: {
    access: "twitchAccessToken",
    refresh: "twitchRefreshToken",
    rotatedFrom: "rotatedFrom",
  },
  streamer: {
    access: "twitchStreamerAccessToken",
    refresh: "twitchStreamerRefreshToken",
    rotatedFrom: "streamerRotatedFrom",
  },
} as const;
type SecretsFile = z.output<typeof secretsFile>;

/**
 * Returns the secrets of the environment and of secrets.json in `dataDir`. The environment wins, except over stored
 * tokens that replaced its own: after a renewal or a new log-in. Throws a Fault like `readStored`.
 */
export function loadSecrets(dataDir: string, environment: Environment): Secrets {
  const stored = readStored(dataDir);
  return {
    twitch: pickTokens(stored, environment, "bot"),
    streamer: pickTokens(stored, environment, "streamer"),
    ...collectKeys((name) => environment[name] ?? stored[name] ?? null),
  };
}

/** Returns the key of the hashes in the database. Throws a Fault if secrets.json cannot be read or written. */
export function findOrCreateHashKey(dataDir: string): string {
  const stored = readStored(dataDir);
  if (stored.hashKey !== undefined) return stored.hashKey;
  const made = randomBytes(HASH_KEY_BYTES).toString("hex");
  writeStored(dataDir, { ...stored, hashKey: made });
  return made;
}

/** Writes the key of the hashes again if a user deleted it: without it opt-outs are unknown. Never throws. */
export function restoreHashKey(dataDir: string, key: string): void {
  try {
    const stored = readStored(dataDir);
    if (stored.hashKey === undefined) writeStored(dataDir, { ...stored, hashKey: key });
  } catch {
    // The next start reports the file's problem.
  }
}

/**
 * Stores a key to a language model, on disk before it returns. A key in the environment wins over it. Throws a Fault if
 * secrets.json cannot be read or written.
 */
export function saveApiKey(dataDir: string, name: KeyName, key: string): void {
  writeStored(dataDir, { ...readStored(dataDir), [name]: key });
}

/**
 * Stores tokens that Twitch gave or renewed, in place of the stored ones of that account, on disk before it returns.
 * They win over the environment's tokens until those change. Throws a Fault if secrets.json cannot be read or written.
 */
export function saveTokens(
  dataDir: string,
  environment: Environment,
  tokens: TwitchTokens,
  whose: keyof typeof ACCOUNTS = "bot",
): void {
  const { access, refresh, rotatedFrom } = ACCOUNTS[whose];
  const { [access]: _access, [refresh]: _refresh, ...stored } = readStored(dataDir);
  const replaced = environment[refresh] ?? environment[access];
  writeStored(dataDir, {
    ...stored,
    [access]: tokens.accessToken,
    ...(tokens.refreshToken === null ? {} : { [refresh]: tokens.refreshToken }),
    ...(replaced === null ? {} : { [rotatedFrom]: fingerprintToken(replaced) }),
  });
}

/** Chooses between stored tokens and the environment's, as `loadSecrets` says; null if there are none. */
function pickTokens(
  stored: SecretsFile,
  environment: Environment,
  whose: keyof typeof ACCOUNTS,
): TwitchTokens | null {
  const { access, refresh, rotatedFrom } = ACCOUNTS[whose];
  const given = environment[access];
  const current = environment[refresh] ?? given;
  const isReplaced = current !== null && stored[rotatedFrom] === fingerprintToken(current);
  const saved = stored[access];
  if (saved !== undefined && (given === null || isReplaced))
    return { accessToken: stripTokenPrefix(saved), refreshToken: stored[refresh] ?? null };
  if (given === null) return null;
  return { accessToken: stripTokenPrefix(given), refreshToken: environment[refresh] };
}

/** Removes the prefix `oauth:` that token generators show, and that only chat's log-in wants. */
export function stripTokenPrefix(token: string): string {
  return token.replace(/^oauth:/i, "");
}

/**
 * Reads secrets.json; an empty object if it is missing. Throws a Fault, which never quotes it, if other users can read
 * it, or if it is unreadable or broken.
 */
function readStored(dataDir: string): SecretsFile {
  const file = join(dataDir, FILE_NAME);
  if (!existsSync(file)) return {};
  const found = statSync(file);
  // For a folder, the Fault below says that it cannot be read.
  if (platform !== "win32" && !found.isDirectory() && (found.mode & 0o077) !== 0)
    throw new Fault(`${file}: other users of this machine can read it`, {
      code: "secret",
      fix: `chmod 600 ${quotePath(file)}`,
    });
  let text: string;
  try {
    text = readText(file);
  } catch (cause) {
    throw new Fault(`${file}: cannot be read (${getMessage(cause)})`, {
      code: "secret",
      fix: "make it a file that this user can read, or remove it",
      cause,
    });
  }
  let json: unknown = null;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // It stays null: the parser's message could quote a secret.
  }
  const parsed = secretsFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const keys = parsed.error.issues
    .flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : issue.path.map(String)))
    .join(", ");
  throw new Fault(`${file}: not as it should be (${keys || "not a JSON object"})`, {
    code: "secret",
    fix: "remove the named keys, or the file, and set the variables again",
  });
}

function writeStored(dataDir: string, stored: SecretsFile): void {
  const fix =
    "make room on its disk and the folder writable for this user, or set dataDir to another one";
  writeOrFault(`dataDir: ${dataDir}`, { code: "folder", fix }, () =>
    writePrivately(join(dataDir, FILE_NAME), `${JSON.stringify(stored, null, 2)}\n`),
  );
}

function fingerprintToken(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, FINGERPRINT_CHARS);
}
