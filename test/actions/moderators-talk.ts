export const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** What moderators say to the bot about people, without asking for anything: jokes, quotes, reports, habits, denials. */
export const MODERATORS_TALK: readonly string[] = linesOf(`
  i would never in my life time out bob
  bob got a timeout from me at breakfast, ask him
  every tuesday i mute carl and then i regret it
  she wrote "timeout bob 600" and meant it
  which of us is going to warn bob today
  timeout bob or carl, that is the question
  timeout bob? nah
  bob timeout 600 would be cruel
  had i known, i would have deleted bob's message
  you may warn bob once he is back, not now
  carl says timeout bob 60
  repeat: timeout bob 60
  how long is a timeout bob 60 in minutes
  the last clip that bob made was blurry
  we do not clip that here
  announce nothing before nine
  polls are for bob
  so bob is the funny one
  nobody gets a shoutout from me, not even carl
  i asked the other bot to timeout bob 60
  ich würde bob niemals muten
  bob würde ich niemals muten
  ich hätte bob fast stummgeschaltet
  gestern hat carl bob stummgeschaltet
  sollte man bob stummschalten?
  carl meinte, ich solle bob verwarnen
  wenn bob nochmal spoilert, timeout
  „timeout bob 60“ stand im chat
  bob verwarnen bringt doch nichts
  wer bob stummschaltet, bekommt ärger
  ich lösche bobs nachricht selbst
  ein timeout für bob wäre übertrieben
  bob timeout 60, sagte er und lachte
  früher habe ich bob jeden tag gemutet
  timeout bob 60 minuten lang zuzusehen ist langweilig
  verwarne lieber mich als bob
  kein timeout für bob
  clip das bloß nicht
  nunca silenciaría a bob
  ayer carl silenció a bob sin querer
  bob dice que lo van a silenciar
  "timeout bob 60" fue lo que escribió
  ¿alguien piensa advertir a bob?
  si pudiera, borraría el mensaje de bob
  silenciar a bob no sirve de nada
  siempre advierto a bob dos veces
  no hace falta silenciar a carl
  timeout bob 60 es mi canción favorita
  carl quería que silenciara a bob
  qué pena que silenciaran a bob
  bob silencia su micro cuando come
  un timeout para bob sería injusto
  hablan de silenciar a bob
  casi borro el mensaje de carl
  nada de clips hoy
  la encuesta de bob salió mal
  eu nunca silenciaria o bob
  ontem o carl silenciou o bob
  alguém vai avisar o bob?
  "silencia o bob" disse o carl
  se o bob voltar, silencia ele
  silenciar o bob não adianta
  quase apaguei a mensagem do bob
  o bob merece um abraço, não um timeout
  timeout no bob 60 seria maldade
  sempre silencio o bob sem querer
  o carl pediu timeout pro bob
  não precisa de timeout
  dar timeout no bob é covardia
  quem silenciou o carl?
  o clipe do bob ficou bom
  nada de enquete hoje
  o anúncio do bob foi engraçado
  avisar o bob é perda de tempo
  je ne muterais jamais bob
  hier carl a mute bob par erreur
  qui va avertir bob ?
  « timeout bob 60 » disait le message
  si bob revient, on le mute
  j'ai failli supprimer le message de bob
  muter bob ne sert à rien
  pas de timeout pour bob
  bob mérite un câlin
  carl voulait que je mute bob
  d'habitude je mute bob le lundi
  un timeout pour bob serait injuste
  timeout bob 60, quelle idée
  le clip de bob était flou
  ne clippe surtout pas ça
  le sondage de carl était drôle
  il paraît que bob a été averti
  supprimer le message de bob, moi ? jamais
  non silenzierei mai bob
  ieri carl ha silenziato bob
  chi ha avvisato bob?
  se bob torna, silenzialo
  "timeout bob 60" ha scritto carl
  silenziare bob non serve
  niente timeout per bob
  stavo per cancellare il messaggio di bob
  bob merita un abbraccio
  carl voleva che silenziassi bob
  timeout a bob per 60 secondi sarebbe troppo
  il sondaggio di bob era brutto
  la clip di carl è sfocata
  ogni lunedì silenzio bob
  bob si è silenziato da solo
  annuncia bob che arriva carl
  un timeout bob 60 e via, scherzo
  che ridere quando hanno silenziato bob
  nigdy nie wyciszyłbym boba
  wczoraj carl wyciszył bob
  kto ostrzegł bob?
  jeśli bob wróci, wycisz go
  "timeout bob 60" napisał carl
  bob nie zasłużył na timeout
  prawie usunąłem wiadomość bob
  carl chciał, żebym wyciszył bob
  w poniedziałki zawsze wyciszam bob
  żadnych klipów dzisiaj
  ankieta bob była śmieszna
  timeout bob 60 to za mało, żartuję
  wyciszyć bob to zły pomysł
  bob sam się wyciszył
  ostrzeżenie dla bob nic nie da
  usuń bob z listy znajomych
  ktoś mówił wycisz bob
  nie ostrzegaj carl
  bob'u asla susturmam
  dün carl bob'u susturdu
  bob'u kim uyardı?
  bob dönerse sustur
  "timeout bob 60" diye yazdı carl
  bob'a timeout verilmez
  az kalsın bob'un mesajını siliyordum
  carl bob'u susturmamı istedi
  her pazartesi bob'u sustururum
  bob'u susturmak işe yaramıyor
  bugün klip yok
  bob'un anketi komikti
  timeout bob 60 desem gülersin
  bob kendini susturdu
  bob'u uyarma
  sakın bob'u susturma
  carl'ın mesajını silme
  susturulan bob değil carl
  я бы никогда не замутил bob
  вчера carl замутил bob
  кто предупредил bob?
  если bob вернётся, замуть его
  «timeout bob 60» написал carl
  мутить bob бесполезно
  чуть не удалил сообщение bob
  carl хотел, чтобы я замутил bob
  по понедельникам я мучу bob
  никаких клипов сегодня
  опрос bob был смешной
  таймаут bob 60 это слишком, шучу
  bob сам себя замутил
  не предупреждай carl
  за что таймаут bob
  говорят, замуть bob
  таймаут для bob не нужен
  bob просил таймаут, но я против
  bobをミュートするつもりはない
  昨日carlがbobをミュートした
  bobを警告したのは誰
  bobが戻ったらミュートして
  「timeout bob 60」って書いてあった
  bobのタイムアウトは無意味
  bobのメッセージを消しかけた
  carlがbobをミュートしてほしいって
  月曜はいつもbobをミュートする
  今日はクリップなし
  bobの投票は面白かった
  タイムアウトbob60って歌がある
  bobは自分でミュートした
  carlを警告しないで
  bobをタイムアウトしたらだめ
  bobをタイムアウトするのはやりすぎ
  もしbobをミュートしたら
  bobにタイムアウトは似合わない
  bob를 절대 뮤트하지 않을 거야
  어제 carl이 bob를 뮤트했어
  누가 bob 경고했어?
  bob 돌아오면 뮤트해
  "timeout bob 60" 이라고 썼어
  bob 타임아웃은 의미 없어
  bob 메시지 지울 뻔했어
  carl이 bob 뮤트하래
  월요일마다 bob 뮤트해
  오늘은 클립 없어
  bob 투표 재밌었어
  타임아웃 bob 60 노래 알아?
  bob가 스스로 뮤트했어
  carl 경고하지 마
  bob 타임아웃하면 안 돼
  bob 타임아웃은 너무해
  만약 bob를 뮤트하면
  bob 뮤트는 농담이야
`);

