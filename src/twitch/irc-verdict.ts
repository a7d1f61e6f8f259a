import type { SendOutcome, WireMessage } from "./chat.ts";
import type { OutgoingMessage } from "./privmsg.ts";
import type { Wait } from "./wait.ts";

/** What became of a message sent by IRC. */
export type IrcOutcome =
  | SendOutcome
  /** Twitch said that it dropped it; `code` is Twitch's. */
  | { readonly sent: false; readonly reason: "refused"; readonly code: string }
  /** The connection was lost before Twitch said anything. */
  | { readonly sent: false; readonly reason: "lost" };

interface IrcVerdicts {
  /** Sends, and waits for what Twitch says of it. One message a channel at a time. */
  send(message: OutgoingMessage): Promise<IrcOutcome>;
  /** Takes every line of the wire. */
  receive(message: WireMessage): void;
  /** The connection is gone: nothing more will be said of what was sent on it. */
  lost(): void;
  /** Waits for nothing any more: what was handed over counts as sent. */
  close(): void;
}

/** Twitch answers within a round trip. A server that says nothing at all by then is taken to have accepted. */
const VERDICT_MS_MAX = 1_500;
/** NOTICE ids for a message that was not shown (https://dev.twitch.tv/docs/chat/irc/#notice-message-ids). */
const REFUSING = /^msg_[a-z0-9_]{1,60}$/;
const ALSO_REFUSING: ReadonlySet<string> = new Set([
  "no_permission",
  "invalid_parent",
  "tos_ban",
  "unavailable_command",
  "unrecognized_cmd",
]);

/**
 * Sending by IRC with Twitch's verdict: after a PRIVMSG it answers with a USERSTATE where it took it, and with a NOTICE
 * where it did not. Neither names the message, so the next one in its channel is meant.
 */
export function ircVerdicts(
  send: (message: OutgoingMessage) => SendOutcome,
  wait: Wait,
): IrcVerdicts {
  const pending = new Map<string, (outcome: IrcOutcome) => void>();
  let closed = false;
  const settleAll = (outcome: IrcOutcome): void => {
    for (const settle of pending.values()) settle(outcome);
  };
  return {
    send: async (message) => {
      const handed = send(message);
      if (!handed.sent || closed) return handed;
      const channel = message.channel.toLowerCase();
      const heard = new AbortController();
      let outcome: IrcOutcome = handed;
      pending.set(channel, (verdict) => {
        // A refusal right behind a USERSTATE still counts; a loss of the connection does not.
        if (heard.signal.aborted && (verdict.sent || verdict.reason === "lost")) return;
        outcome = verdict;
        heard.abort();
      });
      await wait(VERDICT_MS_MAX, heard.signal);
      pending.delete(channel);
      return outcome;
    },
    receive: (message) => {
      const settle = pending.get((message.params[0] ?? "").replace(/^#/, "").toLowerCase());
      const verdict = settle === undefined ? null : verdictOf(message);
      if (verdict !== null) settle?.(verdict);
    },
    lost: () => settleAll({ sent: false, reason: "lost" }),
    close: () => {
      closed = true;
      settleAll({ sent: true });
    },
  };
}

function verdictOf({ command, tags }: WireMessage): IrcOutcome | null {
  if (command === "USERSTATE") return { sent: true };
  const code = command === "NOTICE" ? (tags["msg-id"] ?? "") : "";
  if (!REFUSING.test(code) && !ALSO_REFUSING.has(code)) return null;
  return { sent: false, reason: "refused", code };
}
