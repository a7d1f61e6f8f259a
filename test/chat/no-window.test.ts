import { expect, test } from "vitest";
import { isWindowFiller } from "../../src/chat/normalise.ts";
import { spoken } from "./wire-lines.ts";

/** `Kappa Kappa` and what Twitch says of it. */
const KAPPAS = "25:0-4,6-10";

test.each([
  ["Kappa Kappa", KAPPAS],
  ["@ben Kappa", "25:5-9"],
  ["Kappa 🔥 Kappa!", "25:0-4,8-12"],
  ["🔥🔥🔥", undefined],
  ["???", undefined],
  ["monkaS", undefined],
  ["peepoHappy catJAM", undefined],
  ["KEKW KEKW KEKW", undefined],
  ["!uptime", undefined],
  ["!so @ben", undefined],
])("%s fills no window", (line, emotes) => {
  expect(isWindowFiller(line, emotes)).toBe(true);
});

test.each([
  ["Kappa i moved to Oslo", "25:0-4"],
  ["Kappa Kappa", undefined],
  ["Kappa Kappa", "25:0-4"],
  ["LETS GO", undefined],
  ["YES", undefined],
  ["no no no", undefined],
  ["McDonalds", undefined],
  ["PS5 PS4", undefined],
  ["2", undefined],
  ["草", undefined],
  ["@ben", undefined],
  ["! what a save", undefined],
  ["", undefined],
])("%s fills one (emotes at %s)", (line, emotes) => {
  expect(isWindowFiller(line, emotes)).toBe(false);
});

test("places are counted in characters as people see them, and from behind /me", () => {
  expect(isWindowFiller("🔥 Kappa", "25:2-6")).toBe(true);
  const action = spoken("\u0001ACTION Kappa\u0001", { tags: { emotes: "25:0-4" } });
  expect(action).toMatchObject({ memorable: true, fillsNoWindow: true });
  expect(spoken("a word Kappa", { tags: { emotes: "25:7-11" } }).fillsNoWindow).toBeUndefined();
});

test("a tag that is no list of places changes nothing", () => {
  for (const emotes of ["", "x", "25:9-0", "25:9999-99999", "-", "25:0-4/", ":::"]) {
    expect(isWindowFiller("hello there", emotes)).toBe(false);
  }
});
