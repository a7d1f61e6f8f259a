// Pure: values in, values out.
/**
 * Estimates the tokens of a text for a language model, by character class. 0 only for "". Appending never lowers the
 * estimate. Lines can be counted one by one and added: the sum exceeds the estimate of the whole by less than one token a
 * line. The weights are a non-negative least-squares fit to the tokenizer of Gemma 3; see
 * `test/language/token-counts.json`. Length/4 is 0.3 to 1.3 times the truth on the same texts.
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

// Columns of a weight row, by place in a run of one kind. They are: first after a gap, first elsewhere, second, up to the
// 4th, 7th and 12th, later. The last column is for the third and later of one character in a row.
const COLUMNS = 8;
const AFTER_GAP = 0;
const GLUED = 1;
const REPEATED = 7;
const COLUMN_OF_RUN = Uint8Array.of(0, 0, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6);
const RUN_MAX = COLUMN_OF_RUN.length - 1;

/**
 * The extra cost of a letter by the number of consonants in a row. Four are no word, so the fourth and later ones cost
 * more.
 */
const CLUSTER_COSTS = Uint8Array.of(0, 0, 0, 0, 48);
const CLUSTER_MAX = CLUSTER_COSTS.length - 1;

interface KindTraits {
  /** Weights by column. */
  readonly row: readonly number[];
  /** UTF-16 units, first and last of each range. A later kind overrides an earlier one. */
  readonly units: readonly number[];
}

const flat = (weight: number) => Array.from({ length: COLUMNS }, () => weight);

const KIND_TRAITS = {
  start: { row: flat(0), units: [] },
  newline: { row: [100, 100, 30, 30, 30, 30, 30, 30], units: [0x0a, 0x0d] },
  space: { row: [0, 0, 100, 10, 10, 10, 10, 10], units: [0x09, 0x09, 0x20, 0x20] },
  punctuation: { row: [92, 110, 0, 0, 12, 20, 25, 13], units: [0x21, 0x7e] },
  digit: { row: [181, 100, 100, 100, 100, 100, 100, 100], units: [0x30, 0x39] },
  upper: { row: [63, 124, 0, 67, 46, 31, 30, 63], units: [0x41, 0x5a] },
  lower: { row: [77, 94, 0, 12, 12, 22, 29, 13], units: [0x61, 0x7a] },
  symbol: { row: [99, 40, 111, 111, 111, 111, 111, 12], units: [0xa0, 0xbf, 0x2000, 0x2bff] },
  latin: { row: [119, 0, 57, 46, 70, 68, 49, 30], units: [0xc0, 0x24f, 0x1e00, 0x1eff] },
  greek: { row: [139, 90, 0, 1, 55, 50, 50, 30], units: [0x370, 0x3ff, 0x1f00, 0x1fff] },
  cyrillic: { row: [89, 176, 22, 9, 15, 15, 15, 100], units: [0x400, 0x52f] },
  hebrew: { row: [101, 116, 31, 37, 48, 15, 15, 30], units: [0x590, 0x5ff] },
  arabic: {
    row: [90, 48, 40, 10, 34, 22, 22, 33],
    units: [0x600, 0x77f, 0x8a0, 0x8ff, 0xfb50, 0xfdff, 0xfe70, 0xfeff],
  },
  indic: { row: [26, 124, 25, 49, 17, 15, 15, 30], units: [0x900, 0xdff] },
  thai: { row: [79, 69, 26, 27, 15, 45, 27, 30], units: [0xe00, 0xeff] },
  han: { row: [137, 108, 0, 79, 49, 55, 40, 98], units: [0x3400, 0x9fff, 0xf900, 0xfaff] },
  fullwidth: {
    row: [89, 89, 117, 117, 117, 117, 117, 50],
    units: [0x3000, 0x303f, 0xff00, 0xff65],
  },
  hiragana: { row: [134, 51, 51, 2, 41, 15, 15, 100], units: [0x3040, 0x309f] },
  katakana: { row: [186, 106, 0, 8, 18, 35, 35, 30], units: [0x30a0, 0x30ff, 0xff66, 0xff9f] },
  hangul: {
    row: [100, 56, 82, 15, 45, 62, 64, 12],
    units: [0x1100, 0x11ff, 0x3130, 0x318f, 0xac00, 0xd7af],
  },
  // Characters that tokenizers spell out byte by byte: braille art, private use, most of the higher planes.
  bytes: { row: flat(220), units: [0x2800, 0x28ff, 0xd800, 0xdbff, 0xe000, 0xf8ff] },
  emoji: { row: [175, 13, 65, 65, 65, 65, 65, 63], units: [0x2600, 0x27bf, 0xd83c, 0xd83e] },
  // Includes the empty and the full braille cell: each is one token.
  mark: {
    row: flat(88),
    units: [0x300, 0x36f, 0x200b, 0x200f, 0x2800, 0x2800, 0x28ff, 0x28ff, 0xfe00, 0xfe0f],
  },
  // The second half of a surrogate pair; the first half carries the weight.
  trail: { row: flat(0), units: [0xdc00, 0xdfff] },
  other: { row: flat(150), units: [] },
} as const satisfies Record<string, KindTraits>;

type Kind = keyof typeof KIND_TRAITS;

const NAMES = Object.keys(KIND_TRAITS);
const KINDS = NAMES.length;
const TRAITS: readonly KindTraits[] = Object.values(KIND_TRAITS);

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

const WEIGHTS = Uint8Array.from(TRAITS.flatMap(({ row }) => row));
const FIRST_COLUMN = Uint8Array.from(NAMES, (name) => (GAPS.has(name) ? AFTER_GAP : GLUED));
const KIND_OF = new Uint8Array(0x10000).fill(NAMES.indexOf("other"));
for (const [kind, { units }] of TRAITS.entries())
  for (let n = 0; n < units.length; n += 2) KIND_OF.fill(kind, units[n], (units[n + 1] ?? 0) + 1);
const JOINS = new Uint8Array(KINDS * KINDS);
for (const [kind, name] of NAMES.entries()) {
  const next = RUN_JOINS.filter(([from]) => from === name).map(([, to]) => NAMES.indexOf(to));
  for (const joined of [kind, ...next]) JOINS[kind * KINDS + joined] = 1;
}
const CONSONANT = new Uint8Array(0x10000);
for (const letter of "bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ")
  CONSONANT[letter.charCodeAt(0)] = 1;
