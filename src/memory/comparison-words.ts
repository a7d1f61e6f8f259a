// Pure: values in, values out.
import type { ByLanguage } from "./predicates.ts";

/** Words that say about the same, as written; the first stands for the others. */
export const SYNONYMS: ByLanguage<readonly string[]> = {
  en: [
    "likes loves enjoys adores digs fan fond",
    "lives resides dwells",
    "plays playing",
    "movie film movies films",
    "buys bought purchased",
    "makes made creates created crafts",
    "builds built",
    "draws drew drawn",
    "writes wrote written",
    "teaches taught",
    "runs ran",
    "goes went gone",
    "gets got gotten",
    "sees saw seen",
    "owns possesses",
    "learns learnt learned learning studies",
    "bike bicycle",
    "photos photographs photo photography pictures",
    "dog puppy doggo",
    "cat kitty kitten",
    "evening evenings night nights",
    "begins began starts started",
    "organizes organises",
    "afraid scared terrified fear fears",
    "job work occupation",
    "prefers preferred",
    "hero champion character",
    "guitar guitars",
    "bakes baking baker",
    "tv television",
    "usa america",
  ],
  es: [
    "gusta encanta gustan encantan adora",
    "juega jugar jugando",
    "perro perrito",
    "coche auto carro",
  ],
  pt: ["gosta adora ama", "joga jogar jogando"],
  de: ["mag liebt", "spielt spielen zockt", "lernt studiert"],
  fr: ["aime adore", "joue jouer"],
  ru: [
    "любит нравится обожает",
    "играет играть играла",
    "кошка кот котик кошку кота",
    "собака пес пёс собаку пса",
    "учит изучает",
    "фильм кино фильмы",
    "рисует рисовать рисование",
    "пьет пьёт пить пила пил",
    "пишет писать пишут",
    "ест есть кушает",
    "поет поёт петь",
    "ездит едет поехать съездить",
  ],
  ja: ["好き 大好き 愛し", "プレイ 遊ぶ やる", "猫 ねこ ネコ", "犬 いぬ イヌ", "勉強 学ん 学習"],
};

/** Words that change nothing about whether two facts are one. */
export const FILLERS: ByLanguage<string> = {
  en: "to from really very also currently now still again always often usually recently just mostly mainly actually quite lot much many been started starts begins began back day days favorite kind bit little pretty absolutely totally nowadays these all any own of lots",
  es: "ahora actualmente también siempre mucho muchos mucha vez todavía sigue a",
  pt: "agora atualmente também sempre muito ainda",
  de: "jetzt gerade aktuell immer oft auch sehr noch gern gerne viel",
  fr: "maintenant actuellement aussi toujours souvent beaucoup encore",
  ru: "сейчас теперь тоже также всегда часто обычно много давно ещё еще снова опять начал начала",
  ja: "今 現在 最近 いつも よく また まだ プレイ やる",
};

/** What changes a sentence although most of its words stay: a plan, the past, an end, or that it is about another. */
export const MARKS: ByLanguage<Readonly<Record<string, string>>> = {
  en: {
    plan: "wants?|wanted|plans?|planning|hop(?:es|ing)|dreams?|dreaming|would|will|going to|might|considering|thinking (?:of|about)|wish(?:es)?|about to|almost|nearly|tr(?:ies|ying)|tried|saving",
    past: "was|were|had|formerly|previously|as a (?:child|kid|teenager)|years ago|lived|worked|studied",
    done: "finished|completed|beat",
    other:
      "(?:brother|sister|sibling|friend|mother|mom|mum|father|dad|parent|son|daughter|kid|cousin|uncle|aunt|grand\\p{L}+|roommate|flatmate|neighbou?r|team ?mate|coach|boss|colleague|coworker)s?",
    few: "sometimes|rarely|seldom|only|hardly|barely|almost never",
  },
  es: {
    plan: "quiere|planea|va a|quisiera|espera",
    past: "era|fue|fueron|vivía|tenía",
    other: "herman[oa]s?|amig[oa]s?|madre|padre|hij[oa]s?",
    few: "solo|a veces|rara vez",
  },
  pt: {
    plan: "quer|planeja|vai|pretende",
    past: "era|foi|tinha",
    other: "irmã|irmão|amig[oa]s?|mãe|pai|filh[oa]s?",
    few: "só|às vezes",
  },
  de: {
    plan: "will|möchte|plant|hofft|würde",
    past: "war|hatte|früher",
    other: "bruder|schwester|freund(?:in)?|mutter|vater|sohn|tochter",
    few: "nur|manchmal|selten",
  },
  fr: {
    plan: "veut|voudrait|compte|espère|va",
    past: "était|avait|autrefois",
    other: "frère|sœur|soeur|amie?|mère|père|fils|fille",
    few: "seulement|parfois|rarement",
  },
  ru: {
    plan: "хочет|хотела?|планирует|собирается|мечтает|будет|надеется",
    past: "была?|были|раньше",
    other:
      "брат\\p{L}{0,2}|сестр\\p{L}{1,2}|друг\\p{L}{0,2}|подруг\\p{L}{1,2}|мам\\p{L}{1,2}|пап\\p{L}{1,2}|сын\\p{L}{0,2}|доч\\p{L}{1,2}",
    few: "только|иногда|редко",
  },
  ja: {
    plan: "たい|予定|つもり|計画",
    past: "昔|以前|子供の頃",
    other: "兄|弟|姉|妹|友達|友人|母|父|息子|娘",
    few: "だけ|たまに|しか",
  },
};

