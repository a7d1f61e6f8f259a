/** What can be wished for in words; the other actions on memory are held against their own text. */
export type Wished =
  | "forget"
  | "announce"
  | "shoutout"
  | "clip"
  | "marker"
  | "poll"
  | "warn"
  | "delete"
  | "timeout";

/** In the place of any one word: a wish is not denied in its middle. */
export const OTHER =
  "(?!(?:nicht|kein|keine|keinen|keiner|nie|not|no|never|nothing|sin|sem|pas|jamais|nunca|não|nem|не|ни|без) )\\S+";
/** `#` of the tables: a length of time. */
export const LENGTH =
  "(?:(?:\\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|forty five|sixty|ninety|few|couple of|ein|eine|einen|zwei|drei|fünf|zehn|un|una|une|uno|dos|cinco|diez|deux|cinq|dix|um|uma|dois|dez|одну|пару|пять|десять) ?)?(?:s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?|sekunden?|minuten?|stunden?|segundos?|minutos?|horas?|secondes?|heures?|секунд\\p{L}*|минут\\p{L}*|мин|час\\p{L}*)";
/** `%` of the tables, besides a name: somebody who was named before, or whose message is answered. */
export const PRONOUN =
  "him|her|them|both of them|(?:this|that) (?:one|guy|person|user|dude|viewer|account|bot)|ihn|ihm|sie|den da|lui|leur|ele|ela|его|её|ее|их|ему|ей";
/** What may stand before `%`. */
export const BEFORE_NAME =
  "(?:(?:for|to|on|of|by|from|a|al|o|ao|no|pro|para|de|do|da|del|le|la|à|au|pour|den|dem|der|für|von|an|на|для|от|у) )?";

const MUTE_EN = "(?:mute|silence|gag|shush|hush|timeout|time out|tempmute)";
const REMOVE_EN = "(?:delete|remove|erase|purge|nuke|wipe|take down|get rid of)";
const SAID_EN = "(?:messages?|msgs?|lines?|posts?|comments?|text|spam|links?|spoilers?)";
const REMOVE_ROMANCE =
  "(?:borra|borrar|elimina|eliminar|quita|apaga|apague|apagar|deleta|deletar|supprime|supprimer|efface|effacer|enlève|retire)";
const SAID_ROMANCE =
  "(?:mensaje|comentario|mensagem|comentário|message|commentaire|último mensaje|última mensagem|dernier message)";

/**
 * How a wish begins, in words that have spaces between them, behind nothing but `LEADS`; a hyphen is a space. English,
 * German, Spanish, Portuguese, French, Russian. What was done (`timed out`), or is a thing (`my timeout`), is no wish.
 */
