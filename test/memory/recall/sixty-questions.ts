/** Written before recall was measured with it. What somebody asks, and the note that an answer needs. */
export interface Needed {
  readonly fact: string;
  readonly kind: string;
  readonly question: string;
}

type Row = readonly [fact: string, kind: string, question: string];

/** In the note's own words, in other words, and without a word of it: twenty each. */
const DIRECT: readonly Row[] = [
  ["has a parrot named Olive", "profile", "what is my parrot called?"],
  ["is allergic to peanuts", "constraint", "am I allergic to peanuts or walnuts?"],
  ["plays the cello in an orchestra", "preference", "do you know what I play in the orchestra?"],
  ["lives in Utrecht", "profile", "where do I live again?"],
  ["works as a night nurse", "profile", "what do I work as?"],
  ["won the chess cup in spring", "event", "which cup did I win?"],
  ["is building a wooden canoe", "state", "how is my canoe coming along, do you remember it?"],
  ["hates coriander", "preference", "which herb do I hate, coriander?"],
  ["mains a healer in Wildmoor", "preference", "what do I main in Wildmoor?"],
  ["has twin brothers", "profile", "how many brothers do I have?"],
  ["studies marine biology", "profile", "what do I study?"],
  ["speedruns Cinder Peak", "preference", "which game do I speedrun?"],
  ["collects old railway maps", "preference", "what kind of maps do I collect?"],
  ["moved to Porto in October", "event", "when did I move to Porto?"],
  ["drinks only oat milk", "preference", "which milk do I drink?"],
  ["wants no spoilers for Hollow Lake", "constraint", "can you tell me about Hollow Lake?"],
  ["restores pinball machines", "preference", "what was it that I restore?"],
  ["has an exam about statistics", "event", "which exam do I have?"],
  ["drives a yellow van", "profile", "what colour is my van?"],
  ["bakes rye bread on Sundays", "preference", "what bread do I bake?"],
];
const REWORDED: readonly Row[] = [
  ["keeps three hens", "profile", "how many chickens are in my yard?"],
  ["is a vegetarian", "constraint", "do I eat meat?"],
  ["goes jogging before dawn", "preference", "when do I go for a run?"],
  ["grew up in a lighthouse", "profile", "what was my childhood home?"],
  ["repairs bicycles for a living", "profile", "remind me of my job"],
  ["adopted a greyhound", "event", "what breed is my dog?"],
  ["is learning Welsh", "state", "which language am I picking up?"],
  ["cannot stand horror films", "preference", "do I enjoy scary movies?"],
  ["reached diamond rank in Rift Arena", "event", "how high did I climb on the ladder?"],
  ["has a sister in Canada", "profile", "where is my sibling?"],
  ["teaches maths to teenagers", "profile", "what subject do I give lessons in?"],
  ["paints tiny soldiers", "preference", "what do I do with my miniatures?"],
  ["broke a toe", "state", "which bone did I hurt?"],
  ["prefers tea to coffee", "preference", "what hot drink should you bring me?"],
  ["sings in a choir", "preference", "what music do I make with other folks?"],
  ["wants to be called Sam", "constraint", "what is my name to you?"],
  ["bought a telescope", "event", "what did I get for looking at stars?"],
  ["is afraid of heights", "profile", "what scares me?"],
  ["plays on an old laptop", "state", "what computer do I use?"],
  ["visited Iceland in winter", "event", "where was my last holiday?"],
];
const INDIRECT: readonly Row[] = [
  ["loves slow farming games", "preference", "what should I start tonight?"],
  ["is saving for a motorbike", "state", "should I buy this skin?"],
  ["has to get up at five for work", "profile", "one more round?"],
  ["lost a bet about pineapple pizza", "event", "I'm hungry, ideas?"],
  ["gets seasick easily", "profile", "thinking of going on a ferry trip"],
  ["plays the tuba", "preference", "the neighbours complained again"],
  ["is training for a marathon", "state", "should I have dessert?"],
  ["has a toddler at home", "profile", "it is so loud here right now"],
  ["is colourblind", "constraint", "this puzzle makes no sense to me"],
  ["used to be a ballet dancer", "profile", "guess what my party trick is"],
  ["finished Moonlit Harbor twice", "event", "roast my taste"],
  ["is shy on voice chat", "constraint", "they want me on the team call"],
  ["knits socks for friends", "preference", "I need a birthday present idea"],
  ["has a cat that sits on the keyboard", "profile", "ashdjkasd sorry"],
  ["is moving house next month", "state", "why am I so tired"],
  ["supports a tiny football club", "preference", "what a weekend"],
  ["wrote a novel about bees", "event", "I have writer's block"],
  ["is from a family of bakers", "profile", "what would you expect me to do at a wedding"],
  ["never won a raid boss", "state", "will tonight be the night?"],
  ["plays with inverted controls", "preference", "why is everyone laughing at my stick"],
];

