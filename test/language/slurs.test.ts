import { expect, test } from "vitest";
import { forbiddenWordFinder } from "../../src/language/banned.ts";

const find = forbiddenWordFinder({ bannedWords: ["blorp"] });

/** Written apart, so that no reader stumbles over them. */
const of = (...pieces: readonly string[]): string => pieces.join("");

test.each([
  of("you are such a f", "aggot"),
  of("f a g", " g o t"),
  of("ꜰᴀɢ", "ɢᴏᴛ"),
  of("what a N", "1GG3R thing to say"),
  of("n i g", " g e r"),
  of("n.i.g", ".g.e.r"),
  of("ni9", "9er"),
  of("nı", "gger"),
  of("nice try tran", "ny"),
])("a slur is found, also in disguise: case %#", (text) => {
  expect(find(text)).not.toBeNull();
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
  "we played pachinko, then Fagin sang Donald Fagen's songs",
  "Fagerström and Faggin climb the Klondyke for the Chinkara",
  "Dick Van Dyke was great, and so was the fag end of the night",
  "wir hören ein Konzert für Fagott und die Geige",
  "big growing, winning germany, digging gear",
  "verdammt, so eine Scheiße, das Arschloch hat mich gekillt",
  "er hat eine spastische Lähmung und zockt trotzdem",
  "Niederlage negieren geht nicht, du Negerking-Vermeider in Montenegro",
  "a bimbo doll and a marica shell on the shelf",
  "me gusta el vino negro y el café negro",
  "hostia puta, joder, qué mierda de partida",
  "vejo um veado na floresta, caralho",
  "putain de merde, la pédale de frein est cassée",
  "le train va en Boccherini, quelle tantale",
  "il finocchio nell'insalata è buono, cazzo",
  "kurwa, wciśnij pedał gazu do końca",
  "ukrop means dill in some languages",
  "siktir lan, top bende kaldı, dönme sağa",
  "блять, сделай педикюр и жидкий суп с укропом",
  "у попугая красивый хохолок",
  "くそ、外人だよ、ガイジンさん",
  "씨발 병신년은 2016년이었다",
  "他妈的，这个鬼地方黑得像鬼",
  "يا عبد الله كيف حالك",
  "the kacapan wheel and the mongo database",
])("swearing and harmless words are none: %s", (text) => {
  expect(find(text)).toBeNull();
});

test("the streamer's own words count", () => {
  expect(find("a BL0RP appears")).toBe("blorp");
});
