import { ASKS, BEFORE_NAME, LEADS, LENGTH, PRONOUN, WISHES } from "./wish-table.ts";
import { BLOCKED_BY, CONDITIONS, REPORTS, TAKEN_BACK } from "./wish-words-around.ts";
import { NATIVE_NOT, NATIVE_WISHES } from "./wish-words-native.ts";

/** Words that a wish is made of: somebody called so is named only with an @. */
export const VOCABULARY: ReadonlySet<string> = new Set(
  [WISHES, LEADS, ASKS, PRONOUN, LENGTH, BEFORE_NAME, REPORTS, CONDITIONS, TAKEN_BACK, BLOCKED_BY]
    .flatMap((table) => JSON.stringify(table).match(/[\p{L}']{3,}\??/gu) ?? [])
    // Where the last letter may be missing, both are words.
    .flatMap((word) => (word.endsWith("?") ? [word.slice(0, -1), word.slice(0, -2)] : [word])),
);
export const NATIVE_VOCABULARY = `${JSON.stringify(NATIVE_WISHES)}${NATIVE_NOT.source}`;
