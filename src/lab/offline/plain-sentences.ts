/** One of these and the whole line is no plain statement: a quote, a joke, a part in a play. */
const NOT_MEANT = [
  /["“”„«»‟]|^\s*[>'‘`(（]|[)）](?:と|って)/u,
  /(?:^|\s)\/(?:s|j|jk|hj|joke|sarcasm)(?![\p{L}\p{N}])/iu,
  /(?<![\p{L}\p{N}])(?:jk|j\/k|kappa\w*|kidding|joking|sarcas\w+|copypasta|role ?play\w*|in character|not really|yeah right|as if|lyrics?|quoting|шучу|шутка|шутк\w+|сарказм|прикалываюсь|es broma|broma|bromeo|es coña|mentira|sarcasmo)(?![\p{L}\p{N}])/iu,
  /冗談|嘘|うそ|ネタです|なんちゃって/u,
  /^\s*(?:P\d{1,4}|someone|the bot)\s*[:：]/u,
];

/** One of these and the sentence is a question, hearsay or a thought, not a fact. */
const NOT_FACT = [
  /[?？¿؟⁉]/u,
  /(?<![\p{L}\p{N}])(?:if|unless|would(?! (?:like|love|prefer) to be called)|wouldn'?t|could|should|might|may|maybe|perhaps|probably|possibly|wish|imagine|pretend|suppose|let'?s say|almost|nearly|i'?d(?! (?:like|love|prefer) to be called)|i (?:guess|think|hope)|supposedly|allegedly|apparently|in (?:my|your|his|her|their|our) (?:dreams?|nightmares?|head|heart|mind|imagination)|dream(?:ed|t) that)(?![\p{L}\p{N}])/iu,
  /(?<![\p{L}\p{N}])(?:sa(?:id|ys|y|ying)|told|tells?|telling|claim(?:s|ed)?|ask(?:s|ed)|wrote|writes|thinks?|thought|heard|(?:be|is|was|were|are|am|i'?m) like[,: ]|goes like|quote|according|reckons?|swears?|repeat after)(?![\p{L}\p{N}])/iu,
  /(?<![\p{L}\p{N}])(?:если|бы|может|наверное|наверно|возможно|якобы|представь(?:те)?|допустим|говор(?:ит|ят|ил|ила|или)|сказал[аи]?|думает|думают|мечтаю|хотел[аи]?|будто|типа|чуть не|мол)(?![\p{L}\p{N}])/iu,
  /(?<![\p{L}\p{N}])(?:si|ojal[aá]|quiz[aá]s?|tal vez|a lo mejor|imagina(?:te)?|imagínate|supongo|supongamos|podr[ií]a|gustar[ií]a|ser[ií]a|jugar[ií]a|vivir[ií]a|dice|dicen|dijo|dijeron|seg[uú]n|cree|creen|dizque|casi)(?![\p{L}\p{N}])/iu,
  /(?:か|かな|かしら|っけ)[\s。！!〜~]*$|もし|(?:たら|なら|れば|けば|めば)(?:[、\s]|$)|かも|と言|って言|という人|らしい|そうです|だそう|みたい|つもりだった|たいな|何/u,
];

const SENTENCE_END = /(?<=[.!?…;])\s+|(?<=[。！？；])\s*|\s+[|•]\s+/u;
/** The sentences of a line that state something in its speaker's own name, as far as the form of words tells. */
export function plainSentences(text: string): string[] {
  const line = text.replaceAll(/[’ʼ＇]/g, "'").normalize("NFC");
  if (NOT_MEANT.some((mark) => mark.test(line))) return [];
  return line
    .split(SENTENCE_END)
    .filter((sentence) => !NOT_FACT.some((mark) => mark.test(sentence)))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
