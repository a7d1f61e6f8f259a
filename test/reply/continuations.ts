/** What a viewer writes next to the bot's answer to them: `on` goes on with it and wants an answer, `off` does not. */
export const CONTINUATIONS = {
  en: {
    answer: "That was the green rod from the tackle shop, it takes both baits.",
    on: [
      "which rod was it",
      "and how much did it cost",
      "why not the red one",
      "so both baits at once then",
      "green sounds good for the lake",
    ],
    off: [
      "haha green rod",
      "thanks, the green rod it is",
      "what a game",
      "that boss is unfair",
      "Kappa Kappa",
      "@wendy which rod do you use",
      "when the boss hits you twice",
      "thats what i said all along",
    ],
  },
  de: {
    answer: "Das war die grüne Angel aus dem Hafenladen, sie nimmt beide Köder.",
    on: [
      "was kostet die denn",
      "und wo ist der hafenladen",
      "beide köder gleichzeitig also",
      "wie lange hält die",
    ],
    off: ["danke für den tipp mit der angel", "was ein spiel", "der boss ist unfair"],
  },
  es: {
    answer: "Fue la caña verde de la tienda del puerto, acepta los dos cebos.",
    on: ["cuál era la otra caña", "y cuánto costó", "la verde entonces"],
    off: ["gracias por lo de la caña", "qué partidazo"],
  },
  ru: {
    answer: "Это была зелёная удочка из лавки в порту, она берёт обе наживки.",
    on: ["а сколько она стоит", "какая именно", "значит зелёная удочка лучше"],
    off: ["спасибо за удочку", "ахаха точно"],
  },
} as const;
