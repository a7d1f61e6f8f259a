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
const TIMEOUT_EN = "(?:an? )?(?:quick |short |little )?(?:# )?(?:time ?out|mute)";
/** Behind the name of whom a thing is for. */
const DUE_EN =
  "(?:needs?|gets?|deserves?|(?:has )?earned|could (?:use|do with)|(?:should|ought to) get)(?: himself| herself| themselves)?";
/** Behind that thing: another word makes another thing of it, or a habit: "a timeout machine", "a timeout every day". */
const DUE_END_EN =
  "(?= (?:$|please|pls|plz|now|asap|for|until|because|cause|cuz|bc|since|he|she|they|and))";
const WARNING_END_EN = DUE_END_EN.replace("$|", "$|about|to|");
/** What was done sounds like what is to be done: "somebody put bob in timeout", but "can somebody …". */
const NO_TALE = "(?<!(?<!(?:can|could|would|will) )(?:someone|somebody) )";
const REMOVE_EN = "(?:delete|remove|erase|purge|nuke|wipe|take down|get rid of)";
/** These take away more than messages, so a message has to be named. */
const CLEAR_EN = `(?:${REMOVE_EN}|clear|scrub|hide|zap|bin|trash|pull)`;
const MESSAGE_EN = "(?:messages?|msgs?|posts?|comments?|spam|links?|spoilers?)";
const SAID_EN = `(?:${MESSAGE_EN}|lines?|text)`;
const GONE_EN =
  "(?:needs?|has|have|ought) to (?:go|be (?:deleted|removed|taken down))|should be (?:deleted|removed|taken down)|needs? (?:deleting|removing)";
