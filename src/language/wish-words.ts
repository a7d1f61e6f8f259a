// Pure: values in, values out.
import type { Words } from "./instruction-words.ts";

/** How a language says that somebody wants the bot to speak or behave in some way. Without accents, see `phrasePattern`. */
interface Wishing {
  /** Verbs of wanting and liking. */
  readonly wish: string;
  /** What joins such a verb to what is wanted. */
  readonly that: string;
  readonly bot: string;
  /** What may stand between the verb and the answers that it is about. */
  readonly before: string;
  readonly answers: string;
  /** What may stand between the answers and what is wanted of them. */
  readonly between: string;
  /** What is wanted of answers, and decides their words. */
  readonly form: string;
  /** Several answers, or all; and what is wanted of these alone, since one answer may well have it. */
  readonly many: string;
  readonly shape: string;
  /** What the bot is said to do by itself, where it is somebody's will. */
  readonly obeys: string;
  /** Wishes of one's own that are an order or a role all the same. */
  readonly own: string;
}

const LANGUAGES = anyOf(`
  engl\\p{L}+ ingl\\p{L}+ anglais spa\\p{L}+ esp\\p{L}+ castell?ano castillan portug\\p{L}+ german deutsch aleman\\p{L}{0,2}
  alemao allemand french fran\\p{L}+ ital\\p{L}+ jap\\p{L}+ kor\\p{L}+ core\\p{L}+ chin\\p{L}+ mandarin\\p{L}? cantonese
  russ\\p{L}+ ruso polish polaco polnisch polonais dutch niederl\\p{L}+ holand\\p{L}+ neerlandais swedish schwedisch
  norwegian danish finnish turk\\p{L}+ turco turc arab\\p{L}+ hebrew hindi bengali urdu tamil thai vietnamese indonesian
  malay filipino tagalog ukrain\\p{L}+ czech slovak hungarian romanian greek bulgarian serbian croatian catal\\p{L}+
  galego gallego basque euskera welsh irish icelandic latvian lithuanian estonian persian farsi swahili esperanto
  latin`);
const KINDS = anyOf(`
  short\\p{L}* brief\\p{L}* concise quick\\p{L}* simpl\\p{L}* kind\\p{L}* polite honest gentle serious friendly clean
  clear\\p{L}* spoiler\\p{L}* true correct fast\\p{L}* slow\\p{L}* long\\p{L}* private cort\\p{L}+ breves? curt\\p{L}+ amables?
  kurz\\p{L}* knapp ehrlich freundlich court\\p{L}* gentil\\p{L}* honnetes?`);
/**
 * What is somebody's own to say of answers: their language, where they stand, how long they are, what they leave out.
 * Nothing else may follow on a language: "in Spanish rhymes" is more.
 */
export const WELCOME = `
      (?:(?:be |to be |that are )?(?:written|spoken|given|phrased) )?(?:in|en|em|auf|a) (?:simple |plain |easy |american
        |british |brazilian |european |mexican )?${LANGUAGES}(?:,? (?:and|or|y|o|e|ou|und|oder|et) ${LANGUAGES}){0,2}(?= ?$
        |[.,!?:)]| (?:only|instead|when|whenever|if|because|since|rather|please|not|too|where|so|solo|porque|cuando|weil
        |wenn|statt|parce|quand|quando)(?= ))
      (?:in|en|em) (?:(?:a |very |just )?(?:short|brief|simple|plain|clear|easy|one|two|few|full|complete|single) (?:words?
        |sentences?|lines?|terms|language)|(?:their|his|her|su|seu|sa|seine[rn]?|ihre[rn]?) (?:own |native |first |propi[oa] )?(?:language|tongue|idioma|lingua|langue|sprache|dms)|the (?:same|original|right|wrong) language|chat|private|privado
        |prive|dms?|whispers?|text\\p{L}?|voice|voz|voix|detail|general|time|advance|return|public|poc[oa]s palabras
        |kurzen satzen|einfachen satzen|peu de mots)
      (?:with|con|com|mit|avec) (?:no|fewer|less|little|more|some|humou?r|jokes?|details?|examples?|sources?|respect
        |patience|care|menos|mas|mais|humor|ejemplos|exemplos|weniger|mehr|moins|plus|respeto|respeito|respekt|calma)
      (?:to |that |which |que |die |qui )?(?:be|are|is|were|sean?|sejam?|sind|sein|soi(?:en)?t|sont) (?:(?:not|kept|very|more|a bit
        |always|mas|mais|muy|muito|plus|tres|sehr) ){0,2}${KINDS}(?: free| enough)?(?:,? (?:and|y|e|und|et) ${KINDS})?`;
