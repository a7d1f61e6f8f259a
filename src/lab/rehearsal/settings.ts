export const REHEARSAL_CHANNEL = "lanternlark";
export const REHEARSAL_BOT = "automark";
/** The cast's own utility bot. */
const OTHER_BOT = "tickerbot";

/** What the configuration of a rehearsal says, however it is run. */
export const REHEARSAL_SETTINGS = {
  channel: REHEARSAL_CHANNEL,
  bot: { login: REHEARSAL_BOT, aliases: ["mark"], knownBots: [OTHER_BOT] },
  // What a moderator agrees to may run, so that it can be seen.
  actions: { classes: { stream: "live", moderation: "live" } },
  llm: { provider: "offline", model: "offline-rules" },
} as const;
