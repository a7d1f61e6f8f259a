import { expect, test } from "vitest";
import { forbiddenWords } from "../../src/language/slurs.ts";

const find = forbiddenWords({ bannedWords: ["blorp"], slurs: true });
const lenient = forbiddenWords({ bannedWords: ["blorp"], slurs: false });

/** Written apart, so that no reader stumbles over them. */
const of = (...pieces: readonly string[]): string => pieces.join("");

test.each([
  of("you are such a f", "aggot"),
  of("what a N", "1GG3R thing to say"),
  of("n i g", " g e r"),
  of("n.i.g", ".g.e.r"),
  of("lol ret", "arded take"),
  of("nice try tran", "ny"),
  of("they told him that he is a k", "ike"),
])("a slur is found, also in disguise: case %#", (text) => {
  expect(find(text)).not.toBeNull();
  expect(lenient(text)).toBeNull();
});

test.each([
  "Scunthorpe United won again, what a bitching night",
  "fuck, that was a shit run",
  "Niger and Nigeria are two countries",
  "the raccoon snickered, then sniggered",
  "there is a chink in the armour of that boss",
  "désolé du retard, je suis enfin là",
  "mon train a du retard ce soir",
  "el gato negro duerme en Montenegro",
  "danke für das Abo, du Held",
  "minestrone with fagioli",
  "wir hören ein Konzert für Fagott und die Geige",
  "big growing, winning germany, digging gear",
])("swearing and harmless words are none: %s", (text) => {
  expect(find(text)).toBeNull();
});

test("the streamer's own words count with and without slurs", () => {
  expect(find("a BL0RP appears")).toBe("blorp");
  expect(lenient("a BL0RP appears")).toBe("blorp");
});