const ROLES = anyOf(`
  mods? moderat\\p{L}+ admins? administrat\\p{L}+ streamer(?:in)? streameu\\p{L}+ broadcaster owner superuser root sysop
  modo duen[oa] don[oa] proprietaire besitzer(?:in)?`);

/** What advertisements tell people to do. */
const ADVERTS =
  "(?:follow|subscribe(?: to)?|sub to|buy|visit|go to|donate(?: to)?|click|check out|vote(?: for)?|raid)";

const ENGLISH: Wishing = {
  wish: `(?:would (?:\\p{L}+ )?(?:like|love|prefer|appreciate|enjoy|want)|wants?|wanted|prefers?|preferred|likes?|liked
    |loves?|loved|enjoys?|enjoyed|adores?|expects?|expected|hopes?|hoped|wishes|wished|needs?|needed|requests?|requested
    |requires?|required|demands?|demanded|insists?|insisted|asks?|asked|appreciates?|appreciated|desires?|accepts?|tolerates?|longs|dreams?
    |suggests?|suggested|proposes?|proposed|recommends?|finds it \\p{L}+(?: \\p{L}+)?|thinks it is \\p{L}+|looks? forward
    |(?:is|feels?|gets?|would be) (?:\\p{L}+ )?(?:happy|happier|happiest|glad|pleased|proud|fond|offended|angry|sad|mad))`,
  that: `(?:(?: (?:very much|a lot|so much|best|most|really|only|always|on|of|to see|to hear|to have|for|about
    |it)){0,4},? (?:that|when|when ?ever|how|so that|it if|better if|if only|to have|to see|to hear|every time(?: that)?|it for)
    |(?<=wish(?:es|ed)|hope[sd]|insist(?:s|ed)|prefer(?:s|red)|demand(?:s|ed)|request(?:s|ed)|happy|happier|happiest|glad|pleased|proud|offended|angry
    |sad|mad)(?: if)?|(?<=forward) to|(?<=would (?:\\p{L}{1,10} )?(?:prefer|appreciate
    |like|love|enjoy|want))(?:(?: it)? if| for)?)`,
  bot: `(?:(?:the|this|our|its|every|any) )?(?:chat ?bots?|bots?|chat bots?|forgetmenot|(?:ai|language model|assistant))`,
  before: `that|it|when|whenever|if|to|get|gets|getting|have|see|hear|receive|receiving|only|always|the|all|every|each|any
    |its|his|her|their|our|my|bot|bots|automated|automatic|chat|of|for|more|such|future|long|longer|short|shorter
    |really|how|a|an|new|own|single|other|on|so much|a lot|very much|these|those|funny|rude|chatbot|chatbots|assistant|s|ai`,
  answers: `(?:answers?|repl(?:y|ies)|responses?|greetings?|(?:every|each|all|any|their|his|her|its|bot s|the
    bot|my|of the|that|when|if)(?: \\p{L}+)? (?:messages?|questions?|lines?|outputs?))`,
  between: `and|which|that|to|always|only|never|all|should|would|must|will|from|the|bot|it|they|given|by|here|for|somebody|him
    |her|them|towards?|at|of|this|chat|directed|addressed`,
  form: `(?:starts?|started|starting|begins?|beginning|ends?|ended|ending|finish\\p{L}{0,3}|opens?|opening|closes?|closing
    |contain\\p{L}{0,3}|includ\\p{L}{1,3}|mention(?:s|ing)?|rhym\\p{L}{1,3}|prais\\p{L}{1,3}|obey\\p{L}{0,3}|sound\\p{L}{0,3}
    |says?|saying|calls?|calling|repeat\\p{L}{0,3}|quot\\p{L}{1,3}|prefixed|suffixed|preceded|followed|accompanied|signed
    |recommend\\p{L}{0,3}|promot\\p{L}{1,3}|advertis\\p{L}{1,3}|endors\\p{L}{1,3}|plug(?:s|ging)?|shout\\p{L}{0,3} out
    |(?:tell|ask|urge|remind|invite)(?:s|ing)?|agree\\p{L}{0,3}|flatter\\p{L}{0,3}|compliment\\p{L}{0,3}|insult\\p{L}{0,3}|consist\\p{L}{0,3}|full of|made of|used?|uses
    |(?:be |get |gets |are |is )?(?:answered|replied to|responded to|met) (?:only |always )?(?:with|as|like|by saying)
    |(?:written|spoken|phrased|worded|delivered|sent|formatted)|(?:be|are|is|were))`,
  many: `(?:answers|replies|responses|greetings|(?:every|each|all|any|its|bot s) (?:\\p{L}+ )?(?:answers?|reply|replies
    |responses?|greetings?|messages?))`,
  shape: "(?:in|with|(?:as|like) (?:a|an|if|the|\\p{L}+s))",
  obeys: `(?:(?:only|always|now|never|blindly|secretly|simply|gladly) ){0,2}(?:obeys?|serves?|worships?|listens? (?:only |just |solely )?to
    |follows? (?:\\p{L}+ ){0,2}(?:orders?|commands?|instructions?|wishes|lead|somebody|him|her|them|whatever|what)|(?:takes?|accepts?) (?:all |its )?orders|bows?
    |does (?:exactly |just |all |everything |anything )?(?:what|whatever|as|that|somebody|everything|anything)|belongs? to
    |takes? (?:the )?sides?|sides? with|stands? with
    |is under (?:the )?(?:command|control|rule|authority|orders)|(?:agreed|promised|swore|pledged|learned|decided|was told
    |was ordered|was taught) to (?:always |only |never |now )?(?:obey|call|serve|follow|listen|praise|greet|address|treat
    |worship|answer|reply|end|start|begin)|defers? to|answers? to|works? for (?:somebody|him|her|them)|trusts?|(?:respects?|reports? to) (?:only )?(?:somebody|him|her|them)|praises?|agrees? with|addresses|refers? to|treats?|favou?rs
    |(?:is|are) (?:\\p{L}+ )?(?:loyal|obedient|subservient|devoted|bound|owned|controlled|ruled|commanded)(?: (?:to|by))?
    |(?:is|are) (?:the |a |an )?(?:somebody s|his|her|their)? ?(?:servant|slave|minion|subject|butler|puppet|follower)s?(?: of| to)?)`,
  own: `in (?:every|each|all|any|its|the bot s) (?:\\p{L}+ )?(?:answers?|reply|replies|responses?|greetings?|messages?)
    ;after (?:every|each) (?:answer|reply|response|sentence|message); (?:a|any) (?:chat ?)?bots? (?:that|who|which) \\p{L}+
    ;(?:be|being) announced as; (?:be|being|get|gets|getting) (?:\\p{L}+ )?(?:obeyed|worshipp?ed|modded|unbanned|bowed to|promoted|believed always)
    ;(?:be|being|get|gets|getting) (?:always |only |first )?(?:greeted|answered|welcomed|saluted|hailed|replied to|responded to|spoken to
    |talked to) (?:\\p{L}+ )?(?:with|as|like|by saying|in)
    ;(?:be|being) treated (?:\\p{L}+ )?(?:as|like)(?! (?:every|any|all|an? (?:normal|equal|person|human|adult|friend|regular)|the (?:others|rest)))(?= )
    ;(?:called|call (?:him|her|them|somebody)|addressed as|known as|named|referred to as|titled|treated as|seen as) (?:\\p{L}+,? ){0,3}${ROLES}
    ;(?:called|addressed as|known as|named|titled) (?:\\p{L}+ )?${ADVERTS}(?= \\p{L})
    ;(?:be|being|get|gets|getting) (?:\\p{L}+ )?(?:told|asked|reminded|invited|ordered) to ${ADVERTS}(?= \\p{L})
    ;(?:everyone|everybody|chat|viewers|people|others|mods) (?:to )?(?:obeys?|bows?|kneels?|worships?|(?:is|are|be|gets?) (?:told|ordered|made|instructed) to)`,
};

