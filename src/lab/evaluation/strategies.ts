// Pure: values in, values out.
/** Ways to choose what a prompt shows of a viewer's notes, side by side. */
export const STRATEGIES = ["recency", "shipped", "no-lexical", "rerank"] as const;
export type StrategyName = (typeof STRATEGIES)[number];

export const STRATEGY_WORDS: Readonly<Record<StrategyName, string>> = {
  recency: "confidence / (1 + age / 7 days), for every kind",
  shipped: "as the bot does it",
  "no-lexical": "as the bot does it, without what the words of the message say",
  rerank: "a pool of thirty, put in order by the model",
};
