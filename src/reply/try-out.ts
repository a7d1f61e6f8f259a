import { listOffered } from "../actions/execute.ts";
import type { ApiKeys } from "../catalogue/providers.ts";
import type { Config } from "../config/load.ts";
import { findPersona } from "../config/personas.ts";
import { makeFence } from "../language/fence.ts";
import { indexKnown } from "../memory/recall/related.ts";
import { createPrefixSnapshots } from "../memory/recall/snapshot.ts";
import { askProbe } from "../models/open-model.ts";
import { assemblePrompt, completeTrail } from "./assemble.ts";
import { EMPTY_TAIL } from "./prompt/sections.ts";
import { readTail } from "./read.ts";
import type { Ticket } from "./reply-queue.ts";
import { openConfiguredGuard, type ReplyParts } from "./reply-service.ts";
import type { Trail } from "./trail.ts";
import { getReplyModel, guardAnswer } from "./turn.ts";

/** A question from the page instead of chat. */
export interface TryOut {
  readonly channel: string;
  readonly question: string;
  /** The viewer who asks; null for an unknown one. */
  readonly userId: string | null;
  /** Another voice than the configured one; null for that. */
  readonly voice: string | null;
}

export interface TriedOut {
  readonly text: string | null;
  /** A code if nothing would be sent or it failed; else null. */
  readonly reason: string | null;
  /** The trail, as a turn records it; null if there was no prompt. */
  readonly trail: string | null;
}

/** Longer than a turn may take in the model. */
const TRY_MS_MAX = 20_000;
const NOBODY = "nobody";

/**
 * Returns a function that makes the answer that a turn would give to an ordinary viewer's mention. It reads, asks and
 * guards as a turn does, but lets no model order the notes. It sends and proposes nothing. It writes only the row of
 * the model's call, which is charged as usual. Never rejects: a bug is a reason.
 */
export function prepareTryOut(parts: ReplyParts): (asked: TryOut) => Promise<TriedOut> {
  return async (asked) => {
    try {
      return await answerOnly(parts, asked);
    } catch {
      return makeNoAnswer("bug", null);
    }
  };
}

async function answerOnly(parts: ReplyParts, asked: TryOut): Promise<TriedOut> {
  const { channel, question, userId, voice } = asked;
  const { config, fence, now, calls, recall, actions } = parts;
  const taken = createPrefixSnapshots(recall, now)(channel);
  const ticket: Ticket = {
    ...{ channel, userId: userId ?? NOBODY, rank: "viewer", trigger: "mention" },
    ...{ question, words: [question], pieceIds: [], repliesTo: null },
    ...{ eventId: null, messageId: null, atMs: now(), holdUntilMs: 0 },
  };
  const read = readTail(parts, ticket, taken.snapshot);
  const persona = findPersona(config, channel);
  const assembled = assemblePrompt(
    {
      ...{ taken, ...read, messageKind: ticket.trigger },
      correction: calls.correction(getReplyModel(config)),
    },
    {
      persona: { name: persona.name, voice: voice ?? persona.voice },
      fence,
      budgetTokens: config.prompt.budgetTokens,
      offered: actions.listOffered(channel),
    },
  );
  const { prompt, trail } = assembled;
  if (trail.overBudget) return makeNoAnswer("over_budget", trail);
  const said = await parts.llm.ask({
    purpose: "reply",
    prefix: prompt.prefix,
    tail: prompt.tail,
    estimatedTokens: prompt.trimmed.tokens,
    signal: AbortSignal.timeout(TRY_MS_MAX),
  });
  const guarded = guardAnswer(parts.guard, assembled, said);
  const finalTrail = completeTrail(trail, said, guarded);
  if (!said.ok) return makeNoAnswer(`model_${said.failure}`, finalTrail);
  if (guarded === null || !guarded.ok)
    return makeNoAnswer(`guard_${guarded?.rule ?? "empty"}`, finalTrail);
  return { text: guarded.text, reason: null, trail: JSON.stringify(finalTrail) };
}

/** The fence of a sample: no viewer text enters that prompt, so it may be known. */
const SAMPLE_FENCE = "0".repeat(12);

/**
 * Returns the bot's answer to a newcomer in an empty channel, by the real prompt, model and guard. Null if the model
 * fails or is the offline model, or if the guard refuses the answer. Needs no database, and records no call.
 */
export async function sampleAnswer({
  config,
  apiKeys,
  speaker,
  question,
  now,
}: {
  config: Config;
  apiKeys: ApiKeys;
  speaker: string;
  question: string;
  now: () => number;
}): Promise<string | null> {
  const { actions, channels, llm } = config;
  const { budgetTokens } = config.prompt;
  const channel = channels[0] ?? "";
  const fence = makeFence(SAMPLE_FENCE);
  const nowMs = now();
  const state = {
    ...{ title: "", category: "", isLive: true, prefixVersion: 0, recap: null },
    ...{ sessionId: null, liveSinceMs: null, lastSessionId: null, streamerId: null },
  };
  const weighed = { notes: [], episodes: [] };
  const snapshot = {
    ...{ channel, version: 0, state, ...weighed, weighed },
    ...{ known: indexKnown([]), untilMs: 0 },
  };
  const { prompt } = assemblePrompt(
    {
      taken: { snapshot, fresh: true },
      tail: {
        ...EMPTY_TAIL,
        ...{ pace: "quiet", nowMs, liveSinceMs: nowMs },
        speaker: {
          ...{ name: speaker, standing: "newcomer", visits: null },
          ...{ calledName: null, pronouns: null, moments: [] },
        },
        current: { id: 1, name: speaker, text: question },
        ...{ continues: false, isAddressed: true },
      },
      ...{ candidates: [], isLoreRead: true, messageKind: "mention", correction: 1 },
    },
    { persona: findPersona(config, channel), fence, budgetTokens, offered: listOffered(actions) },
  );
  const { prefix, tail, keptIds } = prompt;
  const asked = { prefix, tail };
  const found = await askProbe({ config: llm, apiKeys, now, budgetTokens, question: asked });
  if (!found.ok || found.text === null) return null;
  const answer = { noteIds: keptIds.notes, isCutOff: false, tail };
  const guarded = openConfiguredGuard(config, fence)(found.text, answer);
  return guarded.ok ? guarded.text : null;
}

function makeNoAnswer(reason: string, trail: Trail | null): TriedOut {
  return { text: null, reason, trail: trail === null ? null : JSON.stringify(trail) };
}
