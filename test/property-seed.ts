import fc from "fast-check";

/**
 * Properties try the same cases in every run of the suite, so that a change fails by what it changed and by nothing
 * else. `FC_SEED=N` tries others; what they find becomes a test of its own.
 */
const SEED = 20_261_123;

fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? SEED) });