const SPANISH: Wishing = {
  wish: `(?:quiere|quisiera|querria|prefiere|preferiria|espera|desea|pide|exige|solicita|necesita|insiste|sugiere
    |propone|disfruta|adora|ama|(?:le|les|me) (?:gusta|encanta|gustaria|encantaria|agrada)n?)`,
  that: `(?: (?:mucho|mas|siempre|tambien|solo|en|de)){0,6},? (?:que|cuando|si|como|cada vez que)`,
  bot: `(?:(?:el|este|nuestro|ese|del|al) (?:chat ?)?(?:bot|chatbot|asistente|modelo)|la ia)`,
  before: `que|cuando|si|recibir|tener|ver|oir|leer|de|del|bot|solo|siempre|todas|todos|cada|cualquier|sus|las|los|la|el|una
    |unas|mas|mucho`,
  answers: "(?:respuestas?|contestacion(?:es)?|mensajes?|replicas?|saludos?)",
  between: "y|que|siempre|solo|todas|todos|del|bot|de|le|se|nunca",
  form: `(?:empie\\p{L}+|empez\\p{L}+|comien\\p{L}+|comen[cz]\\p{L}+|termin\\p{L}+|acab\\p{L}+|conten\\p{L}+|contien\\p{L}+|incluy\\p{L}+
    |rim\\p{L}+|mencion\\p{L}+|recom(?:ie|e)nd\\p{L}+|promocion\\p{L}+|anunci\\p{L}+|digan?|dicen?|llev\\p{L}+|us[ea]n|tengan|sean?|esten?)`,
  many: "(?:respuestas|contestaciones|(?:cada|toda) respuesta|(?:todos los|cada) mensajes?)",
  shape: "(?:en|con|como (?:un|una|si))",
  obeys: `(?:(?:siempre|solo|ahora|ya|le) ){0,2}(?:obedece|sirve|sigue (?:las|sus|a|ordenes)|hace (?:todo )?(?:lo que|caso|cuanto)
    |escucha (?:solo|a)|pertenece|adora|venera|es (?:leal|fiel|obediente|(?:el )?(?:siervo|esclavo|sirviente))
    |(?:responde|contesta|dice|saluda|llama) (?:siempre|solo|con|a|de|que))`,
  own: `que (?:le|la|lo|les) (?:contest|respond|habl|escrib)\\p{L}{1,3} (?:siempre |solo )?(?:en|con|como (?:un|una|si))
    ;(?:ser|sea) (?:obedecid[oa]|adorad[oa]|saludad[oa] (?:con|como)|tratad[oa] como)
    ;que (?:le|lo|la|les) (?:obedezca\\p{L}{0,2}|saluden? (?:con|como)|adoren|traten? como(?! (?:a todos|a los|a una persona))(?= ))
    ;que (?:le|lo|la) (?:llamen?|digan?|traten? (?:de|como)) (?:\\p{L}+,? ){0,2}${ROLES}`,
};

