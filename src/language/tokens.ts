// Pure: values in, values out.
/**
 * Estimates the tokens of a text for a language model, by character class. 0 only for "". Appending never lowers the
 * estimate. Nothing is carried over a line break, so lines can be counted once and added; the sum exceeds the estimate
 * of all by less than one token a line. The weights are a non-negative least-squares fit to the tokenizer of Gemma 3;
 * see `test/language/token-counts.json`. Length/4 is 0.3 to 1.3 times the truth on the same texts.
 */
export function estimateTokens(text: string): number {
  return Math.max(Math.ceil(sumWeights(text) / 100), Math.min(text.length, 1));
}

/**
 * Cuts a text to an estimate of at most `tokensMax`, "…" included. Never splits a surrogate pair. Returns "" if "…"
 * does not fit.
 */
export function clipToTokens(text: string, tokensMax: number): string {
  if (estimateTokens(text) <= tokensMax) return text;
  if (estimateTokens(CUT) > tokensMax) return "";
  let fits = 0;
  let over = text.length;
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (estimateTokens(text.slice(0, middle) + CUT) <= tokensMax) fits = middle;
    else over = middle;
  }
  return text.slice(0, fits).replace(/[\uD800-\uDBFF]$/, "") + CUT;
}

const CUT = "…";

/** Sums the weights, in hundredths of a token, so that sums are exact. */
function sumWeights(text: string): number {
  let total = 0;
  let kind = 0;
  let run = 0;
  let cluster = 0;
  let last = -1;
  let lastButOne = -1;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === last && unit === lastButOne) {
      total += at(WEIGHTS, kind * COLUMNS + REPEATED);
      continue;
    }
    const next = at(KIND_OF, unit);
    const joined = at(JOINS, kind * KINDS + next);
    run = Math.min(joined * run + 1, RUN_MAX);
    const column = run === 1 ? at(FIRST_COLUMN, kind) : at(COLUMN_OF_RUN, run);
    cluster = Math.min(at(CONSONANT, unit) * (joined * cluster + 1), CLUSTER_MAX);
    total += at(WEIGHTS, next * COLUMNS + column) + at(CLUSTER_COSTS, cluster);
    kind = next;
    lastButOne = last;
    last = unit;
  }
  return total;
}

function at(table: Uint8Array, index: number): number {
  return table[index] ?? 0;
}

// Columns of a weight row: the first of its kind after a space or line break, the first after anything else, the
// second, up to the 4th, 7th, 12th, later ones, and the third and later of the same character in a row.
const COLUMNS = 8;
const AFTER_GAP = 0;
const GLUED = 1;
const REPEATED = 7;
const COLUMN_OF_RUN = Uint8Array.of(0, 0, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6);
const RUN_MAX = COLUMN_OF_RUN.length - 1;

/** Four consonants in a row are no word. Each further one costs extra. */
const CLUSTER_COSTS = Uint8Array.of(0, 0, 0, 0, 48);
const CLUSTER_MAX = CLUSTER_COSTS.length - 1;

type Row = readonly [number, number, number, number, number, number, number, number];

function flat(weight: number): Row {
  return [weight, weight, weight, weight, weight, weight, weight, weight];
}

const ROWS = {
  start: flat(0),
  newline: [100, 100, 30, 30, 30, 30, 30, 30],
  space: [0, 0, 100, 10, 10, 10, 10, 10],
  lower: [77, 94, 0, 12, 12, 22, 29, 13],
  upper: [63, 124, 0, 67, 46, 31, 30, 63],
  digit: [181, 100, 100, 100, 100, 100, 100, 100],
  punctuation: [92, 110, 0, 0, 12, 20, 25, 13],
  latin: [119, 0, 57, 46, 70, 68, 49, 30],
  cyrillic: [89, 176, 22, 9, 15, 15, 15, 100],
  greek: [139, 90, 0, 1, 55, 50, 50, 30],
  arabic: [90, 48, 40, 10, 34, 22, 22, 33],
  hebrew: [101, 116, 31, 37, 48, 15, 15, 30],
  indic: [26, 124, 25, 49, 17, 15, 15, 30],
  thai: [79, 69, 26, 27, 15, 45, 27, 30],
  han: [137, 108, 0, 79, 49, 55, 40, 98],
  hiragana: [134, 51, 51, 2, 41, 15, 15, 100],
  katakana: [186, 106, 0, 8, 18, 35, 35, 30],
  hangul: [100, 56, 82, 15, 45, 62, 64, 12],
  emoji: [175, 13, 65, 65, 65, 65, 65, 63],
  symbol: [99, 40, 111, 111, 111, 111, 111, 12],
  fullwidth: [89, 89, 117, 117, 117, 117, 117, 50],
  mark: flat(88),
  // Characters that tokenizers spell out byte by byte: braille art, private use, most of the higher planes.
  bytes: flat(220),
  other: flat(150),
  // The second half of a surrogate pair; the first half carries the weight.
  trail: flat(0),
} as const satisfies Record<string, Row>;

