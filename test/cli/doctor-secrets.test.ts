import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { expect, test } from "vitest";
import { MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { examine, openPatient } from "./examined.ts";

const POSIX = platform !== "win32";

test("secrets are told by name, with where they come from", async () => {
  const patient = await openPatient();
  mkdirSync(patient.dataDir, { mode: 0o700 });
  const own = { twitchStreamerAccessToken: "own" };
  const saved = { geminiApiKey: MODEL_KEY, twitchAccessToken: "other", ...own };
  writeFileSync(join(patient.dataDir, "secrets.json"), JSON.stringify(saved), { mode: 0o600 });
  const { of } = await examine(patient, {}, { GEMINI_API_KEY: "" });
  expect(of("secrets")).toEqual([
    {
      state: "ok",
      found:
        "from the environment: TWITCH_ACCESS_TOKEN; from secrets.json: TWITCH_STREAMER_ACCESS_TOKEN, GEMINI_API_KEY",
      mend: null,
    },
  ]);
});

test.runIf(POSIX)("secrets that others can read are a problem, and are not used", async () => {
  const patient = await openPatient();
  mkdirSync(patient.dataDir, { mode: 0o700 });
  const file = join(patient.dataDir, "secrets.json");
  writeFileSync(file, JSON.stringify({ twitchAccessToken: TWITCH_TOKEN }));
  chmodSync(file, 0o644);
  const { of, exit } = await examine(patient);
  expect(of("secrets")).toEqual([
    {
      state: "problem",
      found: `${file}: other users of this machine can read it`,
      mend: `chmod 600 ${file}`,
    },
  ]);
  for (const check of ["bot_token", "model"] as const)
    expect(of(check)).toEqual([
      { state: "not_checked", found: "the secrets cannot be read", mend: null },
    ]);
  expect(exit).toBe(1);
});
