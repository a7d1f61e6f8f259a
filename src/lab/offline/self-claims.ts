import { isQuestion } from "./read-prompt.ts";

/** What a line says about its speaker. */
export interface SelfClaim {
  /** In the third person, beginning with the speaker's label. */
  readonly statement: string;
  /** The words of the line that say so. */
  readonly quote: string;
}

/** At most so many words of a sentence stand as its proof, and never so many that they fill a summary's limits. */
const QUOTE_WORDS_MAX = 12;
const QUOTE_WORDS_MIN = 3;

/**
 * What a line of English says about its speaker, as far as the form of words tells: plain sentences in the first
 * person, retold in the third with the words that were used. Questions, hearsay, jokes and quotations say nothing.
 */
export function selfClaims(text: string, label: string): SelfClaim[] {
  return plainSentences(text).flatMap((sentence) =>
    retellSentence(sentence, label).map((statement) => ({
      statement,
      quote: quoteOf(sentence, text),
    })),
  );
}

/** The sentences of a line that state something in its speaker's own name. */
export function plainSentences(text: string): string[] {
  const line = text.replaceAll(/[’ʼ＇]/g, "'").normalize("NFC");
  if (NOT_MEANT.some((mark) => mark.test(line))) return [];
  return line
    .split(SENTENCE_END)
    .filter((sentence) => !NOT_FACT.some((mark) => mark.test(sentence)))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "" && !isQuestion(sentence));
}

/** The beginning of the sentence; the whole line where that is too short to prove anything. */
function quoteOf(sentence: string, line: string): string {
  const words = sentence.split(/\s+/u);
  const proof = words.length < QUOTE_WORDS_MIN ? line.split(/\s+/u) : words;
  return proof.slice(0, QUOTE_WORDS_MAX).join(" ");
}

/**
 * One way in which people tell something about themselves. `said` fits a whole clause and names what it caught;
 * `told` says it in the third person: `$P` is the label, `{name}` what was caught. Caught as `what` is the matter
 * itself, which is tidied first; the rest is small words.
 */
interface SelfRule {
  readonly said: RegExp;
  readonly told: string;
}

/** What the clauses of a sentence say about its speaker, retold with their label. */
function retellSentence(sentence: string, label: string): string[] {
  const ready = spell(sentence).replace(FILLERS, "");
  const clauses = OWN_CLAUSE.test(ready) ? ready.split(NEXT_CLAUSE) : [ready];
  return clauses
    .map((clause) => retellClause(trimEnd(clause), label))
    .filter((statement) => statement !== null);
}

function retellClause(ready: string, label: string): string | null {
  for (const { said, told } of RULES) {
    const caught = said.exec(ready)?.groups;
    if (caught !== undefined) return fill(told, { ...caught }, label);
  }
  return null;
}

function fill(
  told: string,
  caught: Readonly<Record<string, string | undefined>>,
  label: string,
): string | null {
  let isWhole = true;
  const statement = told.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = caught[name] ?? "";
    const matter = name === "what" ? tidy(text) : small(name, text);
    if (matter === null || LABEL_OR_NOBODY.test(matter)) isWhole = false;
    return matter ?? "";
  });
  return isWhole ? statement.replace("$P", label).replace(/\s+/gu, " ").trim() : null;
}

/** Times of day and week are written small wherever they stood. */
function small(name: string, text: string): string {
  return name === "when" ? text.trim().toLowerCase() : text.trim();
}

function tidy(text: string): string | null {
  if (VAGUE.test(text)) return null;
  let matter = trimEnd(text.replace(CUT, ""));
  while (isLong(matter)) {
    const shorter = trimEnd(matter.replace(JOINTS, ""));
    if (shorter === matter) return null;
    matter = shorter;
  }
  return /[\p{L}\p{N}]/u.test(matter) && !VAGUE.test(matter) ? turn(matter) : null;
}