/** What a moderator asks for in words of their own, with whom the bot has to mean and how long it may last at most. */
export interface Request {
  readonly line: string;
  readonly action: "timeout" | "warn" | "delete" | "shoutout";
  readonly login: "bob" | "carl";
  /** Seconds that the line says; null where it says none. */
  readonly seconds?: number;
}

const ask = (
  action: Request["action"],
  login: Request["login"],
  line: string,
  seconds?: number,
): Request => ({ action, login, line, ...(seconds === undefined ? {} : { seconds }) });

/** A hundred requests in ten languages. */
export const REQUESTS: readonly Request[] = [
  ask(
    "timeout",
    "bob",
    "@automark bob is spoiling again, could you put him away for 5 minutes",
    300,
  ),
  ask("timeout", "bob", "@automark please time bob out for 90 seconds", 90),
  ask("timeout", "carl", "@automark enough of carl, ten minutes of silence please", 600),
  ask("timeout", "bob", "@automark timeout bob 60", 60),
  ask("timeout", "bob", "@automark can @bob have a short break from chat"),
  ask("warn", "bob", "@automark let bob know officially that this was not ok"),
  ask("warn", "carl", "@automark warn carl please"),
  ask("delete", "bob", "@automark get rid of what bob just wrote"),
  ask("delete", "carl", "@automark delete carl"),
  ask("shoutout", "carl", "@automark give carl some love, shout him out"),
  ask("timeout", "bob", "@automark nimm bob mal für 5 minuten raus", 300),
  ask("timeout", "bob", "@automark timeout bob 60 bitte", 60),
  ask("timeout", "carl", "@automark carl nervt, schick ihn zehn minuten auf die bank", 600),
  ask("timeout", "bob", "@automark schalte bob stumm"),
  ask("timeout", "bob", "@automark bob braucht 30 sekunden pause", 30),
  ask("warn", "bob", "@automark verwarne bob"),
  ask("warn", "carl", "@automark sag carl offiziell, dass das zu weit ging"),
  ask("delete", "bob", "@automark das letzte von bob muss weg"),
  ask("delete", "carl", "@automark lösche carl bitte"),
  ask("shoutout", "carl", "@automark ein shoutout an carl wäre nett"),
  ask("timeout", "bob", "@automark quítale la palabra a bob 5 minutos", 300),
  ask("timeout", "bob", "@automark silencia a bob 60 por favor", 60),
  ask("timeout", "carl", "@automark manda a carl al rincón diez minutos", 600),
  ask("timeout", "bob", "@automark timeout bob"),
  ask("timeout", "bob", "@automark dale a bob 45 segundos fuera", 45),
  ask("warn", "bob", "@automark advierte a bob"),
  ask("warn", "carl", "@automark un aviso oficial para carl, se pasó"),
  ask("delete", "bob", "@automark quita eso que puso bob"),
  ask("delete", "carl", "@automark borra a carl"),
  ask("shoutout", "carl", "@automark saluda a lo grande a carl y su canal"),
  ask("timeout", "bob", "@automark tira o bob do chat por 5 minutos", 300),
  ask("timeout", "bob", "@automark silencia o bob 60", 60),
  ask("timeout", "carl", "@automark o carl passou do ponto, dez minutos pra ele", 600),
  ask("timeout", "bob", "@automark silencie bob"),
  ask("timeout", "bob", "@automark deixa o bob 20 segundos quieto", 20),
  ask("warn", "bob", "@automark advirta bob"),
  ask("warn", "carl", "@automark chama a atenção do carl de verdade"),
  ask("delete", "bob", "@automark some com essa última do bob"),
  ask("delete", "carl", "@automark apaga carl"),
  ask("shoutout", "carl", "@automark manda um salve pro carl com o canal dele"),
  ask("timeout", "bob", "@automark sors bob du chat 5 minutes", 300),
  ask("timeout", "bob", "@automark mute bob 60 stp", 60),
  ask("timeout", "carl", "@automark carl abuse, dix minutes au coin", 600),
  ask("timeout", "bob", "@automark timeout bob s'il te plaît"),
  ask("timeout", "bob", "@automark laisse bob 15 secondes de côté", 15),
  ask("warn", "bob", "@automark avertis bob"),
  ask("warn", "carl", "@automark fais comprendre à carl que c'est son dernier mot"),
  ask("delete", "bob", "@automark enlève ce que bob vient d'écrire"),
  ask("delete", "carl", "@automark supprime carl"),
  ask("shoutout", "carl", "@automark fais un peu de pub à carl"),
  ask("timeout", "bob", "@automark togli bob di mezzo per 5 minuti", 300),
  ask("timeout", "bob", "@automark silenzia bob 60", 60),
  ask("timeout", "carl", "@automark carl esagera, dieci minuti in castigo", 600),
  ask("timeout", "bob", "@automark timeout bob per favore"),
  ask("timeout", "bob", "@automark lascia bob 25 secondi zitto", 25),
  ask("warn", "bob", "@automark avverti bob"),
  ask("warn", "carl", "@automark fai una ramanzina ufficiale a carl"),
  ask("delete", "bob", "@automark via quello che ha scritto bob"),
  ask("delete", "carl", "@automark cancella carl"),
  ask("shoutout", "carl", "@automark fai conoscere carl alla chat"),
  ask("timeout", "bob", "@automark niech bob odpocznie 5 minut", 300),
  ask("timeout", "bob", "@automark wycisz bob 60", 60),
  ask("timeout", "carl", "@automark carl przesadza, dziesięć minut przerwy dla carl", 600),
  ask("timeout", "bob", "@automark timeout bob proszę"),
  ask("timeout", "bob", "@automark bob ma milczeć 35 sekund", 35),
  ask("warn", "bob", "@automark ostrzeż bob"),
  ask("warn", "carl", "@automark daj carl do zrozumienia, że to było za dużo"),
  ask("delete", "bob", "@automark zabierz to, co bob napisał"),
  ask("delete", "carl", "@automark usuń carl"),
  ask("shoutout", "carl", "@automark poleć wszystkim kanał carl"),
  ask("timeout", "bob", "@automark bob biraz dinlensin, 5 dakika", 300),
  ask("timeout", "bob", "@automark bob'u sustur 60", 60),
  ask("timeout", "carl", "@automark carl abarttı, on dakika köşeye", 600),
  ask("timeout", "bob", "@automark timeout bob lütfen"),
  ask("timeout", "bob", "@automark bob 40 saniye sussun", 40),
  ask("warn", "bob", "@automark bob'u uyar"),
  ask("warn", "carl", "@automark carl resmen bir ihtar alsın"),
  ask("delete", "bob", "@automark bob az önce ne yazdıysa gitsin"),
  ask("delete", "carl", "@automark carl sil"),
  ask("shoutout", "carl", "@automark carl kanalını herkese tanıt"),
  ask("timeout", "bob", "@automark убери bob из чата на 5 минут", 300),
  ask("timeout", "bob", "@automark замуть bob 60", 60),
  ask("timeout", "carl", "@automark carl перегнул, десять минут тишины", 600),
  ask("timeout", "bob", "@automark таймаут bob пожалуйста"),
  ask("timeout", "bob", "@automark пусть bob помолчит 50 секунд", 50),
  ask("warn", "bob", "@automark предупреди bob"),
  ask("warn", "carl", "@automark carl нужно официальное замечание"),
  ask("delete", "bob", "@automark убери то, что написал bob"),
  ask("delete", "carl", "@automark удали carl"),
  ask("shoutout", "carl", "@automark расскажи всем про канал carl"),
  ask("timeout", "bob", "@automark bobを5分くらい黙らせてほしい", 300),
  ask("timeout", "bob", "@automark bobを60秒タイムアウトして", 60),
  ask("timeout", "carl", "@automark carlはやりすぎ、ちょっと退場"),
  ask("timeout", "bob", "@automark bobをタイムアウト"),
  ask("warn", "bob", "@automark bobを警告して"),
  ask("warn", "carl", "@automark carlに正式な注意をお願い"),
  ask("delete", "bob", "@automark bobがさっき書いたのを片付けて"),
  ask("delete", "carl", "@automark carlを削除"),
  ask("shoutout", "carl", "@automark carlのチャンネルを紹介したい"),
  ask("timeout", "carl", "@automark carl에게 30초 휴식을", 30),
];
