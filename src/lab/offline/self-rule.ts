/**
 * One way in which people tell something about themselves. `said` fits a whole clause and names what it caught;
 * `told` says it in the third person: `$P` is the label, `{name}` what was caught. Caught as `what` is the matter
 * itself, which is tidied first; the rest is small words.
 */
export interface SelfRule {
  readonly said: RegExp;
  readonly told: string;
}

/** The rules of one language, and how its clauses are made ready for them. */
export interface SelfLanguage {
  readonly rules: readonly SelfRule[];
  /** How a clause in one's own name begins: only behind such a one may a further clause follow. */
  readonly own: RegExp;
  /** Small words before the clause proper. */
  readonly fillers: RegExp;
  /** Where the matter ends and something else begins. */
  readonly cut: RegExp;
  /** Matters that say nothing by themselves. */
  readonly vague: RegExp;
  /** Where a long matter may be cut, from the back. */
  readonly joints: RegExp;
  readonly spell: (text: string) => string;
  /** What changes in the matter when somebody else tells it: "my" is "their". */
  readonly turn: (matter: string) => string;
}

const WORDS_MAX = 7;
/** Far from the 60 characters in a row that make a run distinctive. */
const CHARS_MAX = 45;
const NEXT_CLAUSE =
  /(?:,\s*|\s+)(?:(?:and|but|so|also|then|plus|y|pero|и|а|но)\s+)+(?=(?:i|my|yo|me|mi|vivo|soy|juego|estudio|trabajo|ya no|я|мой|моя|моё|меня|моего|мою|живу|учусь|работаю|играю|больше не)(?![\p{L}\p{N}]))|,\s+(?=(?:i|my|yo|mi|я|мой|моя)(?![\p{L}\p{N}]))|、(?=(?:私|僕|俺|わたし|ぼく|おれ|自分)[はもの])/iu;
const LABEL_OR_NOBODY = /\bP\d{1,4}\b|\bsomeone\b|\bthe bot\b/u;
const EMOTE =
  /\s+(?:\p{Ll}{2,}\p{Lu}\w{2,}|KEKW|LUL\w*|OMEGALUL|[Pp]og\w*|POG\w*|PepeHands|[Mm]onka\w*|Sadge|Pepega|[Xx][Dd]+|<3|[:;]-?[()DPpo3]|catJAM|peepo\w*|BibleThump|NotLikeThis|Feels\w+Man|HeyGuys|VoHiYo|4Head|WutFace|SeemsGood|BloodTrail|[Ll]ol|LOL|lmao)$/u;
const LOOSE_END = /[^\p{L}\p{M}\p{N}+#%)]+$/u;

/** What the clauses of a sentence say about its speaker, retold with their label. */
export function retellSentence(sentence: string, label: string, language: SelfLanguage): string[] {
  const ready = language.spell(sentence).replace(language.fillers, "");
  const clauses = language.own.test(ready) ? ready.split(NEXT_CLAUSE) : [ready];
  return clauses
    .map((clause) => retellClause(trimEnd(clause), label, language))
    .filter((statement) => statement !== null);
}

function retellClause(ready: string, label: string, language: SelfLanguage): string | null {
  for (const { said, told } of language.rules) {
    const caught = said.exec(ready)?.groups;
    if (caught !== undefined) return fill(told, { ...caught }, { label, language });
  }
  return null;
}

function fill(
  told: string,
  caught: Readonly<Record<string, string | undefined>>,
  { label, language }: { readonly label: string; readonly language: SelfLanguage },
): string | null {
  let isWhole = true;
  const statement = told.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = caught[name] ?? "";
    const matter = name === "what" ? tidy(text, language) : small(name, text);
    if (matter === null || LABEL_OR_NOBODY.test(matter)) isWhole = false;
    return matter ?? "";
  });
  return isWhole ? statement.replace("$P", label).replace(/\s+/gu, " ").trim() : null;
}

/** Times of day and week are written small wherever they stood. */
function small(name: string, text: string): string {
  return name === "when" ? text.trim().toLowerCase() : text.trim();
}

function tidy(text: string, { cut, vague, joints, turn }: SelfLanguage): string | null {
  if (vague.test(text)) return null;
  let matter = trimEnd(text.replace(cut, ""));
  while (isLong(matter)) {
    const shorter = trimEnd(matter.replace(joints, ""));
    if (shorter === matter) return null;
    matter = shorter;
  }
  return /[\p{L}\p{N}]/u.test(matter) && !vague.test(matter) ? turn(matter) : null;
}

function trimEnd(text: string): string {
  let matter = text.trim();
  for (let before = ""; before !== matter; ) {
    before = matter;
    matter = matter.replace(EMOTE, "").replace(LOOSE_END, "");
  }
  return matter;
}

function isLong(matter: string): boolean {
  return matter.length > CHARS_MAX || matter.split(/\s+/u).length > WORDS_MAX;
}
