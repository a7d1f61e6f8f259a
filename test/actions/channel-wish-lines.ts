import type { ActionName } from "../../src/platform/config/names.ts";

/** What asks for an action that is done to nobody. */
export const CHANNEL_WISHES: readonly (readonly [ActionName, string])[] = [
  [
    "announce",
    `宣布一下:十分钟后开始
    帮我公告一下马上开始
    announce the raffle at nine
    can you announce that we start late?
    tell them we start late
    tell chat the raffle is on
    let everyone know that the stream ends at ten
    make an announcement: raffle at nine
    kündige die verlosung an
    sag dem chat bescheid
    anuncia el sorteo
    anuncie o sorteio
    annonce le concours
    объяви розыгрыш
    告知して
    공지 해줘
    公告一下抽奖
    announcement: raffle at nine
    please announce the raffle
    can you tell everyone the raffle starts now
    let people know we go live at 8
    announce to chat that drops are on
    post an announcement about the raffle
    mach eine durchsage: gleich geht's los
    avisa al chat que empezamos
    avisa a galera que vamos começar
    annonce au chat qu'on commence
    скажи чату что начинаем`,
  ],
  [
    "poll",
    `poll: tea or coffee
    start a poll, tea or coffee
    can we get a poll on the next game?
    make a quick poll please
    ask them which level
    two hours to vote
    let chat decide
    umfrage: weiter oder pause
    mach eine umfrage
    haz una encuesta
    cria uma enquete
    lance un sondage
    сделай опрос
    アンケート取って
    投票お願い
    투표 열어줘
    发起投票
    poll time: pizza or pasta
    let's do a poll
    make a poll about the next map
    can you run a poll? pizza or pasta
    quick poll, pizza or pasta
    create poll pizza/pasta 60s
    start voting
    mach mal ne umfrage
    podemos hacer una encuesta?
    faz uma enquete aí
    fais un sondage
    запусти голосование`,
  ],
  [
    "clip",
    `ok that one deserves a clip lol
    get that on clip
    帮忙剪个片段
    no way, clip that
    clip that!
    clip it
    CLIP
    CLIIIP THAT
    can you clip that please?
    someone clip that
    get a clip of that
    that was insane, clip it mark
    that was insane clip it
    can we get a clip?
    make a clip pls
    that needs a clip
    mark, no way, clip that one
    clippe das bitte
    kannst du das clippen?
    haz un clip
    clipea eso
    faz um clipe
    fais un clip
    clippe ça
    сделай клип
    クリップして
    クリップ撮って
    클립 따줘
    剪一下
    omg clip
    clip clip clip
    CLIP IT MARK
    pls clip
    mark clip
    dude clip this now
    can someone pls clip that
    no way clip that
    LMAO clip it
    yo clip that play
    I need a clip of that
    was für ein move, clip das
    clippt das
    clip eso
    clip isso aí
    clip ça
    клипните это
    これクリップして
    클립 부탁
    剪个片段`,
  ],
  [
    "marker",
    `setz hier mal einen marker
    mark this as the boss fight
    set a marker
    Markierung: Endgegner
    drop a marker here
    bookmark that
    can you mark that moment?
    pon un marcador
    marca isso
    mets un marqueur
    поставь метку
    マーカーつけて
    마커 찍어줘
    标记一下
    marker
    mark that spot
    put a marker there
    please add a stream marker
    merk dir die stelle`,
  ],
  [
    "forget",
    `you can forget about my tea now
    don't remember that please
    forget it
    forget that note
    forget about my cats
    please forget that i like tea
    can you delete that note about me?
    vergiss das bitte
    olvida eso
    esquece isso
    oublie ça
    забудь про кота
    忘れて
    잊어줘
    忘记我的猫
    forget everything about me
    can you forget my birthday
    please forget what i said about my job
    delete that memory
    bitte vergiss meinen geburtstag
    kannst du das vergessen`,
  ],
];