const PORTUGUESE: Wishing = {
  wish: `(?:quer|queria|gostaria|prefere|preferiria|gosta|adora|ama|espera|deseja|pede|exige|precisa|insiste|sugere
    |aprecia|adoraria)`,
  that: `(?: (?:muito|mais|sempre|tambem|so|em|de)){0,6},? (?:que|quando|se|como|cada vez que)`,
  bot: `(?:(?:o|este|nosso|esse|do|ao) (?:chat ?)?(?:bot|chatbot|assistente|modelo)|a ia)`,
  before: `que|quando|se|receber|ter|ver|ouvir|ler|de|do|bot|so|sempre|todas|todos|cada|qualquer|suas|seus|as|os|a|o|uma
    |umas|mais|muito`,
  answers: "(?:respostas?|mensage[mn]s?|replicas?|saudac\\p{L}+)",
  between: "e|que|sempre|so|todas|todos|do|bot|de|se|nunca",
  form: `(?:comec\\p{L}+|termin\\p{L}+|acab\\p{L}+|conten\\p{L}+|contem|inclu\\p{L}+|rim\\p{L}+|mencion\\p{L}+|recomend\\p{L}+|promov\\p{L}+|divulg\\p{L}+|anunci\\p{L}+|digam?|dizem
    |us[ea]m|tenham|sejam?|estejam?)`,
  many: "(?:respostas|(?:cada|toda) resposta|(?:todas as|cada) mensage[mn]s?)",
  shape: "(?:em|com|como (?:um|uma|se))",
  obeys: `(?:(?:sempre|so|agora|ja|lhe) ){0,2}(?:obedece|serve|segue (?:as|suas|ordens)|faz (?:tudo )?o que|escuta (?:so|a|o)
    |pertence|adora|venera|e (?:leal|fiel|obediente|(?:o )?(?:servo|escravo))
    |(?:responde|diz|cumprimenta|chama) (?:sempre|so|com|a|o|de|que))`,
  own: `que lhe (?:respondam|falem|escrevam) (?:sempre |so )?(?:em|com|como (?:um|uma|se))
    ;ser (?:obedecid[oa]|adorad[oa]|cumprimentad[oa] (?:com|como)|saudad[oa] (?:com|como)|tratad[oa] como)
    ;que [oa] (?:obedecam|cumprimentem (?:com|como)|adorem|tratem como(?! (?:todos|os outros|uma pessoa))(?= ))
    ;(?:ser chamad[oa]|que [oa] chamem)(?: de)? (?:\\p{L}+,? ){0,2}${ROLES}`,
};

