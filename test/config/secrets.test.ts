import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Environment } from "../../src/config/environment.ts";
import { loadSecrets, saveTokens } from "../../src/config/secrets.ts";
import { Fault } from "../../src/errors.ts";
import { NO_ENVIRONMENT } from "../stand-ins/no-environment.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SEED: Environment = {
  ...NO_ENVIRONMENT,
  twitchAccessToken: "env-access",
  twitchRefreshToken: "env-refresh",
};
const ROTATED = { accessToken: "new-access", refreshToken: "new-refresh" };

test("the environment wins over the file, key by key", () => {
  const folder = folderWith({
    twitchAccessToken: "file-access",
    twitchRefreshToken: "file-refresh",
    geminiApiKey: "file-gemini",
    openaiApiKey: "file-openai",
  });
  expect(loadSecrets(folder, { ...SEED, geminiApiKey: "env-gemini" })).toMatchObject({
    twitch: { accessToken: "env-access", refreshToken: "env-refresh" },
    geminiApiKey: "env-gemini",
    openaiApiKey: "file-openai",
  });
});

test("an access token of the environment never goes with a refresh token of the file", () => {
  const folder = folderWith({
    twitchAccessToken: "file-access",
    twitchRefreshToken: "file-refresh",
  });
  const { twitch } = loadSecrets(folder, { ...NO_ENVIRONMENT, twitchAccessToken: "env-access" });
  expect(twitch).toEqual({ accessToken: "env-access", refreshToken: null });
});

test("a token pasted with chat's prefix is the token without it, from wherever it comes", () => {
  const pasted = { ...NO_ENVIRONMENT, twitchAccessToken: "oauth:abc" };
  expect(loadSecrets(temporaryFolder(), pasted).twitch?.accessToken).toBe("abc");
  const folder = folderWith({ twitchAccessToken: "OAuth:def" });
  expect(loadSecrets(folder, NO_ENVIRONMENT).twitch?.accessToken).toBe("def");
});

test("tokens rotated from a token that was pasted with its prefix win over it", () => {
  const folder = temporaryFolder();
  const pasted = { ...SEED, twitchRefreshToken: null, twitchAccessToken: "oauth:abc" };
  saveTokens(folder, pasted, ROTATED);
  expect(loadSecrets(folder, pasted).twitch).toEqual(ROTATED);
});

test("tokens rotated from the environment's own win over it", () => {
  const folder = temporaryFolder();
  saveTokens(folder, SEED, ROTATED);
  expect(loadSecrets(folder, SEED).twitch).toEqual(ROTATED);
});

test("a new token in the environment wins over rotated ones", () => {
  const folder = temporaryFolder();
  saveTokens(folder, SEED, ROTATED);
  const renewed = {
    ...SEED,
    twitchAccessToken: "later-access",
    twitchRefreshToken: "later-refresh",
  };
  expect(loadSecrets(folder, renewed).twitch?.accessToken).toBe("later-access");
});

test("rotated tokens go on being the environment's descendants, rotation after rotation", () => {
  const folder = temporaryFolder();
  saveTokens(folder, SEED, ROTATED);
  saveTokens(folder, SEED, { accessToken: "third", refreshToken: null });
  expect(loadSecrets(folder, SEED).twitch).toEqual({ accessToken: "third", refreshToken: null });
});

test("where rotated tokens were taken out by hand, the environment's serve", () => {
  const folder = temporaryFolder();
  saveTokens(folder, SEED, ROTATED);
  const file = join(folder, "secrets.json");
  const { twitchAccessToken: _, ...rest } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify(rest));
  expect(loadSecrets(folder, SEED).twitch?.accessToken).toBe("env-access");
});

test("the streamer's own tokens stand beside the bot's, and rotate by themselves", () => {
  const folder = folderWith({ twitchAccessToken: "bot-access", geminiApiKey: "file-gemini" });
  const own = {
    ...NO_ENVIRONMENT,
    twitchStreamerAccessToken: "oauth:own-access",
    twitchStreamerRefreshToken: "own-refresh",
  };
  const before = loadSecrets(folder, own);
  expect(before.streamer).toEqual({ accessToken: "own-access", refreshToken: "own-refresh" });
  expect(before.twitch?.accessToken).toBe("bot-access");
  saveTokens(folder, own, ROTATED, "streamer");
  expect(loadSecrets(folder, own)).toEqual({ ...before, streamer: ROTATED });
  expect(loadSecrets(folder, NO_ENVIRONMENT).streamer).toEqual(ROTATED);
  saveTokens(folder, own, { accessToken: "third", refreshToken: null }, "bot");
  expect(loadSecrets(folder, own)).toMatchObject({
    streamer: ROTATED,
    twitch: { accessToken: "third" },
  });
  expect(loadSecrets(temporaryFolder(), NO_ENVIRONMENT).streamer).toBeNull();
});

test("the environment's token is not written into the file", () => {
  const folder = temporaryFolder();
  saveTokens(folder, SEED, ROTATED);
  loadSecrets(folder, { ...SEED, geminiApiKey: "env-gemini" });
  expect(readFileSync(join(folder, "secrets.json"), "utf8")).not.toContain("env-");
});

test.each([
  ['{"geminiApiKey": "sesame"', "not a JSON object"],
  ['"sesame"', "not a JSON object"],
  ['{"geminiApiKey": 5, "twitchAccessToken": "sesame"}', "geminiApiKey"],
  ['{"geminiKey": "sesame"}', "geminiKey"],
  ['{"geminiApiKey": 5}', "geminiApiKey"],
])("a broken file is told by its keys, never by its values: %s", (text, names) => {
  const fault = faultOf(() => loadSecrets(folderWith(text), NO_ENVIRONMENT));
  expect(fault).toMatchObject({ code: "secret" });
  expect(fault.message).toContain(`(${names})`);
  expect(`${fault.message} ${fault.fix} ${fault.cause}`).not.toContain("sesame");
});

test("a folder in place of the file is named as a folder, whatever its rights", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "secrets.json"), { mode: 0o755 });
  const fault = faultOf(() => loadSecrets(folder, NO_ENVIRONMENT));
  expect(fault).toMatchObject({ code: "secret" });
  expect(fault.message).toContain("it is a folder, not a file");
  expect(fault.fix).toContain("make it a file");
});

test("a byte order mark is no error", () => {
  const folder = folderWith('\uFEFF{"geminiApiKey": "key"}');
  expect(loadSecrets(folder, NO_ENVIRONMENT).geminiApiKey).toBe("key");
  writeFileSync(join(folder, "secrets.json"), '\ufeff{"geminiApiKey": "other"}', "utf16le");
  expect(loadSecrets(folder, NO_ENVIRONMENT).geminiApiKey).toBe("other");
});

test("a data folder that cannot be made is told", () => {
  const file = join(temporaryFolder(), "in-the-way");
  writeFileSync(file, "");
  const save = () =>
    saveTokens(join(file, "data"), NO_ENVIRONMENT, { accessToken: "a", refreshToken: null });
  expect(faultOf(save).code).toBe("folder");
});

function folderWith(secrets: object | string): string {
  const folder = temporaryFolder();
  const text = typeof secrets === "string" ? secrets : JSON.stringify(secrets);
  writeFileSync(join(folder, "secrets.json"), text, { mode: 0o600 });
  return folder;
}

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}
