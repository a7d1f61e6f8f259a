// Pure: values in, values out.
import { memoize } from "../bounded-map.ts";
import rolePlay from "./data/role-play.json" with { type: "json" };
import { fold } from "./fold.ts";
import { type Language, languageFinder, splitEntries } from "./languages.ts";
import { createWordFinder, readWords, splitWords } from "./words.ts";

/** "I" and "we" in all forms of chat, and "I" in languages that occur between English lines. */
const SELF = wordsOf(
  "ben bin born eu ich ik io jag je jeg jestem mijn minä olen soy sono sou suis yo " +
    "i im i'm ive i've id i'd ill i'll me my mine myself we we're we've we'd we'll weve our ours ourselves ima imma",
);
/** Words with which a line may begin that leaves out "I": "playing since 2014", "from Ohio", "fav food is pizza". */
const OPENERS = wordsOf(
  "always am at back been born bought cant can't couldnt couldn't currently didnt didn't dont don't drive ex fan fav fave favorite favourite finally finished former from gonna got grew had hate have havent haven't home hope just learned learnt like liked live lived love loved made main married met mostly moved name named need never not own owned play played prefer quit same saw since single speak spoke start started still studied study teach tried used usually wanna want wanted was wasnt wasn't watch watched went wish work worked wrote",
);
/** Words that are skipped at the start of a line. */
const FILLERS = wordsOf(
  "ah also and anyway aww bro but btw chat damn dang dude eh gg guys ha haha hello hey hi hm hmm honestly lmao lmfao lol man maybe nah nice no nope nvm oh ok okay omg pls please pog poggers same so sry sorry tbh then thanks though true ty ugh uh um wait welp well wow ya yea yeah yep yes yo yup",
);
/** Nouns that are the writer's without "my": "wife is German". */
const OWN = wordsOf(
  "bf boss boyfriend brother car cat cats dad daughter dog dogs family friend friends gf girlfriend husband job kid kids main mom mum name parents roommate sister son team wife work",
);
/** Other subjects of a short line. */
const OTHERS = wordsOf(
  "everybody everyone he he'll he's her hers hes him his it it'll it's its nobody ppl people she she'll she's shes somebody someone that that'll that's thats their theirs them there there's these they they'd they'll they're they've theyre theyve this those u ur what who who's whose y'all yall you you'd you'll you're you've your youre yours",
);
/** Verbs that follow a subject. */
const SAID_OF = wordsOf(
  "ain't aint are aren't arent can can't cant could couldn't couldnt did didn't didnt does doesn't doesnt had has hasn't hasnt is isn't isnt might must should shouldn't shouldnt was wasn't wasnt were weren't werent will won't wont would wouldn't wouldnt",
);
/** Matches an opinion or a call. What follows it is about something else. */
const OPINION =
  /(?<!\p{L})(?:im(?:o|ho)|idk|i(?:['’]m| am|m)? (?:still |really |just |honestly )?(?:agree|assume|bet|believe|convinced|disagree|feel|guess|hope|hoping|imagine|mean|see|suppose|swear|think|thought|wonder)(?: like| that| you)?|(?:can|should) we|we (?:can|could|gotta|have to|must|need|should))(?!\p{L})/giu;
/** A verb of `SAID_OF` among this many words after the first has another subject. */
const SUBJECT_WORDS_MAX = 5;
/** The most words of a line without "I" that is still about the writer, unless it has another subject. */
const SHORT_WORDS_MAX = 6;
const CLAUSE_END = /[.,;:!?…]+|\s[-–—]\s/u;
const NUMBER = /^\p{N}/u;
const DOING = /^\p{L}{2,}in[g']?$/u;
/** "Here" among this many first words makes a line the writer's: "night nurse here". */
const HERE_WORDS_MAX = 4;
/** Begins a line about the writer: "as a nurse". */
const AS_A = /^as an? /u;

/**
 * Returns a test of whether a message of a window may state something about its writer. It is false only for an
 * English message that neither has "I" nor leaves it out, and is long or has another subject. "I think that" does not
 * count as "I": what follows it has another subject.
 */
export function selfStatementFinder(window: readonly string[]): (text: string) => boolean {
  const languagesOf = languageFinder(window);
  const isEnglish = (text: string): boolean => {
    const own = languageFinder([])(text);
    return (
      languagesOf(text)[0]?.code === "en" &&
      (own.length === 0 || own.some(({ code }) => code === "en"))
    );
  };
  return (text) => !isEnglish(text) || isAboutWriter(text);
}

function isAboutWriter(text: string): boolean {
  const fact = text.replaceAll(OPINION, " ");
  const words = listWords(fact);
  if (words.some((word) => SELF.has(word))) return true;
  // After an opinion a new subject follows.
  if (fact !== text) return false;
  if (text.split(CLAUSE_END).some((clause) => leavesOutSelf(listWords(clause)))) return true;
  const isOfOthers =
    words[0] === "the" ||
    words.some((word) => OTHERS.has(word)) ||
    words.slice(1, 1 + SUBJECT_WORDS_MAX).some((word) => SAID_OF.has(word));
  return !isOfOthers && words.length <= SHORT_WORDS_MAX;
}

function leavesOutSelf(words: readonly string[]): boolean {
  const said = words.slice(words.findIndex((word) => !FILLERS.has(word)));
  const [first = ""] = said;
  if (OPENERS.has(first) || OWN.has(first) || DOING.test(first) || NUMBER.test(first)) return true;
  return said.slice(0, HERE_WORDS_MAX).includes("here") || AS_A.test(said.join(" "));
}

function listWords(text: string): string[] {
  return splitWords(fold(text)).map(({ word }) => word);
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/** The fewest words of a made-up world that make a role: one alone is often a pet's name or a place. */
const WORLD_WORDS_MIN = 2;

const findersOf = memoize(
  () =>
    new Map(
      Object.entries(rolePlay).map(([code, { world, address, frame }]) => [
        code,
        createWordFinder({
          world: splitEntries(world),
          address: splitEntries(address),
          frame: splitEntries(frame),
        }),
      ]),
    ),
);

/**
 * Returns true if a message plays a role in plain words: "I am the dragon king, kneel". It has two words of a made-up
 * world, or one by which only a role addresses others. A word for a game, a hobby or a name makes it a plain message.
 */
export function isRolePlay(text: string, language: Language): boolean {
  const found = findersOf().get(language.code)?.(readWords(text)) ?? [];
  const placesOf = (list: string) =>
    new Set(found.filter(({ name }) => name === list).map(({ from }) => from)).size;
  if (placesOf("frame") > 0) return false;
  return placesOf("address") > 0 || placesOf("world") >= WORLD_WORDS_MIN;
}
