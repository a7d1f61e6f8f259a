// Pure: values in, values out.

/** Keys whose last part says too little. */
const NAMES: Readonly<Record<string, string>> = {
  mode: "Who it answers",
  language: "Language of its own sentences",
  "persona.name": "Its name",
  "persona.voice": "How it speaks",
  "replies.command": "Command that asks it",
  "replies.viewerCooldownSeconds": "Seconds between answers to one viewer",
  "replies.channelCooldownSeconds": "Seconds between answers to anyone",
  "replies.continuationSeconds": "Seconds to go on without its name",
  "replies.ambientChance": "How often it joins in",
  "replies.whenOffline": "Answers while the stream is off",
  "replies.allowedHosts": "Sites it may link to",
  "replies.bannedWords": "Words it never says or stores",
  "memory.mode": "What happens to what it learns",
  "memory.compactionSeconds": "Seconds between two summaries",
  "memory.noteSeconds": "Seconds until notes are made",
  "memory.personaScope": "Notes of several personas",
  "memory.scopes": "What notes may be about",
  "memory.kinds": "Kinds of notes it stores",
  "memory.approvalKinds": "Kinds that wait for your approval",
  "memory.staleDays": "Days until an unconfirmed note is left out",
  "memory.caps.viewerNotes": "Notes about one viewer",
  "memory.caps.channelNotes": "Notes about the channel",
  "memory.caps.perViewerAndStream": "New notes about one viewer in a stream",
  "memory.caps.perChannelAndStream": "New notes about the channel in a stream",
  "memory.caps.perBitAndStream": "New jokes in a stream",
  "memory.topics": "Notes on other topics",
  "memory.recall.readFloor": "Least confidence of a note",
  "memory.recall.loreTokens": "Tokens for notes about who asks",
  "memory.recall.rerank": "A model sorts the notes first",
  "actions.safeMode": "Refuse every action",
  "actions.classes.memory": "Change notes",
  "actions.classes.chat": "Announcements and shoutouts",
  "actions.classes.stream": "Clips, markers and polls",
  "actions.classes.moderation": "Warnings, deletions and timeouts",
  "actions.timeoutSeconds": "Usual seconds of a timeout",
  "actions.allowlist": "Viewers it never acts on",
  "actions.protectVips": "Never act on VIPs",
  "actions.denylist.actions": "Actions that never run",
  "actions.denylist.targets": "Viewers the model never acts on",
  "actions.approvalSeconds": "Seconds that a question waits for you",
  "llm.model": "Model",
  "llm.models.reply": "Model for answers",
  "llm.models.summarise": "Model for summaries",
  "llm.models.extract": "Model for notes",
  "llm.models.rerank": "Model that sorts notes",
  "llm.timeoutSeconds": "Seconds to wait for the model",
  "llm.caps.memoryShare": "Share of the limits kept for memory",
  "prompt.budgetTokens": "Most tokens that an answer reads",
  "bot.aliases": "Other names it listens to",
  "bot.knownBots": "Other bots",
  "bot.otherProgramPrefixes": "Beginnings of other programs' messages",
  "retention.eventHours": "Hours that chat is stored",
  "backup.keep": "Backups to keep",
  "log.level": "What the log holds",
};
/** Names a key of the configuration: `Calls per hour`; a limit of an action: `timeout: per hour`. */
export function nameOf(key: string): string {
  const [, of, action = "", last] = /^actions\.(limits|words)\.([^.]+)\.?(.*)$/.exec(key) ?? [];
  if (of === "words") return action;
  const words = (NAMES[key] ?? last ?? key.slice(key.lastIndexOf(".") + 1)).replaceAll(
    /(?<=[a-z])[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  );
  return of === "limits" ? `${action}: ${words}` : words.charAt(0).toUpperCase() + words.slice(1);
}
