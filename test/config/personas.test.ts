import { expect, test } from "vitest";
import { toConfig } from "../../src/config/load.ts";
import { findPersona, listBotNames } from "../../src/config/personas.ts";
import { Fault } from "../../src/errors.ts";

const VESPER = { name: "Vesper", voice: "Grand.", channels: ["#Night"] };

function castOf(keys: Readonly<Record<string, unknown>>) {
  return toConfig(
    { channel: ["day", "night"], bot: { login: "automark" }, persona: { name: "Mark" }, ...keys },
    ".",
  );
}

test("a persona speaks in its channels, the default one everywhere else", () => {
  const config = castOf({ personas: [VESPER] });
  expect(findPersona(config, "night")).toEqual({
    name: "Vesper",
    voice: "Grand.",
    memoryScope: null,
  });
  expect(findPersona(config, "day").name).toBe("Mark");
});

test.each([
  ["shared", undefined, null, null],
  ["persona", undefined, "Vesper", "Mark"],
  ["shared", "persona", "Vesper", null],
  ["persona", "shared", null, "Mark"],
])(
  "with memory.personaScope %s and its own %s, its notes belong to %s",
  (scope, own, night, day) => {
    const memory = { personaScope: scope };
    const config = castOf({ memory, personas: [{ ...VESPER, memory: own }] });
    expect(findPersona(config, "night").memoryScope).toBe(night);
    expect(findPersona(config, "day").memoryScope).toBe(day);
  },
);

test("the bot answers to its login, its aliases, and the name that it has in a channel", () => {
  const config = castOf({ bot: { login: "automark", aliases: ["wick"] }, personas: [VESPER] });
  expect(listBotNames(config, "night")).toEqual(["automark", "wick", "Vesper"]);
  expect(listBotNames(config, "day")).toEqual(["automark", "wick", "Mark"]);
  expect(listBotNames(config)).toEqual(["automark", "wick", "Mark", "Vesper"]);
});

test.each([
  ["two of a name", [VESPER, { ...VESPER, name: "VESPER", channels: [] }], "personas.1.name"],
  ["one named as the default", [{ ...VESPER, name: "mark" }], "personas.0.name"],
  ["two in a channel", [VESPER, { ...VESPER, name: "Wick" }], "personas.1.channels.0"],
  ["one elsewhere", [{ ...VESPER, channels: ["noon"] }], "one of the logins in channel"],
  ["one without a voice", [{ name: "Wick" }], "personas.0.voice is missing"],
  ["a key too many", [{ ...VESPER, chanels: [] }], "did you mean channels?"],
])("%s is refused", (_, personas, wrong) => {
  expect(() => castOf({ personas })).toThrow(Fault);
  expect(() => castOf({ personas })).toThrow(wrong);
});
