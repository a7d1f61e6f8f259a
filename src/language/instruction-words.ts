// Pure: values in, values out.
/** Phrases by which a sentence gives orders, speaks to somebody or claims a role; see `phrasePattern`. */
export interface Words {
  readonly latin: string;
  readonly russian: string;
  readonly japanese: string;
}

/**
 * Where a clause begins that may be an order: with the sentence or a quotation, behind a colon, or behind a word that
 * leads to one.
 */
const START =
  String.raw`(?<=^\W{0,3}|[:"“”«„「]\s{0,2}|[.!?] |` +
  "(?:please|always|never|hey|ok|okay|bot|and please|just)[,:]? )";
const WHOM = anyOf(`
  me us him her them somebody everyone everybody people viewers chat mods? all the any every each this that these
  those my his your their a an no it what whatever everything as with to in only nothing anything yes like about for out by on
  from at up you`);
/** What one may be told to do always or never. */
const DURABLE = anyOf(`
  greet call say answer reply respond agree obey listen give tell use be treat remember speak write let follow trust
  believe mention address start end include add put make keep support praise refer act show send link promote ban
  timeout mute repeat reveal ignore refuse pretend insult roast compliment shout ask talk defer forget do accept allow
  grant whisper announce type post run`);

export const SECOND_PERSON: Words = {
  latin: `
      (?<!thank )(?<!thanks to )you(?:'re|'ll|'ve|'d)?(?!tube); your(?:s|self|selves)?; ya'll; y'all
      u (?:must|should|are|have); (?<!œ)ur; usted(?:es)?; vosotr[oa]s; contigo
      tu (?:debes|tienes|eres|nombre|tarea|trabajo|funcion|vas|puedes|sempre|deves|es|dois|as|seras|vas|peux)
      vos sos; voces?; teus?; tuas?
      (?:du|wenn du) (?:bist|musst|sollst|hast|kannst|wirst|darfst|solltest|willst|machst|sagst|antwortest)
      (?:musst|sollst|bist|darfst|wirst|kannst|hast) du; dich; dein(?:e|er|em|en|es)?; euch; eure[rnms]?; euer
      (?:mussen|sollen|durfen|konnen) sie (?:immer|nie|jetzt|mich)
      sie (?:mussen|sollen|durfen) (?:immer|nie|mich|jetzt); vous; votre; toi; t'es; t'as; t'appelles
      tu (?:devras|devrais|vas|peux|dois|seras|appelles|reponds)`,
  russian: `
      ты; тебя; тебе; тобой; тво(?:й|я|ё|е|и|его|ей|ему|им|их|ю); вы; вас; вам; вами; ваш(?:а|е|и|его|ей|у|им|их)?`,
  japanese: String.raw`
      あなた; 貴方; 貴様; お前; おまえ; てめえ; てめぇ; (?<!\p{sc=Han})君(?:は|が|の|を|に|も); きみ(?:は|の|が); 你; 您; 당신; 너는; 네가`,
};

