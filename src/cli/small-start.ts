import { setFlagsFromString } from "node:v8";

/** Everything is loaded by then, also what is loaded after joining. */
const LOADED_AFTER_MS = 10_000;

/**
 * Loading packages lets V8's young generation grow to its largest, and V8 gives that back late: 15 to 25 MB that chat
 * never needs. So it may not grow while they load. V8 of Node 20 to 24 knows the flag; 2 is its default.
 */
export function startSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setTimeout(() => setFlagsFromString("--semi-space-growth-factor=2"), LOADED_AFTER_MS).unref();
}