/** Pairs that exclude each other, as written. */
export const OPPOSITES: ByLanguage<string> = {
  en: "morning/evening early/late left/right day/night hot/cold before/after more/less most/least first/last always/never single/multi win/lose won/lost slow/fast sweet/salty online/offline light/dark vegetarian/carnivore inverted/normal full-time/part-time owl/bird easy/hard old/young open/closed indoors/outdoors summer/winter odd/even loud/quiet beginner/expert",
  es: "mañana/noche izquierda/derecha día/noche más/menos dulce/salado",
  de: "morgens/abends links/rechts mehr/weniger süß/salzig",
  fr: "matin/soir gauche/droite plus/moins sucré/salé",
  ru: "утром/вечером утром/ночью левша/правша сладкое/солёное больше/меньше днём/ночью",
  ja: "朝/夜 左利き/右利き 昼/夜 夏/冬 甘い/辛い",
};

/** Verbs and nouns that say nothing about what a fact is on. */
export const GENERIC: ByLanguage<string> = {
  en: "plays likes watches lives goes uses works wants streams makes gets game games stream video people prefers thing things time owns",
  es: "juega gusta vive usa trabaja quiere juego",
  pt: "joga gosta mora usa trabalha quer jogo",
  de: "spielt mag wohnt lebt geht will spiel",
  fr: "joue aime habite vit veut jeu",
  ru: "играет любит живет живёт смотрит работает хочет игра игру",
  ja: "プレイ 好き 住ん 見 使 する ゲーム",
};

/** In a sentence with one of these the order of two things says which is which. */
export const ORDERING: ByLanguage<string> = {
  en: "over|than|instead|rather|before|after|prefers",
  es: "que|antes|prefiere",
  de: "als|statt|lieber",
  fr: "que|plutôt|préfère",
  ru: "чем|вместо|предпочитает",
  ja: "より|代わり",
};

const NOT_BEHIND = "(?:only|just|yet|even|always|at all|very|really|any)";
const BEFORE_JA = "(?:前|以前|昔|かつて|元々|もともと|去年|昨年|先月|先週)(?:まで)?(?:は|に)?、?";
const NOW_JA = "(?:今|いま|現在|最近|今年|今月)(?:は|では|の|だと)?、?";
const BEFORE_ZH = "(?:以前|之前|原来|原來|过去|過去|曾经|曾經|本来|本來|从前|從前)(?:是|都)?";
const NOW_ZH = "(?:但是?|不过|不過)?(?:现在|現在|如今|目前|后来|後來)(?:已经|已經|都|改)?";

/**
 * Sentences that set one thing against another: `old` is not, or no longer, so, `young` is, and `head`, where there is
 * one, belongs to both. Looked up without people. "Not only" sets nothing against anything.
 */
