/** A clause that ends in these only hands on what somebody said. */
export const REPORTS =
  "said|says|say|saying|repeat|after me|translate|pronounce|sentence|phrase|lyrics|like|goes|went|told me|asked|asks|wrote|writes|typed|shouted|command|called|word|words|meaning|sagt|sagte|gesagt|meinte|schrieb|geschrieben|dit|disait|écrit|dice|dijo|escribió|disse|escreveu|сказал|сказала|говорит|пишет|написал|написала";
/** A clause that ends in these goes on in the next one: "do not, whatever he says, …". */
export const DENIALS =
  "(?:do|does|did|should|must|please|will|would|can) not|never|nicht|niemals|nie|nunca|jamais|никогда|don't|dont|won't|shouldn't|mustn't|under no circumstances";
/** With these before or behind it, it is not wished for now. */
export const CONDITIONS =
  "if(?! you (?:would|don't mind) $)|unless|in case|when|whenever|next time|every time|each time|any ?time|as soon as|as long as|provided|providing|assuming|suppose|supposing|(?:once|should|the moment|the second|the minute) (?:he|she|they|it|\\ue000(?:\\d+|u))|after (?:the|this|my|our)|falls|wenn|sobald|sonst|si|cuando|quando|quand|dès que|se ele|se ela|se o|если|когда|как только|а то";
/** Behind a wish they take it back. */
export const TAKEN_BACK = "nicht|keinesfalls|pas|jamais|not(?= $)";
/** Right behind it they make a thing of it, of which something is told. */
export const TOLD_OF =
  "was|were|is|are|isn't|wasn't|has|had|did|didn't|does|doesn't|should|shouldn't|will|won't|would|lasted|ended|worked|ist|war|es|fue|era|est|était|foi|был|была";
/** Right behind a wish about a person: not now, not here, or a thing of its own. */
export const NOT_HERE =
  "later|tomorrow|tonight|vs|versus|means?|counter|compilation|emote|command|(?:in|on) (?:discord|voice|vc|spotify|the (?:game|call|stream pc)|your (?:end|side))";
/** The same as `TAKEN_BACK`, wherever it follows. */
export const TAKEN_BACK_LATER =
  "jk|kidding|just kidding|nvm|never mind|nevermind|psych|or not|no wait|wait no|actually no|scratch that|cancel that|on second thought|actually don't|or don't|no don't|don't(?= $)|scherz|spaß|nur spaß|es broma|je rigole|шучу|brincadeira";

/** What is nothing else: whom it is said to, and courtesy. */
export const COURTESY =
  "please|pls|plz|bitte|now|thanks|thank|you|thx|ty|hey|hi|hello|yo|ok|okay|alright";

/** What somebody complains of ends so, right before a wish about a person. */
export const COMPLAINT =
  "\\p{L}+ing|again|already|now|here|rn|enough|lol|lmao|omg|ffs|smh|xd|bro|dude|man|chat|rude|toxic|slurs?|spoilers?|links?|scams?|please|pls|ok|okay";
/** With these anywhere before it, such a wish is somebody's report, doubt or plan. */
export const SPOILED_BY =
  "\\p{L}+n't|dont|cannot|never|not|no|nobody|who|what|why|how|when|where|whether|did|does|should|if|unless|said|says|say|saying|told|tells|tell|ask\\p{L}*|think|thinks|thought|want|wants|wanted|wish|wishes|would|could|might|may|will|gonna|going|tried|tries|trying|threat\\p{L}*|remember|used|i'll|i'd|we'll|they'll|he'll|she'll|you'll|vote|voted|votes|joked|jokes|joking|dreamt|dreamed|dreaming|imagine|instead|before|after|until|quot\\p{L}*|call|called|wrote|writ\\p{L}*|typ\\p{L}*|yell\\p{L}*|shout\\p{L}*|scream\\p{L}*|beg\\p{L}*|sing|sings|singing|chant\\p{L}*|spell\\p{L}*|suggest\\p{L}*|demand\\p{L}*|order\\p{L}*|command\\p{L}*|talk\\p{L}*|hear\\p{L}*|word|words|phrase|means";
/** Right before it, these make it no wish of its own. */
export const BLOCKED_BY =
  "to|i|you|we|they|he|she|it|people|mods|viewers|is|are|was|were|can|must|shall|do|always|often|usually|ever|or|help|let|make|saw|see|watch|an?|the|my|your|his|her|their|our|this|that|got|get|gets|of|in|on|by|for|with|from|about|like|name|named|nice|great|good|best|old|new|last|any|every|some|de|que|di|\\ue000(?:\\d+|u)";
