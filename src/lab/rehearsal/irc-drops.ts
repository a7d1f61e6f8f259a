/** Which of Twitch's rules on sent messages the simulated server applies. */
export interface DropRules {
  /** The same text by the same account in the same channel within 30 s. */
  readonly duplicates: boolean;
  /** 20 messages in 30 s, 100 for a moderator or the streamer; what goes over is dropped. */
  readonly rate: boolean;
}

export type DropReason = "msg_duplicate" | "msg_ratelimit" | "unrecognized_cmd";

/** What a sender's message is judged by. */
interface SentMessage {
  readonly login: string;
  readonly channel: string;
  readonly text: string;
  readonly privileged: boolean;
  readonly atMs: number;
}

/** Decides whether Twitch would drop a message; null lets it through. Keeps the last 30 s of each sender. */
export interface DropFilter {
  judge(message: SentMessage): DropReason | null;
}

/** What Twitch writes in the NOTICE for a drop. */
export const DROP_NOTICES: Readonly<Record<DropReason, string>> = {
  msg_duplicate:
    "Your message was not sent because it is identical to the previous one you sent, less than 30 seconds ago.",
  msg_ratelimit: "Your message was not sent because you are sending messages too quickly.",
  unrecognized_cmd: "Unrecognized command.",
};

const WINDOW_MS = 30_000;
const SENDS_MAX = 20;
const PRIVILEGED_SENDS_MAX = 100;

/** A filter by `rules`. Commands are always dropped: slash commands over IRC ended in 2023. */
export function dropFilter(rules: DropRules): DropFilter {
  const sentBy = new Map<string, SentMessage[]>();
  return {
    judge(message) {
      const recent = (sentBy.get(message.login) ?? []).filter(
        (sent) => message.atMs - sent.atMs < WINDOW_MS,
      );
      sentBy.set(message.login, recent);
      const reason = reasonFor(message, recent, rules);
      if (reason === null) recent.push(message);
      return reason;
    },
  };
}

function reasonFor(
  message: SentMessage,
  recent: readonly SentMessage[],
  rules: DropRules,
): DropReason | null {
  if (/^[/.](?!me )\w/.test(message.text)) return "unrecognized_cmd";
  const sendsMax = message.privileged ? PRIVILEGED_SENDS_MAX : SENDS_MAX;
  if (rules.rate && recent.length >= sendsMax) return "msg_ratelimit";
  const repeats = recent.some(
    (sent) => sent.channel === message.channel && sent.text === message.text,
  );
  return rules.duplicates && repeats ? "msg_duplicate" : null;
}