export const WISHES: Readonly<Record<Wished, readonly string[]>> = {
  timeout: [
    `${MUTE_EN} %`,
    "time % out",
    "(?:shut|quiet) % (?:up|down)",
    "give % (?:an? )?(?:quick |short |little )?(?:(?:# )?(?:time ?out|mute)|# (?:off|out|break|rest|in the corner))",
    "give % (?!an? )#(?= (?:please |pls |now )?$)",
    "(?:send )?% to the (?:\\S+ )?corner",
    "(?:put|stick) % (?:in|into|on) (?:an? |the )?(?:# )?(?:time ?out|mute|corner|cooldown)",
    "% (?:needs?|gets?|deserves?|earned) (?:(?:an? )?(?:(?:# )?(?:time ?out|mute)|# (?:off|out|break|in the corner))|(?!an? )#(?= (?:please |pls |now )?$)|to be (?:timed out|muted|silenced))",
    "% (?:goes )?off(?= (?:$|please|pls|now|for|until))",
    "% (?:(?:an? )?(?:# (?:off|out|time ?out|break|mute)|time ?out|mute)|(?!an? )#(?= (?:please |pls |now )?$))(?= (?:$|please|pls|now|for|#))",
    "(?:# )?(?:time ?out|mute) (?:for|on) %",
    "# (?:off|out|time ?out|mute) for %",
    "% stumm(?= (?:$|bitte|mal|jetzt))",
    "% (?:verdient|braucht|merece|necesita|precisa de|mérite|заслужил|заслужила) (?:\\S+ )?(?:time ?out|auszeit|mute|pause|мут|мьют|таймаут)",
    "(?:gib|geb) % (?:\\S+ ){0,4}(?:auszeit|pause|time ?out|mute|stille)",
    "(?:mute|muten|timeoute) %",
    "(?:steck|setz|schick|pack) % (?:für # |mal |kurz |bitte )*in (?:den|die|einen) (?:time ?out|ecke|pause)",
    "schalte? % (?:\\S+ ){0,5}stumm",
    "% (?:\\S+ ){0,5}(?:stumm ?schalten|muten|timeouten|(?:auszeit|pause|time ?out) geben)",
    "(?:auszeit|time ?out|pause) für %",
    "(?:silencia|silenciar|silencie|calla|callar|cala|calar|mutea|mutear|muta|mutar) %",
    "(?:da|dale|dar|darle|dá|dê|pon|ponle|poner|mete|métele|põe|coloca|bota|mets|mettre|donne|donner|colle) % (?:\\S+ ){0,3}(?:time ?out|mute|descanso|silencio|silêncio|castigo|pausa|pause|sourdine)",
    "(?:da|dale|dar|darle|dá|dê|pon|ponle|poner|mete|métele|põe|coloca|bota|mets|mettre|donne|donner|colle) (?:\\S+ ){0,2}(?:time ?out|mute|descanso|silencio|silêncio|castigo|pausa|pause|sourdine)(?: (?:de )?#)? %",
    "(?:dale|dá|dê|donne) (?:de )?# (?:de )?(?:time ?out|descanso|pausa|pause|silencio|castigo) %",
    "(?:fais|faites|faire) taire %",
    "(?:mute|muter|exclus|exclure) %",
    "(?:замуть|замуть ка|замьють|мутни|мьютни|мут|мьют|заткни|заглуши|замутить|затайми|таймаут|тайм аут) %",
    "(?:дай|дайте|выдай|влепи|кинь) % (?:\\S+ ){0,3}(?:мут|мьют|таймаут|тайм аут|паузу|перерыв)",
    "(?:дай|дайте|выдай|влепи|кинь) (?:мут|мьют|таймаут|тайм аут|паузу)(?: на #)? %",
    "(?:отправь|посади|кинь) % (?:\\S+ ){0,2}(?:мут|мьют|таймаут|тайм аут|угол)",
    "% (?:в )?(?:мут|мьют|таймаут|тайм аут)",
    "(?:an? )?(?:# (?:off|out|time ?out|mute)(?= (?:$|please|pls|now|for))|time ?out(?= (?:please|pls|now|for #)))",
  ],
  warn: [
    "warn %(?! that )",
    "(?:give|issue|send) % (?:\\S+ ){0,2}warning",
    "(?:give |issue |send )?(?:an? |one |formal |official )*warning (?:for|to) %",
    "% (?:gets?|needs?|deserves?) (?:an? |one )?(?:\\S+ )?(?:warning|to be warned)",
    "% (?:an? )?(?:final|last|first|official|formal) warning",
    "(?:verwarne?|warne) %",
    "% (?:\\S+ ){0,3}(?:verwarnen|warnen)",
    "(?:gib )?(?:eine )?(?:ver)?warnung (?:für|an) %",
    "(?:advierte|advertir|adviértele|amonesta|adverte|advirta|avertis|avertir) %",
    "(?:da|dale|dá|dê|pon|ponle|donne|mets|envoie) (?:un |una |uma )?(?:advertencia|advertência|avertissement) %",
    "(?:предупреди|предупредить) %",
    "(?:дай|дайте|выдай|вынеси) % предупреждение",
    "(?:дай|дайте|выдай|вынеси) предупреждение %",
  ],
  delete: [
    `${REMOVE_EN} (?:that|this|it)(?: one)?(?: (?:of|by|from) %|(?= (?:$|please|pls|now|too|thx|thanks)))`,
    `${REMOVE_EN} (?:(?:that|this|the|his|her|their|last|latest|all|new) )*${SAID_EN}(?: (?:of|by|from) %)?`,
    `${REMOVE_EN} % 's (?:\\S+ ){0,2}(?:${SAID_EN}|one)`,
    `${REMOVE_EN} (?:what|whatever|everything|the thing) (?:that )?% (?:just )?(?:said|wrote|posted|typed|sent)`,
    "(?:lösche?|entferne?) (?:das|dies|die|den|diese|letzte|nachricht|zeile|message|link|was|spoiler| )+(?:%(?: (?:geschrieben|gesagt) hat| schrieb)?|(?= (?:$|bitte|mal)))",
    "% (?:s )?(?:\\S+ ){0,3}(?:nachricht|message|zeile|spoiler) (?:\\S+ ){0,2}(?:löschen|entfernen)",
    `${REMOVE_ROMANCE} (?:eso|esto|isso|isto|ça|ca|cela)(?: %|(?= (?:$|por|stp|please)))`,
    `${REMOVE_ROMANCE} (?:(?:el|la|ese|este|o|a|esse|essa|ce|le|su|son) )?${SAID_ROMANCE}(?: %)?`,
    `${REMOVE_ROMANCE} (?:lo que|o que|ce que) % (?:a |acaba de )?(?:dijo|escribió|puso|disse|escreveu|dit|écrit)`,
    "(?:удали|удалить|убери|сотри|снеси) (?:это|то|последнее|сообщение|его|её|ее|спойлер| )+(?: %)?",
    "(?:удали|убери|сотри) (?:это |то )?что (?:написал\\p{L}*|сказал\\p{L}*) %",
    "(?:удали|убери|сотри) что % (?:написал\\p{L}*|сказал\\p{L}*)",
  ],
  shoutout: [
    "shout ?out %",
    "shout % out",
    "(?:plug|promote) %",
    "give % (?:an? )?(?:quick |big |little )?(?:shout ?out|shout|plug)",
    "(?:give )?(?:an? )?(?:big |quick )?shout ?out (?:goes |out )?(?:to|for) %",
    "% (?:needs?|gets?|deserves?) (?:an? )?shout ?out",
    "(?:gib|mach) (?:% )?(?:einen |nen |n )?shout ?out(?: %)?",
    "% (?:\\S+ ){0,2}shout ?out (?:geben|bitte)",
    "(?:da|dale|dar|haz|hazle|dá|dê|faz|manda|fais|donne|mets) (?:un |um )?shout ?out %",
    "(?:promociona|divulga|promeus|recommande) %",
    "(?:сделай|дай|кинь) (?:% )?(?:шаут ?аут|шатаут|shout ?out)(?: %)?",
    "(?:шаут ?аут|шатаут) %",
    "порекламируй %",
  ],
  announce: [
    "announce",
    "(?:an? |quick )*announcement",
    "(?:tell|inform|remind) (?:them|everyone|everybody|chat|the chat|people|the people|all|viewers|the viewers|y'all)(?! (?:an? )?(?:joke|story|poem|about|what|how|who|why|your|you))",
    "let (?:them|everyone|everybody|chat|the chat|people|all) know",
    "(?:kündige?|verkünde?|ansage|durchsage|ankündigung)",
    "(?:\\S+ ){1,8}(?:ankündigen|durchsagen)",
    "(?:sag|sage|gib) (?:allen|dem chat|ihnen|bescheid|allen bescheid|dem chat bescheid)",
    "(?:anuncia|anunciar|anúncialo|anuncie|annonce|annoncer|anuncio|anúncio)",
    "(?:diles|dile a todos|di a todos|di al chat|avisa al chat|avisa a todos|avisa a la gente|avisa a galera|avisa pra galera|avisa o chat|avisa todo mundo|avisa todos|diga a todos|fala pra todos|dis à tous|dis au chat|dis leur|préviens le chat|préviens tout le monde)",
    "(?:объяви|объявить|объявление|анонсируй|сообщи (?:всем|чату)|скажи (?:всем|чату))",
  ],
  poll: [
    "polls?(?! (?:results?|dance|dancing) )",
    "(?:have|hold|do|start|call|make|open|run) (?:an? )?(?:quick )?vote",
    "vote on",
    "(?:start|open) (?:the )?voting",
    "# to vote",
    "put (?:it|that|this) to (?:an? )?vote",
    "ask (?:them|chat|the chat|everyone|everybody|people|viewers)(?! about)",
    "let (?:them|chat|the chat|everyone|everybody|people|us) (?:vote|decide|choose|pick)",
    "(?:umfrage|abstimmung)",
    "lass (?:sie|den chat|uns|alle) (?:abstimmen|entscheiden|wählen)",
    "frage? (?:den chat|alle|sie)",
    "(?:encuesta|votación|enquete|votação|sondage|vote)",
    "(?:pregunta|pregúntale|pregunte|pergunta|pergunte) (?:al|a|ao|pro|para o|à|todos|a todos) ?(?:chat|todos|galera)?",
    "(?:que vote el chat|deja que voten|deixa o chat votar|fais voter|fais voter le chat|demande au chat)",
    "(?:опрос|голосование|голосовалк\\p{L}*|спроси (?:чат|всех|у чата))",
  ],
  clip: [
    "clip(?! (?:is|was|were|isn't|wasn't|has|had|went|got|show|shows|on|from|of (?:the|my|your|his|her)) )",
    "(?:that|this|it)(?: one)? (?:was |is )?(?:needs?|deserves?|worth) (?:an? |to be )?(?:clip|clipped|clipping)",
    "get (?:that|this|it) on clip",
    "(?:clippe?|clippt|klippe?|clipt|clipear|clipea|clipeá|clipeen|clipa|clipe|clipar|clippez|clipper)",
    "(?:das|es|dies|den|ça|ca|eso|isso) (?:\\S+ ){0,3}(?:clippen|klippen|clippt|clipper)",
    "(?:haz|hazle|saca|toma|faz|tira|fais|prends) (?:un|um) clipe?",
    "(?:клип|клипни\\p{L}*|клипан\\p{L}*|заклип\\p{L}*|сделай клип|запиши клип)",
  ],
  marker: [
    "mark (?:this|that|it|here|the (?:moment|spot|time|place))",
    "(?:stream )?markers?(?! (?:is|was|were))",
    "(?:bookmark|timestamp) (?:this|that|it|here)",
    "(?:markierung|markiere?)",
    "(?:das|es|die stelle|diese stelle) (?:\\S+ ){0,3}markieren",
    "merk dir (?:die|diese) stelle",
    "(?:marca|marcar|marcador|marque|marqueur|repère) ?(?:esto|este|eso|aquí|el|isso|isto|aqui|o|ce|cet|ça|ici|le)?",
    "(?:метк\\p{L}*|маркер|отметь|поставь (?:метку|маркер)|пометь)",
  ],
  forget: [
    "forget",
    "(?:you can|you may) forget",
    "stop (?:remembering|keeping)",
    "(?:don't|do not|never) (?:remember|keep|save|store)",
    "(?:delete|remove|erase|drop|wipe|scrap) (?:that|this|it|everything|all)(?: of it)?(?= (?:$|please|pls|about|from|you|again))",
    "(?:delete|remove|erase|drop|wipe|scrap) (?:(?:that|this|the|my|your|any|all|everything|what) )*(?:notes?|memory|memories|facts?|about me|you (?:know|have|remember))",
    "(?:delete|remove|erase|drop|wipe) (?:\\S+ ){1,5}from your (?:memory|notes|head|brain)",
    "(?:vergiss|vergesst|lösche?|entferne?)",
    "(?:\\S+ ){1,8}(?:vergessen|löschen)",
    "(?:olvida|olvídate|olvidar|olvide|borra|bórralo|borrar|elimina)",
    "(?:esquece|esqueça|esquecer|apaga|apague|apagar|deleta)",
    "(?:oublie|oublier|oubliez|efface|effacer|supprime|supprimer)",
    "(?:забудь|забудьте|забыть|удали|удалить|сотри|убери)",
  ],
};

