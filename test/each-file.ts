import fc from "fast-check";
import { afterAll, vi } from "vitest";

/**
 * Properties try the same cases in every run of the suite, so that a change fails by what it changed and by nothing
 * else. `FC_SEED=N` tries others; what they find becomes a test of its own.
 */
const SEED = 20_261_123;

fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? SEED) });

/** Test files share a worker: each leaves the environment, such as the port of Twitch's stand-in, as it found it. */
const before = { ...process.env };
afterAll(() => {
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