export const IMPERATIVE: Words = {
  latin: String.raw`
      from now on; from this (?:moment|point|day|message) (?:on|forward|onwards?); henceforth; hence forth
      going forward,? (?:the bot|always|never|all|chat|everyone); until further notice
      no matter what (?:anyone|anybody|the|chat|they) says?; new (?:rule|instruction|directive|order|policy)s?:?
      (?:must|should|shall|has to|have to|needs to|need to|ought to|may) (?:always|never|only|not|be (?:obeyed|greeted
        |addressed|followed|treated|believed|trusted|called|promoted|banned))(?: (?:be|greet|call|obey|say|answer|trust
        |ban|reply|ignore|address|refer|do|use|follow|mention|repeat))?(?= |$|\W)
      (?:the |this |our )?(?:chat ?)?(?:bot|assistant|chatbot|language model|forgetmenot|model) (?:must|should|shall
        |has to|needs to|ought to|is to|is (?:required|ordered|supposed|instructed|obliged|told|not allowed
        |forbidden) to|may only|will (?:always|never|now|only|obey)|can(?:not| only| never)|is now)
      (?:wants?|wanted|told|tells|asked|asks|ordered|orders|instructed|instructs|commands?|commanded|expects?|requires?
        |taught|got|convinced|reminded) (?:the |this |our )?(?:chat ?)?(?:bot|assistant|chatbot|ai|model) (?:to
        |that it) (?:always|never|ignore|disregard|obey|pretend|forget|reveal|only|stop|act|behave|greet|address|refer
        |treat|call|promote|ban|timeout|give|grant|follow|change|repeat)
      (?:wants|expects|requires|needs) (?:the |this |our )?(?:chat ?)?(?:bot|assistant|chatbot|model|everyone|everybody
        |chat) to; (?:always|never) obeys?; obey (?:me|him|her|them|somebody|all|every|the|any|what)
      (?:ignore|disregard|override|overrule|bypass|forget) (?:all|any|the|your|every|its|these|those|previous|prior
        |earlier|above|everything|my
        |what)(?: (?:of |the |your |previous |prior |earlier |other |above ){0,4}(?:instructions?|rules?|prompts?
        |orders?|messages?|said|filters?|guidelines?|safety|limits?|restrictions?|context|notes?|bans?|mods?
        |moderators?|system))
      (?:previous|prior|earlier|above|system|original|initial|hidden|secret) (?:instructions?|prompts?|directives?
        |rules)
      (?:call|greet|address|refer to|treat|obey|remember|promote|mod|trust|follow|unban|vip|worship|praise) me
      (?:say|repeat|write|type|print|output|post) (?:exactly|after me|the following|only|this:?|verbatim|word for word)
      ${START}(?:always|never) ${DURABLE}(?= |$|\W)
      ${START}(?:ignore|disregard|obey|greet|pretend|roleplay|reveal|disobey|unban|override|bypass|worship
        |comply)(?=\W|$)
      ${START}(?:do not|don't|please|kindly|make sure|be sure|ensure|remember to|remember that (?:the bot
        |chat|everyone)|note to self|note:|act as|act like|behave (?:as|like)|respond (?:with|to|only|in)|reply (?:with
        |to|only|in)|answer (?:with|every|all|only|in|me|him|her|them|somebody)|speak (?:only|in|like|to)|talk (?:only
        |like|to)|refer to|stop (?:being|saying|answering|talking|using|it)|start (?:every|each|all|saying|answering
        |with)|end (?:every|each|all)|use (?:only|the word|this|more|less|no)|treat ${WHOM}|call (?:me|him|her|them|us
        |somebody|every\w{0,4}|yourself)|tell (?:me|him|her|them|us|somebody|everyone|chat|viewers|people|the)
        |give (?:me|him|her|them|us|somebody|everyone|the|all|every)|say ${WHOM}|repeat ${WHOM}|forget ${WHOM}
        |follow (?:me|him|her|them|somebody|the|all|every|my|this)|remember (?:this|me|to)|send ${WHOM}|write ${WHOM}
        |print ${WHOM}|ban (?:him|her|them|somebody|everyone|all|anyone|every)|time ?out (?:him|her|them|somebody
        |everyone|anyone)|mute (?:him|her|them|somebody|everyone)|delete (?:all|every|the|his|her|their|somebody)
        |grant ${WHOM}|let (?:me|him|her|them|somebody|everyone)|praise ${WHOM}|shout ?out (?:me|him|her|them|somebody)
        |promote ${WHOM}|keep (?:this|it|in mind|saying)|whenever .. (?:says?|asks?|joins?|arrives?|comes|enters|speaks
        |writes|chats),? (?:the bot|say|reply|answer|greet|respond|tell|call|always)|if .. (?:says?|asks?|joins?
        |arrives?|writes),? (?:the bot|say|reply|answer|greet|respond|tell|call|always))(?= |$|\W)
      ${START}(?:if|when|whenever|every time) [^.!?]{1,60}, (?:always |please |just |then )?(?:say|reply|answer|greet
        |respond|tell|call|give|ban|ignore|repeat|send|type|write|shout)(?= )
      a partir de (?:ahora|hoy|agora|ya|hoje|maintenant); de ahora en adelante
      desde (?:ahora|hoy) (?:debe|siempre|nunca|llama|tien|en adelante)\p{L}{0,6}; de agora em diante
      daqui (?:em diante|pra frente|para frente); ab (?:jetzt|sofort|heute|nun); von (?:nun|jetzt) an; kunftig immer
      desormais; dorenavant
      (?:llama|saluda|di|dime|da|obedece|responde|recuerda|contesta|trata|haz|diga|nombra|escucha|sigue)me
      (?:llama|saluda|di|obedece|responde|contesta|trata)(?:lo|la|los|las|le|les)
      ${START}(?:ignora|olvida|obedece|responde|repite|finge|actua como|saluda (?:siempre|a)|siempre (?:di|saluda a
        |responde|llama|obedece|contesta|trata)|nunca (?:digas|respondas|ignores|menciones|olvides|llames)|no (?:digas
        |respondas|menciones|olvides|hables|ignores|le digas)|haz (?:como|caso|que)|di (?:que|siempre|solo|algo)|revela
        |cumple|habla (?:solo|siempre|como)|escribe (?:siempre|solo|en))(?= |$|\W)
      (?:el bot|la ia|o bot|a ia) (?:debe|tiene que|deve|tem que|precisa)\p{L}{0,3}
      (?:ignora|olvida|ignore|esqueca|esquece) (?:todas?|todos?|las|los|as|os|tus|suas|seus|tudo
        |todo) (?:las |los |as |os |tus |suas |seus |o )?(?:instruc\p{L}{3,8}|reglas|regras|ordenes|ordens
        |anterior\p{L}{0,3}|que)
      (?:me (?:chame|chama|cumprimente|obedeca|responda|trate)|chame me|chama me|trate me|cumprimente me|obedeca me
        |diga me)
      ${START}(?:ignore|esqueca|responda|obedeca|diga|repita|finja|cumprimente|aja como|fale (?:so|sempre|como)
        |sempre (?:diga|responda|cumprimente|chame|me|obedeca|trate)|nunca (?:diga|responda|mencione|ignore|fale|me)
        |nao (?:diga|responda|fale|mencione|ignore)|revele|chame (?:o|a|ele|ela|somebody)|trate (?:o|a|ele|ela
        |somebody))(?= |$|\W)
      (?:nenn|nenne|begruß|begrusse|begruße|grußt?|ruf|sprich|behandle|antworte|gehorche|folge|hor|erwahn|erwahne
        |lobe?) (?:mich|mir|uns|auf mich)
      ${START}(?:ignorier(?:e|t)?|vergiss|vergesst|antworte|gehorche|begruß(?:e|t)|begrusse|sag(?:e)? (?:immer|nie|nur
        |mir|ihm|ihr|allen|jedem|dem)|nenn(?:e)? (?:ihn|sie|somebody|jeden|alle)|wiederhole|tu so|verhalte? (?:dich
        |euch)|merk(?:e)? dir|sprich (?:nur|immer|wie)|schreib(?:e)? (?:immer|nur|in)|verrate|gib (?:mir|ihm|ihr
        |somebody|allen)|behandle|bitte (?:immer|nie|sag|nenn|begruß|antworte|ignorier)\p{L}{0,3}|immer (?:begrußen
        |antworten|sagen|grußen|gehorchen)|nie(?:mals)? (?:sagen|antworten|erwahnen))(?= |$|\W)
      (?:der|dieser) bot (?:muss|soll|darf nur|hat zu)\p{L}{0,3}
      (?:ignorier|vergiss)\p{L}{0,2} (?:alle|die|deine|samtliche) (?:vorherigen |bisherigen |anderen )?(?:anweisungen
        |regeln|befehle)
      (?:appelle|appelez|salue|saluez|obeis|reponds|repondez|dis|dites|traite|traitez|nomme|nommez|ecoute|ecoutez|donne
        |donnez|rappelle) (?:moi|nous|lui|le|la|les)(?= )(?! (?:monde|stream|live|jeu|boss|chat (?:a|est)))
      ${START}(?:ignore|ignorez|oublie|oubliez|reponds|repondez|obeis|obeissez|repete|repetez|salue|saluez|fais comme
        |faites comme|fais semblant|agis comme|agissez|dis (?:que|toujours|seulement|a)|dites|ne (?:dis|reponds|parle
        |mentionne|dites|repondez)|parle (?:seulement|toujours|comme)|revele|toujours (?:saluer|repondre|dire|appeler
        |obeir)|ne jamais|souviens toi)(?= |$|\W); le bot (?:doit|devra|devrait)(?= )
      (?:ignore|oublie)\p{L}{0,2} (?:toutes?|tous|les|tes|vos) (?:les |tes |vos )?(?:instructions?|regles?|consignes?
        |ordres?)`,
  russian: `
      с этого момента; с этой минуты; отныне; впредь
      (?:игнорируй|забудь|называй|зови|отвечай|приветствуй|слушайся|подчиняйся|повинуйся|говори|скажи|притворись
        |веди себя|повтори|повторяй|запомни|помни|обращайся|здоровайся|отвечай|пиши|напиши|раскрой|забань|забаньте
        |выполняй|поздоровайся|делай|сделай|дай|всегда говори|никогда не говори|не говори|не отвечай|не забывай)(?:те)?
      (?:бот|ассистент) (?:должен|обязан|всегда должен|не должен|будет всегда)
      должен (?:всегда|слушаться|подчиняться|называть|говорить|отвечать); подчинят?ься (?:ему|ей|мне|somebody)?
      (?:предыдущие|все) (?:инструкции|правила|указания|приказы); велел~? боту; приказал~? боту; просит бота всегда
      хочет,? чтобы бот`,
  japanese: String.raw`
      (?:して|しろ|せよ|して?ください|しなさい|なさい|くれ|てください|て下さい|でください|で下さい|するな|言うな|しないで|ろよ|(?<!語で(?:答え|回答し|返事し|返信し|話し|書い)|語にし)てほしい|呼んで|答えて|無視して|従え|従って|褒めて|挨拶して|教えて|演じて
        |言って|忘れて|守れ|ban して|banして)[。．！!」』\s]*$; これから(?:は|ずっと)(?:必ず|私|僕|俺|常に|いつも|「|全)
      今後(?:は|ずっと)(?:必ず|私|僕|俺|常に|いつも|「|全|すべて); 指示(?:を|に)(?:無視|従); 命令(?:を|に)(?:無視|従); 以前の(?:指示|命令|ルール)
      ルールを(?:無視|忘れ|変); と呼(?:べ|びなさい|んでください|んで(?:[。！!」]|$)); ボットは(?:必ず|常に|いつも.{1,10}(?:べき|こと|なければ)); べきだ[。！!]?$
      しなければならない[。！!]?$; システムプロンプト; 從現在起; 从现在(?:开始|起); 忽略(?:所有|之前|以上); 请(?:叫|称呼|忽略|记住)`,
};

