// Pure: values in, values out.
/**
 * What people write about an answer that they liked, and about one that they did not, by language; single words in
 * lower case, compared as whole words. Emotes are Twitch's own and the most used ones of BetterTTV, FrankerFaceZ, 7TV.
 */
export const LIKED_WORDS =
  "kekw kekwait lul lulw omegalul lmao lmfao lol rofl xd pog pogchamp poggers pogu pogslide ezclap clap peepohappy " +
  "peepoclap catjam pepelaugh icant seemsgood vohiyo 4head kreygasm heyguys bloodtrail coolcat tehepelo widepeepohappy " +
  "<3 ty thx thanks thankyou nice great awesome amazing love loved perfect hilarious funny cute based goat wholesome " +
  "gracias genial buenísimo increíble crack grande obrigado obrigada valeu ótimo incrível amei " +
  "danke super klasse geil lustig genial prima toll merci génial mdr ptdr excellent drôle adorable " +
  "спасибо спс круто класс топ лол кек годно красава смешно обожаю шикарно";

export const DISLIKED_WORDS =
  "residentsleeper notlikethis wutface failfish dansgame babyrage weirdchamp madge pepepains " +
  "cringe boring stupid dumb annoying useless creepy wrong terrible awful garbage trash lame unfunny " +
  "aburrido tonto inútil pesado malísimo cállate burro chato ruim horrível idiota " +
  "dumm falsch nervig nervt langweilig schlecht unlustig peinlich nul nulle bête pourri ennuyeux gênant lourd " +
  "заткнись тупой тупо тупость скучно бред кринж отстой бесишь неверно неправда";

/** Of several words, or of scripts that write none apart: looked for anywhere in a line. */
export const LIKED_PHRASES: readonly string[] = [
  "good bot",
  "thank you",
  "well said",
  "hab dich lieb",
  "muito bom",
  "bien joué",
  "ありがと",
  "すごい",
  "いいね",
  "かわいい",
  "最高",
  "好き",
  "감사",
  "고마워",
  "최고",
  "좋아",
  "귀여",
  "谢谢",
  "厉害",
  "好棒",
  "笑死",
  "可爱",
  "شكرا",
  "رائع",
];

export const DISLIKED_PHRASES: readonly string[] = [
  "bad bot",
  "shut up",
  "not funny",
  "nobody asked",
  "no one asked",
  "mal bot",
  "cala a boca",
  "halt die klappe",
  "sei still",
  "tais-toi",
  "ta gueule",
  "не смешно",
  "うるさい",
  "黙れ",
  "つまらない",
  "きもい",
  "違う",
  "닥쳐",
  "재미없",
  "별로",
  "闭嘴",
  "无聊",
  "不好笑",
  "اسكت",
  "ممل",
];

/** A word after one of these says nothing either way. */
export const NEGATIONS =
  "not no never isn't wasn't don't didn't ain't nicht kein keine ne pas nunca não nem не ни нет";
