import { openAccountStore } from "../chat/viewer-store.ts";
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

/** Prints answers and would-be answers: the viewer, the reason and the reaction. */
export function printReplies(
  { config, db }: OpenFolder,
  { shadow = false, last, viewer }: { shadow?: boolean; last: number; viewer?: string },
): CommandOutput {
  const userId = viewer === undefined ? null : openAccountStore(db).named(viewer).userId;
  const found = new ReplyReview(db).finished({ limit: last, shadow, userId }).map(toSeenReply);
  const nothing = shadow ? "Shadow mode has no replies yet." : "The bot has sent nothing yet.";
  const bot = config.bot.login ?? "the bot";
  const lines = [
    ...found.flatMap((reply) => formatReply(reply, bot)),
    `${formatPlural(found.length, "reply")}; \`forgetmenot explain ID\` says what stood in its prompt.`,
  ];
  return { value: { replies: found }, text: found.length === 0 ? nothing : lines };
}

/** A reply as this command prints it. */
type SeenReply = ReturnType<typeof toSeenReply>;

function toSeenReply(reply: ReplyView) {
  const { id, channel, createdAtMs: atMs, question: asked, text, state, reason } = reply;
  const { latencyMs, outcomes, viewer } = reply;
  return {
    ...{ id, channel, atMs, viewer: viewer ?? "somebody", asked, text, state, reason, latencyMs },
    outcomes,
  };
}

const GONE = "(its text is gone: texts live for 24 hours)";

/** Formats an answer as lines: requester, text or reason, and outcome. */
function formatReply(reply: SeenReply, botName: string): string[] {
  const { id, atMs, viewer, asked, latencyMs, outcomes } = reply;
  const took = latencyMs === null ? "" : `  ${(latencyMs / 1_000).toFixed(1)} s`;
  return [
    `${new Date(atMs).toTimeString().slice(0, 5)}  ${toPrintable(viewer)}: ${asked === null ? GONE : toPrintable(asked)}`,
    `       ${formatSaid(reply, botName)}  [${id}]${took}`,
    ...linesIf(outcomes.length > 0, `         ${outcomes.map(getPlainName).join(", ")}`),
  ];
}

/** Formats what the bot said, what it would have said in shadow mode, or why it was silent. */
function formatSaid({ text, state, reason }: SeenReply, botName: string): string {
  const words = text === null ? GONE : toPrintable(text);
  if (state === "sent") return `▸ ${botName}: ${words}`;
  if (state === "shadow") return `▸ ${botName} would say: ${words}`;
  return `· silent: ${explainSilence(reason ?? state)}`;
}

