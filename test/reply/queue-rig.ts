import { type QueueOptions, ReplyQueue, type Ticket } from "../../src/reply/reply-queue.ts";

export interface Turn {
  readonly ticket: Ticket;
  readonly signal: AbortSignal;
  /** Ends the turn; with an error, as a bug would. */
  end(thrown?: Error, answered?: boolean): Promise<void>;
}

/** A queue on a clock that moves by hand, and turns that end by hand. */
export function queueRig(given: Partial<QueueOptions> = {}) {
  let nowMs = 1_000_000;
  let waits: { dueMs: number; resolve: () => void }[] = [];
  const turns: Turn[] = [];
  const refused: { ticket: Ticket; reason: Parameters<QueueOptions["refuse"]>[1] }[] = [];
  const bugs: unknown[] = [];
  const queue = new ReplyQueue({
    now: () => nowMs,
    wait: (ms) =>
      ms === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waits.push({ dueMs: nowMs + ms, resolve });
          }),
    take: (ticket, signal) =>
      new Promise<boolean>((resolve, reject) => {
        turns.push({
          ticket,
          signal,
          end: (thrown, answered = true) => {
            if (thrown === undefined) resolve(answered);
            else reject(thrown);
            return settled();
          },
        });
      }),
    refuse: (ticket, reason) => {
      refused.push({ ticket, reason });
    },
    obstacle: () => null,
    slotDelayMs: () => 0,
    onError: (thrown) => {
      bugs.push(thrown);
    },
    viewerCooldownMs: 10_000,
    channelCooldownMs: 1_000,
    earlier: [],
    ...given,
  });
  const rig = {
    queue,
    turns,
    bugs,
    now: () => nowMs,
    /** Why tickets were refused, by their question. */
    refusals: () => refused.map(({ ticket, reason }) => `${ticket.question}: ${reason}`),
    taken: () => turns.map(({ ticket }) => ticket.question),
    /** The turn that began last. */
    turn: (): Turn => {
      const last = turns.at(-1);
      if (last === undefined) throw new Error("no turn was taken");
      return last;
    },
    ask: async (userId: string, question: string, at: Partial<Ticket> = {}): Promise<void> => {
      const messageId = `id of ${question}`;
      queue.offer(makeTicket({ userId, question, messageId, atMs: nowMs, ...at }));
      await settled();
    },
    pass: async (ms: number): Promise<void> => {
      nowMs += ms;
      const due = waits.filter(({ dueMs }) => dueMs <= nowMs);
      waits = waits.filter(({ dueMs }) => dueMs > nowMs);
      for (const { resolve } of due) resolve();
      await settled();
    },
  };
  return rig;
}

/** A viewer's question in the channel `here`. */
export function makeTicket(given: Partial<Ticket> & { readonly atMs: number }): Ticket {
  const { question = "hm" } = given;
  return {
    ...{ channel: "here", userId: "7", rank: "viewer", trigger: "mention" },
    ...{ question, words: [question], pieceIds: [], repliesTo: null },
    ...{ eventId: null, messageId: null, holdUntilMs: 0 },
    ...given,
  };
}

/** Every promise that can go on has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
