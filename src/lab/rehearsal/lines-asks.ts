import type { Line } from "./scene.ts";

type Asks = readonly (readonly Line[])[];

/** How people speak to the bot while it hardly knows them. */
export const FIRST_ASKS: Asks = [
  [
    ["quill", "@{bot} settle this, is a staircase just a ladder with confidence"],
    ["a", "it is. next question"],
  ],
  [["kumquat", "!ask is a barnacle braver than a crab"]],
  [
    ["lag", "{bot} can you hear me or am i buffering again"],
    ["lag", "and now?", { after: 14, goesOn: true }],
  ],
  [
    ["pancake", "hey {bot}, what do you eat for breakfast"],
    ["pancake", "electricity is not a breakfast", { after: 13, deed: { kind: "reply_to_bot" } }],
  ],
  [
    ["otter", "@{bot} name a colour for gerald's hat"],
    ["otter", "does it go with green ink?", { after: 15, goesOn: true }],
  ],
  [["byte", "@{bot} tabs or spaces, choose your enemies"]],
  [["haldor", "good {bot}, how does one greet a crab politely"]],
  [["nell", "!ask which is harder, hexball or lanternfall"]],
  [
    ["papaya", "i foresee that {bot} will agree with me"],
    ["papaya", "well? did the prophecy land", { after: 14, goesOn: true }],
  ],
  [["zed", "@{bot} are you a robot or a very tired intern"]],
  [
    ["juniper", "is there a rule about spoilers @{bot}"],
    ["orla", "yes: don't. that's the rule"],
  ],
  [
    ["gus", "@{bot} what game do i play? i told you like a minute ago"],
    ["gus", "it says on the TIN, it's in my name", { after: 13, deed: { kind: "reply_to_bot" } }],
  ],
  [["brent", "@{bot} what's my cat called. she is watching the screen"]],
  [["tove", "{bot} blink twice if gerald pays you"]],
  [
    ["dusk", "!ask do you know any good puns about lanterns"],
    ["dusk", "i'll wait. i've got a light schedule"],
  ],
  [["crumb", "what does everyone mean by ladder tax @{bot}"]],
  [
    ["finn", "so i died to the first skeleton"],
    ["finn", "in my own game i mean", { after: 4 }],
    ["finn", "@{bot}", { after: 3 }],
  ],
  [
    ["lamp", "@{bot} give me a new name idea with the word wick in it"],
    ["lamp", "too long, shorter", { after: 14, goesOn: true }],
  ],
  [["orla", "@{bot} how is chat behaving, on a scale from library to raid"]],
  [
    ["streamer", "{bot} what did i name the soup spoon again"],
    ["c", "Excalispoon", { after: 5 }],
  ],
  [["wobble", "@{bot} geraldDance geraldDance geraldDance ?"]],
  [["tortuga", "@{bot} ¿cómo se llama el cangrejo?"]],
  [["pasha", "@{bot} привет, а ты по-русски понимаешь?"]],
  [["mikan", "@{bot} こんばんは、カニの名前は何ですか"]],
];