/** Shows the parts of a reply's prompt, the dropped parts with reasons, the cost and the outcome. */
export function explainReply({ config, db, now }: OpenFolder, id: number): CommandOutput {
  const anatomy = readAnatomy(db, { replyId: id, nowMs: now() }, config.llm.prices);
  if (anatomy === null) {
    throw makeUsageFault(
      `there is no reply ${id}`,
      "the log names replies by number (reply=…), and so does `forgetmenot report`",
    );
  }
  const { trail, facts, actions, outcomes, channel, viewer, trigger, state, reason } = anatomy;
  const latency = anatomy.latencyMs === null ? "" : `, the model took ${anatomy.latencyMs} ms`;
  const byId = facts.map(({ id: noteId, fact, status }) => [noteId, fact && { fact, status }]);
  const proposals = actions.map(
    (one) =>
      `  ${String(one.id).padStart(6)}  ${one.action}: ${one.decision} (${one.reason})${one.outcome === null ? "" : `, ${one.outcome}`}`,
  );
  return {
    value: { ...anatomy, facts: Object.fromEntries(byId) },
    text: [
      `Reply ${id} in #${channel}, to ${viewer ?? "someone"} (${trigger}), ${formatLocalTime(anatomy.createdAtMs)}`,
      `${state}${reason === null ? "" : ` (${reason})`}${latency}`,
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
  const { model, finish, estimatedTokens, budgetTokens, correction, prefix, ladder, rerank } =
    trail;
  const { promptTokens, cachedTokens, outputTokens } = trail;
  const cached = cachedTokens === null ? "" : `, ${cachedTokens} cached`;
  const counted =
    promptTokens === null
      ? "not counted by the provider"
      : `${promptTokens} by the provider${cached}`;
  const unshown = listUnshownEpisodes(trail);
  return [
    `Model: ${model ?? "none"}${finish === null ? "" : `, ended with ${finish}`}; rules ${trail.rulesVersion}; chat was ${trail.pace}`,
    `Prompt: ${estimatedTokens} tokens by estimate (× ${correction.toFixed(2)}), ${counted}, of a budget of ${budgetTokens}${trail.overBudget ? ": OVER BUDGET" : ""}`,
    `Answer: ${outputTokens === null ? "tokens not counted" : `${outputTokens} tokens`}. Cost: ${dollars === null ? "not known" : `$${dollars.toFixed(6)}`}`,
    `Prefix: version ${prefix.version}, ${prefix.tokens} tokens, ${prefix.bytes} bytes, ${prefix.hash}${prefix.fresh ? "" : "; the database could not be read, an earlier one served"}`,
    ...linesIf(!trail.loreRead, "The speaker's notes could not be read: the reply went without."),
    "",
    "Sections, in their order, tokens by estimate:",
    ...Object.entries(trail.sections).map(
      ([name, tokens]) =>
        `  ${name.padEnd(13)} ${String(tokens).padStart(5)}${formatIds("  ", trail.ids[name] ?? [])}`,
    ),
    "",
    ladder.length === 0
      ? "Nothing was left out for the budget."
      : `Left out to stay within the limit of ${trail.limitTokens} tokens by estimate (a factor of ${correction.toFixed(2)} and 5 % under the budget):`,
    ...ladder.map(
      ({ section, from, to, savedTokens, droppedIds }) =>
        `  ${section.padEnd(13)} ${from} → ${to}, saved ${savedTokens} tokens${formatIds(": ", droppedIds)}`,
    ),
    "",
    ...formatCandidates(trail, facts),
    ...linesIf(
      unshown.length > 0,
      `Episodes that were candidates and not shown: ${unshown.join(" ")}`,
    ),
    ...(rerank === undefined ? [] : formatRerank(rerank)),
  ];
}

function formatIds(lead: string, ids: readonly number[]): string {
  return ids.length === 0 ? "" : `${lead}${ids.join(" ")}`;
}

/** Formats both orders of notes, if a model was asked for one. */
function formatRerank({
  mode,
  outcome,
  latencyMs,
  database,
  model,
}: NonNullable<Trail["rerank"]>): string[] {
  const use = mode === "on" && model !== null ? "the model's was used" : "the database's was used";
  return [
    "",
    `A model ordered the notes (${mode}): ${outcome}, ${latencyMs} ms; ${use}.`,
    `  by the database  ${database.join(" ")}`,
    `  by the model     ${model === null ? "none" : model.join(" ")}`,
  ];
}

type Candidate = Trail["notes"]["candidates"][number];

const SUBJECTS = {
  channel: "  of the channel, in the order of the prompt",
  bit: "  running bits",
  lore: "  about the speaker, best first",
} as const;

function formatCandidates(trail: Trail, facts: ReplyAnatomy["facts"]): string[] {
  const { notes, ladder } = trail;
  if (notes.candidates.length === 0) return ["No notes were candidates."];
  const cut = ["lore", "channelNotes"].flatMap((name) =>
    ladder.flatMap(({ section, droppedIds }) => (section === name ? droppedIds : [])),
  );
  const fates = new Map([
    ...notes.kept.map((id) => [id, "shown"] as const),
    ...notes.dropped.map((id) => [id, "beyond the ceiling of lore"] as const),
    ...cut.map((id) => [id, "cut for the budget"] as const),
  ]);
  const fateOf = ({ id, terms }: Candidate): string =>
    [fates.get(id) ?? "not among the first", terms && PLACE_NAMES[terms[4]]]
      .filter(Boolean)
      .join(", ");
  return [
    "Notes that were candidates (base + importance + words + topics):",
    ...(["channel", "bit", "lore"] as const).flatMap((about) => {
      const some = notes.candidates.filter((one) => one.about === about);
      const width = Math.max(0, ...some.map((one) => fateOf(one).length));
      const lines = some.map(
        (one) =>
          `${formatScore(one)}  ${fateOf(one).padEnd(width)}  ${formatFact(facts.find(({ id }) => id === one.id))}`,
      );
      return lines.length === 0 ? [] : [SUBJECTS[about], ...lines];
    }),
  ];
}

function formatScore({ id, score, terms }: Candidate): string {
  const parts = terms?.slice(0, 4).map((term) => term.toFixed(3)) ?? [];
  const sum = parts.length === 0 ? "" : ` = ${parts.join(" + ")}`;
  return `  ${String(id).padStart(6)}  ${score.toFixed(3)}${sum}`;
}

function formatFact(note: ReplyAnatomy["facts"][number] | undefined): string {
  if (note === undefined || note.fact === null) return "gone";
  return note.status === "active" ? note.fact : `${note.fact} [${note.status}]`;
}
