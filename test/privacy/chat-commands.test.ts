import { expect, test } from "vitest";
import type { Spoken } from "../../src/chat/normalise.ts";
import type { OwnNote } from "../../src/memory/recall/recall-store.ts";
import { openViewerCommands } from "../../src/privacy/chat-commands.ts";
import { answerForgetRequest } from "../../src/privacy/plain-words.ts";
import { spoken } from "../memory/memory-rig.ts";

interface Given {
  readonly notes?: readonly OwnNote[];
  readonly replaced?: number;
  readonly optedOut?: boolean;
  /** The database takes no writes. */
  readonly isDown?: boolean;
}

const removed = (userId: string) => ({
  ...{ userIds: [userId], notes: 2, messages: 1, moments: 3, summaries: 1 },
});

function rig({ notes = [], replaced = 0, optedOut = false, isDown = false }: Given = {}) {
  const done: string[] = [];
  const answers: string[] = [];
  const clock = { nowMs: 1_000_000 };
  const heed = openViewerCommands({
    botNames: () => ["automark", "mark"],
    isToBot: ({ parent }) => parent?.userId === "bot",
    notesFor: () => notes,
    replacedFor: () => replaced,
    requests: {
      remember: (_channel, userId, fact) => {
        done.push(`remember ${userId} ${fact}`);
        return { kind: "done", as: "kept" };
      },
      forget: (_channel, userId, what) => {
        done.push(`forget ${userId} ${typeof what === "number" ? what : what.topic}`);
        return { kind: "done", as: "forgotten" };
      },
    },
    isOptedOut: () => optedOut,
    rights: {
      forget: ({ userId }) => {
        done.push(`forgetme ${userId}`);
        return isDown ? null : removed(userId);
      },
      optOut: ({ userId }) => {
        done.push(`optout ${userId}`);
        return isDown ? null : removed(userId);
      },
      optIn: () => (isDown ? null : { wasOut: optedOut }),
      attempt: (work) => (isDown ? null : work()),
    },
    maySay: (text) => (text.includes("secret") ? null : text),
    say: (_spoken, [first = ""]) => void answers.push(first),
    now: () => clock.nowMs,
  });
  const hear = (text: string, more: Partial<Spoken> = {}, person = 1) =>
    heed({ ...spoken(person, text, "m"), ...more });
  return { hear, done, answers, clock };
}

const NOTES = [
  { id: 12, fact: "Mira plays the bass", topics: "music" },
  { id: 15, fact: "Mira keeps a secret", topics: "" },
];

test("!memory tells the count and each note with its number; what may not be said is only counted", () => {
  const { hear, answers } = rig({ notes: NOTES });
  expect(hear("!Memory")).toBe("wordless");
  expect(answers).toEqual([
    "I know 2 things about you: #12 Mira plays the bass · #15 (not for chat; the streamer can show it)",
  ]);
});

test("!memory counts what was replaced, too", () => {
  const { hear, answers, clock } = rig({ notes: NOTES.slice(0, 1), replaced: 2 });
  hear("!memory");
  clock.nowMs += 31_000;
  const changed = rig({ replaced: 1 });
  changed.hear("!memory");
  expect([...answers, ...changed.answers]).toEqual([
    "I know 1 thing about you, and keep 2 things from before a change: #12 Mira plays the bass",
    "I know 0 things about you, and keep 1 thing from before a change.",
  ]);
});

