import { expect, test } from "vitest";
import { asksToForget } from "../../src/privacy/plain-words.ts";

test.each([
  "Forget everything you know about me!",
  "please forget everything that you know about me",
  "can you delete all my data?",
  "I'm off. Forget me.",
  "I want to be forgotten",
  "забудь всё, что ты обо мне знаешь",
  "удали мои данные",
  "olvida todo lo que sabes de mí",
  "vergiss alles, was du über mich weißt",
  "oublie tout ce que tu sais sur moi",
  "esqueça tudo o que você sabe sobre mim",
  "zapomnij wszystko, co o mnie wiesz",
  "dimentica tutto quello che sai su di me",
  "私のことを全部忘れて",
  "나에 대해 아는 것을 전부 잊어줘",
  "忘记关于我的一切",
  "забудь все що ти про мене знаєш",
  "lütfen hakkımda bildiğin her şeyi unut",
  "انس كل شيء عني",
  "मुझे भूल जाओ",
  "Oublie-moi, s'il te plaît",
  "Hey, kannst du bitte alles, was du über mich weißt, löschen?",
])("%s leads to the command", (said) => {
  expect(asksToForget(said, "!vanish")).toContain("!vanish");
});

test.each([
  "forget everything you know about my ex",
  "forget everything about me and my dog",
  "don't forget me",
  "did you forget everything you know about me?",
  "you always forget everything about me lol",
  "forget about it",
  "забудь всё что знаешь о моей бывшей",
  "olvida todo lo que sabes de mi ex",
  "vergiss mich nicht",
  "oublie tout ce que tu sais sur mon frère",
  "忘记我的前女友",
])("%s is no such wish", (said) => {
  expect(asksToForget(said, "!forgetme")).toBeNull();
});

test("a long line is not looked through", () => {
  expect(asksToForget(`${"please ".repeat(60)}forget me`, "!forgetme")).toBeNull();
});