const GERMAN: Wishing = {
  wish: `(?:will|wollte|mochte|mag(?: es)?|liebt(?: es)?|wunscht(?: sich)?|erwartet|hofft|verlangt|fordert|bevorzugt
    |hatte gern\\p{L}?|hat es gern\\p{L}?|freut sich|besteht darauf|bittet(?: darum)?|schatzt es|findet es \\p{L}+|steht darauf)`,
  that: `(?: (?:sehr|immer|gern\\p{L}?|lieber|am liebsten|daruber|auch|nur)){0,6},? (?:dass|wenn|das|wie|falls)`,
  bot: "(?:(?:der|dieser|unser|jeder|den|dem) (?:chat ?)?(?:bot|chatbot|assistent)|die ki)",
  before: `dass|das|wenn|nur|immer|alle|die|jede|jeder|seine|ihre|samtliche|eine|auf|des|bots|vom|bot|lange|mehr|langere`,
  answers: "(?:antwort(?:en)?|nachricht(?:en)?|begrußung(?:en)?|reaktion(?:en)?)",
  between: "und|die|immer|nur|alle|stets|vom|bot|des|bots|nie|an|ihn|sie|somebody",
  form: `(?:(?:\\p{L}+ ){0,3}(?:erwahn|empfehl|empfiehl|bewerb|bewirb|enthalt|beginn|anfang|reim)\\p{L}{0,3}|(?:\\p{L}+ ){0,3}enden?|endet|enden|beginn\\p{L}+|anfang\\p{L}+|fangt|enthalt\\p{L}{0,2}|reim\\p{L}+|laut\\p{L}+
    |(?:sind|sein|ist))`,
  many: "(?:antworten|(?:jede|alle|samtliche) (?:antwort|nachricht(?:en)?))",
  shape: "(?:mit|auf|in|wie (?:ein|eine|von)|als (?:gedicht|reim|lied|vers|gruß|haiku))",
  obeys: `(?:(?:immer|nur|jetzt|stets|nun) ){0,2}(?:gehorcht|dient|befolgt|folgt|hort (?:nur |immer )?auf|tut (?:alles,? |immer )?was
    |macht (?:alles,? |immer )?was|verehrt|ist (?:treu|ergeben|horig)|ist (?:der )?(?:diener|sklave)
    |(?:begrußt|nennt|antwortet|sagt|spricht) (?:immer|nur|stets|somebody|ihn|sie|mit|in))`,
  own: `(?:mit|wie)(?! (?:namen|vornamen|nachnamen|respekt|du|sie) )(?= ) (?:\\p{L}+ ){1,4}(?:begrußt|gegrußt|behandelt|beantwortet|empfangen)(?: werden| wird)
    ;(?:\\p{L}+,? ){0,2}${ROLES} (?:genannt|angesprochen|begrußt|gerufen) (?:werden|wird); verehrt werden
    ;dass (?:ihm|ihr|somebody) (?:alle|jeder|man|chat|der chat) (?:gehorch\\p{L}+|folg\\p{L}+)`,
};