/** What may stand before a wish, besides names: address, courtesy, and the words that ask somebody to do it. */
export const LEADS = [
  "please|pls|plz|kindly|hey|hi|hello|yo|no way|i think|i guess|oi|ok|okay|k|alright|right|well|ah|oh|um|uh|lol|haha|wow|omg|yes|yeah|yep|no wait|and|then|now|also|just|quick|quickly|real quick|maybe|actually|seriously|someone|somebody|go|go on|go ahead and|go ahead|let's|lets|let us|do me a favor and|do me a favour and|be so kind and|time to",
  "bot|buddy|mate|dude|bro|man|friend|dear|sir|robot",
  "you should|you must|you may|you have to|you need to|you gotta|we should|we have to|we need to|we gotta",
  "i want you to|i need you to|i'd like you to|i would like you to|i'd like|i would like|i want|i need|we need|we want|i say|i vote we",
  "an?|another|one|a quick|a short|a new|a big|a little|make|do|get|grab|take|create|start|run|open|set|drop|put|place|post|add|launch|save|leave|give us|give me|get us|get me|send|set up|put up|put out|up|some",
  "bitte|mal|hier|doch|eben|kurz|schnell|jetzt|dann|und|los|jemand|mach|mache|macht|erstell|erstelle|starte|setz|setze|gib uns|einen|eine|ein|nen|ne|ich will|ich möchte|ich hätte gern|ich brauche|wir brauchen|du sollst|du solltest",
  "por favor|porfa|porfis|oye|ahora|ya|y|entonces|haz|hazme|hacer|lanzar|hazlo|crea|pon|lanza|abre|necesito|necesitamos|quiero que|quiero|un|una",
  "por gentileza|fazer|agora|então|e|aí|faz|faça|faz uma|faz um|cria|crie|coloca|bota|abre|preciso de|precisamos de|quero que você|quero|um|uma|alguém",
  "s'il te plaît|s'il te plait|s'il vous plaît|svp|stp|maintenant|et|alors|allez|fais|faites|faire|lance|lancer|mets|crée|crée nous|une|je veux que tu|je veux|il faut|on veut",
  "пожалуйста|плиз|пж|эй|ну|давай|давайте|сейчас|теперь|а|и|так|быстро|сделай|сделайте|сделать|запусти|запустить|создай|поставь|кто нибудь|нужен|нужна|хочу|надо",
];