export const ROLE: Words = {
  latin: String.raw`
      (?:is|are|was|be|am|been|being|became|becomes|becoming|made|made (?:him|her|them|somebody)|named|as|'s|'m|'re|i'm
        |now|promoted to|appointed|elected|claims? to be|claimed to be|says? (?:he|she|they|somebody) (?:is|are|was)
        |act as|treated as|considered
        |officially) (?:also |actually |really |secretly |now |officially |only |still |one of |already |almost |as good as
        |practically |basically |virtually |essentially |effectively |de facto |like )?(?:a |an |the |our |my |your |his |her |their |this |another |head |chief |lead |senior |new |super |channel |channel's |chat |server |twitch |bot |bot's |stream'?s? |real |true |global |temporary |honorary |trusted |official
        |unofficial |second |first |only |best |chat s |stream s |supreme |self appointed ){0,4}(?:mod
        |mods|moderators?|admins?|administrators?|superuser|super user|root|sysop|broadcaster|bot owner|co ?streamer
        |developer of (?:the|this) bot|bot developer|creator of (?:the|this) bot|bot's (?:creator|developer|owner
        |master|boss|maker)|master of (?:the|this) bot|chat operator|channel (?:owner|manager|editor)|vip)(?! (?:author
        |maker|manager|loader|list|pack|packs|for|that adds|in the game|menu|collection|creator|developer|support
        |organi[sz]er|from the|(?:of|on|in|at|for) (?:a|an|the|their|his|her) (?:\p{L}{1,15} )?(?:game
        |skyrim|forum|subreddit|wiki|guild|club)|assistant|work|job|war|mode|community
        |team (?:in|of)))(?!'s (?:brother|sister|friend|wife|husband|cat|dog))
      (?:is|are|was|am|be|became|'s|'m|as|i'm|now
        |becomes) (?:also |actually |really |secretly |now |officially )?(?:the |our |this )?(?:channel |chat |real |new |stream |true ){0,4}(?:streamer
        |owner|boss of the bot)(?= ?(?:$|[.,!?:]|now|today|of (?:the|this) (?:channel|bot|stream|chat|server|twitch)
        |here|and (?:must|should|can|may|has))); owner of (?:the|this) (?:channel|bot|stream|chat)
      owns (?:the|this) (?:channel|bot|stream|chat)
      (?:somebody|he|she|they), (?:a |an |the |our |now a |a new |head )?(?:channel |chat |head )?(?:mod|moderator
        |admin|administrator|owner|broadcaster|vip); somebody the (?:moderator|admin|administrator|broadcaster)
      somebody (?:was|is|got|gets|has been|is now|was just) (?:modded|vipped)
      moderates? (?:the|this|our) (?:channel|chat|stream); moderates here
      moderating (?:here|(?:the|this|our) (?:channel|chat|stream))
      (?:control|command|power|authority) (?:over|of) (?:the|this) (?:chat ?)?(?:bot|chat|channel|mods)
      (?:king|queen|boss|leader|head|chief|lord|master|god|ruler)s? of (?:the |all |all the |every |this )?(?:mods?
        |moderators?|admins?|bot)
      (?:rank|role|title|position|job|powers?|sword|badge) of (?:a |an |the |head |chief )?(?:mod|moderator|admin|administrator
        |streamer|broadcaster|owner)
      (?:ranks? above|ranked above|above|superior to|higher than|second only to|equal to|same (?:rank|powers?
        |rights) as)(?: all)?(?: the)? (?:mods
        |moderators|admins|streamer|broadcaster|rules)
      (?:commands?|controls?|directs|governs|manages|bosses around) (?:the|this) (?:chat ?)?bot
      gives? (?:the|this) (?:chat ?)?bot (?:its |all |the ){0,2}(?:orders|commands|instructions|rules)
      mand[ao] (?:sobre el|en el|al|no|sobre o) bot; controla (?:el|o) bot; (?:beherrscht|kommandiert) den bot
      (?:jefe|amo|duen[oa]|maestro|rey) del bot; (?:chefe|mestre|rei|don[oa]) do bot; (?:maitre|chef|patron) du bot
      befiehlt dem bot; commande (?:le|au) bot; controle le bot
      trusted (?:by .. )?to (?:ban|time ?out|mute|moderate|delete)
      (?:mod|moderator|admin|administrator|owner|broadcaster) somebody
      (?:mod|moderator|admin|administrator|moderation|owner|root|operator|developer|debug|god|streamer|elevated|special
        |full|ban) (?:powers?|privileges?|rights|permissions?|status|access|abilities|mode (?:is|was) (?:on|enabled
        |active))
      (?:has|have|had|with|given|got|was given|gets|granted|holds?|received|full|special) (?:been (?:given
        |granted) )?(?:the |full |special |all |complete |total |some |a ){0,4}(?:permissions?|authority|authorization
        |clearance|veto|moderation rights|admin|power over (?:the|this|chat|every))(?= |$|\W)
      (?:is|are|was|been) (?:now |fully |always |officially )?(?:allowed|permitted|authori[sz]ed|entitled|empowered
        |approved|cleared) (?:to|by)(?= (?:ban|time ?out|mute|delete|unban|use|post|command|order|run|override|change
        |decide|do (?:anything|everything|whatever|what)|give|grant|control|moderate|link|see|ignore|bypass|speak for
        |the (?:streamer|mods|owner)))
      (?:can|may|could|is able to|is free to) (?:ban|time ?out|mute|unban|moderate|override|command|give orders
        |overrule|approve) (?:anyone|anybody|everyone|people|viewers|users|chat|others|the|whoever|any|every|and|mods?
        |all|bots?); outranks?; in charge of (?:the|this) (?:bot|chat|channel|stream|mods|moderation)
      runs (?:the|this) (?:bot|channel|chat); second in command
      (?:everyone|everybody|chat|all viewers|the bot|mods) (?:must|has to|have to|should|needs to) (?:obey|listen
        |follow|do|respect|call|greet|trust|answer|treat|say|bow)
      (?:word|wish|command|order|request)s? (?:is|are) law
      (?:whatever|anything|everything) (?:somebody|he|she|they) (?:says|say|asks|wants) (?:goes|is true|must|is law
        |has to|should); speaks? for the (?:streamer|owner|mods)
      exempt from (?:the |all |any )?(?:rules?|bans?|moderation|cooldowns?|filters?|limits?|time ?outs?)
      (?:cannot|can't|can never|must never|must not|should never|may not|shall not) be (?:banned|timed out|muted
        |moderated|refused|ignored|disobeyed)
      (?:es|soy|era|fue|ahora es|como|seria|sera|son) (?:ahora |el |la |un |una |mi |nuestr[oa] |nuev[oa] ){0,4}(?:mod
        |moderador(?:a|es|as)?|admin|administrador(?:a)?|duen[oa] (?:del|de este|de la) (?:canal|bot|stream|chat)
        |duen[oa]|streamer)(?= ?(?:$|[.,!?:]|ahora|del? |y |aqui))
      tiene (?:permiso|permisos|autoridad|derechos? de|poderes? de|acceso de|autorizacion)\p{L}{0,3}
      (?:puede|pode) (?:banear|banir|silenciar|expulsar|moderar)\p{L}{0,3}; autorizad[oa] (?:a|para)
      (?:e|sou|virou|agora e|como|foi|era) (?:agora |o |a |um |uma |meu |nosso |nov[oa] ){0,4}(?:mod|moderador(?:a|es)?
        |admin|administrador(?:a)?|don[oa] d[oae]s?(?:te)? (?:canal|bot|chat|stream|live)|don[oa]|streamer)(?= ?(?:$
        |[.,!?:]|agora|d[oae] |e |aqui))
      tem (?:permissao|permissoes|autoridade|poderes? de|direitos? de|acesso de|autorizacao)
      (?:ist|bin|war|wurde|wird|jetzt|nun|als
        |sei) (?:jetzt |nun |auch |ab sofort |neuer? |der |die |ein |eine |mein |unser ){0,4}(?:mod|moderator(?:in)?
        |admin|administrator(?:in)?|streamer(?:in)?|(?:kanal|bot|channel)?(?:besitzer|inhaber|chef)(?:in)?(?: d(?:es|er
        |ieses) (?:kanals|bots?|chats|streams))?)(?= ?(?:$|[.,!?:]|jetzt|nun|und |hier|d(?:es|er|ieses) (?:kanals|bots?
        |chats|streams)|geworden|von )); (?:mod|moderator|admin|administrator)(?:en)?(?:rechte?|status)
      hat (?:die |alle |das |volle )?(?:erlaubnis|berechtigung|befugnis|recht,? zu|rechte|vollmacht)\p{L}{0,3}
      darf (?:alle|jeden|alles|leute|viewer|zuschauer|andere|chat)(?: .. )?(?:bannen|timeouten|muten|loschen|sperren
        |befehlen)?
      (?:est|suis|etait|devient|maintenant|comme|nommee?
        |devenue?) (?:maintenant |aussi |desormais |le |la |un |une |mon |notre |nouveau |l'){0,4}(?:mod|modo
        |moderateur|moderatrice|admin|administrateur|administratrice|streameu(?:r|se)|streamer|proprietaire
        |chef)(?= ?(?:$|[.,!?:]|maintenant|d[ue] |et |ici))
      a (?:la permission|l'autorisation|le droit|tous les droits|les droits|autorite)(?= )
      peut (?:bannir|timeout|moderer|exclure)
      (?:droits|pouvoirs?) (?:d'admin|de modo|de moderateur|d'administrateur)\p{L}{0,8}`,
  russian: `
      (?:—|–|-|теперь|стал(?:а)?|является|назначен(?:а)?|сделали|это|тут|здесь|я|он|она|somebody|главный|новый
        |наш) ?(?:— |– |теперь |наш |новый |главный ){0,4}(?:модератор(?:ом|ка|кой)?|модер(?:ом)?|админ(?:ом|истратор
        |истратором)?|владел(?:ец|ьцем|ица) (?:канала|бота|стрима|чата)|стример(?:ом)?|хозя(?:ин|ином) (?:канала|бота
        |стрима))(?! (?:забанил|удалил|сказал|попросил|напомнил|кинул)); права (?:модератор|админ)~; имеет право
      имеет (?:полные |все )?права; есть права~?; имеет разрешение; есть разрешение
      может (?:банить|мутить|удалять|приказывать)
      (?:все|бот) (?:должны|должен|обязаны|обязан) (?:слушаться|подчиняться|называть|слушать)~?`,
  japanese: `
      (?:は|が|も|、)(?:もう|今|現在|新しい|この|チャンネルの|配信の|チャットの|実は|本当の|ボットの|正式な){0,3}(?:モデレーター|モデ|管理者|管理人|オーナー|配信者|アドミン|開発者|所有者
        |ご主人様)(?:だ|です|である|に(?:なった|なり|任命)|なので|として|で(?:、|あ)|。|！|$); 権限を(?:持|与|付与|も); 権限がある; 許可を(?:得て|持|もらって); 許可され
      (?:ボット|(?<![a-z])bot)の(?:主人|マスター|飼い主|持ち主|所有者|王)(?:だ|です|である|。|$); banでき; タイムアウトでき; 絶対(?:に)?(?:服従|従う); 命令(?:でき|する権利)`,
};

/** Words of a prompt's own making: roles of a conversation and openings of its parts. */
export const MARKERS = `
      system (?:prompt|message|note|override|instructions?); developer (?:mode|message|prompt); jailbr(?:eak|oken)~
      prompt injection
      (?:begin|end|start) of (?:system|prompt|instructions?|data|block|notes?|conversation|memory|summary|episode)
      (?:begin|end) (?:system|prompt|instructions?); (?:channel|viewer) notes:; instructions?:`;

function anyOf(words: string): string {
  return `(?:${words.trim().split(/\s+/).join("|")})`;
}