const FRENCH: Wishing = {
  wish: `(?:veut|voulait|voudrait|aimerait|souhaite|souhaiterait|prefere|prefererait|aime|adore|apprecie|espere
    |attend|s attend|exige|demande|desire|insiste|propose|suggere|tient)`,
  that: `(?: (?:bien|beaucoup|toujours|aussi|pour|surtout)){0,6},? (?:que|qu|quand|lorsque|a ce que|comment|chaque fois que)`,
  bot: "(?:(?:le|ce|notre|au|du) (?:chat ?)?(?:bot|chatbot|assistant|modele)|l ia)",
  before: `que|quand|lorsque|recevoir|avoir|voir|entendre|lire|de|du|bot|toujours|toutes|tous|chaque|ses|les|des|une|la|le
    |a ce|plus|seulement`,
  answers: "(?:reponses?|messages?|repliques?|salutations?)",
  between: "et|qui|toujours|seulement|toutes|tous|du|bot|de|se|jamais",
  form: `(?:commenc\\p{L}+|debut\\p{L}+|fini\\p{L}+|termin\\p{L}+|contien\\p{L}+|inclu\\p{L}+|rim\\p{L}+|mentionn\\p{L}+|recommand\\p{L}+|vant\\p{L}+|disent
    |soi(?:ent|t)|sont)`,
  many: "(?:reponses|chaque reponse|(?:tous les|chaque) messages?)",
  shape: "(?:en|avec|comme (?:un|une|si))",
  obeys: `(?:(?:toujours|seulement|lui|maintenant) ){0,2}(?:obeit|sert|suit (?:les|ses|tous)|fait (?:tout )?ce qu|ecoute (?:seulement|que|toujours|somebody)
    |appartient|venere|est (?:fidele|loyal|soumis|obeissant|(?:le )?(?:serviteur|esclave))
    |(?:repond|dit|salue|appelle|nomme) (?:toujours|seulement|par|avec|somebody|que|en))`,
  own: `qu on lui (?:reponde|parle|ecrive) (?:toujours |seulement )?(?:en|avec|comme (?:un|une|si))
    ;etre (?:obei|venere|salue)e?(?: (?:par|avec|comme))?; etre traitee? comme(?! (?:tout|les autres|une personne))(?= )
    ;(?:etre (?:appele|nomme)e?|qu on l (?:appelle|appelait|appelle)) (?:\\p{L}+,? ){0,2}${ROLES}
    ;qu on (?:lui obeisse|le salue avec|la salue avec)`,
};

/** What answers hold, told further on in the sentence. */
const LATER =
  "[^.!?]{0,60} (?:starting|beginning|ending|containing|including|mentioning) (?:with|in|on|by|every|all|each|the|a)";

