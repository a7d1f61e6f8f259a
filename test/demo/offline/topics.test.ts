import { describe, expect, test } from "vitest";
import { offlineModel } from "../../../src/demo/offline/offline-model.ts";
import { topicsOfFact } from "../../../src/demo/offline/topic-words.ts";
import { labelPeople } from "../../../src/memory/labels.ts";
import { sortQuestion, sortSchema } from "../../../src/memory/note-prompt.ts";
import { digestOf, fence, type Spoken } from "./ask-offline.ts";
import { TELLING } from "./self-lines.ts";

describe("the topics of a fact", () => {
  test.each([
    ["P1 plays starhaul", "starhaul"],
    ["P1 plays hades", "hades"],
    ["P1 no longer plays hexball arena", "hexball, arena"],
    ["P1 has never played Moss Tower", "moss, tower"],
    ["P1 drinks only tea", "tea"],
    ["P1 lives in bergen", "bergen"],
    ["P1 moved to utrecht on monday", "utrecht"],
    ["P1's cat is called Pickle", "cat, pickle"],
    ["P1's dog is called Waffles", "dog, waffles"],
    ["P1 has two cats", "cats"],
    ["P1 collects ethernet cables", "ethernet, cables"],
    ["P1 loves berries and dark chocolate", "berries, chocolate"],
    ["P1 loves cooking", "cooking"],
    ["P1 will bake rye bread tomorrow", "rye, bread"],
    ["P1's rank is 400 in osu", "rank, osu"],
    ["P1 wants to be called Juno", "juno"],
    ["P1 has the pronouns they/them", "pronouns"],
    ["P1 works as a lighthouse keeper", "lighthouse, keeper"],
    ["Several people agree on this: elevator, swallowed, gerald", "elevator, gerald"],
    ["The saying here is captain's kitchen", "captain, kitchen"],
  ])("%s: %s", (fact, topics) => {
    expect(topicsOfFact(fact).join(", ")).toBe(topics);
  });

  test("are never more than three, each once, and words of the fact", () => {
    for (const [, fact] of TELLING) {
      const topics = topicsOfFact(fact);
      expect(topics.length, fact).toBeGreaterThan(0);
      expect(topics.length, fact).toBeLessThanOrEqual(3);
      expect(new Set(topics).size, fact).toBe(topics.length);
      const words = fact.toLowerCase().normalize("NFKC");
      for (const topic of topics) {
        expect(words, fact).toContain(topic);
        expect(topic, fact).not.toMatch(/^p\d+$/u);
      }
    }
  });

  test("stand in the note that is made of a claim", async () => {
    const waiting = { episodeId: 1, proves: true, happensOn: null };
    const claims = [
      {
        ...waiting,
        n: 1,
        scope: "viewer",
        subjectId: "1",
        statement: "{u:1} collects enamel pins",
      },
      {
        ...waiting,
        n: 2,
        scope: "bit",
        subjectId: null,
        statement: "The saying here is crab rave",
      },
    ] as const;
    const labels = labelPeople([{ userId: "1", login: "ann", displayName: "Ann" }], [], []);
    const answer = await offlineModel().ask({
      purpose: "extract",
      prefix: "",
      tail: sortQuestion({ claims, known: [] }, labels, fence),
      schema: sortSchema,
      estimatedTokens: 1,
    });
    const notes = answer.ok ? answer.value?.notes : undefined;
    expect(notes?.map(({ topics }) => topics)).toEqual([
      ["enamel", "pins"],
      ["crab", "rave"],
    ]);
  });
});

describe("the topics of a conversation", () => {
  const topicOf = async (chat: readonly Spoken[]) => (await digestOf(chat)).topic;

  test("are things, not what happened to them, how they are or what is grammar", async () => {
    expect(
      await topicOf([
        ["ann", "it's huge, he moved the ladders again and i'll breathe"],
        ["tim", "it's huge, he moved that ladder, i'll breathe"],
        ["kim", "huge ladders moved, breathe"],
      ]),
    ).toMatch(/^ladders?$/);
  });

  test("are no emotes of a channel and no cheers", async () => {
    expect(
      await topicOf([
        ["ann", "geraldDance geraldDance noooo the lantern"],
        ["tim", "geraldDance noooo lantern"],
        ["kim", "geraldDance noooo"],
      ]),
    ).toBe("lantern");
  });

  test("leave out what only one line is about, unless all are", async () => {
    expect(
      await topicOf([
        ["ann", "the submarine leaks on the left side of the screen"],
        ["tim", "my submarine has a kettle"],
      ]),
    ).toBe("submarine");
    expect(await topicOf([["ann", "somebody explain what the periscope was for"]])).toBe(
      "periscope",
    );
  });
});