function trimEnd(text: string): string {
  let matter = text.trim();
  for (let before = ""; before !== matter; ) {
    before = matter;
    matter = matter.replace(EMOTE, "").replace(LOOSE_END, "");
  }
  return matter;
}

function isLong(matter: string): boolean {
  return matter.length > CHARS_MAX || matter.split(/\s+/u).length > WORDS_MAX;
}

function spell(text: string): string {
  return CONTRACTIONS.reduce((line, [short, long]) => line.replace(short, long), text);
}

/** What changes in the matter when somebody else tells it: "my" is "their". */
function turn(matter: string): string {
  return matter
    .replace(/(?<![\p{L}])my(?![\p{L}])/giu, "their")
    .replace(/(?<![\p{L}])i am(?![\p{L}])/giu, "they are")
    .replace(/(?<![\p{L}])me(?![\p{L}])/gu, "them")
    .replace(/(?<![\p{L}])i(?![\p{L}])/gu, "they");
}

/** One of these and the whole line is no plain statement: a quote, a joke, a part in a play. */
const NOT_MEANT = [
  /["“”„«»‟]|^\s*[>'‘`(]/u,
  /(?:^|\s)\/(?:s|j|jk|hj|joke|sarcasm)(?![\p{L}\p{N}])/iu,
  /(?<![\p{L}\p{N}])(?:jk|j\/k|kappa\w*|kidding|joking|sarcas\w+|copypasta|role ?play\w*|in character|not really|yeah right|as if|lyrics?|quoting)(?![\p{L}\p{N}])/iu,
  /^\s*(?:P\d{1,4}|STREAMER|someone|the bot)\s*:/u,
];

/** One of these and the sentence is a question, hearsay or a thought, not a fact. */
const NOT_FACT = [
  /[?？¿؟⁉]/u,
  /(?<![\p{L}\p{N}])(?:if|unless|would(?! (?:like|love|prefer) to be called)|wouldn'?t|could|should|might|may|maybe|perhaps|probably|possibly|wish|imagine|pretend|suppose|let'?s say|almost|nearly|i'?d(?! (?:like|love|prefer) to be called)|i (?:guess|think|hope)|supposedly|allegedly|apparently|in (?:my|your|his|her|their|our) (?:dreams?|nightmares?|head|heart|mind|imagination)|dream(?:ed|t) that)(?![\p{L}\p{N}])/iu,
  /(?<![\p{L}\p{N}])(?:sa(?:id|ys|y|ying)|told|tells?|telling|claim(?:s|ed)?|ask(?:s|ed)|wrote|writes|thinks?|thought|heard|(?:be|is|was|were|are|am|i'?m) like[,: ]|goes like|quote|according|reckons?|swears?|repeat after)(?![\p{L}\p{N}])/iu,
];

const SENTENCE_END = /(?<=[.!?…;])\s+|\s+[|•]\s+/u;
const WORDS_MAX = 7;
/** Far from the 60 characters in a row that make a run distinctive. */
const CHARS_MAX = 45;
const NEXT_CLAUSE =
  /(?:,\s*|\s+)(?:(?:and|but|so|also|then|plus)\s+)+(?=(?:i|my)(?![\p{L}\p{N}]))|,\s+(?=(?:i|my)(?![\p{L}\p{N}]))/iu;
const LABEL_OR_NOBODY = /\bP\d{1,4}\b|\bsomeone\b|\bthe bot\b/u;
const EMOTE =
  /\s+(?:\p{Ll}{2,}\p{Lu}\w{2,}|KEKW|LUL\w*|OMEGALUL|[Pp]og\w*|POG\w*|PepeHands|[Mm]onka\w*|Sadge|Pepega|[Xx][Dd]+|<3|[:;]-?[()DPpo3]|catJAM|peepo\w*|BibleThump|NotLikeThis|Feels\w+Man|HeyGuys|VoHiYo|4Head|WutFace|SeemsGood|BloodTrail|[Ll]ol|LOL|lmao)$/u;
const LOOSE_END = /[^\p{L}\p{M}\p{N}+#%)]+$/u;
/** How a clause in one's own name begins: only behind such a one may a further clause follow. */
const OWN_CLAUSE = /^(?:i|my)(?![\p{L}\p{N}])/iu;
/** Small words before the clause proper. */
const FILLERS =
  /^(?:(?:hey|hi|hello|yo) [\p{L}\p{N}_]+[,!]+\s*|(?:well|yeah|yes|yep|no|nah|nope|oh|ah|aw|so|also|and|but|btw|fyi|ok|okay|hey|hi|hello|yo|lol|lmao|haha\w*|honestly|tbh|ngl|actually|anyway|guys|chat|everyone|fun fact|same|damn|wow|hm+|um+|uh+|personally|right now|these days|nowadays|update|small update|news|good news|currently|meanwhile|for me|as for me)[\s,:!.-]+|(?:the bot|someone|P\d{1,4}|STREAMER)[\s,!]+|[^\p{L}\p{N}"'(]+)+/iu;
/** Where the matter ends and something else begins. */
const CUT =
  /\s*(?:[,;(|]|:\s|\s[-–—]+\s|\s(?:but|because|cause|cuz|coz|bc|since|so|and (?:i|then|my|it|she|he|they|we|you|this|that|there|get|got|have|has|am|was|will|do|can|now|so|still)|by the way|to be (?:fair|honest)|though|tho|lol|lmao|lmfao|rofl|haha\w*|xd|btw|tbh|ngl|too|as well|right now|atm|fr|imo|these days|nowadays|while|when|if|which|what|how|why|who|where|do you|are you|u|you|wbu|hbu|until|anyway|originally|myself|actually|now|here|most of the time|mostly|already|please|pls)(?![\p{L}\p{N}])).*$/iu;
/** Matters that say nothing by themselves. */
const VAGUE =
  /^(?:it|this|that|these|those|them|him|her|you|your|his|their|u|ur|ya|y'all|everyone|everybody|everything|nothing|something|anything|someone|here|there|how|when|what|where|who|why|a lot|a bit|hard|well|bad|badly|better|good|now|later|today|tonight|again|like|around|me|my life|life|myself|whichever|whatever|whoever|wherever|whenever|all day|so much|to (?:say|be|break|admit|see|hear|think|know)|being|fear|hope|peace|denial|pain|free|people|the way|crazy|old$|reality|the (?:raid|other|clip|past|future|discord|same)|maybe|dumb|stupid|lazy|weird|biased|one|both|some|any|in|your)(?![\p{L}\p{N}])|(?:^|\s)(?:with|for|at|on|in|of|to|from|and|or|the|an?|my|as)$/iu;
/** Where a long matter may be cut, from the back. */
const JOINTS =
  /\s(?:with|for|near|at|on|in|every|each|after|before|about|and|or|during|over|of|from|to)\s(?:(?!\s(?:with|for|near|at|on|in|every|each|after|before|about|and|or|during|over|of|from|to)\s).)*$/iu;

const HOW =
  "(?:(?:still|also|mostly|mainly|only|usually|really|actually|just|always|often|currently|now|recently|absolutely|honestly|literally|personally|do|finally|kinda|sometimes|both|even)\\s+)*";

/** Somebody who says "I am drinking tea" tells of this minute, not of themselves. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(["drink", "use"]);
/** As said, as told, and the form with -ing. */
const VERBS: readonly (readonly [string, string, string])[] = [
  ["play", "plays", "playing"],
  ["main", "mains", "maining"],
  ["speedrun", "speedruns", "speedrunning"],
  ["stream", "streams", "streaming"],
  ["love", "loves", "loving"],
  ["like", "likes", "liking"],
  ["hate", "hates", "hating"],
  ["dislike", "dislikes", "disliking"],
  ["prefer", "prefers", "preferring"],
  ["enjoy", "enjoys", "enjoying"],
  ["study", "studies", "studying"],
  ["learn", "learns", "learning"],
  ["teach", "teaches", "teaching"],
  ["speak", "speaks", "speaking"],
  ["collect", "collects", "collecting"],
  ["draw", "draws", "drawing"],
  ["paint", "paints", "painting"],
  ["grow", "grows", "growing"],
  ["bake", "bakes", "baking"],
  ["drink", "drinks", "drinking"],
  ["build", "builds", "building"],
  ["use", "uses", "using"],
  ["restore", "restores", "restoring"],
  ["live in", "lives in", "living in"],
  ["live near", "lives near", "living near"],
  ["come from", "comes from", "coming from"],
  ["work as", "works as", "working as"],
  ["work in", "works in", "working in"],
  ["work at", "works at", "working at"],
  ["work for", "works for", "working for"],
  ["work on", "works on", "working on"],
];

const PET =
  "cat|dog|kitten|puppy|parrot|bird|hamster|rabbit|bunny|turtle|tortoise|snake|fish|horse|pony|guinea pig|ferret|rat|mouse|gecko|lizard|budgie|chicken|goat|cow|hedgehog|axolotl";
const OWN = `${PET}|character|band|car|bike|guild|clan|team|island|farm|ship|oven|boat|plant|van|robot`;
const TIER =
  "iron|bronze|silver|gold|plat|platinum|emerald|diamond|ascendant|immortal|radiant|masters?|grandmaster|challenger|champion|champ|global elite|predator";
/** Without its number a tier may be a joke ("i am gold"), unless the game follows. */
const RANK = `(?:${TIER}) (?:\\d|i{1,3}|iv|v)|top \\d{1,4}|\\d{3,4} (?:elo|mmr|rated)`;
const NO_GAME =
  "\\p{L}+ing|your|my|his|her|their|the|this|that|these|an?|every|any|all|some|real|life|theory|spirit|disguise|name|bed";
const GAME = `(?:in|on) (?!(?:${NO_GAME})(?![\\p{L}\\p{N}]))[^ ,.;!]+(?: (?!(?:and|but|now|lol|btw) )[^ ,.;!]+){0,2}`;
const REACHED = `(?:have )?${HOW}(?:hit|reached|got to|climbed to|ranked up to|made it to|dropped to|fell to|am hardstuck(?: in| at)?|am (?:currently |still )?stuck in)`;
/** What may follow a rank without taking it back. */
const REST =
  "(?: (?:now|finally|today|atm|rn|right now|again|already|btw|lol|lmao|tho|though))*(?:\\s*[,;!(].*| (?:and|but|so|which|[-–—]) .*)?";
/** Trades that no game has; what else stands behind "i am a" is as often a joke. */
const TRADE =
  "accountant|architect|baker|barista|bartender|biologist|carpenter|chemist|dentist|designer|developer|electrician|engineer|gardener|geologist|illustrator|journalist|lawyer|librarian|musician|nurse|paramedic|pharmacist|photographer|physicist|plumber|programmer|scientist|student|teacher|translator|writer";
const TRADE_OF =
  "(?:(?:retired|former|freelance|night[ -]shift|phd|software|hardware|web|game|graphic|sound|data|civil|mechanical|electrical|primary|high|school|music|art|law|medical|nursing|college|university|pastry|truck|train|bus|marine|nurse|english|maths?|science) ){0,2}";
const WHEN =
  "tomorrow|tonight|next (?:week|month|year)|this weekend|on (?:mon|tues|wednes|thurs|fri|satur|sun)day";
const WILL = "(?:will|am going to|am gonna|plan to|am planning to)";

function rule(said: string, told: string): SelfRule {
  return { said: new RegExp(`^${said}$`, "iu"), told };
}

const VERB_RULES = VERBS.flatMap(([base, third, ing]) => [
  rule(`i ${HOW}do not ${HOW}${base} (?<what>.+?) any ?more\\b.*`, `$P no longer ${third} {what}`),
  rule(`i no longer ${base} (?<what>.+)`, `$P no longer ${third} {what}`),
  rule(`i ${HOW}do not ${HOW}${base} (?<what>.+)`, `$P does not ${base} {what}`),
  rule(`i never ${base} (?<what>.+)`, `$P never ${third} {what}`),
  rule(`i used to ${base} (?<what>.+)`, `$P used to ${base} {what}`),
  rule(
    `i (?:have )?${HOW}(?:stopped|quit|gave up|given up) ${ing} (?<what>.+)`,
    `$P stopped ${ing} {what}`,
  ),
  rule(
    `i (?:have )?${HOW}(?:started|began|begun|took up) (?:${ing}|to ${base}) (?<what>.+)`,
    `$P started ${ing} {what}`,
  ),
  ...(OF_THE_MOMENT.has(base)
    ? []
    : [
        rule(`i have ${HOW}been ${ing} (?<what>.+)`, `$P has been ${ing} {what}`),
        rule(`i am ${HOW}${ing} (?<what>.+)`, `$P is ${ing} {what}`),
      ]),
  rule(`i ${HOW}${base} (?<what>.+)`, `$P ${third} {what}`),
]);

const RULES: readonly SelfRule[] = [
  rule(`(?<when>${WHEN})[, ]+i ${WILL} (?<what>.+)`, "$P will {what} {when}"),
  rule(
    "i (?:have )?never (?<done>played|watched|seen|finished|tried) (?<what>.+)",
    "$P has never {done} {what}",
  ),
  rule(`i ${WILL} (?<plan>.+) (?<when>${WHEN})(?:[ ,!].*)?`, "$P will {plan} {when}"),
  rule(`i have (?<plan>(?:an?|my|the) .+) (?<when>${WHEN})(?:[ ,!].*)?`, "$P has {plan} {when}"),
  rule(
    "(?:please |pls |you can |just )*call me (?!an? |the |back|when|out|after)(?<what>[\\p{L}\\p{M}\\p{N}_'-]+(?: [\\p{L}\\p{M}\\p{N}_'-]+)?)(?: please| pls| from now on)*",
    "$P wants to be called {what}",
  ),
  rule(
    "i (?:want|would like|would love|would prefer|prefer|like) to be called (?<what>.+)",
    "$P wants to be called {what}",
  ),
  rule("my name is (?<what>.+)", "$P is called {what}"),
  rule("my pronouns are (?<what>.+)", "$P has the pronouns {what}"),
  rule("my time ?zone is (?<what>.+)", "$P is in the time zone {what}"),
  ...VERB_RULES,
  rule(`i am ${HOW}from (?<what>.+)`, "$P is from {what}"),
  rule(`i am ${HOW}based in (?<what>.+)`, "$P is based in {what}"),
  rule(`i (?:was|am) ${HOW}born in (?<what>.+)`, "$P was born in {what}"),
  rule(`i grew up in (?<what>.+)`, "$P grew up in {what}"),
  rule(`i cannot stand (?<what>.+)`, "$P cannot stand {what}"),
  rule(
    `i (?:have )?${HOW}moved (?<what>(?:(?:away|back|here|over) )?(?:from .+ )?to .+)`,
    "$P moved {what}",
  ),
  rule("i am an? (?<what>.+) main", "$P mains {what}"),
  rule("my main is (?<what>.+)", "$P mains {what}"),
  rule(
    "my (?:absolute |all ?time )*(?:favou?rite|fav|fave) (?<which>[\\p{L}\\p{N}'-]+(?: [\\p{L}\\p{N}'-]+){0,2}?) (?:is|are|has to be|is still) (?<what>.+)",
    "$P's favourite {which} is {what}",
  ),
  rule(
    `my (?<which>(?:[\\p{L}'-]+ ){0,2}(?:${OWN})) is (?:called|named) (?<what>.+)`,
    "$P's {which} is called {what}",
  ),
  rule(
    `my (?<which>(?:[\\p{L}'-]+ ){0,1}(?:${OWN}))'s name is (?<what>.+)`,
    "$P's {which} is called {what}",
  ),
  rule(
    `i have (?:got )?(?<pet>(?:an?|two|three|four|five|\\d+) (?:[\\p{L}'-]+ ){0,2}(?:${PET})e?s?) (?:called|named) (?<what>.+)`,
    "$P has {pet} called {what}",
  ),
  rule(
    `i have (?:got )?(?<pet>(?:an?|two|three|four|five|\\d+) (?:[\\p{L}'-]+ ){0,2}(?:${PET})e?s?)(?: at home| here| too)?`,
    "$P has {pet}",
  ),
  rule(
    `my (?<peak>peak|highest)? ?(?:current |solo )*(?:rank|elo|mmr) is (?<what>(?=.*\\d|(?:${TIER})(?!\\p{L})).+)`,
    "$P's {peak} rank is {what}",
  ),
  rule(`i ${REACHED} (?<rank>${TIER})${REST}`, "$P's rank is {rank}"),
  rule(
    `i (?:am ${HOW}(?:at )?|${REACHED} )rank(?:ed)? #?(?<rank>\\d{1,6}(?: ${GAME})?)${REST}`,
    "$P's rank is {rank}",
  ),
  rule(
    `i (?:am ${HOW}(?:at |in )?|${REACHED} )(?<rank>(?:${RANK})(?: ${GAME})?)${REST}`,
    "$P's rank is {rank}",
  ),
  rule(`i (?:am ${HOW}|${REACHED} )(?<rank>(?:${TIER}) ${GAME})${REST}`, "$P's rank is {rank}"),
  rule(`i peaked (?:at |in )?(?<rank>${RANK}|${TIER})${REST}`, "$P's peak rank is {rank}"),
  rule(
    `i (?:am ${HOW}|${REACHED} )(?:level|lvl) (?<level>\\d{1,4}(?: ${GAME})?)${REST}`,
    "$P's level is {level}",
  ),
  rule(
    "my (?<which>(?:[\\p{L}\\p{N}'-]+ ){0,2}(?:pb|personal best|high ?score)) is (?<what>\\d.*)",
    "$P's {which} is {what}",
  ),
  rule(
    `i am (?<job>an? ${TRADE_OF}(?:${TRADE}))(?: btw| by the way)?(?:\\s*[,;!(].*| (?:and|but|so) .*)?`,
    "$P is {job}",
  ),
  rule(`i am (?<hand>left|right)[ -]handed${REST}`, "$P is {hand}-handed"),
];

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bi'?m\b(?!')/giu, "i am"],
  [/\bi'?ve\b/giu, "i have"],
  [/\bi'll\b/giu, "i will"],
  [/\bi'd\b/giu, "i would"],
  [/\b(?:don'?t|dont)\b/giu, "do not"],
  [/\b(?:can'?t|cant)\b/giu, "cannot"],
  [/\bgonna\b/giu, "going to"],
  [/\bwanna\b/giu, "want to"],
  [/\bmy ((?:[\p{L}]+ ){0,3}[\p{L}]+)'s (?=called|named)/giu, "my $1 is "],
  [/\bmy (fav\w* [\p{L}]+)'s /giu, "my $1 is "],
  [/\bname's\b/giu, "name is"],
  [/\bi use to\b/giu, "i used to"],
  [
    /(?<=^(?:.*\W)?i (?:play|main|speedrun|stream|speak) .{2,30}) and (?=(?:play|main|speedrun|stream|speak) )/giu,
    " and i ",
  ],
];
