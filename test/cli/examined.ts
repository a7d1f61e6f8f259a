import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { openDatabase } from "../../src/database/open-database.ts";
import type { Finding } from "../../src/system/checks.ts";
import { runCommand } from "../stand-ins/command.ts";
import { openTown } from "../stand-ins/house.ts";
import type { Launch } from "../stand-ins/program.ts";
import {
  BOT,
  BOT_ID,
  launchIn,
  MODEL_KEY,
  type Town,
  type TownGiven,
  TWITCH_TOKEN,
} from "../stand-ins/town.ts";

export const REFRESH_TOKEN = "r3freshofthebot";

export interface Patient {
  readonly town: Town;
  readonly folder: string;
  readonly dataDir: string;
  readonly databaseFile: string;
}

export interface Examined {
  readonly exit: number;
  readonly findings: readonly Finding[];
  /** Of one check, without its name. */
  of(check: Finding["check"]): readonly Omit<Finding, "check">[];
}

/** A town, and the folder of a bot that is to live there. */
export async function openPatient(given: TownGiven = {}): Promise<Patient> {
  const town = await openTown(given);
  const { dataDir } = town;
  return {
    town,
    folder: dirname(dataDir),
    dataDir,
    databaseFile: join(dataDir, "forgetmenot.db"),
  };
}

/** Writes the configuration, runs `doctor --json` on it, and sees to it that no secret comes out. */
export async function examine(
  { town }: Patient,
  over: Readonly<Record<string, unknown>> = {},
  environment: Launch["environment"] = {},
): Promise<Examined> {
  const launch = launchIn(town, "", over);
  const all = { ...launch.environment, ...environment };
  const { exit, output, errors } = await runCommand(
    { ...launch, environment: all },
    "doctor",
    "--json",
  );
  expect(errors).toBe("");
  for (const secret of [TWITCH_TOKEN, MODEL_KEY, REFRESH_TOKEN]) {
    expect(output).not.toContain(secret);
  }
  const findings: Finding[] = JSON.parse(output);
  const of = (check: Finding["check"]) =>
    findings.filter((one) => one.check === check).map(({ check: _, ...rest }) => rest);
  return { exit, findings, of };
}

/** Gives the bot's token other properties. */
export function setBotToken(
  { town }: Patient,
  over: {
    readonly login?: string;
    readonly scopes?: readonly string[];
    readonly expiresInSeconds?: number | null;
  },
): void {
  town.helix.setToken(TWITCH_TOKEN, {
    userId: BOT_ID,
    login: BOT,
    clientId: "client",
    scopes: ["chat:read", "chat:edit", "user:write:chat"],
    expiresInSeconds: null,
    ...over,
  });
}

/** An empty database, closed. */
export function makeDatabase({ databaseFile }: Patient, sql = ""): void {
  const db = openDatabase(databaseFile);
  db.exec(sql);
  db.close();
}

/** A port that somebody listens on until `free` is called. */
export async function takenPort(): Promise<{ port: number; free: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return {
    port: address.port,
    free: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const { port, free } = await takenPort();
  await free();
  return port;
}

/** What is other than in a bot that is well: keys of the configuration, and variables. */
interface Broken {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A way for a bot to be ill, and what the doctor has to say of it. */
export type BrokenSetup = readonly [
  name: string,
  breaks: (patient: Patient) => Broken | Promise<Broken>,
  check: Finding["check"],
  found: RegExp,
  fix: RegExp,
];

/** Breaks a bot by `work` alone: its configuration and variables stay. */
export function prepared(work: (patient: Patient) => unknown): BrokenSetup[1] {
  return (patient) => {
    work(patient);
    return {};
  };
}

/** A path in the data folder of a bot that was never started. */
export function inData({ dataDir }: Patient, name: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return join(dataDir, name);
}