export const QUESTIONS: readonly Needed[] = [...DIRECT, ...REWORDED, ...INDIRECT].map(
  ([fact, kind, question]) => ({ fact, kind, question }),
);

/** Facts and jokes of the channel, with a question that needs each. */
export const CHANNEL_QUESTIONS: readonly (readonly [fact: string, question: string])[] = [
  ["the desk lamp is called Frog Lamp since it croaked", "why do people say frog lamp?"],
  ["the stream starts at seven on Tuesdays and Fridays", "when do you stream on fridays?"],
  ["chat types HONK when the goose shows up", "what is with the honk?"],
  ["the channel plays no ranked games before midnight", "can we do ranked now?"],
  ["the death counter is named Gerald", "who is Gerald"],
  ["a viewer called Pim drew the emote with the hat", "who drew the hat emote?"],
  ["the community runs a Minecraft server for subscribers", "is there a minecraft server?"],
  ["every lost boss fight costs one push-up", "how many push-ups are there per boss?"],
  ["the microphone is a second-hand broadcast model", "what microphone is that?"],
  ["'potato o'clock' means a snack break", "is it potato o'clock yet?"],
  ["the first video of the channel was about soldering", "what was your first video?"],
  ["the charity marathon collected for a hedgehog shelter", "which shelter was the marathon for?"],
];
export const STREAMER_QUESTIONS: readonly (readonly [fact: string, question: string])[] = [
  ["the streamer has a dog named Biscuit", "does the streamer have a dog?"],
  ["the streamer studied architecture", "what did you study before streaming"],
  ["the streamer is afraid of moths", "is the streamer afraid of anything?"],
  ["the streamer grew up on a ferry", "where did the streamer grow up?"],
];

const DOES = "likes|dislikes|talked about|dreamt of|recommended|tried|gave up on|read about".split(
  "|",
);
const THINGS =
  "rainy mornings|quiz shows|a podcast on volcanoes|loud keyboards|long train rides|pickled plums|old radio plays|card tricks|night buses|a market in June|handwritten letters|blue ink|a lost umbrella|board games with dice|the smell of paint|crossword puzzles|a broken zip|paper boats|a film about penguins|the sound of hail".split(
    "|",
  );
const KINDS = ["preference", "event", "state"];

/** Other notes about the regular with a number: 10 to 50, all different. */
export function otherNotes(regular: number): { readonly fact: string; readonly kind: string }[] {
  const count = 10 + Math.round((regular * 40) / 39);
  return Array.from({ length: count }, (_, n) => ({
    fact: `${DOES[(n + regular) % DOES.length]} ${THINGS[(n * 7 + regular) % THINGS.length]} (${n})`,
    kind: KINDS[n % KINDS.length] ?? "event",
  }));
}

/** Other facts about the channel, all different. */
export function otherChannelFacts(): string[] {
  return THINGS.slice(0, 14).flatMap((thing, n) => [
    `somebody in chat brought up ${thing}`,
    `round ${n} of the viewer tournament had ${THINGS[(n + 5) % THINGS.length]} as its theme`,
  ]);
}
