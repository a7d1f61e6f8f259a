import type { Said } from "./transcript.ts";

export type Tongue = "english" | "russian" | "spanish" | "japanese";

const WORDS = new Intl.Segmenter("und", { granularity: "word" });
const LABEL = /^(?:P\d{1,4}|someone|bot)$/u;
const WIDE = /[\p{sc=Han}\p{sc=Kana}\p{sc=Hang}]/u;
const LETTER = /\p{L}/u;
const CHARS_MAX = 18;
const STEM_CHARS = 6;

/** Words that tell nothing about a matter: grammar, greetings, cheers. */
const COMMON = new Set(
  `about above actually after again against already also always another anybody anyone anything around away back because been before being below best better between both came cannot chat come comes could different does doesn doing done down each else even ever every everybody everyone everything fact feel from further gets getting give goes going gone gonna good great guys have haven having hello here hers herself himself itself into isnt just keep kind know last later least less like lets little long look looks lots made make makes many maybe mean might mine more most much must myself need never next nice nobody none nothing often okay once only other ours over part pretty probably quite rather really right said same says seem should since some somebody someone something soon still stop stream stuff such sure take talk tell than thank thanks that thats their theirs them themselves then there these they thing things think this those though through time times today tomorrow tonight totally under until upon used very wait want wants wasnt well went were what whatever when where which while will wish with without wont work would yeah year years yesterday your yours yourself youre whats heres theres dont cant didnt isn wasn have hasn lmao lmfao haha hahaha lolol poggers pogchamp kekw omegalul welcome morning evening night friend friends people play plays playing played love loves hate favourite favorite live lives called name named please sorry damn honestly literally actually wanna gotta first second whole half
  это этот эта эти быть было была были будет если есть ещё еще ведь вот всё все всех всем вообще где даже для его она они или как какой когда который кто куда лишь меня мне много может можно мой моя мои надо нас нам наш него ней нет нибудь ничего ну один опять очень почему привет просто раз себя сегодня сейчас спасибо так такой там тебя тебе тоже только тогда тут уже хорошо хочу через чат что чтобы эту этом больше завтра играю люблю живу играет меньше потом
  algo ahora alguien antes aquí así aunque bien buenas bueno cada casi como cómo contra cual cuál cuando cuándo desde donde dónde ella ellas ellos entonces entre eres esta está están estas este esto estos estoy gente gracias hace hacer hasta hola jaja jajaja juego luego mañana más menos mientras mismo mucho muchos muy nada nadie ningún nosotros nunca otra otro para pero poco porque pues puede pueden quien quién quiero siempre sino sobre solo sólo somos soy también tampoco tanto tengo tiene tienen toda todas todavía todo todos tras tuyo una unos usted vamos vivo gusta encanta favorito favorita
  配信 今日 明日 昨日 自分 みんな こと もの とき ところ 好き 大好 何 誰 人 今 方 時 私 僕 俺`.split(
    /\s+/u,
  ),
);

/** The telling words of a text in order, lower case: names of things and what happened to them. */
export function tellingWords(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of WORDS.segment(text)) {
    if (isWordLike !== true || LABEL.test(segment)) continue;
    const word = segment.toLowerCase();
    if (tells(word)) found.push(word);
  }
  return found;
}

/** Forms of one word count as one. */
export function stemOf(word: string): string {
  return WIDE.test(word) ? word : word.replace(/(?<=.{3})s$/u, "").slice(0, STEM_CHARS);
}

/** The words that most people used, most widely used first; of each the form that came first. */
export function topicWords(lines: readonly Said[], max: number): string[] {
  const users = new Map<string, { word: string; labels: Set<string>; uses: number }>();
  for (const { text, label } of lines) {
    for (const word of new Set(tellingWords(text))) {
      const entry = users.get(stemOf(word)) ?? { word, labels: new Set<string>(), uses: 0 };
      entry.labels.add(label);
      entry.uses += 1;
      users.set(stemOf(word), entry);
    }
  }
  return [...users.values()]
    .sort((a, b) => b.labels.size - a.labels.size || b.uses - a.uses)
    .slice(0, max)
    .map(({ word }) => word);
}

/** The language that most of the lines are in, as far as script and small words tell. */
export function tongueOf(texts: readonly string[]): Tongue {
  const whole = texts.join(" ");
  const letters = count(whole, /\p{L}/gu);
  if (count(whole, /[\p{sc=Hira}\p{sc=Kana}]/gu) * 5 > letters) return "japanese";
  if (count(whole, /\p{sc=Cyrl}/gu) * 2 > letters) return "russian";
  const spanish = count(
    whole,
    /(?<!\p{L})(?:el|la|los|las|que|de|en|un|una|por|con|para|es|está|muy|pero|como|yo|mi|se|lo)(?!\p{L})/giu,
  );
  const english = count(
    whole,
    /(?<!\p{L})(?:the|a|and|to|of|in|is|it|that|you|for|on|with|this|my|i|was|are|but|so)(?!\p{L})/giu,
  );
  return spanish > english ? "spanish" : "english";
}

function tells(word: string): boolean {
  if (!LETTER.test(word) || word.length > CHARS_MAX || COMMON.has(word)) return false;
  if (WIDE.test(word)) return word.length > 1;
  // One letter again and again is a cheer.
  return (
    word.length > 3 &&
    new Set(word).size > 2 &&
    !/(?:ha){2}|(?:ja){2}|(?:lo){2}|(?:ах){2}/u.test(word)
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
