// Pure: values in, values out.
/** Printable ASCII in words with one space between: most lines of chat, and already clean. */
const PLAIN = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

const BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]/gu;
/** Nothing one can see: controls, default-ignorables (zero-width, bidi, tags), noncharacters, half surrogates. */
const UNSEEN = /[\p{Cc}\p{DI}\p{NChar}\p{Cs}\ufff9-\ufffb]+/gu;
const SPACES = /\s+/gu;
const BRAILLE_BLANKS = /\u2800+/gu;
const BRAILLE_DRAWING = /[\u2801-\u28ff]/u;

/** Normalising may move a mark in front of a joiner that was kept: then once more. */
const ROUNDS_MAX = 8;
const FIRST_JOINER = /[\u200c\u200d]/u;
const JOINER = "\u200d";
const EMOJI_LOOK = "\ufe0f";
const EMOJI_BEFORE = /[\p{ExtPict}\p{EMod}]$/u;
const EMOJI_AFTER = /^\p{ExtPict}/u;
const KEYCAP_BEFORE = /[0-9#*]$/u;
const KEYCAP_AFTER = /^\u20e3/u;
/** Scripts in which a joiner or non-joiner between two letters changes how the word reads (RFC 5892, CONTEXTJ). */
const JOINING =
  "\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}" +
  "\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}";
const JOINING_BEFORE = new RegExp(`[${JOINING}]$`, "u");
const JOINING_AFTER = new RegExp(`^[${JOINING}]`, "u");

/**
 * A line of chat as it is kept and compared: one line, NFC, single spaces, and nothing in it that cannot be seen.
 * A joiner stays only where it shapes what is read: one between two letters of a joining script, or inside an
 * emoji. So the invisible tails that clients add to slip past a duplicate filter are gone, and Persian still reads.
 * Cleaning twice gives the same line.
 */
export function cleanLine(text: string): string {
  let line = text;
  for (let round = 0; round < ROUNDS_MAX && !PLAIN.test(line); round += 1) {
    const cleaned = cleanOnce(line);
    if (cleaned === line) {
      break;
    }
    line = cleaned;
  }
  return line;
}

function cleanOnce(text: string): string {
  const seen = text.replace(BREAKS, " ").replace(UNSEEN, keepJoiners).normalize("NFC");
  const spaced = BRAILLE_DRAWING.test(seen) ? seen : seen.replace(BRAILLE_BLANKS, " ");
  return spaced.replace(SPACES, " ").trim();
}

/** What of a run of invisible characters shapes the characters on its two sides. */
function keepJoiners(run: string, at: number, whole: string): string {
  const before = whole.slice(Math.max(0, at - 2), at);
  const after = whole.slice(at + run.length, at + run.length + 2);
  const look = run.includes(EMOJI_LOOK) ? EMOJI_LOOK : "";
  if (EMOJI_BEFORE.test(before)) {
    return look + (EMOJI_AFTER.test(after) && run.includes(JOINER) ? JOINER : "");
  }
  if (KEYCAP_BEFORE.test(before)) {
    return KEYCAP_AFTER.test(after) ? look : "";
  }
  const isJoining = JOINING_BEFORE.test(before) && JOINING_AFTER.test(after);
  return (isJoining && FIRST_JOINER.exec(run)?.[0]) || "";
}
