import type { SelfLanguage, SelfRule } from "./self-rule.ts";

const I = "(?:(?:私|僕|俺|わたし|ぼく|おれ|自分|うち|あたし)(?:は|も)?[、\\s]*)?";
const MY = "(?:(?:私|僕|俺|わたし|ぼく|おれ|自分|うち|あたし)の)?";
/** Without the particles that would make somebody else the subject. */
const WHAT =
  "(?:今|最近|普段|ずっと|主に|よく|毎日|まだ|今日から)?(?<what>[^はがもを、。\\s()]{1,24}?(?: [\\p{L}\\p{N}]{1,12})?)";
const ENDS = "(?:です|だ|なんです|なんだ|でーす)?";
const GOING_ON = "い?(?:ます|る|るんです)";
const HABIT = "(?:毎日|毎朝|毎晩|いつも|よく|普段は?|朝は|夜は)?、?";
/** A thing to drink or to play on: without a habit's word "now" must not stand before it. */
const THING = "(?!今|これから|あとで|後で)(?<what>[^はがもを、。\\s()]{1,16}?)";
const TIER =
  "アイアン|ブロンズ|シルバー|ゴールド|プラチナ|プラ|エメラルド|ダイヤ|ダイヤモンド|アセンダント|イモータル|マスター";
const PET = "猫|犬|ねこ|いぬ|ネコ|イヌ|うさぎ|ハムスター|インコ|鳥|亀|キャラ|チーム";

function rule(said: string, told: string): SelfRule {
  return { said: new RegExp(`^${said}$`, "u"), told };
}

