import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Environment } from "../../src/config/environment.ts";
import { loadSecrets, saveTokens } from "../../src/config/secrets.ts";
import { attempt, type Fault } from "../../src/errors.ts";
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

const PASTED = { ...SEED, twitchRefreshToken: null, twitchAccessToken: "oauth:abc" };
const LATER = { ...SEED, twitchAccessToken: "later-access", twitchRefreshToken: "later-refresh" };
const THIRD = { accessToken: "third", refreshToken: null };

test.each([
  ["tokens rotated from the environment's own win over it", SEED, [ROTATED], ROTATED],
  ["also if it was pasted with its prefix", PASTED, [ROTATED], ROTATED],
  ["rotation after rotation", SEED, [ROTATED, THIRD], THIRD],
])("%s", (_, environment, saved, used) => {
  const folder = temporaryFolder();
  for (const tokens of saved) saveTokens(folder, environment, tokens);
  expect(loadSecrets(folder, environment).twitch).toEqual(used);
});

test("a new token in the environment wins over rotated ones", () => {
  const folder = temporaryFolder();
  saveTokens(folder, SEED, ROTATED);
  expect(loadSecrets(folder, LATER).twitch?.accessToken).toBe("later-access");
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
  const save = () => saveTokens(join(file, "data"), NO_ENVIRONMENT, ROTATED);
  expect(faultOf(save).code).toBe("folder");
});

function folderWith(secrets: object | string): string {
  const folder = temporaryFolder();
  const text = typeof secrets === "string" ? secrets : JSON.stringify(secrets);
  writeFileSync(join(folder, "secrets.json"), text, { mode: 0o600 });
  return folder;
}

function faultOf(work: () => unknown): Fault {
  return attempt(work).fault ?? expect.fail("nothing was thrown");
}
