// Pure: values in, values out.
import type { Language } from "../language/words.ts";

/**
 * What facts are read by, as data. Patterns are looked up in lower case, without people and contractions, between word
 * edges (anywhere in Japanese and Chinese).
 */
export type ByLanguage<T> = Readonly<Partial<Record<Language, T>>>;

/**
 * How a sentence says that something is not, or no longer, so: a pattern, and what is left in its place for the rest
 * to be compared with the sentence that says it is so.
 */
export const NEGATIONS: ByLanguage<readonly (readonly [pattern: string, left: string])[]> = {
  en: [
    ["(?:is|are) (?:no longer|not any ?more) (?:living|based) in", "lives in"],
    [
      "(?:has )?(?:moved away from|moved out of|moved from(?!.* to )|left(?! handed))(?= [^,.]{2,40}$)",
      "lives in",
    ],
    [
      "no longer|(?:has )?(?:stopped|quit|quits|gave up(?: on)?|given up(?: on)?|retired from|abandoned|uninstalled|dropped(?! to| from| out| by)|sold|lost interest in|moved on from)|(?:is )?done with|finished(?= \\p{L}+ing )",
      "",
    ],
    ["(?<!is |are |gets |got )used to(?! be called)", ""],
    ["never|not(?! only)|no|without|refuses to|avoids|any ?more|any longer", ""],
  ],
  es: [["ya no|dejó de|dejo de|ha dejado de|paró de|abandonó|nunca|no(?! solo)|sin|tampoco", ""]],
  pt: [["já não|não(?! só)|parou de|deixou de|nunca|sem|abandonou", ""]],
  de: [
    [
      "nicht mehr|nicht(?! nur)|kein(?:e[nrms]?)?|nie(?:mals)?|ohne|hat aufgehört(?: mit| zu)?|aufgehört|mehr$",
      "",
    ],
  ],
  fr: [
    ["ne (\\p{L}{1,20}) (?:plus|pas|jamais)", "$1"],
    ["(?:a |ont )?arrêté(?: de)?|sans|jamais|pas", ""],
  ],
  ru: [
    [
      "больше не|уже не|перестал[аи]?|переста[её]т|бросил[аи]?|забросил[аи]?|завязала? с|отказал(?:ся|ась) от|никогда не|не(?! только)|нет|без|раньше|уш(?:[её]л|ла) из",
      "",
    ],
  ],
  ja: [
    [
      "もう(?=.{1,40}(?:ない|ません|やめ))|(?:て|で)?い?(?:ない|ません)(?:でした)?(?=$|[。、です ])|なくなっ?た?|なかった|を?(?:やめ|辞め|止め)(?:た|ました|ている)|から?(?:引退|卒業)し(?:た|ました)|に?飽きた",
      "",
    ],
  ],
  zh: [["不再|已经不|已經不|从不|從不|不(?![仅僅只但单單光])|没有?|沒有?", ""]],
  ko: [["더 이상|하지 않는다|하지 않는|않는다|않아요|안|못|그만뒀다|그만두었다", ""]],
  ar: [["لم يعد|لم تعد|لا|لم|لن|ليس|ليست|توقف عن|توقفت عن|بدون", ""]],
};

/** Dislike denies liking, and to deny it is to like: counted apart. */
export const DISLIKES: ByLanguage<readonly (readonly [pattern: string, left: string])[]> = {
  en: [["hates?|hated|dislikes?|detests?|despises?|can not stand|is not a fan of", "likes"]],
  es: [["odia|detesta", "gusta"]],
  pt: [["odeia|detesta", "gosta"]],
  de: [["hasst|verabscheut", "mag"]],
  fr: [["déteste|hait", "aime"]],
  ru: [["ненавидит|разлюбила?|терпеть не может", "любит"]],
  ja: [["嫌い", "好き"]],
  zh: [["讨厌|討厭", "喜欢"]],
};

/**
 * Things of which a person has one at a time. `V` is the value; a group `what` makes the predicate narrower, one named
 * `of` says where it holds. `moved` is a home that ends where somebody was said to be from.
 */
