import type { SelfLanguage, SelfRule } from "./self-rule.ts";

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

export const ENGLISH: SelfLanguage = {
  rules: RULES,
  own: /^(?:i|my)(?![\p{L}\p{N}])/iu,
  fillers:
    /^(?:(?:hey|hi|hello|yo) [\p{L}\p{N}_]+[,!]+\s*|(?:well|yeah|yes|yep|no|nah|nope|oh|ah|aw|so|also|and|but|btw|fyi|ok|okay|hey|hi|hello|yo|lol|lmao|haha\w*|honestly|tbh|ngl|actually|anyway|guys|chat|everyone|fun fact|same|damn|wow|hm+|um+|uh+|personally|right now|these days|nowadays|update|small update|news|good news|currently|meanwhile|for me|as for me)[\s,:!.-]+|(?:the bot|someone|P\d{1,4})[\s,!]+|[^\p{L}\p{N}"'(]+)+/iu,
  cut: /\s*(?:[,;(|]|:\s|\s[-–—]+\s|\s(?:but|because|cause|cuz|coz|bc|since|so|and (?:i|then|my|it|she|he|they|we|you|this|that|there|get|got|have|has|am|was|will|do|can|now|so|still)|by the way|to be (?:fair|honest)|though|tho|lol|lmao|lmfao|rofl|haha\w*|xd|btw|tbh|ngl|too|as well|right now|atm|fr|imo|these days|nowadays|while|when|if|which|what|how|why|who|where|do you|are you|u|you|wbu|hbu|until|anyway|originally|myself|actually|now|here|most of the time|mostly|already|please|pls)(?![\p{L}\p{N}])).*$/iu,
  vague:
    /^(?:it|this|that|these|those|them|him|her|you|your|his|their|u|ur|ya|y'all|everyone|everybody|everything|nothing|something|anything|someone|here|there|how|when|what|where|who|why|a lot|a bit|hard|well|bad|badly|better|good|now|later|today|tonight|again|like|around|me|my life|life|myself|whichever|whatever|whoever|wherever|whenever|all day|so much|to (?:say|be|break|admit|see|hear|think|know)|being|fear|hope|peace|denial|pain|free|people|the way|crazy|old$|reality|the (?:raid|other|clip|past|future|discord|same)|maybe|dumb|stupid|lazy|weird|biased|one|both|some|any|in|your)(?![\p{L}\p{N}])|(?:^|\s)(?:with|for|at|on|in|of|to|from|and|or|the|an?|my|as)$/iu,
  joints:
    /\s(?:with|for|near|at|on|in|every|each|after|before|about|and|or|during|over|of|from|to)\s(?:(?!\s(?:with|for|near|at|on|in|every|each|after|before|about|and|or|during|over|of|from|to)\s).)*$/iu,
  spell: (text) => CONTRACTIONS.reduce((line, [short, long]) => line.replace(short, long), text),
  turn: (matter) =>
    matter
      .replace(/(?<![\p{L}])my(?![\p{L}])/giu, "their")
      .replace(/(?<![\p{L}])i am(?![\p{L}])/giu, "they are")
      .replace(/(?<![\p{L}])me(?![\p{L}])/gu, "them")
      .replace(/(?<![\p{L}])i(?![\p{L}])/gu, "they"),
};