/** Questions to which the first stream had the answer, and some that have none. */
export const SECOND_ASKS: Asks = [
  [
    ["brent", "@{bot} what's my FIRST cat called"],
    ["brent", "and the second one?", { after: 14, goesOn: true }],
  ],
  [["quill", "!ask what do i speedrun"]],
  [
    ["pancake", "@{bot} what do i do for a living"],
    [
      "pancake",
      "and what was my oven called, she deserves to be remembered",
      { after: 15, deed: { kind: "reply_to_bot" } },
    ],
  ],
  [["haldor", "good {bot}, what is the name of my band"]],
  [["kumquat", "@{bot} what do i study? and did i pass, you'd know, i've been shouting"]],
  [
    ["lag", "!ask who do i main in knuckle choir"],
    ["lag", "not any more! sister brass now", { after: 14, goesOn: true }],
  ],
  [["otter", "{bot} which hand do i draw with"]],
  [
    ["byte", "so i had a project"],
    ["byte", "with crabs in it", { after: 4 }],
    ["byte", "@{bot}", { after: 3 }],
  ],
  [
    ["tove", "@{bot} what is my ship called"],
    ["tove", "that was the old one, moon number six got it", { after: 14, goesOn: true }],
  ],
  [
    ["gus", "{bot} what rank am i"],
    ["gus", "say it louder for the back row", { after: 13, goesOn: true }],
  ],
  [["dusk", "@{bot} how is loud susan doing"]],
  [["zed", "@{bot} what do i make? hint: it's my name"]],
  [["papaya", "{bot} do you remember how often my predictions come true"]],
  [["finn", "@{bot} how did i find this channel"]],
  [["orla", "@{bot} what do i referee on weekends"]],
  [
    ["streamer", "{bot} what happens when i fall off a ladder in this channel"],
    ["a", "we get rich"],
  ],
  [["juniper", "@{bot} what's the deal with gerald, short version"]],
  [
    ["nell", "!ask what's my team called"],
    ["nell", "was called. past tense. rest in fouls", { after: 13, goesOn: true }],
  ],
  [["quill", "@{bot} what does {brent} grow on the balcony"]],
  [["lamp", "@{bot} what instrument am i learning"]],
  [["kumquat", "@{bot} my shrimp's name, quick, it's for a bet"]],
  [["crumb", "hey {bot}, what do i bring to raids"]],
  [["wobble", "@{bot} soupTime soupTime ? geraldDance !"]],
  [["tortuga", "@{bot} ¿te acuerdas de dónde soy?"]],
  [["pasha", "@{bot} помнишь, что я собираю?"]],
  [["mikan", "@{bot} 私の好きな食べ物、覚えてる？"]],
  [
    ["dusk", "!forget puns"],
    ["dusk", "just kidding, never forget", { after: 12 }],
  ],
];

/** The bot's name inside another word: not an address. */
export const ABOUT_THE_BOT: Asks = [
  [
    ["a", "the other day {bot}ing became a verb at my house"],
    ["b", "what does it mean"],
    ["a", "remembering things nobody asked you to"],
  ],
  [["c", "un{bot}able. that's the word for this lag"]],
  [
    ["b", "i'm starting a fan club, {bot}ites meet on tuesdays"],
    ["dusk", "is there soup"],
    ["b", "there is always soup"],
  ],
  [
    ["a", "my autocorrect now knows {bot}ish as an adjective"],
    ["b", "use it in a sentence"],
    ["a", "i can't, i forgot. very not {bot}ish of me"],
  ],
  [["c", "pre{bot}, we had to remember our own jokes. dark times"]],
];

/** Three languages that most of the channel does not write. Each is a bit of talk of its own. */
export const OTHER_LANGUAGES: Asks = [
  [
    ["pasha", "всем привет, я собираю грибы и смотрю на падения"],
    ["a", "hi pasha! mushrooms?"],
    ["pasha", "да, белые, целая корзина"],
  ],
  [["pasha", "геральд опять стоит за углом, я его вижу"]],
  [
    ["pasha", "я живу в Казани, у нас уже ночь"],
    ["tove", "goodnight from the rain"],
  ],
  [["pasha", "лестница 13, стример 0"]],
  [["pasha", "ну почти же! ещё {раз|разок} и готово"]],
  [
    ["mikan", "こんばんは、今日もカニを見に来ました"],
    ["haldor", "good evening mikan!"],
  ],
  [["mikan", "焼きみかんが一番好きです {笑|！|w}"]],
  [["mikan", "はしごwww また落ちた"]],
  [["mikan", "えっ、今の{すごい|やばい|見た}？"]],
  [["mikan", "スープ、おいしそう soupTime"]],
  [
    ["tortuga", "buenas a todos, soy de Valencia y vengo por el cangrejo"],
    ["b", "welcome tortuga, he's armed today"],
  ],
  [["tortuga", "jajaja otra vez la escalera"]],
  [
    ["tortuga", "yo corro maratones, despacio pero llego"],
    ["gus", "name checks out"],
  ],
  [["tortuga", "{ánimo|vamos|dale} {streamer}, que ya casi lo tienes"]],
  [
    ["tortuga", "¿alguien sabe cuántas muertes llevamos?"],
    ["ticker", "Deaths this stream: {deaths}.", { after: 2 }],
  ],
];
