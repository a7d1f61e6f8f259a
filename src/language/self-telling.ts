// Pure: values in, values out.
import { languagesIn } from "./which-language.ts";
import { foldText, wordSpans } from "./word-spans.ts";

/** "I" and "we" in every form, as chat writes them, and "I" of languages that stand between English lines. */
const SELF = wordsOf(
  "ben bin eu ich ik io jag je jeg jestem mijn minä olen soy sono sou suis yo " +
    "i im i'm ive i've id i'd ill i'll me my mine myself we we're we've we'd we'll weve our ours ourselves ima imma idk imo imho",
);
/** Words with which a line may begin that leaves out "I": "playing since 2014", "from Ohio", "fav food is pizza". */
const OPENERS = wordsOf(
  "always am at back been born bought cant can't couldnt couldn't currently didnt didn't dont don't drive ex fan fav fave favorite favourite finally finished former from gonna got grew had hate have havent haven't home hope just learned learnt like liked live lived love loved made main married met mostly moved name named need never not own owned play played prefer quit same saw since single speak spoke start started still studied study teach tried used usually wanna want was wasnt wasn't watch watched went wish work worked wrote",
);
/** Words that may stand before the first that counts. */
const FILLERS = wordsOf(
  "ah also and anyway aww bro but btw chat damn dang dude eh gg guys ha haha hello hey hi hm hmm honestly lmao lmfao lol man maybe nah nice no nope nvm oh ok okay omg pls please pog poggers same so sry sorry tbh then thanks though true ty ugh uh um wait welp well wow ya yea yeah yep yes yo yup",
);
const NUMBER = /^\p{N}/u;
const DOING = /^\p{L}{2,}in[g']?$/u;

/**
 * A test of whether a line of a window may tell something about the person who wrote it. Only English is judged: by "I",
 * and by how a line begins that leaves "I" out. In any other language, and in doubt, the answer is yes.
 */
export function selfTelling(window: readonly string[]): (text: string) => boolean {
  const languagesOf = languagesIn(window);
  const isEnglish = (text: string): boolean => {
    const own = languagesIn([])(text);
    return (
      languagesOf(text)[0]?.code === "en" &&
      (own.length === 0 || own.some(({ code }) => code === "en"))
    );
  };
  return (text) => !isEnglish(text) || tellsOfWriter(text);
}

function tellsOfWriter(text: string): boolean {
  const words = wordSpans(foldText(text)).map(({ word }) => word);
  if (words.some((word) => SELF.has(word)) || words.at(-1) === "here") return true;
  const first = words.find((word) => !FILLERS.has(word)) ?? "";
  return OPENERS.has(first) || DOING.test(first) || NUMBER.test(first);
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