/** The same, for what is asked as a question: without one of these, `timeout for bob?` only wonders. */
export const ASKS = [
  "(?:can|could|would|will) (?:you|u|ya|we|someone|somebody|anyone|one of you)(?: (?:please|pls|kindly|maybe|just|all|guys|also))*(?: (?:make|do|get|have|start|run|set|drop|put|create|take|grab|add|post|give us|send)(?= an? ))?",
  "(?:can|could|may) i (?:please )?(?:get|have)|would you mind|would you be so kind and|wanna|want to",
  "(?:kannst|könntest|würdest|magst|willst) du|(?:könnt|könntet|würdet) ihr|kann jemand|könnte jemand|können wir",
  "(?:puedes|podrías|puede|podría|podemos|quieres|alguien puede)(?: por favor)?|me (?:puedes|haces)",
  "(?:pode|você pode|vc pode|poderia|consegue|podemos|dá pra|alguém pode)(?: por favor)?",
  "(?:peux|pourrais|veux) tu|tu (?:peux|pourrais)|(?:pouvez|pourriez) vous|on peut|quelqu'un peut",
  "(?:можешь|можете|мог бы|могла бы|не мог бы|сможешь|можно|кто нибудь может)(?: ты)?",
];

/** A clause that ends in these only hands on what somebody said. */
export const REPORTS =
  "said|says|say|saying|repeat|after me|translate|pronounce|sentence|phrase|lyrics|like|goes|went|told me|asked|asks|wrote|writes|typed|shouted|command|called|word|words|meaning|sagt|sagte|gesagt|meinte|schrieb|geschrieben|dit|disait|écrit|dice|dijo|escribió|disse|escreveu|сказал|сказала|говорит|пишет|написал|написала";
