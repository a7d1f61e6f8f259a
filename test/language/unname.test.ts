import { expect, test } from "vitest";
import { namesToTakeOut, withoutTokens } from "../../src/language/unname.ts";

function unnamed(text: string, ...names: string[]): string {
  return namesToTakeOut([{ userId: "7", names }]).reduce(
    (left, name) => name.takeOut(left, false),
    text,
  );
}

test.each([
  ["alice and @ALICE and Alice's boat", "someone and someone and someone's boat"],
  ["alice_ and malice and alice2 and @alice_", "alice_ and malice and alice2 and @alice_"],
  ["Aliceさんは強い", "someoneさんは強い"],
])("%s becomes %s", (text, left) => {
  expect(unnamed(text, "alice", "Alice")).toBe(left);
});

test("a short name, and one that is a word of the language, go with an @ only", () => {
  expect(unnamed("bob met @bob", "bob")).toBe("bob met someone");
  expect(unnamed("they met @they", "they")).toBe("they met someone");
});

test("a name in a script without spaces is found wherever it stands", () => {
  expect(unnamed("昨日さくら丸が勝った", "さくら丸")).toBe("昨日someoneが勝った");
  expect(unnamed("猫が好き @猫", "猫")).toBe("猫が好き someone");
});

test("a word that may be none of the person's stays where only mentions go", () => {
  const [name] = namesToTakeOut([{ userId: "7", names: ["valley"] }]);
  expect(name?.mayBeWord).toBe(true);
  expect(name?.takeOut("the valley of @valley", true)).toBe("the valley of someone");
  expect(namesToTakeOut([{ userId: "7", names: ["valley_9"] }])[0]?.mayBeWord).toBe(false);
});

test("only the tokens of the people meant go", () => {
  expect(withoutTokens("{u:7} and {u:77} met {u:8}", ["7", "8"])).toBe(
    "someone and {u:77} met someone",
  );
});