export const PROPERTIES: ByLanguage<readonly (readonly [predicate: string, pattern: string])[]> = {
  en: [
    [
      "timezone",
      "(?:(?:has |lives in |is in |is on )?(?:the )?time ?zone (?:is |of )?V|(?:is|lives) (?:in|on) (?:the )?(?<v0>[^ ]{1,20}) time ?zone)",
    ],
    [
      "home",
      "(?:is )?(?:lives?|living|resides?|residing|based|located)(?: now| right now)? in V(?:, (?<of>[\\p{L} ]{2,20})$)?",
    ],
    [
      "moved",
      "(?:has )?(?:just )?(?:moved|relocated|emigrated)(?: from [^,.]{1,40}?)?(?: back)? to V",
    ],
    [
      "origin",
      "(?:is |comes |was )?(?:originally )?(?:born and raised in|born in|hails from|from) V",
    ],
    [
      "pronouns",
      "(?:uses|goes by|prefers)? ?(?:the )?(?:pronouns (?:are )?V|(?<v0>\\p{L}{1,5}\\/\\p{L}{1,6}(?:\\/\\p{L}+)?)(?: pronouns)?)",
    ],
    [
      "called",
      "(?:(?:wants?|prefers?|likes?|asks?|asked|would like|wishes) (?:to be|being|people to) (?:called|addressed as|known as|call (?:him|her|them))|goes by(?: the name(?: of)?)?|nickname is|prefers the name) V",
    ],
    ["name", "(?:real |first |full )?name is V|is (?:actually |really )?named V"],
    ["main", "(?:(?:mains|is maining) V|main (?<what>[\\p{L} ]{2,20}) is V)"],
    ["main game", "(?:mainly plays|plays mainly|plays mostly|mostly plays|main game is) V"],
    ["favorite", "favou?rite (?<what>[\\p{L} ]{2,30}) is V"],
    [
      "rank",
      "(?:is |has |has reached |reached |hit |got to |climbed to |dropped to |fell to |went up to |is at |at )?(?:the |a )?rank(?:ed|ing)?(?: is| of| at| number| up to)? V(?: (?:in|on) (?<of>.{2,30}))?",
    ],
    [
      "rank",
      "(?:is|has reached|reached|hit|got to|climbed to|dropped to|fell to|rank is) (?<v0>(?:iron|bronze|silver|gold|platinum|plat|emerald|diamond|ascendant|immortal|radiant|masters?|grandmaster|challenger)(?: (?:\\d|i{1,3}|iv|v)(?!\\p{L}))?)(?: (?:in|on) (?<of>.{2,30}))?",
    ],
    [
      "level",
      "(?:is |has reached |reached |hit |is at )?level(?: is)? V(?: (?:in|on) (?<of>.{2,30}))?",
    ],
    [
      "studies at",
      "(?:studies|is studying|is a student|goes to school) at V|goes to (?<v0>[^,.]{2,40}) (?:university|college)",
    ],
    [
      "job",
      "(?:works|is working) as (?:an? )?V|(?:job|profession|occupation) is (?:an? |being an? )?V",
    ],
    ["employer", "(?:works|is working) (?:at|for) (?:an? |the )?V"],
    ["first language", "(?:native language|mother tongue|first language) is V"],
    ["hand", "is (?<v0>left|right)[ -]handed"],
    ["birthday", "birthday is (?:on |in )?V"],
  ],
  es: [
    ["home", "(?:vive|reside) en V"],
    ["moved", "se (?:ha mudado|mudó|mudo|trasladó)(?: de [^,.]{1,40}?)? a V"],
    ["origin", "(?:es|viene|proviene|es originari[oa]) de V"],
    ["called", "(?:quiere|prefiere|pide) que (?:le|lo|la) (?:llamen|digan) V"],
    ["name", "se llama V"],
    ["main", "(?<what>juego|rol|personaje) principal es V"],
    ["favorite", "(?<what>\\p{L}{2,20}) (?:favorit[oa]|preferid[oa]) es V"],
    [
      "rank",
      "(?:es|tiene(?: el)?|alcanzó(?: el)?|llegó al?|subió al?|bajó al?)? ?(?:el )?rango(?: es)? V(?: en (?<of>.{2,30}))?",
    ],
    ["job", "trabaja (?:de|como) V"],
    ["timezone", "zona horaria es V"],
    ["studies at", "estudia en V"],
  ],
  pt: [
    ["home", "(?:mora|vive|reside) (?:em|no|na|nos|nas) V"],
    [
      "moved",
      "se mudou(?: d[eoa] [^,.]{1,40}?)? (?:para|pra) (?:o |a )?V|mudou-?se para (?:o |a )?V",
    ],
    ["origin", "(?:é|vem|veio) d[eoa] V"],
    ["called", "(?:quer|prefere) (?:ser chamad[oa](?: de)?|que [oa] chamem de) V"],
    ["rank", "(?:está no |é |tem |alcançou o |chegou ao )?(?:rank|ranque|elo) V"],
    ["job", "trabalha como V"],
  ],
  de: [
    ["home", "(?:wohnt|lebt) (?:jetzt )?in V"],
    [
      "moved",
      "(?:zog|ist)(?: von [^,.]{1,40}?| aus [^,.]{1,40}?)? nach (?<v0>[^,. ]{2,40})(?: gezogen| umgezogen)?",
    ],
    ["origin", "(?:kommt|ist|stammt) aus V"],
    ["called", "(?:möchte|will) (?<v0>[^,.]{1,40}) (?:genannt werden|heißen)"],
    ["name", "heißt V"],
    ["main", "haupt(?<what>spiel|rolle|charakter|figur) ist V"],
    ["favorite", "lieblings(?<what>\\p{L}{2,20}) ist V"],
    ["rank", "(?:ist |hat |erreichte |hat jetzt )?(?:auf )?rang V"],
    ["job", "arbeitet als V"],
    ["timezone", "zeitzone ist V"],
    ["studies at", "studiert an V"],
  ],
  fr: [
    ["home", "(?:habite|vit) (?:à|en|au|aux|dans) V"],
    [
      "moved",
      "(?:a|est) (?:déménagé|parti vivre|partie vivre)(?: d[eu] [^,.]{1,40}?)? (?:à|en|au|aux) V",
    ],
    ["origin", "(?:vient|est originaire|est) (?:de |du |des |d')V"],
    ["called", "(?:veut|préfère|souhaite) (?:être appelée?|qu'on l'appelle) V"],
    ["name", "s'appelle V"],
    ["main", "(?<what>jeu|rôle|personnage) principal est V"],
    ["favorite", "(?<what>\\p{L}{2,20}) (?:préférée?|favorite?) est V"],
    ["rank", "(?:est |a le |a atteint le )?rang V"],
    ["job", "travaille (?:comme|en tant que) V"],
  ],
  ru: [
    ["home", "(?:жив[её]т|проживает) (?:сейчас |теперь )?(?:в|во|на) V"],
    [
      "moved",
      "(?:переехала?|переселил(?:ся|ась)|перебрал(?:ся|ась))(?: (?:из|с|со) [^,.]{1,40}?)?(?: жить)? (?:в|во|на) V",
    ],
    ["origin", "(?:она? )?(?:родом )?(?:из|родил(?:ся|ась) в) V"],
    [
      "called",
      "(?:хочет|просит|предпочитает)(?:,? чтобы (?:его|её|ее|их) (?:называли|звали)| называть (?:его|её|ее|их)) V",
    ],
    ["name", "(?:его |её |ее )?(?:зовут|имя) V"],
    ["main", "(?:основн|главн)\\p{L}{2} (?<what>игра|роль|персонаж|герой) V|мейнит V"],
    ["favorite", "любим(?:ый|ая|ое) (?<what>[\\p{L}]{2,20}) V"],
    [
      "rank",
      "(?:имеет |достиг(?:ла)? |получила? |дош[её]?л?а? до |поднял(?:ся|ась) до |поднялась? |упала? до |на |у него |у не[её] )?(?:его |её |ее )?(?:ранг|рейтинг)\\p{L}{0,2} V(?: в (?<of>.{2,30}))?",
    ],
    ["rank", "(?<v0>\\d{1,6})(?:-?й)? ранг"],
    ["employer", "работает (?:в|во|на) V"],
    ["job", "работает (?!над|с |со |по |из |удал)V"],
    ["studies at", "учится (?:в|во|на) V"],
    ["timezone", "часовой пояс V"],
    ["pronouns", "местоимения V"],
  ],
  ja: [
    ["home", "V(?:に|で)?(?:住んで|在住|暮らして|住む)"],
    ["moved", "(?:[^、。]{1,20}から)?V(?:に|へ)(?:引っ越|引越|移住)"],
    ["origin", "V(?:の)?(?:出身|生まれ|から来)"],
    ["rank", "(?:現在の|今の)?ランク(?:は|が|:|を)?V"],
    ["main", "メイン(?<what>ゲーム|ロール|キャラ|武器)?はV"],
    ["favorite", "(?:一番)?好きな(?<what>[^は]{1,12})はV"],
    ["called", "「?V」?(?:と|って)(?:呼ばれたい|呼んで|呼ばれ)"],
    ["name", "(?:本名|名前)はV"],
    ["job", "Vとして働|(?:職業|仕事)はV"],
    ["timezone", "タイムゾーンはV"],
    ["pronouns", "代名詞はV"],
  ],
  zh: [
    ["moved", "(?:从[^，。]{1,10})?搬到了?V"],
    ["home", "(?:现在)?住在V"],
    ["origin", "来自V"],
    ["called", "(?:希望|想)(?:被|别人)?(?:叫|称呼)(?:他|她|为)?V"],
  ],
};

/** What is made of a table: each language's when it is first read. All of them would be a tenth of the program's start. */
export function byLanguage<T, U>(
  data: ByLanguage<T>,
  make: (rows: T, language: Language) => U,
): Pick<ReadonlyMap<Language, U>, "get"> {
  const made = new Map<Language, U>();
  return {
    get: (language) => {
      const rows = data[language];
      if (rows !== undefined && !made.has(language)) made.set(language, make(rows, language));
      return made.get(language);
    },
  };
}
