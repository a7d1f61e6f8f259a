import { z } from "zod";
import type { RequestRefusal } from "../memory/requests-store.ts";
import type { HelixCaller, HelixFailure, HelixReason } from "../twitch/helix-call.ts";
import type { Settled } from "./action-policy.ts";
import { CATALOGUE } from "./catalogue.ts";
import { requestFor } from "./request.ts";

/** A log-in that actions go out with. */
export interface ActionLogin {
  readonly caller: Pick<HelixCaller, "call">;
  /** Whose it is and what it may do; null as long as Twitch has not said. */
  readonly identity: () => { readonly userId: string; readonly scopes: readonly string[] } | null;
  /** Whether Twitch asked to wait with it; missing where nobody keeps that. */
  readonly isHeldBack?: () => boolean;
}

export interface ActionLogins {
  readonly bot: ActionLogin;
  /** The streamer's own log-in for a channel, where there is one. */
  readonly streamer: (channel: string) => ActionLogin | null;
}

/** What came of a change of memory. */
type MemoryOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "refused"; readonly reason: RequestRefusal };

/** What memory does at a viewer's wish, to that viewer's own notes only. */
export interface MemoryPort {
  /** Whether the note is about this viewer, in this channel. Throws where that cannot be read. */
  owns(channel: string, userId: string, noteId: number): boolean;
  /** What a note of theirs says, people by their tokens; null where it is none of theirs. */
  factOf(channel: string, userId: string, noteId: number): string | null;
  remember(channel: string, userId: string, fact: string): MemoryOutcome | Promise<MemoryOutcome>;
  /** Supersedes the note, so that its chain stays. */
  correct(
    channel: string,
    userId: string,
    noteId: number,
    fact: string,
  ): MemoryOutcome | Promise<MemoryOutcome>;
  forget(
    channel: string,
    userId: string,
    what: number | { readonly topic: string },
  ): MemoryOutcome | Promise<MemoryOutcome>;
}

/** Why an action was not done, or may not have been; docs/codes.md says of each what it means. */
type ActionError =
  | HelixReason
  | RequestRefusal
  | "no_memory"
  | "no_target"
  | "internal"
  | "crashed";

/** `unknown`: it may have happened, so it is not tried again. `error` is null where it was done. */
export interface Execution {
  readonly outcome: "done" | "failed" | "unknown";
  readonly error: ActionError | null;
  /** What it made: a clip's link, a poll's or a mark's id. */
  readonly result: string | null;
}

export interface ExecuteParts {
  readonly logins: ActionLogins;
  /** null where memory takes no wishes: then its actions are neither offered nor run. */
  readonly memory: MemoryPort | null;
}

/** For whom an action is executed, and where. */
export interface ExecuteContext {
  readonly channel: string;
  readonly streamerId: string | null;
  readonly requesterId: string;
}

/** The log-in that may do an action in a channel; null where there is none. */
export function loginFor(
  logins: ActionLogins,
  token: "bot" | "streamer",
  channel: string,
  streamerId: string,
): ActionLogin | null {
  if (token === "bot") return logins.bot;
  const own = [logins.streamer(channel), logins.bot];
  return own.find((login) => login?.identity()?.userId === streamerId) ?? null;
}

/** Does it, once. Never rejects, never tries again. */
export async function execute(
  parts: ExecuteParts,
  settled: Settled,
  context: ExecuteContext,
): Promise<Execution> {
  try {
    return await run(parts, settled, context);
  } catch {
    // A bug on the way, or after the request went out: nobody can say.
    return { outcome: "unknown", error: "internal", result: null };
  }
}

function run(parts: ExecuteParts, settled: Settled, context: ExecuteContext): Promise<Execution> {
  const { call } = settled;
  const { channel, requesterId } = context;
  switch (call.name) {
    case "remember":
      return byMemory(parts.memory?.remember(channel, requesterId, call.args.fact));
    case "correct":
      return byMemory(parts.memory?.correct(channel, requesterId, call.args.note, call.args.fact));
    case "forget": {
      const what = "note" in call.args ? call.args.note : { topic: call.args.topic };
      return byMemory(parts.memory?.forget(channel, requesterId, what));
    }
    default:
      return byHelix(parts.logins, call, settled, context);
  }
}

async function byMemory(
  outcome: MemoryOutcome | Promise<MemoryOutcome> | undefined,
): Promise<Execution> {
  const ended = await outcome;
  if (ended === undefined) return unable("no_memory");
  return ended.kind === "done"
    ? { outcome: "done", error: null, result: null }
    : unable(ended.reason);
}

async function byHelix(
  logins: ActionLogins,
  call: Parameters<typeof requestFor>[0],
  settled: Settled,
  { channel, streamerId }: ExecuteContext,
): Promise<Execution> {
  const login =
    streamerId === null ? null : loginFor(logins, CATALOGUE[call.name].token, channel, streamerId);
  if (streamerId === null || login === null) return unable("missing_scope");
  const answer = await login.caller.call(async (api, actorId) => {
    const request = requestFor(call, settled, { streamerId, actorId });
    if (request === null) return null;
    const made: unknown = await api.callApi({ type: "helix", ...request });
    return { id: idIn(made) };
  });
  if (!answer.ok) return failed(answer);
  if (answer.value === null) return unable("no_target");
  const { id } = answer.value;
  const result = id !== null && call.name === "clip" ? `${CLIPS}${id}` : id;
  return { outcome: "done", error: null, result };
}

const CLIPS = "https://clips.twitch.tv/";
const made = z.object({
  data: z.array(z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })).min(1),
});

/** Of what Twitch made, as far as it tells one. */
function idIn(answer: unknown): string | null {
  const read = made.safeParse(answer);
  return read.success ? (read.data.data[0]?.id ?? null) : null;
}

function unable(error: ActionError): Execution {
  return { outcome: "failed", error, result: null };
}

function failed({ reason, mayHaveActed }: HelixFailure): Execution {
  return { outcome: mayHaveActed ? "unknown" : "failed", error: reason, result: null };
}