type Kind = keyof typeof ROWS;

const NAMES = Object.keys(ROWS);
const KINDS = NAMES.length;

/** UTF-16 units, first and last, and their kind; a later range overrides an earlier one. */
const RANGES: readonly (readonly [number, number, Kind])[] = [
  [0x09, 0x09, "space"],
  [0x0a, 0x0d, "newline"],
  [0x20, 0x20, "space"],
  [0x21, 0x7e, "punctuation"],
  [0x30, 0x39, "digit"],
  [0x41, 0x5a, "upper"],
  [0x61, 0x7a, "lower"],
  [0xa0, 0xbf, "symbol"],
  [0xc0, 0x24f, "latin"],
  [0x300, 0x36f, "mark"],
  [0x370, 0x3ff, "greek"],
  [0x400, 0x52f, "cyrillic"],
  [0x590, 0x5ff, "hebrew"],
  [0x600, 0x77f, "arabic"],
  [0x8a0, 0x8ff, "arabic"],
  [0x900, 0xdff, "indic"],
  [0xe00, 0xeff, "thai"],
  [0x1100, 0x11ff, "hangul"],
  [0x1e00, 0x1eff, "latin"],
  [0x1f00, 0x1fff, "greek"],
  [0x2000, 0x2bff, "symbol"],
  [0x200b, 0x200f, "mark"],
  [0x2600, 0x27bf, "emoji"],
  [0x2800, 0x28ff, "bytes"],
  // The empty and the full braille cell, the most common ones, are tokens of their own.
  [0x2800, 0x2800, "mark"],
  [0x28ff, 0x28ff, "mark"],
  [0x3000, 0x303f, "fullwidth"],
  [0x3040, 0x309f, "hiragana"],
  [0x30a0, 0x30ff, "katakana"],
  [0x3130, 0x318f, "hangul"],
  [0x3400, 0x9fff, "han"],
  [0xac00, 0xd7af, "hangul"],
  [0xd800, 0xdbff, "bytes"],
  [0xd83c, 0xd83e, "emoji"],
  [0xdc00, 0xdfff, "trail"],
  [0xe000, 0xf8ff, "bytes"],
  [0xf900, 0xfaff, "han"],
  [0xfb50, 0xfdff, "arabic"],
  [0xfe00, 0xfe0f, "mark"],
  [0xfe70, 0xfeff, "arabic"],
  [0xff00, 0xff65, "fullwidth"],
  [0xff66, 0xff9f, "katakana"],
];

/** Kinds that continue a run. Each kind also continues itself. */
const RUN_JOINS: readonly (readonly [Kind, Kind])[] = [
  ["upper", "lower"],
  ["upper", "latin"],
  ["lower", "latin"],
  ["latin", "lower"],
  ["emoji", "trail"],
  ["trail", "emoji"],
];

const GAPS: ReadonlySet<string> = new Set<Kind>(["start", "newline", "space"]);

const WEIGHTS = Uint8Array.from(Object.values(ROWS).flat());
const KIND_OF = makeUnitKinds();
const JOINS = joinTable();
const FIRST_COLUMN = Uint8Array.from(NAMES, (name) => (GAPS.has(name) ? AFTER_GAP : GLUED));
const CONSONANT = makeConsonantUnits();

function getKindNumber(kind: Kind): number {
  return NAMES.indexOf(kind);
}

function makeUnitKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000).fill(getKindNumber("other"));
  for (const [first, last, kind] of RANGES) kinds.fill(getKindNumber(kind), first, last + 1);
  return kinds;
}

function makeConsonantUnits(): Uint8Array {
  const units = new Uint8Array(0x10000);
  for (const letter of "bcdfghjklmnpqrstvwxz") {
    units[letter.charCodeAt(0)] = 1;
    units[letter.toUpperCase().charCodeAt(0)] = 1;
  }
  return units;
}

function joinTable(): Uint8Array {
  const joins = new Uint8Array(KINDS * KINDS);
  for (let kind = 0; kind < KINDS; kind += 1) joins[kind * KINDS + kind] = 1;
  for (const [from, to] of RUN_JOINS) joins[getKindNumber(from) * KINDS + getKindNumber(to)] = 1;
  return joins;
}
