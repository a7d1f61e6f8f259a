// Pure: values in, values out.
const NUMBER_WORD =
  "(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?|ten|eleven|twelve|thir(?:teen)|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)";
const AGE = `(?:[1-9]\\d|${NUMBER_WORD})`;
const NEAR = "(?:only |just |already |now |about |almost |nearly |still |turning |exactly )?";
/** What may be so many years old without being a person. */
const THING =
  "(?:cats?|dogs?|pets?|parrot|hamster|pc|computer|laptop|rig|account|game|channel|car|keyboard|mouse|console|monitor|save|file|phone|series|franchise|bug|meme|video|clip|build|character|server|gpu|card|chair|whisky|whiskey|wine|tree|house|building|song|album|movie|film|anime|engine|emote|joke|bit|record|glitch|headset|mic|controller|tortoise|turtle|bonsai|world|guild|clan|community|hardware|software|system|strat|build|technology|town|castle)";
const OLD = new RegExp(
  `(?<!${THING}(?:'s)? (?:is|was|are|turned|turns|just turned|that is|at) (?:about |almost |over |now |already )?)(?<![\\p{L}\\p{N}.,])(?:\\d{1,2}|${NUMBER_WORD})[ -]?(?:years?[ -]olds?|yo|y\\/o|yrs? old)(?![\\p{L}\\p{N}])(?! ${THING})(?!-? \\p{L}{2,12} ${THING})`,
  "u",
);
/** A person and a number, with nothing behind it that is counted. A name counts where a sentence begins. */
const PERSON =
  "(?:somebody|he|she|they|i|who|viewer|streamer|(?<=^|[.!?]\\s)(?!MEASURE)\\p{L}{2,20})";
const MEASURE =
  "(?:level|rank|score|mmr|elo|ping|fps|record|count|hp|number|total|best|deaths?|kills?|streak|chapter|day|part|episode|season|wave|floor|round|world|stage|time|goal|limit|damage|dps|it|this|that|there|max|cap|cooldown|timer|delay|bitrate|volume|temperature|today|counter|health|mana|power|cr|ilvl|ilevel|gear|lap|position|place|page|map|act|zone|room|team|chat|boss|viewers?|subs?|followers?|the)(?!\\p{L})";
const IS_AGE = new RegExp(
  `(?<![\\p{L}\\p{N}])${PERSON.replace("MEASURE", MEASURE)}(?:'s|'m|'re| is| am| are| was| will be)(?: (?:a|an))? ${NEAR}${AGE}(?=\\W*$|[.,!?)](?!\\d)| (?:now|and|today|this year|years|but|already|next|in (?:may|june|july|august|march|april|january|february|september|october|november|december))(?!\\p{L})(?! (?:in|to) front))`,
  "u",
);
const TURNED = new RegExp(
  `(?<![\\p{L}\\p{N}])${PERSON.replace("MEASURE", MEASURE)}(?: (?:is|was|will be|'ll be))? ?(?:just |recently |finally )?(?:turn(?:ed|s|ing)?|will turn) ${AGE}(?=\\W*$|[.,!?)](?!\\d)| (?:now|and|today|yesterday|tomorrow|this|last|next|on|in|years|but|over)(?!\\p{L}))`,
  "u",
);
const AGED = new RegExp(
  `(?<!\\p{L})(?:aged|at age|age:|age is|at the age of|at age of)\\s?${AGE}(?![\\p{L}\\p{N}%])`,
  "u",
);
const BIRTHDAY = new RegExp(
  `(?:his|her|their|my|somebody's|a|celebrat\\p{L}{1,4}) (?:big )?(?:${AGE}(?:st|nd|rd|th)|thirtieth|fortieth|fiftieth|sixtieth|twentieth|eighteenth|sixteenth) birthday`,
  "u",
);

/** Whether a text in lower case tells how old a person is, in English figures or number words. */
export function tellsAge(text: string): boolean {
  return [OLD, IS_AGE, TURNED, AGED, BIRTHDAY].some((pattern) => pattern.test(text));
}
