import { sentencesOf } from "../language/sentences.ts";

interface Language {
  /** A whole sentence that asks to forget everything, without its punctuation, in lower case. */
  readonly asks: RegExp;
  /** What is said then: how to have it done. `!` stands for the command. */
  readonly answer: string;
}

const TEXT_CHARS_MAX = 300;
const EDGES = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu;

/** Only whole sentences, so that "forget everything you know about my ex" is none of them. */
const LANGUAGES: readonly Language[] = [
  {
    asks: whole(
      "(?:(?:hey|ok|okay|so|now|and|please|pls|just|can you|could you|would you|will you|you should|you must|i want you to|i would like you to|i'd like you to) )*(?:(?:forget|delete|erase|remove|wipe|clear)(?: about)? (?:(?:everything|all|anything|whatever|all (?:the|of the|of my|my) (?:data|info|information|notes|facts|memories|memory|things|stuff))(?: (?:that )?(?:you|you've|you have|u) (?:ever )?(?:know|knew|have|got|remember|remembered|stored?|saved?|kept|keep|learned|learnt|noted))?(?: (?:on|about|of|from|for) me)|(?:everything|all) about me|(?:all )?(?:of )?my (?:personal )?(?:data|info|information|memory|memories|notes)|me|that i (?:ever )?exist(?:ed)?)|(?:make|i want) me (?:be )?forgotten|i (?:want|wish|would like|'d like) to be forgotten|stop remembering me)(?: (?:please|pls|thanks|thank you|now|right now|completely|entirely|forever|at once))*",
    ),
    answer: "To have me forget everything about you, say ! within a minute. It cannot be undone.",
  },
  {
    asks: whole(
      "(?:(?:пожалуйста|эй|слушай|ну|можешь|прошу) )*(?:забудь(?:те)?|удали(?:те)?|сотри(?:те)?|забыть|удалить) (?:(?:пожалуйста )?(?:вс[её]|все данные|всю информацию|все заметки)(?:,? что (?:ты |вы )?(?:обо мне )?(?:знаешь|знаете|помнишь|помните|запомнила?)(?: обо мне)?| обо мне)|меня|(?:все )?мои данные)(?: (?:пожалуйста|навсегда|полностью|сейчас))*",
    ),
    answer: "Чтобы я забыл о тебе всё, напиши ! в течение минуты. Отменить это нельзя.",
  },
  {
    asks: whole(
      "(?:(?:por favor|oye|puedes|podrías|quiero que) )*(?:olvida(?:te)?|olvides|olvidar|borra|borres|borrar|elimina|elimines) (?:(?:de )?todo (?:lo que (?:sabes|recuerdas|tienes|guardas|guardaste) )?(?:de|sobre|acerca de) m[ií]|(?:todos )?mis datos|de m[ií])(?: (?:por favor|gracias|ya|ahora))*",
    ),
    answer: "Para que olvide todo sobre ti, escribe ! antes de un minuto. No se puede deshacer.",
  },
  {
    asks: whole(
      "(?:(?:bitte|hey|kannst du|könntest du) )*(?:vergiss|vergesse|lösche?|lösch) (?:bitte )?(?:alles,? (?:was du )?(?:über mich|von mir)(?: (?:weißt|weisst|gespeichert hast|hast))?|(?:alle )?meine daten|mich)(?: (?:bitte|jetzt|komplett|sofort))*|(?:bitte )?(?:alles,? (?:was du )?über mich (?:weißt |weisst )?)(?:vergessen|löschen)(?: bitte)?",
    ),
    answer:
      "Schreib innerhalb einer Minute !, dann vergesse ich alles über dich. Das ist endgültig.",
  },
  {
    asks: whole(
      "(?:(?:s'il te plaît|stp|svp|hé|peux-tu|tu peux|pourrais-tu) )*(?:oublie|oublies|oublier|efface|effacer|supprime|supprimer) (?:tout (?:ce que tu (?:sais|as|retiens) )?(?:sur|de|à propos de) moi|toutes? mes données|mes données|moi)(?: (?:s'il te plaît|stp|svp|merci|maintenant))*|oublie-moi",
    ),
    answer: "Pour que j'oublie tout sur toi, écris ! dans la minute. C'est définitif.",
  },
  {
    asks: whole(
      "(?:(?:por favor|ei|pode|podes|você pode|quero que) )*(?:esque[cç]a|esquece|esquecer|apaga|apague|apagar|exclua|deleta|delete) (?:(?:de )?tudo (?:o )?(?:que (?:você |voce |tu |vc )?(?:sabe|sabes|tem|lembra) )?(?:sobre|de|a respeito de) mim|(?:todos )?(?:os )?meus dados|(?:de )?mim)(?: (?:por favor|obrigad[oa]|agora))*",
    ),
    answer: "Para eu esquecer tudo sobre você, escreva ! em até um minuto. Não dá para desfazer.",
  },
  {
    asks: whole(
      "(?:(?:proszę|hej|możesz|mógłbyś) )*(?:zapomnij|zapomnieć|usuń|usunąć|skasuj|wymaż) (?:(?:proszę )?wszystko,? (?:co (?:o mnie )?(?:wiesz|pamiętasz|masz)(?: o mnie)?|o mnie)|(?:wszystkie )?moje dane|o mnie)(?: (?:proszę|teraz))*",
    ),
    answer: "Abym zapomniał wszystko o tobie, napisz ! w ciągu minuty. Nie da się tego cofnąć.",
  },
  {
    asks: whole(
      "(?:(?:per favore|ehi|puoi|potresti) )*(?:dimentica|dimenticare|cancella|cancellare|elimina) (?:tutto (?:(?:quello|ciò) che (?:sai|ricordi|hai) )?(?:su|di) (?:di )?me|(?:tutti )?i miei dati)(?: (?:per favore|grazie|ora))*|dimenticami",
    ),
    answer: "Perché io dimentichi tutto di te, scrivi ! entro un minuto. Non si può annullare.",
  },
  {
    asks: whole(
      "(?:私|僕|俺|わたし|ぼく|おれ)(?:の事|のこと|について|に関して)(?:知っている|知ってる|覚えている|覚えてる)?(?:こと|事|情報|記憶)?(?:は|を|も)?(?:全部|すべて|全て|ぜんぶ)?(?:は|を)?(?:忘れて|消して|削除して)(?:ください|下さい|くれ|ね|よ|ほしい|欲しい)*|(?:私|僕|俺)の(?:データ|情報|記憶)(?:を|は)?(?:全部|すべて|全て)?(?:を)?(?:消して|削除して|忘れて)(?:ください|下さい|くれ|ね)*",
    ),
    answer:
      "あなたについての記憶をすべて消すには、1分以内に ! と書いてください。元には戻せません。",
  },
  {
    asks: whole(
      "(?:나|저)(?:에|에게)? ?(?:대해|대한|관해|관한)(?:서)? ?(?:(?:네가|니가|당신이)? ?(?:알고 있는|아는|기억하는) ?)?(?:것|거|정보|기억|데이터)?(?:을|를|은|는)? ?(?:전부|모두|모든 것을?|다|싹 다)? ?(?:다 )?(?:잊어|잊어줘|지워|지워줘|삭제해|삭제해줘)(?: ?(?:주세요|줘|요))?|(?:내|제) ?(?:데이터|정보|기억)(?:를|을)? ?(?:전부|모두|다)? ?(?:지워|지워줘|삭제해|삭제해줘|잊어줘)(?: ?(?:주세요|줘|요))?",
    ),
    answer: "나에 대한 모든 기억을 지우려면 1분 안에 ! 라고 쓰세요. 되돌릴 수 없습니다.",
  },
  {
    asks: whole(
      "(?:请|請|麻烦|麻煩)?(?:你)?(?:(?:忘记|忘記|忘掉|忘了|删除|刪除|删掉|清除)(?:所有|全部|一切)?(?:你)?(?:所)?(?:知道|记得|記得|了解)?(?:的)?(?:有?关于|有?關於)?我的(?:一切|所有(?:事情?|信息|資料|资料|数据)?|全部|事情?|信息|資料|资料|数据|數據)|(?:忘记|忘記|忘掉|忘了)我|(?:把)?(?:关于|關於)我的(?:一切|所有|全部|事情?|信息|资料|資料)(?:都|全部)?(?:忘记|忘記|忘掉|忘了|删除|刪除|删掉|清除))(?:吧|好吗|好嗎)?",
    ),
    answer: "要我忘记关于你的一切，请在一分钟内发送 ! 。此操作无法撤销。",
  },
];

/**
 * How to be forgotten, where a line asks for that in plain words; null for every other line. No model is asked, and
 * nothing is forgotten yet: `command` is what does it. `said` is what was said to the bot, without its name.
 */
export function askedToForget(said: string, command: string): string | null {
  if (said.length > TEXT_CHARS_MAX) return null;
  const sentences = [said, ...sentencesOf(said).map(({ text }) => text)].map((one) =>
    one.normalize("NFKC").replaceAll("’", "'").toLowerCase().replace(EDGES, ""),
  );
  const language = LANGUAGES.find(({ asks }) => sentences.some((one) => asks.test(one)));
  return language === undefined ? null : language.answer.replace("!", command);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, "u");
}
