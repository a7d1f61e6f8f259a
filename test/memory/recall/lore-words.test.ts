import fc from "fast-check";
import { expect, test } from "vitest";
import { normalWords } from "../../../src/language/words.ts";
import type { LoreNote } from "../../../src/memory/recall/weigh.ts";
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
  // A part of a longer word.
  ["German", "wie heißt mein Hund noch?", "hat einen Schäferhund namens Rex"],
  ["German", "mein Garten ist voll", "pflegt einen Gemüsegarten"],
  ["German", "was mache ich gern mit Maschinen?", "Repariert alte Schreibmaschinen"],
  ["Chinese", "我的狗叫什么名字", "养了一只小狗"],
  ["Chinese", "我的貓呢", "有一隻橘貓"],
  ["Japanese", "犬の名前は？", "柴犬を飼っている"],
  // Marks on letters, and signs within a word.
  ["ASCII", "any pokemon news", "collects Pokémon cards"],
  ["ASCII", "which cafe was it", "runs a café in Lyon"],
  ["English", "have you seen re:zero", "watches Re:Zero every spring"],
] as const)("a message in %s finds its note: %s", (_, message, fact) => {
  const { recall } = loreWorld([
    { id: 1, fact, ageDays: 90 },
    ...others(12, "вот 別の 다른 other note"),
  ]);
  expect(recall.lore(asking(message))[0]?.id).toBe(1);
});

test("the end of a word says something only where words are joined to one, and only as a part", () => {
  const { recall } = loreWorld([
    { id: 1, fact: "grows dandelions" },
    { id: 2, fact: "hat einen Schäferhund" },
    { id: 3, fact: "hat einen Hund" },
  ]);
  const lexical = (message: string, id: number) =>
    recall.lore(asking(message)).find((note) => note.id === id)?.terms.lexical ?? 0;
  expect(lexical("where have the lions gone", 1)).toBe(0);
  expect(lexical("was macht der Hund", 2)).toBeGreaterThan(0);
  expect(lexical("was macht der Hund", 2)).toBeLessThan(lexical("was macht der Hund", 3));
});

test("a word that begins alike counts for half", () => {
  const { recall } = loreWorld([
    { id: 1, fact: "plays the theremin" },
    { id: 2, fact: "met a thereminist" },
  ]);
  const lexical = (message: string, id: number) =>
    recall.lore(asking(message)).find((note) => note.id === id)?.terms.lexical ?? 0;
  expect(lexical("a theremin", 1)).toBeGreaterThan(lexical("a theremin", 2));
  expect(lexical("a theremin", 2)).toBeGreaterThan(0);
});

test("a note that has a word and one that begins alike counts as if it had the word alone", () => {
  const { recall } = loreWorld([
    { id: 1, fact: "plays the theremin" },
    { id: 2, fact: "plays the theremin, a thereminist" },
    { id: 3, fact: "met a thereminist" },
    { id: 4, fact: "met a thereminist with a theremin" },
  ]);
  const shown = recall.lore(asking("a theremin", { withRepeated: true }));
  const lexical = (id: number) => shown.find((note) => note.id === id)?.terms.lexical;
  expect([lexical(2), lexical(4)]).toEqual([lexical(1), lexical(1)]);
  expect(lexical(3)).toBeLessThan(lexical(1) ?? 0);
});

test.each([
  ["runs a gärtnerei", "gartnering"],
  ["كتابخانه", "كتابدار"],
  ["강아지풀", "강아쥐"],
])("%s is found by '%s'", (fact, message) => {
  const { recall } = loreWorld([{ id: 1, fact }, ...others(5, "another note")]);
  expect(recall.lore(asking(message)).find(({ id }) => id === 1)?.terms.lexical).toBeGreaterThan(0);
});

test.each([
  ["차、고양이、꽃", "고양이"],
  ["tea|honey|wax", "honey"],
  ["tea, honey\nwax", "tea"],
])("of the topics '%s' one is found by '%s'", (topics, message) => {
  const { recall } = loreWorld([{ id: 1, fact: "likes things", topics }]);
  expect(recall.lore(asking(message))[0]?.terms.topic).toBeGreaterThan(0);
});

test("for any notes and any message the order is that of place, score, confirmation and id", () => {
  const kinds = ["profile", "constraint", "preference", "running_bit", "event", "state"];
  const words = ["bees", "chess", "bread", "rain", "猫", "собака", "a b", ""];
  const note = fc.record({
    kind: fc.constantFrom(...kinds),
    fact: fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((some) => some.join(" ")),
    topics: fc.array(fc.constantFrom(...words), { maxLength: 2 }).map((some) => some.join(", ")),
    confidence: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(0.8)),
    importance: fc.constantFrom(0, 0.1, 0.2),
    // Not yet: of one age, and confirmed at different times.
    ageDays: fc.integer({ min: -300, max: 600 }),
  });
  fc.assert(
    fc.property(
      fc.array(note, { maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.constantFrom(...words),
      (notes, noise, word) => {
        const { db, recall } = loreWorld(notes);
        const shown = recall.lore(asking(`${noise} ${word}`, { limit: 60, withRepeated: true }));
        expect(shown).toHaveLength(notes.filter(({ confidence }) => confidence >= 0.4).length);
        for (const [n, next] of shown.entries()) {
          const before = shown[n - 1];
          expect(next.score).toBeGreaterThanOrEqual(0);
          expect(next.terms.lexical).toBeLessThan(10);
          if (before === undefined) continue;
          expect(isBefore(before, next, notes)).toBe(true);
        }
        const places = (place: number) => shown.filter((one) => one.place === place);
        expect(places(0).length).toBeLessThanOrEqual(3);
        for (const kind of kinds) {
          const early = shown.filter((one) => one.kind === kind && group(one) < 2).length;
          expect(early).toBeLessThanOrEqual(5 + 3);
        }
        db.close();
      },
    ),
    { numRuns: 60 },
  );
});

/** The newest (4) stand by score among the best (1). */
function group({ place }: LoreNote): number {
  return place === 4 ? 1 : place;
}

/** Whether one stands before the other: by place, then by score, confirmation and id, the highest first. */
function isBefore(
  one: LoreNote,
  other: LoreNote,
  notes: readonly { readonly ageDays: number }[],
): boolean {
  const keys = (note: LoreNote) => [
    -group(note),
    note.score,
    -(notes[note.id - 1]?.ageDays ?? 0),
    note.id,
  ];
  const [first, second] = [keys(one), keys(other)];
  const at = first.findIndex((key, n) => key !== second[n]);
  return (first[at] ?? 0) > (second[at] ?? 0);
}

test("words in a note are those that a message is read to", () => {
  expect(normalWords("keeps bees")).toEqual(normalWords("keeping bee"));
});
