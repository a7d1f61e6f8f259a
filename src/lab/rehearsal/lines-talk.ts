import type { Line } from "./scene.ts";

/** Small conversations between any regulars; a, b and c are different people each time. */
export const TALKS: readonly (readonly Line[])[] = [
  [
    ["a", "what is everyone eating"],
    ["b", "{food}"],
    ["c", "{food} but {cold|sad|stolen from a colleague}"],
    ["a", "i regret asking, now i want {food}"],
  ],
  [
    ["a", "!deaths"],
    [
      "ticker",
      "Deaths this stream: {deaths}. Gerald had a hand in {some|most|all} of them.",
      { after: 1 },
    ],
    ["b", "a claw*"],
  ],
  [
    ["a", "!ladder"],
    ["ticker", "Ladder counter: {ladders}. The ladder declines to comment.", { after: 1 }],
    ["c", "ladder tax!! pay up"],
  ],
  [
    ["a", "!soup"],
    ["ticker", "Soup of the day: {soup}.", { after: 1 }],
    ["b", "{controversial|brave|acceptable|powerful} soup"],
  ],
  [
    ["a", "wait what does the {item} do"],
    ["b", "makes you glow and attracts {enemies}"],
    ["a", "so it's bad"],
    ["b", "it's FASHION"],
  ],
  [
    ["a", "did he pick up the {item} in the {area}?"],
    ["c", "walked right past it"],
    ["a", "i'm in pain"],
    ["b", "we're all in pain, it's a {item} themed pain"],
  ],
  [
    ["a", "which weapon is he even using"],
    ["b", "the soup ladle +{n}"],
    ["c", "it scales with hunger"],
  ],
  [
    ["a", "is there a map in this game"],
    ["b", "you buy it from the {lamplighter|candle lady|man in the well}"],
    ["a", "how much"],
    ["b", "your dignity and {n} wicks"],
  ],
  [
    ["a", "how long is this game"],
    ["quill", "1:42:10"],
    ["a", "for a normal person"],
    ["quill", "oh. unclear"],
  ],
  [
    ["a", "my {keyboard|chair|controller|headset} just {gave up|made a noise|left me}"],
    ["b", "thoughts and prayers"],
    ["c", "have you tried apologising to it"],
  ],
  [
    [
      "a",
      "anyone watched that {documentary|cooking show|film} about {lighthouses|soup|tunnels|bees}?",
    ],
    ["b", "twice, the ending got me"],
    ["c", "no spoilers i'm at the {lighthouse|soup|bee} part"],
  ],
  [
    ["a", "it's {snowing|raining|boiling|foggy} here"],
    ["b", "it's {fine|also that|lovely|sideways} here"],
    ["c", "i have not looked outside since {tuesday|march|the last patch}"],
  ],
  [
    ["a", "ok hot take: {hot}"],
    ["b", "delete this"],
    ["c", "no let them cook"],
    ["a", "i will not be taking questions"],
  ],
  [
    ["a", "hot take, the {area} is the best area"],
    ["c", "it's a swamp with a door"],
    ["a", "a BEAUTIFUL door"],
  ],
  [
    ["a", "someone explain the plot to me"],
    ["b", "you light lanterns, everyone yells at you"],
    ["c", "there's a queen made of {wax|moths|debt}"],
    ["a", "thank you that's all i needed"],
  ],
  [
    ["a", "how many bosses are left"],
    ["b", "yes"],
  ],
  [
    ["a", "{friend} you owe me {n} wicks"],
    ["b", "on what grounds"],
    ["a", "you bet he'd survive the {area}"],
  ],
  [
    ["a", "poll: is gerald a boss"],
    ["b", "gerald is a lifestyle"],
    ["c", "gerald is a landlord"],
  ],
  [
    ["a", "who named gerald anyway"],
    ["b", "the streamer, first stream, he sneezed and it stuck"],
    ["c", "that's canon?"],
    ["b", "it's on the wiki. i put it there"],
  ],
  [
    ["a", "i got my {cousin|flatmate|dad|boss} to watch this"],
    ["c", "and"],
    ["a", "they asked why the man fights a {bell|candle|crab|bookshelf}"],
    ["b", "fair question honestly"],
  ],
  [
    ["a", "what's the song in the {area}?"],
    ["b", "it's just the wind and a sad {flute|kettle|accordion}"],
    ["lamp", "accordion you say"],
  ],
  [
    ["a", "brb {tea|door|cat emergency|laundry}"],
    ["b", "we'll tell you what dies"],
    ["a", "back, what died", { after: 9 }],
    ["b", "he did, {n} times"],
  ],
  [
    ["a", "can you pet the {enemies}"],
    ["b", "once"],
  ],
  [
    ["a", "sound on the {item} is so {crunchy|good|wet}"],
    ["c", "it's just somebody eating celery i read an interview"],
  ],
  [
    ["a", "i fell asleep for {n} minutes did he move"],
    ["b", "he moved. backwards"],
  ],
  [
    ["a", "what day is it"],
    ["b", "{monday|thursday|soup day|the weekend i think}"],
    ["a", "that can't be right"],
  ],
  [
    ["a", "the {enemies} just {waved|sneezed|clapped}??"],
    ["b", "they do that when they respect you"],
    ["c", "so never in this stream"],
  ],
  [
    ["a", "i made a spreadsheet of every fall"],
    ["b", "show us"],
    ["a", "it crashed. it fell"],
  ],
  [
    ["a", "unpopular but i like the {enemies}"],
    ["b", "they like you too, that's the problem"],
  ],
  [
    ["a", "should i buy this game"],
    ["b", "do you enjoy falling"],
    ["a", "not so far"],
    ["c", "then perfect"],
  ],
  [
    ["a", "new phone who dis"],
    ["b", "gerald"],
    ["a", "blocked"],
  ],
  [
    ["a", "is {friend} still lurking"],
    ["b", "always"],
    ["c", "{friend} knows what {friend} did"],
  ],
  [
    ["a", "the {npc} gives me bad vibes"],
    ["b", "he sells you the {item} twice"],
    ["a", "TWICE?"],
  ],
  [
    ["a", "what's next after lanternfall"],
    ["streamer", "retirement"],
    ["c", "turnips. it's always turnips"],
  ],
  [
    ["a", "!schedule"],
    ["ticker", "Streams: whenever the soup is done. Roughly every other evening.", { after: 1 }],
    ["a", "helpful as ever"],
  ],
  [
    ["a", "learned today that {trivia}"],
    ["b", "source?"],
    ["a", "the back of a {cereal box|bus|shampoo bottle}"],
  ],
  [
    ["a", "did you know {trivia}"],
    ["c", "i did not and now i can't stop knowing it"],
  ],
  [
    ["a", "name one thing better than {food}"],
    ["b", "{food}, obviously"],
    ["a", "ok name two"],
  ],
  [
    ["a", "i think i left the {oven|window|tap|radio} on"],
    ["b", "you say that every stream"],
    ["a", "and every stream i'm right"],
  ],
  [
    ["a", "volunteers to test my {quiz|song|chair|theory}?"],
    ["b", "is it dangerous"],
    ["a", "only to the ego"],
  ],
];

/** Slots that any line may use. */
export const TALK_SLOTS = {
  food: [
    "cold noodles",
    "a cheese toastie",
    "leftover curry",
    "dry cereal",
    "pickled onions",
    "a questionable burrito",
    "rice and regret",
    "plum cake",
    "half a cucumber",
    "toast with toast",
    "dumplings",
    "popcorn",
  ],
  hot: [
    "socks before trousers",
    "loading screens should have snacks",
    "soup is a drink",
    "every boss should get a lunch break",
    "tutorials are the best level",
    "left stairs beat right stairs",
    "crabs are just brave tables",
    "the second fog door is always ruder",
  ],
  soup: [
    "leek and potato",
    "tomato with secrets",
    "lentil, mild, like the streamer's aim",
    "mushroom, pasha approved",
    "yesterday's, renamed",
  ],
  trivia: [
    "wombats do square ones",
    "lobsters pee at each other",
    "there's a town with more ladders than people",
    "candles burn slower in a sulk",
    "octopuses hold grudges",
    "the moon smells like burnt toast",
    "bees can count to four",
    "snails can nap for years",
    "a group of crabs is called a cast",
  ],
} as const;
