import { describe, expect, test } from "vitest";
import { digestOf } from "./ask-offline.ts";
import { SILENT, TELLING } from "./self-lines.ts";

describe("what a line says about its speaker", () => {
  test.each(TELLING)("%s", async (said, told) => {
    const { claims } = await digestOf([["ann", said]]);
    expect(claims.map(({ statement }) => statement)).toEqual([told]);
    expect(claims[0]).toMatchObject({ subject: "P1", event_numbers: [1] });
  });
});

describe("what is no claim", () => {
  test.each(SILENT)("%s", async (said) => {
    const { claims } = await digestOf([["ann", said]]);
    expect(claims).toEqual([]);
  });
});
