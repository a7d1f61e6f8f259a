import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { z } from "zod";
import { attempt } from "../../errors.ts";
import type { Environment } from "../../platform/config/environment.ts";
import type { Config } from "../../platform/config/load.ts";
import { readText, writePrivately } from "../../platform/config/private-file.ts";
import {
  removeSecrets,
  SECRET_KEEPERS,
  type SecretKeeper,
  type Secrets,
  saveApiKey,
  saveTokens,
} from "../../platform/config/secrets.ts";
import type { Wait } from "../../twitch/bounded-call.ts";
import type { Ask } from "./ask.ts";
import {
  type Answers,
  type KeyChoice,
  keptAnswersSchema,
  type Login,
  type ModelChoice,
} from "./setup-answers.ts";

/** The questions, in the order in which they are asked. */
export const STEPS = [
  "channel",
  "account",
  "application",
  "classes",
  "login",
  "name",
  "model",
  "voice",
  "mode",
] as const;
export type Step = (typeof STEPS)[number];

/** What was answered before setup was interrupted. */
const draftSchema = z.strictObject({
  /** Of the configuration that it was begun on: on another one the answers would be somebody else's. */
  config: z.string(),
  done: z.array(z.enum(STEPS)),
  /** What setup put into the secrets file when it was interrupted. */
  kept: z.array(z.enum(SECRET_KEEPERS)),
  answers: keptAnswersSchema,
});

function draftFile(file: string): string {
  return `${file}.setup`;
}

/** What an interrupted setup of this configuration left; null where there is none, or it is of another configuration. */
export function readDraft(ground: Ground) {
  const file = draftFile(ground.file);
  try {
    if (!existsSync(file)) return null;
    const parsed = draftSchema.safeParse(JSON.parse(readText(file)));
    if (!parsed.success || parsed.data.config !== fingerprint(ground.file)) return null;
    const { answers, done, kept } = parsed.data;
    const { key: kind, ...model } = answers.model;
    const isKeyThere = kind === "none" || isKept(kind, keyName(model.provider), kept, ground);
    const there = kind === "environment" || kind === "none" ? kind : "stored";
    const key = { kind: isKeyThere ? there : "none" } as const;
    const read: Answers = { ...answers, model: { ...model, key }, bot: null, streamer: null };
    return { answers: read, done: done.filter((one) => one !== "model" || isKeyThere), kept };
  } catch {
    return null; // half a file, or none that this user may read: the questions are asked anew
  }
}

/** Whether the key that the model was to be asked with is still there. */
function isKept(
  kind: KeyChoice["kind"],
  name: ReturnType<typeof keyName>,
  kept: readonly SecretKeeper[],
  { environment, secrets }: Ground,
): boolean {
  if (kind === "environment") return environment[name] !== null;
  return secrets[name] !== null && (kind === "stored" || kept.includes(name));
}

/** Where the key to a provider's models is kept. */
export function keyName(provider: ModelChoice["provider"]): "geminiApiKey" | "openaiApiKey" {
  return provider === "gemini" ? "geminiApiKey" : "openaiApiKey";
}

/** Writes down what was answered so far. Where that fails, setup goes on: only an interruption would lose it. */
export function writeDraft({ file, done, kept }: SetupState, answers: Answers): void {
  const { bot: _bot, streamer: _streamer, model, ...told } = answers;
  const draft: z.input<typeof draftSchema> = {
    config: fingerprint(file),
    done: [...done],
    kept: [...kept],
    answers: { ...told, model: { ...model, key: model.key.kind } },
  };
  try {
    writePrivately(draftFile(file), `${JSON.stringify(draft, null, 2)}\n`);
  } catch {
    // A folder that cannot be written is told when the configuration is.
  }
}

/** Takes what was answered of a step that has more questions: interrupted, it is asked again with that standing there. */
export function noteAnswer(state: SetupState, step: Step, answers: Answers): void {
  state.answers = answers;
  state.done.delete(step);
}

export function removeDraft(file: string): void {
  rmSync(draftFile(file), { force: true });
}

/**
 * Puts the log-ins and the key that were got so far into the secrets file, each where none stood before, so that they
 * need not be got again. Gives the names of what it put there.
 */
export function keepSecrets(state: SetupState, { model }: Answers): readonly SecretKeeper[] {
  const { base, environment, fresh, kept, secrets } = state;
  const isFree = (name: SecretKeeper, before: Secrets[SecretKeeper]) =>
    before === null || kept.includes(name);
  const put: SecretKeeper[] = [];
  attempt(() => {
    for (const whose of ["bot", "streamer"] as const) {
      const name = keeperOf(whose);
      const tokens = fresh[whose]?.tokens ?? null;
      if (tokens === null || !isFree(name, secrets[name])) continue;
      saveTokens(base.dataDir, environment, tokens, whose);
      put.push(name);
    }
    const name = keyName(model.provider);
    if (model.key.kind === "typed" && isFree(name, secrets[name])) {
      saveApiKey(base.dataDir, name, model.key.key);
      put.push(name);
    }
  });
  return put;
}

/** Under which name a log-in is kept. */
export function keeperOf(whose: "bot" | "streamer"): "twitch" | "streamer" {
  return whose === "bot" ? "twitch" : "streamer";
}

/** Takes out of the secrets file what an interrupted setup put there, for somebody who wants none of it. */
export function withdrawSecrets({ base, kept }: SetupState): void {
  if (kept.length > 0) removeSecrets(base.dataDir, kept);
}

function fingerprint(file: string): string {
  const text = existsSync(file) ? readText(file) : "";
  return createHash("sha256").update(text).digest("hex");
}

/** The clock and how to wait by it, the browser, and the application that the project has registered. */
export interface SetupWorld {
  readonly now: () => number;
  readonly wait: Wait;
  /** Opens an address, where there is a browser. */
  readonly open: (url: string) => void;
  /** Empty as long as the project has none. */
  readonly defaultClientId: string;
}

/** What setup finds before the first question. */
export interface Ground {
  /** The configuration file, as it was named. */
  readonly file: string;
  readonly isNew: boolean;
  /** What the file says, defaults included; of a new one the defaults. */
  readonly base: Config;
  readonly environment: Environment;
  readonly secrets: Secrets;
}

/** What every question needs. */
export interface SetupState extends Ground, SetupWorld {
  readonly ask: Ask;
  /** Set once a stored log-in was renewed: Twitch takes the old one no more, so the new one is kept at once. */
  renewed: boolean;
  /** Set once the person said that nothing shall be written. */
  declined: boolean;
  /** Set once writing failed. */
  failed: boolean;
  /** What was answered so far. */
  answers: Answers | null;
  readonly done: Set<Step>;
  /** Log-ins that Twitch gave in this conversation, to be kept where it is interrupted. */
  readonly fresh: { bot: Login | null; streamer: Login | null };
  /** What an interrupted setup put into the secrets file: taken again without a question, once. */
  kept: readonly SecretKeeper[];
  /** Log-ins among them that were taken already. */
  readonly taken: Set<"bot" | "streamer">;
}
