import { expect, test } from "vitest";
import { readStems } from "../../../src/language/stems.ts";
import { loreWorld, others } from "./lore-world.ts";
import { asking } from "./memories.ts";

test.each([
  ["Russian", "как зовут мою собаку", "держит собаку по имени Рекс"],
  ["Japanese", "猫の名前を覚えてる？", "白い猫を飼っている"],
  ["Korean", "내 강아지 이름이 뭐였지", "강아지를 두 마리 키운다"],
  ["Arabic", "ما رأيك في القهوة اليوم", "يحب قهوة سوداء بدون سكر"],
  ["Thai", "แมวของฉันชื่ออะไรนะ", "เลี้ยงแมวสองตัว"],
  ["Chinese", "你还记得我的火锅吗", "最爱四川火锅"],
  ["Spanish", "¿te acuerdas de mis perros?", "tiene un perro que se llama Duque"],
  ["German", "weißt du noch, mein Garten?", "pflegt einen Garten mit Tomaten"],
  // Too short to tell its language, or read as another one than the note.
  ["French", "et mon chien ?", "a un chien nommé Rex"],
  ["French", "comment va mon chien ?", "a un chien nommé Rex"],
  ["German", "was macht mein Kater", "hat einen Kater namens Moritz"],
  ["Portuguese", "e meus gatos?", "tem dois gatos"],
  ["Spanish", "y mis perros", "tiene un perro que se llama Duque"],
  // Marks on letters, and signs within a word.
  ["ASCII", "any pokemon news", "collects Pokémon cards"],
  ["ASCII", "which cafe was it", "runs a café in Lyon"],
  ["English", "have you seen re:zero", "watches Re:Zero every spring"],
] as const)("a message in %s finds its note: %s", (_, message, fact) => {
  const { recall } = loreWorld([
    { id: 1, fact, ageDays: 90 },
    ...others(12, "вот 別の 다른 other note"),
  ]);
  const [newest, best] = recall.lore(asking(message));
  expect([newest?.id, best?.id]).toEqual([111, 1]);
});

test.each([
  ["차、고양이、꽃", "고양이"],
  ["tea|honey|wax", "honey"],
  ["tea, honey\nwax", "tea"],
])("of the topics '%s' one is found by '%s'", (topics, message) => {
  const { recall } = loreWorld([{ id: 1, fact: "likes things", topics }]);
  expect(recall.lore(asking(message))[0]?.terms.topic).toBeGreaterThan(0);
});

test("words in a note are those that a message is read to", () => {
  expect(readStems("keeps bees")).toEqual(readStems("keeping bee"));
});
