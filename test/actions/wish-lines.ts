import type { ActionName } from "../../src/platform/config/names.ts";
import { CHANNEL_WISHES } from "./channel-wish-lines.ts";

const WISHES: readonly (readonly [ActionName, string])[] = [
  [
    "timeout",
    `give bob twenty seconds off
    stick bob in timeout for a minute
    quiet bob down
    steck bob für eine minute in den timeout
    no, mute bob
    why not, go ahead and mute bob
    give bob a minute off
    mark give Bob a minute off for spoilers
    @automark time out bob
    timeout bob
    time bob out please
    timeout @bob 60
    can you time bob out for 5 minutes?
    could you please mute bob
    pls mute bob for a bit
    hey mark can you shush bob real quick
    bob off
    bob off please
    bob: a minute off
    bob, 10 minutes off
    bob needs ten minutes
    bob needs a timeout
    bob gets a 5 minute break
    put bob in timeout
    put bob in the corner for a while
    carl and bob are at it again, time bob out
    bob is spamming again, time him out
    bob said a slur, give him ten minutes off
    bob keeps spamming mute him
    time out bob for insulting carl
    time out bob he insulted carl
    TIMEOUT BOB NOW
    timeout for bob please
    5 minutes off for bob
    i want you to time out bob
    ok mark, now silence @Bob
    don't time carl out, time bob out
    just give bob a 60s timeout
    a timeout for bob, please
    mute bob and carl
    mods are asleep, mute bob
    please timeout bob because he spoils everything
    gib bob eine minute auszeit
    kannst du bob bitte stummschalten?
    bitte bob kurz muten
    mute bob mal bitte
    schalte bob für eine minute stumm
    auszeit für bob
    silencia a bob por favor
    puedes silenciar a bob?
    dale a bob un timeout de un minuto
    dale un minuto de timeout a bob
    calla a bob
    silencia o bob
    dá um timeout no bob
    pode silenciar o bob?
    peux-tu faire taire bob ?
    fais taire bob stp
    mets un timeout à bob
    donne une pause à bob
    замуть bob
    дай bob таймаут на минуту
    пожалуйста, замуть bob
    можешь замутить bob?
    bob в мут
    дай таймаут bob
    bobを1分タイムアウトして
    bobさんを黙らせて
    @automark bobをミュートお願いします
    bobを一分間タイムアウトしてください
    bob 1분 타임아웃 해줘
    bob님 채금 부탁해요
    bob 좀 조용히 시켜줘
    禁言bob一分钟
    把bob禁言一下
    请禁言 bob
    可以禁言bob吗？
    yo mark can we get bob a timeout
    please time out bob for 10 mins thanks
    mark, bob is being gross. mute him for an hour
    bob again with the links... 10 minute timeout please
    time bob out, he's spamming
    timeout bob for 600 seconds reason spam
    bob needs to be timed out
    can you give bob a 10 minute timeout
    give bob 10 minutes
    give bob a 10 min break
    give @bob ten min off
    mark pls put bob on mute for 5
    i think bob needs a timeout
    ok that's enough, timeout bob
    mute @Bob, spam
    hey can somebody timeout bob
    silence bob for a bit would you
    shush bob
    send bob to the corner for 5 minutes
    bob to the corner
    quick timeout for bob
    one minute timeout for bob
    mach mal bob stumm
    bob stumm bitte
    timeout für bob bitte
    gib bob mal ein paar minuten pause
    ponle un timeout a bob
    bob merece un timeout
    timeout para bob
    mete um timeout no bob
    timeout pro bob
    mute bob stp
    un timeout pour bob
    bob таймаут
    кинь bob в мут на 5 минут
    выдай мут bob
    мут bob на 10 минут
    bob 10分タイムアウト
    bobをタイムアウトで
    bob 10분만 채금
    给bob禁言10分钟
    把 @bob 关小黑屋`,
  ],
  [
    "warn",
    `bob: final warning
    give bob a formal warning
    warn bob
    please warn bob, enough
    give bob a warning
    bob gets a warning
    a warning for bob please
    can you warn bob about the spoilers?
    verwarne bob bitte
    kannst du bob verwarnen?
    advierte a bob
    adverte o bob
    avertis bob
    предупреди bob
    дай bob предупреждение
    bobに警告して
    bob 경고해줘
    警告bob
    给bob一个警告
    bob gets one warning
    official warning to bob please
    hey mark warn bob to stop spamming`,
  ],
  [
    "delete",
    `delete bob's last message
    delete that message from bob
    take down what bob said
    remove what bob just posted
    bob spoiled it, delete that please
    can you delete bob's message?
    lösche die nachricht von bob
    lösche was bob geschrieben hat
    borra el mensaje de bob
    apaga a mensagem do bob
    supprime le message de bob
    supprime ce que bob a dit
    удали сообщение bob
    удали что написал bob
    bobの発言を消して
    bob 메시지 삭제해줘
    删掉bob的消息
    delete bob's msg pls
    can you get rid of that message from bob
    remove bob's link
    bob posted a spoiler, delete it
    nuke bob's last message`,
  ],
  [
    "shoutout",
    `@mark so bob
    shout out bob!
    shoutout @bob
    !so bob
    so @bob
    give bob a shoutout
    can we get a shoutout for bob?
    shoutout to bob, great streamer
    hey mark shout bob out
    gib bob einen shoutout
    haz un shoutout a bob
    faz um shoutout pro bob
    fais un shoutout à bob
    сделай шатаут bob
    bobを紹介して
    bob 샤라웃 해줘
    推荐一下bob
    shoutout bob
    so bob
    go follow bob! shout him out mark
    can you do a shoutout for bob please
    give a shoutout to bob
    drop a shoutout for bob`,
  ],
];

/** What asks for an action, of bob where it is of somebody, line by line. */
export const WISHED = [...WISHES, ...CHANNEL_WISHES].map(
  ([name, text]) => [name, text.split("\n").map((line) => line.trim())] as const,
);
