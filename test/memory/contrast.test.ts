import { expect, test } from "vitest";
import { compareFacts, mayBeSame } from "../../src/memory/similarity.ts";
import { judge, NOTE } from "./judge.ts";

/** A line each: what is known, and what is new. */
const DENIED = `
夜勤だ | 夜勤ではなく日勤です
夜勤で働いている | 夜勤じゃなくて日勤だ
仕事は夜勤です | 仕事は夜勤ではなく日勤です
コーヒーが好き | コーヒーではなく紅茶が好き
コーヒーが好きだ | コーヒーじゃなくて紅茶が好きです
好きな飲み物はコーヒー | 好きな飲み物はコーヒーではなく紅茶
犬を飼っている | もう犬は飼っていない
犬を飼っている | 犬ではなく猫を飼っている
犬を飼っている | 犬を飼っているのではなく猫を飼っている
犬を飼っている | 前は犬、今は猫を飼っている
東京に住んでいる | 前は東京、今は大阪に住んでいる
東京に住んでいる | 以前は東京に住んでいたが、今は大阪に住んでいる
東京に住んでいる | 東京ではなく大阪に住んでいる
東京に住んでいる | 東京にではなく大阪に住んでいる
東京に住んでいる | もう東京に住んでいない、今は大阪に住んでいる
夜勤です | 前は夜勤だったけど今は日勤です
夜勤です | 夜勤から日勤に変わった
夜勤です | 日勤であって夜勤ではない
ヴァロラントをプレイしている | ヴァロラントではなくエーペックスをプレイしている
ヴァロラントをプレイしている | ヴァロラントをやめてエーペックスをプレイしている
看护师 | 不是看护师，而是老师
喜欢咖啡 | 喜欢的不是咖啡而是茶
喜欢咖啡 | 喜欢茶，不喜欢咖啡
喜欢咖啡 | 喜欢茶而不是咖啡
住在东京 | 以前住在东京，现在住在大阪
上夜班 | 以前上夜班，现在上白班
养狗 | 不再养狗，现在养猫
커피를 좋아한다 | 커피가 아니라 차를 좋아한다
도쿄에 산다 | 전에는 도쿄에 살았지만 지금은 오사카에 산다
강아지를 키운다 | 예전에는 강아지를 키웠는데 지금은 고양이를 키운다
lives in Tokyo | lives in Osaka, not Tokyo
lives in Tokyo | lives in Osaka, not in Tokyo
likes coffee | likes tea, not coffee
likes tea, not coffee | likes coffee, not tea
コーヒーではなく紅茶が好き | 紅茶ではなくコーヒーが好き
コーヒーではなく紅茶が好き | コーヒーが好き
前は東京、今は大阪に住んでいる | 東京に住んでいる
喜欢茶而不是咖啡 | 喜欢咖啡而不是茶
wohnt in Kiel | wohnt in Bremen, nicht Kiel
vive en Sevilla | vive en Bilbao, no en Sevilla
habite à Lyon | habite à Nantes, pas à Lyon
живёт в Казани | живёт в Самаре, а не в Казани
mora em Lisboa | mora em Porto, não em Lisboa
`;
const ASSERTED = `
日勤です | 夜勤ではなく日勤です
紅茶が好き | コーヒーではなく紅茶が好き
猫を飼っている | 犬ではなく猫を飼っている
大阪に住んでいる | 前は東京、今は大阪に住んでいる
エーペックスをプレイしている | ヴァロラントではなくエーペックスをプレイしている
喜欢茶 | 喜欢的不是咖啡而是茶
住在大阪 | 以前住在东京，现在住在大阪
차를 좋아한다 | 커피가 아니라 차를 좋아한다
likes tea | likes tea, not coffee
`;
const OTHERS = `
紅茶の葉を集めている | コーヒーではなく紅茶が好き
英語を勉強している | 日本人で英語は得意ではない
コーヒーが好き | コーヒーだけでなく紅茶も好き
コーヒーが好き | コーヒーだけではなく紅茶が好き
喜欢咖啡 | 不仅喜欢咖啡，而且喜欢茶
커피를 좋아한다 | 커피뿐만 아니라 차도 좋아한다
likes coffee | likes tea, not only coffee
京都出身 | 前は東京、今は大阪に住んでいる
猫を飼っている | もう犬は飼っていない
ギターを弾く | 夜勤ではなく日勤です
東京で生まれた | 東京ではなく大阪に住んでいる
夜勤が好き | 夜勤ではなく日勤です
犬が怖い | 犬ではなく猫を飼っている
東京で働いている | 前は東京、今は大阪に住んでいる
東京に住んでいる | 前は東京で働いていたが、今は大阪で働いている
コーヒーカップを集めている | コーヒーから紅茶に変えた
`;
const SAME = `
コーヒーではなく紅茶が好き | コーヒーじゃなくて紅茶が好きです
コーヒーではなく紅茶が好き | 紅茶が好き
夜勤ではなく日勤です | 夜勤じゃなくて日勤だ
`;

test.each(pairsOf(DENIED))("%s, then %s, is a conflict", (known, fact) => {
  expect(compareFacts(known, fact).kind).toBe("conflict");
  expect(mayBeSame(known, fact)).toBe(false);
});

test.each(pairsOf(ASSERTED))("%s is not all that %s says", (known, fact) => {
  expect(compareFacts(known, fact).kind).toBe("distinct");
});

test.each(pairsOf(OTHERS))("%s and %s have nothing to do with each other", (known, fact) => {
  expect(compareFacts(known, fact).kind).toBe("distinct");
});

test.each(pairsOf(SAME))("%s says what %s says", (known, fact) => {
  expect(compareFacts(known, fact).kind).toBe("same");
});

test("the old side's note goes, and that of the new one stays", () => {
  const known = [
    { ...NOTE, id: 3, fact: "{u:1}は東京に住んでいる" },
    { ...NOTE, id: 4, fact: "{u:1}は大阪に友達がいる" },
    { ...NOTE, id: 5, fact: "{u:1}は大阪に住んでいる" },
  ];
  for (const fact of [
    "{u:1}は東京ではなく大阪に住んでいる",
    "{u:1}は前は東京、今は大阪に住んでいる",
  ]) {
    expect(judge({ fact }, { known })).toEqual({
      kind: "supersede",
      reason: "conflict",
      noteIds: [3],
      status: "active",
    });
  }
});

test("the model cannot make a sentence with two sides the same as one of them", () => {
  const known = [{ ...NOTE, fact: "{u:1}は紅茶が好き" }];
  const fact = "{u:1}はコーヒーではなく紅茶が好き";
  expect(judge({ fact, relation: "same", noteId: 7 }, { known })).toMatchObject({ kind: "write" });
});

function pairsOf(list: string): [string, string][] {
  return list
    .trim()
    .split("\n")
    .map((line) => {
      const [known = "", fact = ""] = line.split(" | ");
      return [`{u:1} ${known}`, `{u:1} ${fact}`];
    });
}
