import { AccountStore } from "../chat/viewer-store.ts";
import { formatLocalTime } from "../config/local-time.ts";
import { makeUsageFault } from "../errors.ts";
import { toPrintable } from "../language/clean.ts";
import { PLACE_NAMES } from "../memory/recall/weigh.ts";
import {
  type ReplyAnatomy,
  ReplyReview,
  type ReplyView,
  readAnatomy,
} from "../reply/reply-view-store.ts";
import { listUnshownEpisodes, type Trail } from "../reply/trail.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { explainSilence, getPlainName } from "../telemetry/plain-names.ts";
import type { CommandOutput, OpenFolder } from "./open-folder.ts";
import { linesIf } from "./terminal.ts";

/**
 * Lists the `last` newest finished replies, refusals too, the newest last. `shadow`: only those that mode shadow did not
 * send. `viewer`: only those to this one account, not to accounts merged with it. Throws a Fault for an unknown viewer.
 */
export function listReplies(
  { config, db }: OpenFolder,
  { shadow = false, last, viewer }: { shadow?: boolean; last: number; viewer?: string },
): CommandOutput {
  const userId = viewer === undefined ? null : new AccountStore(db).named(viewer).userId;
  const found = new ReplyReview(db).finished({ limit: last, shadow, userId });
  const replies = found.map(({ id, channel, createdAtMs, question, ...reply }) => {
    const { latencyMs, outcomes, reason, state, text, viewer: name } = reply;
    const request = { id, channel, atMs: createdAtMs, viewer: name ?? "somebody", asked: question };
    return { ...request, text, state, reason, latencyMs, outcomes };
  });
  const nothing = shadow ? "Shadow mode has no replies yet." : "The bot has sent nothing yet.";
  const bot = config.bot.login ?? "the bot";
  const lines = [
    ...found.flatMap((reply) => formatReply(reply, bot)),
    `${formatPlural(found.length, "reply")}; \`forgetmenot explain ID\` says what stood in its prompt.`,
  ];
  return { value: { replies }, text: found.length === 0 ? nothing : lines };
}

const GONE = "(its text is gone: texts live for 24 hours)";

function formatReply(reply: ReplyView, bot: string): string[] {
  const { id, createdAtMs, question, latencyMs, outcomes, reason, state, text } = reply;
  const took = latencyMs === null ? "" : `  ${(latencyMs / 1_000).toFixed(1)} s`;
  const words = text === null ? GONE : toPrintable(text);
  let answer = `· silent: ${explainSilence(reason ?? state)}`;
  if (state === "sent") answer = `▸ ${bot}: ${words}`;
  if (state === "shadow") answer = `▸ ${bot} would say: ${words}`;
  const asked = question === null ? GONE : toPrintable(question);
  const clock = new Date(createdAtMs).toTimeString().slice(0, 5);
  return [
    `${clock}  ${toPrintable(reply.viewer ?? "somebody")}: ${asked}`,
    `       ${answer}  [${id}]${took}`,
    ...linesIf(outcomes.length > 0, `         ${outcomes.map(getPlainName).join(", ")}`),
  ];
}

/**
 * Shows the parts of a reply's prompt, the dropped parts with reasons, the cost and the outcome. Throws a Fault for an
 * unknown id.
 */
export function explainReply({ config, db, now }: OpenFolder, id: number): CommandOutput {
  const anatomy = readAnatomy(db, { replyId: id, nowMs: now() }, config.llm.prices);
  if (anatomy === null) {
    throw makeUsageFault(
      `there is no reply ${id}`,
      "the log names replies by number (reply=…), and so does `forgetmenot report`",
    );
  }
  const { trail, actions, outcomes, channel, viewer, trigger, state, latencyMs } = anatomy;
  const reason = anatomy.reason === null ? "" : ` (${anatomy.reason})`;
  const latency = latencyMs === null ? "" : `, the model took ${latencyMs} ms`;
  const proposals = actions.map((one) => {
    const outcome = one.outcome === null ? "" : `, ${one.outcome}`;
    return `  ${String(one.id).padStart(6)}  ${one.action}: ${one.decision} (${one.reason})${outcome}`;
  });
  const facts = anatomy.facts.map(({ id: noteId, fact, status }) => [
    noteId,
    fact === null ? null : { fact, status },
  ]);
  return {
    value: { ...anatomy, facts: Object.fromEntries(facts) },
    text: [
      `Reply ${id} in #${channel}, to ${viewer ?? "someone"} (${trigger}), ${formatLocalTime(anatomy.createdAtMs)}`,
      `${state}${reason}${latency}`,
      `What came of it: ${outcomes.join(", ") || "not known"}`,
      "",
      ...(trail.kind === "read" ? formatTrail(trail.trail, anatomy) : [TRAILLESS[trail.kind]]),
      "",
      proposals.length === 0 ? "It proposed no action." : "Actions it proposed:",
      ...proposals,
    ],
  };
}

const TRAILLESS = {
  none: "It has no trail: it ended before a model was called.",
  damaged: "Its trail is damaged and cannot be read.",
} as const;