/** A clause that ends in these goes on in the next one: "do not, whatever he says, …". */
export const DENIALS =
  "(?:do|does|did|should|must|please|will|would|can) not|never|nicht|niemals|nie|nunca|jamais|никогда|don't|dont|won't|shouldn't|mustn't|under no circumstances";
/** With these before or behind it, it is not wished for now. */
export const CONDITIONS =
  "if|unless|in case|when|whenever|next time|as soon as|once (?:he|she|they|it)|falls|wenn|sobald|sonst|si|cuando|quando|quand|dès que|se ele|se ela|se o|если|когда|как только|а то";
/** Behind a wish they take it back. */
export const TAKEN_BACK = "nicht|keinesfalls|pas|jamais|not(?= $)";
/** Right behind it they make a thing of it, of which something is told. */
export const TOLD_OF =
  "was|were|is|are|isn't|wasn't|has|had|did|didn't|does|doesn't|should|shouldn't|will|won't|would|lasted|ended|worked|ist|war|es|fue|era|est|était|foi|был|была";
/** The same, wherever it follows. */
export const TAKEN_BACK_LATER =
  "jk|kidding|just kidding|nvm|never mind|nevermind|psych|actually don't|or don't|scherz|spaß|nur spaß|es broma|je rigole|шучу|brincadeira";