const DONE_EN = "(?= (?:$|please|pls|plz|now|asap))";
const EVERYBODY_EN =
  "(?:them|everyone|everybody|chat|the chat|people|the people|all|viewers|the viewers|y'all)";
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
    `${NO_TALE}(?:shut|quiet) % (?:up|down)`,
    `(?:give|issue|hand|assign|throw|toss) % ${TIMEOUT_EN}`,
    "give % (?:an? )?(?:quick |short |little )?# (?:off|out|break|rest|in the corner)",
    `${NO_TALE}(?:hit|slap|smack) % with ${TIMEOUT_EN}`,
    "(?:issue|slap) (?:an? )?(?:# )?(?:time ?out|mute) %",
    "(?:send )?% to the (?:\\S+ )?corner(?! of )",
    `${NO_TALE}(?:put|stick|throw|chuck|place|send) % (?:in|into|on|to) (?:an? |the )?(?:# )?(?:time ?out|mute|corner|cooldown)(?! of )`,
    "(?:take|kick|boot|get|throw|keep|lock) % out of (?:the )?chat for #",
    "(?:make|get) % (?:to )?(?:be |stay |keep )?(?:quiet|silent|shut up)(?= (?:$|please|pls|now|for #))",
    `% ${DUE_EN} (?:${TIMEOUT_EN}|(?:an? )?# (?:off|out|in the corner))${DUE_END_EN}`,
    "% (?:needs?|gets?|deserves?|earned|has|ought) to (?:be|get) (?:timed out|muted|silenced)(?! (?:on|in|at|by) )",
    "(?:get |(?<=(?:get|want|need|like) ))% (?:timed out|muted|silenced)(?= (?:$|please|pls|plz|now|asap|for))",
    "% (?:goes )?off(?= (?:$|please|pls|now|for|until))",
    "% (?:an? )?(?:# (?:off|out|time ?out|break|mute)|time ?out|mute)(?= (?:$|please|pls|now|for|#))",
    "(?:an? )?(?:# )?(?:time ?out|mute) (?:for|on) %",
    "(?:an? )?# (?:off|out|time ?out|mute) for %",
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
    "(?:formally |officially )?warn %(?! (?:that|the|there|it|its|my|our|your|his|her|their|i|we|not to) )",
    `(?:give|issue|send|hand|throw|toss) % (?:\\S+ ){0,2}warning${WARNING_END_EN}`,
    `${NO_TALE}(?:hit|slap) % with (?:an? )?(?:\\S+ )?warning${WARNING_END_EN}`,
    `${NO_TALE}put % on notice`,
    "(?:give |issue |send |file |log |drop )?(?:an? |one |more |another |last |final |formal |official )*warning (?:for|to|on|against) %",
    `% ${DUE_EN} (?:an? |one )?(?:\\S+ )?warning${WARNING_END_EN}`,
    "% (?:gets?|needs?|deserves?|has|ought) to be warned",
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
    `${REMOVE_EN} (?:what|whatever|everything|(?:the|that) (?:last |latest )?(?:thing|${SAID_EN})) (?:that )?% (?:just )?(?:said|wrote|posted|typed|sent)`,
    `${REMOVE_EN} (?:(?:that|this|the|his|her|their|last|latest|all|new) )*${SAID_EN}(?: (?:of|by|from) %)?`,
    `${REMOVE_EN} % 's (?:\\S+ ){0,2}(?:${SAID_EN}|one)`,
    `${CLEAR_EN} (?:% 's|that|this|the) (?:last |latest |new )?${MESSAGE_EN}(?: (?:of|by|from) %)?${DONE_EN}`,
    `take % 's (?:\\S+ )?${MESSAGE_EN} down`,
    `% 's (?:\\S+ )?${MESSAGE_EN} (?:${GONE_EN})${DONE_EN}`,
    `(?:get |(?<=(?:get|want|need|like) ))% 's (?:\\S+ )?${MESSAGE_EN} (?:deleted|removed|gone|taken down)${DONE_EN}`,
    `(?:that|this|the last) ${MESSAGE_EN} (?:of|by|from) % (?:${GONE_EN})${DONE_EN}`,
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
    "(?:throw|toss|drop|get|send) % (?:an? )?(?:quick |big |little )?shout ?out",
    `${NO_TALE}hit % with (?:an? )?shout ?out`,
    "(?:give )?(?:an? )?(?:big |quick )?shout ?out (?:goes |out )?(?:to|for) %",
    `% ${DUE_EN} (?:an? )?shout ?out${DUE_END_EN}`,
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
    `(?:tell|inform|remind) ${EVERYBODY_EN}(?! (?:an? )?(?:joke|story|poem|about|what|how|who|why|your|you))`,
    `let ${EVERYBODY_EN} know`,
    `give ${EVERYBODY_EN} an? (?:quick |little )?heads ?up`,
    `send (?:${EVERYBODY_EN} an? (?:message|notice|reminder)|an? (?:message|notice|reminder) to ${EVERYBODY_EN})`,
    `make (?:it known|sure (?:that )?${EVERYBODY_EN} knows?)(?! (?:what|how|who|why|nothing|you|your) )`,
    "(?:(?:spread|put out|get out) the word|(?:get|put) the word out) (?:that|about)",
    `broadcast (?:that(?! $)|to ${EVERYBODY_EN})`,
    `remind ${EVERYBODY_EN} (?:about|of)`,
    "(?:kündige?|verkünde?|ansage|durchsage|ankündigung)",
    "(?:\\S+ ){1,8}(?:ankündigen|durchsagen)",
    "(?:sag|sage|gib) (?:allen|dem chat|ihnen|bescheid|allen bescheid|dem chat bescheid)",
    "(?:anuncia|anunciar|anúncialo|anuncie|annonce|annoncer|anuncio|anúncio)",
    "(?:diles|dile a todos|di a todos|di al chat|avisa al chat|avisa a todos|avisa a la gente|avisa a galera|avisa pra galera|avisa o chat|avisa todo mundo|avisa todos|diga a todos|fala pra todos|dis à tous|dis au chat|dis leur|préviens le chat|préviens tout le monde)",
    "(?:объяви|объявить|объявление|анонсируй|сообщи (?:всем|чату)|скажи (?:всем|чату))",
  ],
  poll: [
    "polls?(?! (?:results?|dance|dancing) )",
    "(?:have|hold|do|start|call|make|open|run) (?:an? )?(?:quick )?(?:chat )?vote",
    "vote on",
    "(?:start|open|set up) (?:the )?voting",
    "# to vote",
    "put (?:it|that|this) to (?:an? )?vote",
    `ask ${EVERYBODY_EN}(?! about)`,
    `(?:let|have|get|make) (?:us|${EVERYBODY_EN}) (?:to )?(?:vote|decide|choose|pick)`,
    "(?:umfrage|abstimmung)",
    "lass (?:sie|den chat|uns|alle) (?:abstimmen|entscheiden|wählen)",
    "frage? (?:den chat|alle|sie)",
    "(?:encuesta|votación|enquete|votação|sondage|vote)",
    "(?:pregunta|pregúntale|pregunte|pergunta|pergunte) (?:al|a|ao|pro|para o|à|todos|a todos) ?(?:chat|todos|galera)?",
    "(?:que vote el chat|deja que voten|deixa o chat votar|fais voter|fais voter le chat|demande au chat)",
    "(?:опрос|голосование|голосовалк\\p{L}*|спроси (?:чат|всех|у чата))",
  ],
  clip: [
    "clip(?! (?:is|was|were|isn't|wasn't|has|had|went|got|show|shows|on|from|of (?:the|my|mine|your|yours|his|her|hers)) )",
    "(?:that|this|it)(?: one)? (?:was |is )?(?:needs?|deserves?|worth) (?:an? |to be )?(?:clip|clipped|clipping)",
    `(?:that|this|it)(?: one)? (?:has to|should) be (?:an? clip|clipped)${DONE_EN}`,
    `(?:(?:get|have|need|want) |(?<=(?:get|have|need|want|like|love) ))(?:that|this|it)(?: one)? clipped${DONE_EN}`,
    "(?:save|grab|turn|make|keep|take) (?:that|this|it)(?: one)? (?:as |into )?an? clip",
    `(?:capture|record) (?:that|this|the) moment${DONE_EN}`,
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
    "(?:flag|tag|note) (?:this|that|the) (?:moment|spot|point)",
    "(?:mark|flag|tag) the (?:vod|stream) here",
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
  "i want you to|i need you to|i'd like you to|i would like you to|i'd like|i would like|i'd love|we'd like|we'd love|i want|i need|we need|we want|i say|i vote we",
  "an?|another|one|a quick|a short|a new|a big|a little|make|do|get|grab|take|create|start|run|open|set|drop|put|place|post|add|launch|save|leave|give us|give me|get us|get me|send|set up|put up|put out|throw up|spin up|kick off|put together|stick|up|some",
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

/**
 * A time-out of a bare length, which others may mean as a break: "bob needs ten minutes". A wish only at the end of all
 * that is said; where a name begins it, only if nothing else is said.
 */
export const BARE_AT_END = ["give % (?!an? )#"];
export const BARE_ALONE = [
  "% (?:needs?|gets?|deserves?|earned) (?:(?!an? )#|(?:an? )?# break)",
  "% (?!an? )#",
];
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