function formatTrail(trail: Trail, { dollars, facts }: ReplyAnatomy): string[] {
  const { correction, ladder, prefix, promptTokens, cachedTokens, outputTokens } = trail;
  const finish = trail.finish === null ? "" : `, ended with ${trail.finish}`;
  const cached = cachedTokens === null ? "" : `, ${cachedTokens} cached`;
  const counted =
    promptTokens === null
      ? "not counted by the provider"
      : `${promptTokens} by the provider${cached}`;
  const over = trail.overBudget ? ": OVER BUDGET" : "";
  const answer = outputTokens === null ? "tokens not counted" : `${outputTokens} tokens`;
  const cost = dollars === null ? "not known" : `$${dollars.toFixed(6)}`;
  const old = prefix.fresh ? "" : "; the database could not be read, an earlier one served";
  const lines = [
    `Model: ${trail.model ?? "none"}${finish}; rules ${trail.rulesVersion}; chat was ${trail.pace}`,
    `Prompt: ${trail.estimatedTokens} tokens by estimate (× ${correction.toFixed(2)}), ${counted}, of a budget of ${trail.budgetTokens}${over}`,
    `Answer: ${answer}. Cost: ${cost}`,
    `Prefix: version ${prefix.version}, ${prefix.tokens} tokens, ${prefix.bytes} bytes, ${prefix.hash}${old}`,
  ];
  if (!trail.loreRead) lines.push("The speaker's notes could not be read: the reply went without.");
  lines.push("", "Sections, in their order, tokens by estimate:");
  for (const [name, tokens] of Object.entries(trail.sections))
    lines.push(formatSection(name, String(tokens).padStart(5), "  ", trail.ids[name] ?? []));
  lines.push(
    "",
    ladder.length === 0
      ? "Nothing was left out for the budget."
      : `Left out to stay within the limit of ${trail.limitTokens} tokens by estimate (a factor of ${correction.toFixed(2)} and 5 % under the budget):`,
  );
  for (const { section, from, to, savedTokens, droppedIds } of ladder)
    lines.push(
      formatSection(section, `${from} → ${to}, saved ${savedTokens} tokens`, ": ", droppedIds),
    );
  lines.push("", ...formatCandidates(trail, facts));
  const unshown = listUnshownEpisodes(trail);
  if (unshown.length > 0)
    lines.push(`Episodes that were candidates and not shown: ${unshown.join(" ")}`);
  return [...lines, ...formatRerank(trail.rerank)];
}

/** Formats a section of the prompt: its name, `text` and ids. `lead` separates the two latter if there are ids. */
function formatSection(name: string, text: string, lead: string, ids: readonly number[]): string {
  return `  ${name.padEnd(13)} ${text}${ids.length === 0 ? "" : lead}${ids.join(" ")}`;
}

/** Formats the order that a model gave to the notes; nothing if no model was asked. */
function formatRerank(rerank: Trail["rerank"]): string[] {
  if (rerank === undefined) return [];
  const { mode, outcome, latencyMs, database, model } = rerank;
  const used = mode === "on" && model !== null ? "the model's" : "the database's";
  return [
    "",
    `A model ordered the notes (${mode}): ${outcome}, ${latencyMs} ms; ${used} was used.`,
    `  by the database  ${database.join(" ")}`,
    `  by the model     ${model?.join(" ") ?? "none"}`,
  ];
}

const SUBJECTS = {
  channel: "  of the channel, in the order of the prompt",
  bit: "  running bits",
  lore: "  about the speaker, best first",
} as const;

function formatCandidates({ notes, ladder }: Trail, facts: ReplyAnatomy["facts"]): string[] {
  if (notes.candidates.length === 0) return ["No notes were candidates."];
  const fates = new Map<number, string>();
  for (const id of notes.kept) fates.set(id, "shown");
  for (const id of notes.dropped) fates.set(id, "beyond the ceiling of lore");
  for (const { section, droppedIds } of ladder) {
    if (section !== "lore" && section !== "channelNotes") continue;
    for (const id of droppedIds) fates.set(id, "cut for the budget");
  }
  const rows = notes.candidates.map(({ id, about, score, terms }) => {
    const sum = terms?.slice(0, 4).map((term) => term.toFixed(3)) ?? [];
    const scores = [score.toFixed(3), sum.join(" + ")].filter(Boolean).join(" = ");
    const place = terms === null ? "" : PLACE_NAMES[terms[4]];
    const fate = [fates.get(id) ?? "not among the first", place].filter(Boolean).join(", ");
    const note = facts.find((fact) => fact.id === id);
    const status = note?.status === "active" ? "" : ` [${note?.status}]`;
    const text = note?.fact == null ? "gone" : note.fact + status;
    return { about, score: `  ${String(id).padStart(6)}  ${scores}`, fate, text };
  });
  const lines = ["Notes that were candidates (base + importance + words + topics):"];
  for (const about of ["channel", "bit", "lore"] as const) {
    const some = rows.filter((row) => row.about === about);
    const width = Math.max(...some.map(({ fate }) => fate.length));
    if (some.length > 0) lines.push(SUBJECTS[about]);
    for (const { score, fate, text } of some)
      lines.push(`${score}  ${fate.padEnd(width)}  ${text}`);
  }
  return lines;
}