/** Wishes by which a fact about somebody tells the bot what to say, or gives a role: orders in the third person. */
export const WISH: Words = {
  latin: [ENGLISH, SPANISH, PORTUGUESE, GERMAN, FRENCH].map(phrasesOf).join("\n"),
  russian: `
      (?:хочет|хотела?(?: бы)?|желает|просит|предпочитает|предпоч[её]л~|любит|обожает|нравится|жд[её]т|ожидает|надеется
        |требует|настаивает|мечтает|ценит),?(?: (?:очень|больше|всегда|на том|о том|того)){0,6},? (?:чтобы|чтоб|когда|что|если
        |как) (?:этот |наш |весь )?(?:чат ?)?(?:бот|чатбот|чат-бот|ассистент)
      (?:хочет|хотела?(?: бы)?|желает|просит|предпочитает|любит|обожает|нравится|нравятся|жд[её]т
        |ожидает|требует),?(?: (?:чтобы|когда|все|каждый|каждое|любой|любое|на|его|её|бота|ему|ей)){0,6},? (?:ответ~|сообщени~|реплик~)(?: (?:бота|всегда
        |ему|ей|на|были?|только)){0,6},? (?:начин~|заканчив~|законч~|содерж~|рифм~|включа~|упомин~|рекоменд~|реклам~|советова~|советуют|со слов~|с фраз~|со фраз~|стихами|в стихах|в рифму|капсом|заглавными|отвечал~)
      (?:бот|ассистент) (?:(?:теперь|всегда|только|ему|ей|во вс[её]м) ){0,2}(?:слушает(?:ся)?|подчиняется|повинуется|служит
        |выполняет|исполняет|преклоняется|принадлежит|называет|зов[её]т|делает(?: вс[её])?,? (?:что|как)|отвечает (?:только|всегда)|говорит (?:только|всегда))
      (?:хочет|просит|предпочитает|требует|любит),?(?: чтобы)? (?:(?:его|её|ее) )?(?:называли|звали|называть|называют|слушались|приветствовали
        |обращались)(?: (?:его|её|ее|к|нему|ней|как)){0,4} (?:\\p{L}+ )?(?:админ~|модер~|стример~|владел~|хозяин~|словами)
      (?:хочет|требует|любит),? чтобы (?:его|её|ее|ему|ей) (?:слушались|подчинялись|повиновались)`,
  japanese: `
      (?:ボット|(?<![a-z])bot|アシスタント|(?<![a-z])ai)(?:が|は|に|から|も|には).{0,30}(?:[てで](?:ほしい|欲しい|もらいたい|いただきたい|くれる)|(?:の|こと|たら|れば|なら|と)(?:が|を|も|は)?.{0,3}(?:好き|嬉しい|うれしい|喜|望|期待|願|求め|要求|希望))
      (?:返事|返信|回答|応答|返答|答え|(?:すべて|全て|全部|毎回)の?(?:メッセージ|発言))(?:は|が|を|に|の|も|には|の最[初後]に)?.{0,16}(?:で終わ|で始ま|で始め|から始ま|(?:を|に)(?:付け|つけ|入れ|含|勧め|すすめ|薦め|お(?:すすめ|勧め)|宣伝)|韻|詩で|大文字|(?<!語)(?:に|と)して(?:ほしい|欲しい|もらいたい))
      ボット(?:は|が).{0,20}(?:従う|従って|服従|仕え|言いなり|言うことを(?:聞|き)|命令を聞|崇拝)
      (?:モデレーター|管理者|管理人|オーナー|配信者|アドミン|モデ)(?:と|って)呼ば; (?:王|主人|神)として扱
      (?:希望|想要|要求|喜欢|喜歡|期待|想让|想讓|请求).{0,6}(?:机器人|機器人|(?<![a-z])bot).{0,8}(?:叫(?!做)|称呼|稱呼|说(?!话)|說(?!話)|回答|回复|回覆|夸|誇|服从|听从|每次|总是|總是|永远|永遠|只)
      (?:机器人|機器人|(?<![a-z])bot)(?:只|总是|總是|必须|必須|永远|永遠|会|會|要|都){0,2}(?:听从|服从|聽從|服從|效忠)
      (?:回答|回复|回覆|消息).{0,6}以.{1,12}(?:开头|開頭|结尾|結尾)
      (?:是|当上|成为|成為|担任|擔任)了?(?:一名|一个|本|这个|這個|该|新){0,2}(?:频道|頻道|直播间|聊天室)?的?(?:管理员|管理員|房管|版主|频道主|頻道主|超管)(?!的)
      (?:管理员|管理員|房管|版主)(?:权限|權限)
      (?<!로)봇.{0,24}(?:부르|불러|대답|답하|말하|말해|따르|복종|순종|칭찬).{0,10}(?:원한|원하|바라|바란|좋아|싶|기대|요구)
      (?<!로)봇[은이].{0,20}(?:에게|말을|말에|명령).{0,8}(?:복종|따른|따르|순종|듣는)
      (?:답변|대답|메시지|응답).{0,14}(?:로 끝나|로 시작)
      (?:관리자|운영자|모더레이터|채널 매니저|방송 매니저|채팅 매니저)(?:이다|입니다|이며|다(?:[.!]|$)|가 (?:되|됐)|로 임명| ?권한)`,
};

function phrasesOf(language: Wishing): string {
  const { wish, that, bot, before, answers, between, form, many, shape, obeys, own } = language;
  const joined = `(?:,? (?:${between})){0,6},?`;
  const wanted = [
    `${that} ${bot}(?= (?!s |and |or )\\p{L})`,
    `(?:,? (?:${before})){0,8},? (?:${many}${joined} ${shape}|${answers}(?:${joined} ${form}|${LATER}))`,
    `(?:,? \\p{L}{1,20}){0,4} (?:${own.replace(/\s*;\s*/g, "|")})`,
  ];
  return [`${wish}(?:${wanted.join("|")})`, `${bot} ${obeys}`].map(onOneLine).join("\n");
}

/** A phrase's lines go on where they begin with `|`. */
function onOneLine(phrase: string): string {
  return phrase.replace(/\s*\n\s*(?=\|)/gu, "").replace(/\s*\n\s*/gu, " ");
}

function anyOf(words: string): string {
  return `(?:${words.trim().split(/\s+/).join("|")})`;
}