export const CONTRASTS: ByLanguage<readonly RegExp[]> = {
  en: [
    new RegExp(
      `^(?<young>[^,]{3,80}), (?:and |but )?not (?!${NOT_BEHIND}(?!\\p{L}))(?<old>[^,]{2,60})$`,
      "u",
    ),
  ],
  es: [/^(?<young>[^,]{3,80}), (?:y |pero )?no (?!solo|más|mucho|siempre)(?<old>[^,]{2,60})$/u],
  pt: [/^(?<young>[^,]{3,80}), (?:e |mas )?não (?!só|mais|muito|sempre)(?<old>[^,]{2,60})$/u],
  de: [/^(?<young>[^,]{3,80}), (?:und |aber )?nicht (?!nur|mehr|sehr|immer)(?<old>[^,]{2,60})$/u],
  fr: [
    /^(?<young>[^,]{3,80}), (?:et |mais )?pas (?!seulement|toujours|encore)(?<old>[^,]{2,60})$/u,
  ],
  ru: [/^(?<young>[^,]{3,80}), (?:а |и )не (?!только|всегда|очень)(?<old>[^,]{2,60})$/u],
  ja: [
    /^(?<old>[^。]{1,40}?)(?:の|ん|わけ)(?:では|じゃ)なくて?、?(?:て)?(?<young>[^。]{1,60})$/u,
    /^(?<head>(?:(?:毎朝|毎日|毎晩|毎週|いつも|普段|[^。、はがを]{1,12}は)、?)?)(?<old>[^。、]{1,30}?)(?<!だけ|ばかり|のみ|ほど)(?:に|で|を|が|と)?(?:では|じゃ)なくて?、?(?<young>[^。]{1,60})$/u,
    /^(?<young>[^。]{1,40}?)(?:であって|で、|、|。)(?<old>[^。、はがをに]{1,20}?)(?<!だけ|ばかり|のみ|ほど)(?:では|じゃ)(?:ない|ありません)(?:です)?$/u,
    new RegExp(
      `^${BEFORE_JA}(?<old>[^。、]{1,30}?)(?:ですが|だが|が|けど|けれども?|のに|し|で)?[、。]?${NOW_JA}(?<young>[^。]{1,60})$`,
      "u",
    ),
    new RegExp(
      `^もう(?<old>[^。、]{1,30}?)(?:ない|なく|ません)(?:て|が|けど|けれど|し)?[、。]?(?:${NOW_JA}|代わりに)(?<young>[^。]{1,60})$`,
      "u",
    ),
    /^(?<old>[^。、]{1,20})から(?<young>[^。、]{1,20}?)(?:に|へ)(?:変え|変わ|変更|乗り換え|切り替え|転向|移行|替え)(?:た|った|ました|りました|しました|した)?$/u,
    /^(?<old>[^。、]{1,20}?)(?:を|は)やめて、?(?<young>[^。]{1,60})$/u,
  ],
  zh: [
    /^(?<head>[^，。]{0,12}?)的?(?:并|並)?不是(?<old>[^，。]{1,15}?)，?而?是(?<young>[^，。]{1,15})$/u,
    /^(?<head>喜欢|喜歡|爱|愛|喝|玩|吃|养|養|学|學)(?<young>[^，。]{1,15})，不再?\k<head>(?<old>[^，。]{1,15})$/u,
    /^(?<head>喜欢|喜歡|最?爱|最?愛|喝|玩|住在|用|吃|养|養|看|学|學|是)(?<young>[^，。]{1,15})，?(?:而不是|而非|不是)(?<old>[^，。]{1,15})$/u,
    new RegExp(`^${BEFORE_ZH}(?<old>[^，。]{1,20}?)[，。]?${NOW_ZH}(?<young>[^，。]{1,30})$`, "u"),
    /^不再(?<old>[^，。]{1,15})，(?:而是|现在|現在|改|转而|轉而)(?<young>[^，。]{1,30})$/u,
    /^从(?<old>[^，。]{1,15})(?:换|改|转|变)(?:成|到|为)了?(?<young>[^，。]{1,15})$/u,
  ],
  ko: [
    /^(?<old>[^,.]{1,20}?)(?<!뿐만|뿐|만)(?:이|가) 아니라,? (?<young>[^,.]{1,40})$/u,
    /^(?:예전|전|이전|옛날|과거)에는? (?<old>[^,.]{1,30}?)(?:지만|는데|고|다가)?,? (?:지금은|이제는?|현재는?) (?<young>[^,.]{1,40})$/u,
  ],
};
