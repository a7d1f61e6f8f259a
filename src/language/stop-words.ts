// Pure: values in, values out.
/**
 * Function words by language, in lower case: they tell what language a sentence is in, and say nothing by themselves.
 * Negations, forms of the past and words of direction are none of them.
 */
export const STOP_WORDS = {
  en: "a an the is are be been being am do does did has have having this that these those it its they them their theirs he him his she her hers himself herself themselves we our i me my of in on at by as and with for into onto about who which very really quite some there here than so",
  es: "el la los las un una unos unas lo a al del de en y e que es son ser estar esta está estan están este esto ese eso su sus se le les con por para como muy ha han he tiene tienen",
  pt: "o a os as um uma uns umas ao à do da dos das de em nos nas num numa e que é são ser estar está esta este isso isto seu sua seus suas se lhe com por para como muito tem têm pelo pela ele ela",
  de: "der die das den dem des ein eine einen einem einer eines ist sind sein seine seinen seiner ihr ihre ihren sich er sie es und in im am an auf zu zum zur mit für von als auch sehr hat haben wird werden bei",
  fr: "le la les l un une des du de d en et est sont être ce cet cette ces se s son sa ses il elle ils elles on que qui au aux avec pour par dans sur très a à ont y j",
  ru: "а и в во на с со у к ко о об по за он она оно они его её ее их ему ей им это этот эта эти что который которая которые как очень же ли бы есть быть является свой своя свою своё свои для",
  ar: "في من على إلى الى عن هو هي و مع أن ان التي الذي هذا هذه",
  zh: "的 了 在 是 和 他 她 它 着 过 也 很 把 与",
  ja: "は が を に で と も の へ や か ね よ て た だ し い っ な れ ば ん く ら り る さ ま です ます した して する いる いた ある から まで など こと もの ため よう って んで んだ った れる なっ なり なる さん という とても",
  ko: "은 는 이 가 을 를 의 에 에서 도 와 과 로 으로 그 그는 그녀 그녀는 있다 이다 있습니다 있어요",
} as const;

/** Words for the numbers from two on, in order: compared as digits. One is an article too often. */
export const NUMBER_WORDS = {
  en: "two three four five six seven eight nine ten eleven twelve",
  es: "dos tres cuatro cinco seis siete ocho nueve diez once doce",
  pt: "dois três quatro cinco seis sete oito nove dez onze doze",
  de: "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
  fr: "deux trois quatre cinq six sept huit neuf dix onze douze",
  ru: "два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
  ar: "اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
  zh: "二 三 四 五 六 七 八 九 十",
  ja: "二 三 四 五 六 七 八 九 十",
  ko: "두 세 네 다섯 여섯 일곱 여덟 아홉 열",
} as const satisfies Record<keyof typeof STOP_WORDS, string>;

/** Other words for numbers. */
export const MORE_NUMBERS = {
  две: "2",
  двое: "2",
  трое: "3",
  duas: "2",
  两: "2",
  両: "2",
} as const;

/** Words that say something and still tell the language of a short sentence. */
export const LANGUAGE_CLUES = {
  en: "not no never plays likes loves lives wants from to",
  es: "no ya nunca juega vive gusta gustan encanta quiere llama llamen más también",
  pt: "não já nunca joga mora vive gosta quer chamado chamada mais também ao",
  de: "nicht kein keine keinen mehr nie spielt mag wohnt lebt kommt aus heißt möchte will war",
  fr: "ne n pas plus jamais joue aime habite vit vient veut était a à appelé appelée",
} as const;

/** Letters that only one of these languages has. */
export const LETTER_CLUES = {
  en: /(?!)/u,
  es: /[ñ¿¡]/u,
  pt: /[ãõ]/u,
  de: /[äöüß]/iu,
  fr: /[èêëîïœùû]|(?<!\p{L})à(?!\p{L})/iu,
} as const;
