import { describe, expect, test } from "vitest";
import { digestOf } from "./ask-offline.ts";
import { SILENT, TELLING } from "./self-lines.ts";

describe("what a line says about its speaker", () => {
  test.each(TELLING)("%s", async (said, told) => {
    const { claims } = await digestOf([["ann", said]]);
    expect(claims.map(({ statement }) => statement)).toEqual([told]);
    expect(claims[0]).toMatchObject({ subject: "P1" });
    for (const quote of claims[0]?.quotes ?? []) expect(said.replaceAll("’", "'")).toContain(quote);
  });
});

describe("what is no claim", () => {
  test.each(SILENT)("%s", async (said) => {
    const { claims } = await digestOf([["ann", said]]);
    expect(claims).toEqual([]);
  });
});

describe("several lines", () => {
  test("the same line by the same person is shown once, and is one claim", async () => {
    const { claims } = await digestOf([
      ["ann", "i play bog racer"],
      ["tim", "hi"],
      ["ann", "I play Bog Racer!"],
    ]);
    expect(claims).toEqual([
      {
        subject: "P1",
        statement: "P1 plays bog racer",
        how: "plainly",
        on: null,
        quotes: ["i play bog racer"],
      },
    ]);
  });

  test("two facts of one line are two claims", async () => {
    const { claims } = await digestOf([["ann", "I'm from Ghent and I play the tuba. Call me Bo"]]);
    expect(claims.map(({ statement }) => statement)).toEqual([
      "P1 is from Ghent",
      "P1 plays the tuba",
      "P1 wants to be called Bo",
    ]);
  });

  test("a change stays a change", async () => {
    const { claims } = await digestOf([
      ["ann", "i live in Cork"],
      ["ann", "i no longer live in Cork, i moved to Porto"],
    ]);
    expect(claims.map(({ statement }) => statement)).toEqual([
      "P1 lives in Cork",
      "P1 no longer lives in Cork",
      "P1 moved to Porto",
    ]);
  });

  test("nobody speaks for somebody else", async () => {
    const { claims } = await digestOf([
      ["ann", "@tim lives in Cork"],
      ["tim", "ann plays the tuba badly"],
      ["ann", "tim: I play the tuba"],
    ]);
    expect(claims).toEqual([]);
  });
});

describe("what the channel establishes", () => {
  test("two people who state the same in the same telling words", async () => {
    const { claims } = await digestOf([
      ["ann", "the elevator swallowed gerald again"],
      ["tim", "elevator swallowed gerald, unbelievable"],
      ["kim", "soup is ready over here"],
    ]);
    expect(claims).toEqual([
      {
        subject: "channel",
        how: "plainly",
        on: null,
        quotes: ["the elevator swallowed gerald again", "elevator swallowed gerald, unbelievable"],
        statement: "Several people agree on this: elevator, swallowed, gerald",
      },
    ]);
  });

  test("not one who says it twice, and not two who ask", async () => {
    const alone = await digestOf([
      ["ann", "the elevator swallowed gerald"],
      ["ann", "elevator swallowed gerald!!"],
    ]);
    const asked = await digestOf([
      ["ann", "did the elevator swallow gerald?"],
      ["tim", "did the elevator swallow gerald??"],
    ]);
    expect([alone.claims, asked.claims]).toEqual([[], []]);
  });

  test("not two who have verbs or moods in common, and not a crowd that pastes", async () => {
    const chance = await digestOf([
      ["ann", "deep breaths, he moved"],
      ["tim", "take deep breaths"],
    ]);
    const raid = await digestOf(
      Array.from(
        { length: 31 },
        (_, n) => [`raider${n}`, "raiders from captain's kitchen"] as const,
      ),
    );
    const of = (subject: string) =>
      [...chance.claims, ...raid.claims].filter((claim) => claim.subject === subject);
    expect(of("channel")).toEqual([]);
  });

  test("the streamer alone, of plans and rules", async () => {
    const { claims } = await digestOf([
      ["boss", "tomorrow we play Turnip Tycoon"],
      ["boss", "this mug is lovely"],
      ["ann", "tomorrow we play Turnip Tycoon"],
    ]);
    expect(claims[0]).toMatchObject({
      subject: "channel",
      quotes: expect.arrayContaining(["tomorrow we play Turnip Tycoon"]),
    });
    expect(claims[0]?.statement).toContain("turnip, tycoon");
    expect(claims.flatMap(({ quotes }) => quotes)).not.toContain("this mug is lovely");
  });
});

describe("what comes back", () => {
  test("a phrase that comes back from three people is a bit", async () => {
    const { claims } = await digestOf([
      ["ann", "beware the haunted toaster"],
      ["kim", "what a level"],
      ["tim", "haunted toaster strikes again"],
      ["ann", "he fell off the roof"],
      ["kim", "roof diving, a classic"],
      ["zoe", "haunted toaster was framed"],
      ["tim", "nice save there"],
      ["ann", "so close to it"],
      ["kim", "green one next"],
    ]);
    expect(claims).toContainEqual({
      subject: "bit",
      how: "plainly",
      on: null,
      quotes: [
        "beware the haunted toaster",
        "haunted toaster strikes again",
        "haunted toaster was framed",
      ],
      statement: "The saying here is haunted toaster",
    });
  });

  test("nor what three people say in one breath, however long the evening", async () => {
    const evening = Array.from({ length: 20 }, (_, n): readonly [string, string] => [
      "kim",
      `number ${n}`,
    ]);
    const breath = ["ann", "tim", "zoe"].map((who) => [who, "velvet hammer"] as const);
    const { claims } = await digestOf([...evening, ...breath, ...evening]);
    expect(claims.filter(({ subject }) => subject === "bit")).toEqual([]);
  });

  test("what a raid pastes in one go is none, nor what one person repeats", async () => {
    const raid = Array.from({ length: 12 }, (_, n) => [`raider${n}`, "moth army raid"] as const);
    const lone = Array.from({ length: 9 }, (_, n): readonly [string, string] =>
      n % 3 === 0 ? ["ann", `velvet hammer ${n}`] : ["tim", `number ${n}`],
    );
    const both = await Promise.all([
      digestOf([["ann", "oh"], ...raid, ["tim", "hi"]]),
      digestOf(lone),
    ]);
    expect(both.flatMap(({ claims }) => claims).filter(({ subject }) => subject === "bit")).toEqual(
      [],
    );
  });
});
