import { ENGLISH } from "./self-english.ts";
import { JAPANESE } from "./self-japanese.ts";
import type { SelfLanguage } from "./self-rule.ts";
import { RUSSIAN } from "./self-russian.ts";
import { SPANISH } from "./self-spanish.ts";

/** Whose sentences about oneself are understood. */
export const SELF_LANGUAGES: readonly SelfLanguage[] = [ENGLISH, RUSSIAN, SPANISH, JAPANESE];
