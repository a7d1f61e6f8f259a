import { boundedMap } from "../bounded-map.ts";
import type { Wait } from "./bounded-call.ts";
import type { OutgoingMessage } from "./chat.ts";

/** How long a message of the account waits for the id of one that is being sent. */
const ID_WAIT_MS = 5_000;
/** Twitch shows a message within seconds. */
const ECHO_MS = 60_000;
/** Twitch allows fewer a minute. */
const SENT_MAX = 500;

/**
 * Knows which messages of the bot's account this program sent: by their ids, or by their text if Twitch gave no id. Others
 * are typed by a person, or sent by another program.
 */
export function ownMessages(now: () => number, wait: Wait) {
  const sent = boundedMap<string, true>(SENT_MAX, ECHO_MS);
  const pending = new Set<Promise<unknown>>();
  return {
    /** Sends one message, and notes it as ours unless it surely did not arrive. */
    track: async <R>(
      message: OutgoingMessage,
      send: (message: OutgoingMessage) => R | Promise<R>,
      outcomeOf: (result: R) => { readonly mayBeIn: boolean; readonly messageId: string | null },
    ): Promise<R> => {
      const sending = Promise.resolve(send(message));
      pending.add(sending);
      try {
        const result = await sending;
        const { mayBeIn, messageId } = outcomeOf(result);
        if (mayBeIn) sent.set(messageId ?? message.text, true, now());
        return result;
      } finally {
        pending.delete(sending);
      }
    },
    /** Resolves when every send that is in progress has its id, 5 s at most; null if none is. */
    settled: (): Promise<unknown> | null => {
      if (pending.size === 0) return null;
      const given = new AbortController();
      const all = Promise.allSettled(pending).then(() => given.abort());
      return Promise.race([all, wait(ID_WAIT_MS, given.signal)]);
    },
    /** A reply begins with the name of whom it answers. */
    isOwn: (messageId: string | null, text: string): boolean =>
      (messageId !== null && sent.get(messageId) === true) ||
      sent.keys().some((one) => text === one || text.endsWith(` ${one}`)),
  };
}
