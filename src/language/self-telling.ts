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
/** A word family of theirs is the writer's, too: "wife is German". */
const OWN = wordsOf(
  "bf boss boyfriend brother car cat cats dad daughter dog dogs family friend friends gf girlfriend husband job kid kids main mom mum name parents roommate sister son team wife work",
);
/** Whom or what a line tells of instead. */
const OTHERS = wordsOf(
  "he he'll he's her hers hes him his it it'll it's its she she'll she's shes that that'll that's thats their theirs them there there's these they they'd they'll they're they've theyre theyve this those u ur who who's whose y'all yall you you'd you'll you're you've your youre yours",
);
/** Verbs that follow a subject. */
const SAID_OF = wordsOf(
  "ain't aint are aren't arent can can't cant could couldn't couldnt did didn't didnt does doesn't doesnt had has hasn't hasnt is isn't isnt might must should shouldn't shouldnt was wasn't wasnt were weren't werent will won't wont would wouldn't wouldnt",
);
/** A verb so far from the start has its subject before it. */
const SUBJECT_WORDS_MAX = 5;
const NUMBER = /^\p{N}/u;
const DOING = /^\p{L}{2,}in[g']?$/u;

/**
 * A test of whether a line of a window may tell something about the person who wrote it. No is the
 * answer for an English line alone that tells of somebody or something else, and neither says "I" nor leaves it out.
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
  const said = words.slice(words.findIndex((word) => !FILLERS.has(word)));
  const [first = ""] = said;
  if (OPENERS.has(first) || OWN.has(first) || DOING.test(first) || NUMBER.test(first)) return true;
  const isOfOthers =
    said.some((word) => OTHERS.has(word)) ||
    said.slice(1, 1 + SUBJECT_WORDS_MAX).some((word) => SAID_OF.has(word));
  return !isOfOthers;
}

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