const RULES: readonly SelfRule[] = [
  rule(
    `${MY}(?:一番)?好きな(?<which>[^はがも、。\\s]{1,10})は(?<what>[^はが、。]{1,24}?)${ENDS}`,
    "$Pの好きな{which}は{what}",
  ),
  rule(`${MY}(?<pet>${PET})の名前は(?<what>[^はが、。]{1,16}?)${ENDS}`, "$Pの{pet}の名前は{what}"),
  rule(
    `${MY}(?<pet>${PET})は(?<what>[^はが、。]{1,16}?)(?:と|って)(?:いいます|言います|いう名前です)`,
    "$Pの{pet}の名前は{what}",
  ),
  rule(`${MY}(?:今の)?ランクは(?<what>[^はが、。]{1,16}?)${ENDS}`, "$Pのランクは{what}"),
  rule(
    `${I}(?:今は|今|現在|やっと)?(?:ランク)?(?<what>(?:${TIER})\\d{1,2})${ENDS}`,
    "$Pのランクは{what}",
  ),
  rule(`${I}(?:今は|今|現在|やっと)?ランク(?<what>\\d{1,6})${ENDS}`, "$Pのランクは{what}"),
  rule(`${I}${HABIT}${THING}を${HABIT}飲(?:みます|む)`, "$Pは{what}を飲む"),
  rule(`${I}${THING}[はを](?:飲みません|飲まない)(?:です)?`, "$Pは{what}を飲まない"),
  rule(`${I}${HABIT}${THING}を${HABIT}弾(?:きます|く|いて${GOING_ON})`, "$Pは{what}を弾く"),
  rule(`${I}(?:よく|毎日|毎朝|いつも)${THING}を食べ(?:ます|る)`, "$Pはよく{what}を食べる"),
  rule(`${I}${THING}をよく食べ(?:ます|る)`, "$Pはよく{what}を食べる"),
  rule(
    `${I}(?:家で)?(?<pet>(?:${PET}))を(?:[一二三四五\\d]匹)?飼って${GOING_ON}`,
    "$Pは{pet}を飼っている",
  ),
  rule(
    `${I}(?:明日|あした|あす)(?:は|から)?[、\\s]*(?:私は|僕は|俺は)?(?<what>[^はがも、。]{1,24}?)(?:します|する予定です|する予定|するよ)`,
    "$Pは明日{what}する",
  ),
  rule(
    `${I}(?:明日|あした|あす)(?:は|から)?[、\\s]*(?<what>[^はがも、。]{1,24}?)(?<to>に|へ)行(?:きます|く|く予定です)`,
    "$Pは明日{what}{to}行く",
  ),
  rule(
    `${MY}?(?:ことは|の事は)?(?<what>[^はがも、。\\s]{1,16}?)(?:と|って)呼んで(?:ください|下さい|ほしいです|欲しいです|ほしい|欲しい|くれ)?`,
    "$Pは{what}と呼ばれたい",
  ),
  rule(
    `${I}もう${WHAT}(?:は|を)?(?:やって|プレイして)い?(?:ません|ないです|ない)`,
    "$Pはもう{what}をやっていない",
  ),
  rule(
    `${I}もう${WHAT}に(?:は)?住んで(?:い)?(?:ません|ないです|ない)`,
    "$Pはもう{what}に住んでいない",
  ),
  rule(`${I}(?:もう)?${WHAT}(?:を|は)(?:やめ|引退し)(?:ました|た)`, "$Pは{what}をやめた"),
  rule(
    `${I}${WHAT}(?:を|は)(?:やって|プレイして)い?(?:ません|ないです|ない)`,
    "$Pは{what}をやっていない",
  ),
  rule(`${I}${WHAT}出身${ENDS}`, "$Pは{what}出身"),
  rule(`${I}${WHAT}から来(?:ました|た)`, "$Pは{what}から来た"),
  rule(`${I}${WHAT}に住んで${GOING_ON}`, "$Pは{what}に住んでいる"),
  rule(
    `${I}(?<from>[^はがも、。\\s]{1,10}から)?${WHAT}(?:に|へ)引っ越し(?:ました|た|たんです)`,
    "$Pは{from}{what}に引っ越した",
  ),
  rule(`${I}${WHAT}(?:を|で)(?:プレイして|遊んで|やって)${GOING_ON}`, "$Pは{what}をやっている"),
  rule(`${I}${WHAT}(?:メイン|使い)${ENDS}`, "$Pは{what}をよく使う"),
  rule(`${I}${WHAT}(?:が|は)(?<how>(?:一番)?大?好き|大?嫌い|苦手)${ENDS}`, "$Pは{what}が{how}"),
  rule(`${I}${WHAT}(?:が|は)好きじゃ(?:ない|ありません)(?:です)?`, "$Pは{what}が好きではない"),
  rule(`${I}${WHAT}(?<as>として|で)働いて${GOING_ON}`, "$Pは{what}{as}働いている"),
  rule(`${I}${WHAT}(?:の|を)?勉強(?:を?して${GOING_ON}|中${ENDS})`, "$Pは{what}を勉強している"),
];

export const JAPANESE: SelfLanguage = {
  rules: RULES,
  own: /^(?:私|僕|俺|わたし|ぼく|おれ|自分)/u,
  fillers:
    /^(?:(?:こんにちは|こんばんは|おはよう(?:ございます)?|ちなみに|実は|えっと|はい|そう|あの|へえ|ああ)[、。!！\s]+|(?:the bot|someone|P\d{1,4})(?:さん)?[、\s!！]+|[^\p{L}\p{N}"'(]+)+/u,
  cut: /(?!)/u,
  vague:
    /^(?:それ|これ|あれ|ここ|そこ|みんな|誰|何|君|あなた|お前|彼|彼女|友達|弟|妹|兄|姉|母|父|今|そう|どう|の|と|を|に|配信)/u,
  joints: /(?!)/u,
  spell: (text) =>
    text.replace(/(?:[ねよなぁ]*[\s〜~ー!！。.…♪☆wWｗ笑草]*|\s*\(笑\))$/u, "").trim(),
  turn: (matter) => matter,
};
