import { describe, expect, test } from "vitest";
import { gatherCast } from "../../../src/lab/rehearsal/cast.ts";

describe("people", () => {
  const first = gatherCast("lanternlou", 1);
  const second = gatherCast("lanternlou", 2);

  test("keep their user id in the next stream, also the one with a new name", () => {
    expect(second.lamp.userId).toBe(first.lamp.userId);
    expect(second.lamp.login).not.toBe(first.lamp.login);
    expect({ ...second, lamp: null }).toEqual({ ...first, lamp: null });
  });

  test("the impostor's name reads like the moderator's and is not", () => {
    const { orla, impostor } = first;
    expect(impostor.displayName.replaceAll("I", "l")).toBe(orla.displayName);
    expect(impostor.login).not.toBe(orla.login);
  });
});