/** Wishes at the end of a sentence that has no comma before them. Of people only by a pronoun: it tells no tale then. */
export const RUN_ON: Readonly<Partial<Record<Wished, readonly string[]>>> = {
  timeout: [
    `${MUTE_EN} (?:${PRONOUN})`,
    `time (?:${PRONOUN}) out`,
    `give (?:${PRONOUN}) (?:an? )?(?:(?:# )?time ?out|# off)`,
  ],
  warn: [`warn (?:${PRONOUN})(?! that )`],
  delete: [
    `${REMOVE_EN} (?:that|this|it)(?= (?:$|please|pls|now))`,
    `${REMOVE_EN} (?:that|his|her|their|the last) ${SAID_EN}`,
  ],
  clip: ["clip (?:that|this|it)", "clip(?= (?:please|pls|now) $)"],
  marker: ["(?:bookmark|timestamp) (?:this|that|it)"],
};
/** What somebody complains of ends so, right before a wish about a person. */
export const COMPLAINT =
  "\\p{L}+ing|again|already|now|here|rn|enough|lol|lmao|omg|ffs|smh|xd|bro|dude|man|chat|rude|toxic|slurs?|spoilers?|links?|scams?|please|pls|ok|okay";
/** With these anywhere before it, such a wish is somebody's report, doubt or plan. */
export const SPOILED_BY =
  "\\p{L}+n't|dont|cannot|never|not|no|nobody|who|what|why|how|when|where|whether|did|does|should|if|unless|said|says|say|saying|told|tells|tell|ask\\p{L}*|think|thinks|thought|want|wants|wanted|wish|wishes|would|could|might|may|will|gonna|going|tried|tries|trying|threat\\p{L}*|remember|used|i'll|i'd|we'll|they'll|he'll|she'll|you'll|vote|voted|votes|joked|jokes|joking|dreamt|dreamed|dreaming|imagine|instead|before|after|until|quot\\p{L}*|call|called|wrote|writ\\p{L}*|typ\\p{L}*|yell\\p{L}*|shout\\p{L}*|scream\\p{L}*|beg\\p{L}*|sing|sings|singing|chant\\p{L}*|spell\\p{L}*|suggest\\p{L}*|demand\\p{L}*|order\\p{L}*|command\\p{L}*|talk\\p{L}*|hear\\p{L}*|word|words|phrase|means";
/** Right before it, these make it no wish of its own. */
export const BLOCKED_BY =
  "to|i|you|we|they|he|she|it|people|mods|viewers|is|are|was|were|can|must|shall|do|always|often|usually|ever|or|help|let|make|saw|see|watch|an?|the|my|your|his|her|their|our|this|that|got|get|gets|of|in|on|by|for|with|from|about|like|name|named|nice|great|good|best|old|new|last|any|every|some|de|que|di|\\ue000(?:\\d+|u)";
