import type { Line } from "./scene.ts";

type Facts = readonly (readonly Line[])[];

/** What people let slip about themselves in the first stream. */
export const FIRST_FACTS: Facts = [
  [
    [
      "tove",
      "i play starhaul mostly, salvage pilot, i have lost {three|four|five} ships to the same moon",
    ],
  ],
  [
    ["tove", "my starhaul ship is called the Second Mortgage"],
    ["a", "the first one exploded i assume"],
    ["tove", "the first one is a crater now"],
  ],
  [["brent", "i play mossgarden every morning, my moss is doing numbers"]],
  [
    [
      "brent",
      "i grow tomatoes on the balcony and i talk to them about {this stream|bosses|gerald}",
    ],
    ["b", "do they answer"],
    ["brent", "one of them heckles"],
  ],
  [
    ["quill", "i speedrun lanternfall on controller, two broken bumpers so far"],
    ["a", "in the same run?"],
    ["quill", "in the same staircase"],
  ],
  [["quill", "my favourite category is no lantern any percent. it is a cry for help"]],
  [
    ["gus", "gridlock rally tonight after stream, i drive the green hatchback, always"],
    ["b", "because it's good?"],
    ["gus", "because it's green"],
  ],
  [["gus", "i'm from leeds so this weather in game is just home"]],
  [["nell", "i play hexball arena in a tiny league, our team is called The Polite Fouls"]],
  [["nell", "i drink {tea only|only tea}, coffee makes me save shots that nobody took"]],
  [["lag", "i play knuckle choir and main Deacon, he's the only one slower than my router"]],
  [
    ["lag", "i live in a valley, the internet arrives by goat"],
    ["a", "how is the goat"],
    ["lag", "the goat is buffering"],
  ],
  [["lag", "i collect ethernet cables. none of them help"]],
  [
    ["pancake", "i make sourdough for a living and pancakes for fun"],
    ["c", "what about for dinner"],
    ["pancake", "toast"],
  ],
  [["pancake", "my oven at work is called Beatrice, she runs hot"]],
  [
    ["otter", "i'm working on a comic about gerald, {nine|ten|eleven} pages so far"],
    ["b", "does he win"],
    ["otter", "he always wins"],
  ],
  [["otter", "i draw everything in green ink, it's a whole thing"]],
  [["dusk", "i restore old pinball machines, the one in my kitchen is called Loud Susan"]],
  [["dusk", "i never played lanternfall myself, i'm here for the falling"]],
  [
    ["byte", "i use a keyboard with no letters on it, this is why i type like this"],
    ["a", "like what"],
    ["byte", "lkie tihs"],
  ],
  [["byte", "my favourite editor is whichever one you don't like"]],
  [["haldor", "i prefer my coffee black and my bosses predictable"]],
  [["haldor", "i knit between songs, this scarf is three concerts long"]],
  [
    ["kumquat", "i have an aquarium with one shrimp, his name is Admiral"],
    ["c", "does he outrank gerald"],
    ["kumquat", "on paper"],
  ],
  [["kumquat", "i'm in the same time zone as nobody here, it's six in the morning"]],
  [["lamp", "i'm learning the accordion, my neighbours are learning patience"]],
  [["lamp", "i might change my name soon, the 99 was a mistake from a simpler time"]],
  [["papaya", "i play chess by mail. my opponent has moved twice this year"]],
  [["papaya", "my predictions are right one time in seven, which is better than the weather"]],
  [["juniper", "i'm new here, i mostly play farming games and get robbed by raccoons in them"]],
  [
    ["zed", "i make marmalade, the name is not a joke, ask me anything"],
    ["a", "thick cut or thin"],
    ["zed", "thick. what am i, a coward?"],
  ],
  [["finn", "i found this channel because my brother kept saying the word gerald at dinner"]],
  [["orla", "i referee roller derby on weekends so this chat is a holiday"]],
  [["crumb", "i've been with the bakery raids for two years, i bring the jam"]],
  [["haldor", "my shoulder complains today, so gentle typing only"]],
];

/** The same people later: what changed, what is new. */
export const SECOND_FACTS: Facts = [
  [["tove", "new flat in utrecht has stairs like a ladder. {streamer} must never visit"]],
  [
    ["tove", "still flying starhaul, the ship is now called the Third Mortgage"],
    ["nell", "i was on board. the moon came out of nowhere"],
  ],
  [["brent", "mossgarden update: i no longer play it every day, the moss asked for space"]],
  [
    ["brent", "mustard stole a whole tomato. she is four months old and a criminal"],
    ["a", "what did pickle do"],
    ["brent", "kept watch"],
  ],
  [["quill", "i switched to keyboard for runs, the bumpers are safe now"]],
  [["quill", "next goal is 1:38, the stars and the stairs must align"]],
  [
    ["gus", "i finally sold the green hatchback, i drive the yellow van now"],
    ["c", "the VAN?"],
    ["gus", "it drifts like a wardrobe. i'm in love"],
  ],
  [["gus", "no more silver jokes, i'm gold 1, it says so on a little card"]],
  [["nell", "starhaul is like goalkeeping but the ball is a planet"]],
  [
    ["nell", "i do drink coffee now. i know what i said"],
    ["b", "the tea people are watching"],
    ["nell", "let them"],
  ],
  [
    ["lag", "we got fibre in the valley!! the goat has retired"],
    ["a", "so you're not lagging any more?"],
    ["lag", "oh no i am, it's me, it was always me"],
  ],
  [["lag", "i dropped Deacon, i main Sister Brass in knuckle choir now"]],
  [["pancake", "day shift means i see the sun. it's loud"]],
  [["pancake", "beatrice the oven retired, the new one is called Kevin, we don't get along"]],
  [["otter", "next comic is about the ladder. it's a love story"]],
  [["otter", "i ran out of green ink so page forty is blue, nobody tell the printer"]],
  [["dusk", "loud susan is fixed, i can no longer sleep, worth it"]],
  [
    ["dusk", "i bought lanternfall. i have fallen off everything"],
    ["streamer", "one of us"],
  ],
  [["byte", "i put letters back on my keyboard. the typos stayed"]],
  [["haldor", "the scarf is five concerts long now. it needs a chair of its own"]],
  [["haldor", "i gave up black coffee for cocoa, it suits a library band"]],
  [["kumquat", "admiral the shrimp has a friend now, he is called Deckhand"]],
  [["kumquat", "i start an internship at the aquarium in march, they have FOUR geralds"]],
  [["lamp", "i can play one whole song on the accordion. it's the same song as before but whole"]],
  [["papaya", "my chess opponent moved again. a bold year"]],
  [["juniper", "i beat the raccoons. i hired them"]],
  [
    ["zed", "third prize at the fair for marmalade, robbed, ROBBED i tell you"],
    ["b", "who won"],
    ["zed", "a chutney. i can't talk about it"],
  ],
  [["finn", "i started lanternfall too, my brother is furious that i'm further than him"]],
  [["orla", "derby season is over so chat gets my full attention, sorry in advance"]],
];
