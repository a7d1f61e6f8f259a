import fc from "fast-check";
import { expect, test } from "vitest";
import {
  findTopicForms,
  isAboutTopic,
  readFactForms,
  readTopicForms,
} from "../../src/language/topic.ts";

test.each([
  ["my cat", "{u:7} has two cats"],
  ["gato", "{u:7} tiene dos gatos"],
  ["dog food", "{u:7} buys food for the dog"],
  ["кошка", "{u:7} говорит, что у неё есть кошка"],
  ["猫", "{u:7}は猫が好き"],
  ["собака", "{u:7} має собаку"],
  ["собака", "{u:7} у неї дві собаки"],
  ["बिल्ली", "{u:7} बिल्लियाँ पालता है"],
  ["strażak", "{u:7} jest strażakiem i nie pije"],
])("%s is what this is about: %s", (topic, fact) => {
  expect(isAboutTopic(fact, topic)).toBe(true);
  expect(readTopicForms(topic).some((form) => findTopicForms(fact).includes(form))).toBe(true);
});

test.each([
  ["кіт", "{u:7} має кітель і не курить"],
  ["बिल्ली", "{u:7} बिजली का काम करता है"],
  ["kot", "{u:7} lubi kotlety i nie pije"],
  ["car", "{u:7} plays cards"],
  ["movies", "{u:7} moved to Porto"],
])("%s is not what this is about: %s", (topic, fact) => {
  expect(isAboutTopic(fact, topic)).toBe(false);
  expect(readTopicForms(topic).some((form) => findTopicForms(fact).includes(form))).toBe(false);
});

test("another fact is not about it", () => {
  expect(isAboutTopic("{u:7} has a category of boats", "cat")).toBe(false);
  expect(
    readTopicForms("cat").some((form) => findTopicForms("{u:7} rows boats").includes(form)),
  ).toBe(false);
});

test("words that say nothing, or are too many, are no topic", () => {
  expect(readTopicForms("the")).toEqual([]);
  expect(readTopicForms("boats kites lanterns anchors ropes barrels")).toEqual([]);
});

test("a fact that is not to be learned again is known in other words, too", () => {
  const forms = readFactForms("{u:7} has a cat named Miso");
  expect(findTopicForms("{u:7} loves her cat Miso").some((form) => forms.includes(form))).toBe(
    true,
  );
  expect(findTopicForms("{u:7} plays chess").some((form) => forms.includes(form))).toBe(false);
});

test("the forms of a fact stay few, whatever its length", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400, unit: "grapheme" }), (fact) => {
      expect(findTopicForms(fact).length).toBeLessThan(2_500);
    }),
    { numRuns: 50 },
  );
});
