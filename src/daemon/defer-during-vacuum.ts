import type { Counters } from "../platform/database/counters-store.ts";
import type { WriteGate } from "../platform/database/write-gate.ts";
import type { Llm } from "../platform/models/model-port.ts";
import type { ReplyStore } from "../reply/reply-store.ts";
import type { DaemonActions } from "./build-actions.ts";

/** What is counted while another process has the database is written down afterwards. */
export function patientCounters(counters: Counters, gate: WriteGate): Counters {
  return { ...counters, bump: (name, by) => gate.whenOpen(() => counters.bump(name, by)) };
}

/** So is a trigger that gets no turn, after the message that it was. */
export function patientRefusals(
  replies: ReplyStore,
  gate: WriteGate,
  flush: () => boolean,
): ReplyStore {
  const refuseLate: ReplyStore["refuse"] = (reply, reason) => {
    flush();
    replies.refuse(reply, reason);
  };
  return {
    ...replies,
    refuse: (reply, reason) => {
      if (gate.isClosed()) gate.whenOpen(() => refuseLate(reply, reason));
      else replies.refuse(reply, reason);
    },
  };
}

/** Whoever asks a model writes down what it said: nobody else has the database meanwhile. */
export function patientLlm(llm: Llm, gate: WriteGate): Llm {
  return { ...llm, ask: (request) => gate.hold(() => llm.ask(request)) };
}

/** What is done is written down before it is done, and after. */
export function patientActions(room: DaemonActions, gate: WriteGate): DaemonActions {
  return {
    ...room,
    handle: (asked, spans) =>
      new Promise((resolve) => {
        void gate.hold(async () => {
          const handled = await room.handle(asked, spans);
          resolve(handled);
          await handled.outcomes;
        });
      }),
  };
}