test("what does not fit goes on, each line short enough, and nothing twice", () => {
  const notes = Array.from({ length: 40 }, (_, n) => ({
    id: n + 1,
    fact: `owns boat number ${n}`,
    topics: "",
  }));
  const { hear, answers, clock } = rig({ notes });
  for (const page of ["", "2", "3", "4", "5", "6"]) {
    hear(`!memory ${page}`.trim());
    clock.nowMs += 31_000;
  }
  expect(answers.every((line) => line.length <= 450)).toBe(true);
  const told = answers.flatMap((line) =>
    [...line.matchAll(/#(\d+) /g)].map(([, id]) => Number(id)),
  );
  expect(told).toEqual(notes.map(({ id }) => id));
  expect(answers.at(-1)).toBe("There is no more.");
});

test("!memory with more than one message gives the commonest topics after the count", () => {
  const notes = Array.from({ length: 40 }, (_, n) => ({
    id: n + 1,
    fact: `owns boat number ${n}`,
    topics: n % 2 === 0 ? "boats" : "sea, boats, secret coves",
  }));
  const { hear, answers } = rig({ notes });
  hear("!memory");
  expect(answers[0]).toMatch(/^I know 40 things about you \(boats, sea\): #1 owns boat number 0/);
  expect(answers[0]?.length).toBeLessThanOrEqual(450);
});

test("topics that leave no room for the first note are left out", () => {
  const long = (word: string) => `${word} ${"x".repeat(38)}`;
  const topics = ["a", "b", "c", "d", "e"].map(long).join(", ");
  const notes = [1, 2, 3].map((id) => ({ id, fact: "owns boats ".repeat(19), topics }));
  const { hear, answers } = rig({ notes });
  hear("!memory");
  expect(answers[0]).toMatch(/^I know 3 things about you: #1 owns boats/);
  expect(answers[0]?.length).toBeLessThanOrEqual(450);
});

test("a fact is kept as it is told of others, and one or all about a topic is forgotten", () => {
  const { hear, done } = rig();
  hear("!remember I play the bass");
  hear("!forget #12");
  hear("!forget my job");
  hear("!forget the");
  expect(done).toEqual(["remember 1001 plays the bass", "forget 1001 12", "forget 1001 my job"]);
});

test("!forgetme and !optout leave no event, and are obeyed right after another command", () => {
  const { hear, done, answers } = rig();
  expect(hear("!memory")).toBe("wordless");
  expect(hear("!forgetme")).toBe("unstored");
  expect(hear("!optout")).toBe("unstored");
  expect(done).toEqual(["forgetme 1001", "optout 1001"]);
  expect(answers.at(-1)).toContain("!optin");
});

test("the same command said again at once is not answered, and nobody else waits for it", () => {
  const { hear, answers, clock } = rig({ notes: NOTES });
  hear("!memory");
  hear("!memory 2");
  hear("!memory", {}, 2);
  expect(answers).toHaveLength(2);
  clock.nowMs += 5_000;
  hear("!memory");
  expect(answers).toHaveLength(3);
});

test("a flood of commands fills no chat, and every right is exercised", () => {
  const { hear, done, answers } = rig();
  for (let person = 1; person <= 40; person += 1) hear("!forgetme", {}, person);
  expect(done).toHaveLength(40);
  expect(answers).toHaveLength(8);
});

test("a command is heard behind the name of the bot, or of whom it answers", () => {
  const { hear, done } = rig();
  hear("@automark !forgetme");
  hear("@someone !forgetme", {}, 2);
  hear("@rosa !forgetme", { parent: { messageId: "p", userId: "9" } }, 3);
  expect(done).toEqual(["forgetme 1001", "forgetme 1003"]);
});

test.each([
  "!forgetme.",
  "!ForgetMe!",
  "！forgetme",
  "automark !forgetme",
  "@mark, !forgetme please",
])("%s is the command", (text) => {
  const { hear, done } = rig();
  expect(hear(text)).toBe("unstored");
  expect(done).toEqual(["forgetme 1001"]);
});

test.each(["! forgetme", "!forgetmenot", "rosa !forgetme", "say !forgetme to be forgotten"])(
  "%s is not",
  (text) => {
    const { hear, done } = rig();
    expect(hear(text)).toBeNull();
    expect(done).toEqual([]);
  },
);

test("who asks !forget for everything is told how, and what is about somebody else is a topic", () => {
  const { hear, done, answers } = rig();
  for (const [n, text] of ["me please", "everything you know about me", "all my data"].entries()) {
    hear(`!forget ${text}`, {}, n + 1);
  }
  expect(answers).toEqual(Array.from({ length: 3 }, () => expect.stringContaining("!forgetme")));
  hear("!forget my ex", {}, 4);
  expect(done).toEqual(["forget 1004 my ex"]);
});

test("plain words to the bot lead to the command; to anybody else they are chat", () => {
  const { hear, done, answers } = rig();
  expect(hear("forget everything you know about me")).toBeNull();
  expect(hear("@automark forget everything you know about me")).toBe("wordless");
  expect(hear("forget me", { parent: { messageId: "p", userId: "bot" } }, 2)).toBe("wordless");
  expect(hear("@automark forget everything you know about my ex", {}, 3)).toBeNull();
  expect(hear("!forget everything", {}, 4)).toBe("wordless");
  expect(answers).toHaveLength(3);
  for (const answer of answers) expect(answer).toContain("!forgetme");
  expect(done).toEqual([]);
});

test("whoever opted out is told that nothing is kept", () => {
  const { hear, answers, done, clock } = rig({ optedOut: true, notes: NOTES });
  hear("!memory");
  clock.nowMs += 6_000;
  hear("!remember I play the bass");
  clock.nowMs += 6_000;
  hear("!optin");
  expect(answers).toMatchObject([
    expect.stringContaining("You opted out"),
    expect.stringContaining("You opted out"),
    expect.stringContaining("Welcome back"),
  ]);
  expect(done).toEqual([]);
});

test("bots, and other people's commands, are not heard", () => {
  const { hear } = rig();
  expect(hear("!forgetme", { isKnownBot: true })).toBeNull();
  expect(hear("!forgetme", { isBotItself: true })).toBeNull();
  expect(hear("!forgetmenot")).toBeNull();
  expect(hear("!discord")).toBeNull();
});

test.each(["!forgetme", "!optout", "!optin", "!remember plays the bass", "!forget 12"])(
  "%s is not acknowledged while the database takes no writes",
  (text) => {
    const { hear, answers } = rig({ notes: NOTES, isDown: true });
    hear(text);
    expect(answers).toEqual(["I can't right now, try again later."]);
  },
);

test("!forgetme and !optout say how much was removed", () => {
  const { hear, answers } = rig({ notes: NOTES });
  hear("!forgetme");
  hear("!optout");
  expect(answers).toEqual([
    "Done: I forgot everything about you, 2 notes, 1 message and 3 moments; 1 summary changed.",
    "Done: I forgot what I knew, and keep nothing of what you write from now on. !optin ends that. Removed: 2 notes, 1 message and 3 moments; 1 summary changed.",
  ]);
});

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
  expect(answerForgetRequest(said)).toContain("!forgetme");
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
  expect(answerForgetRequest(said)).toBeNull();
});

test("a long line is not looked through", () => {
  expect(answerForgetRequest(`${"please ".repeat(60)}forget me`)).toBeNull();
});
