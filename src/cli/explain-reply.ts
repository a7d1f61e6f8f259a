import { loadConfig } from "../config/load.ts";
import { localTime } from "../config/local-time.ts";
import { openDatabase } from "../db/open.ts";
import { Fault } from "../errors.ts";
import { dollarsOf, type Price, priceOf } from "../llm/prices.ts";
import { type ReplyAnatomy, replyAnatomy } from "../reply/anatomy-store.ts";
import type { Trail } from "../reply/trail.ts";
import type { Terminal } from "./terminal.ts";

export interface ExplainReplyOptions {
  readonly config: string;
  readonly json?: true;
}

/** Shows what a reply's prompt was made of, what was left out and why, what it cost and what came of it. */
export function explainReply(id: number, options: ExplainReplyOptions, terminal: Terminal): void {
  const { databaseFile, llm } = loadConfig(options.config);
  const db = openDatabase(databaseFile, { readOnly: true });
  try {
    const anatomy = replyAnatomy(db)(id);
    if (anatomy === null) throw noSuchReply(id);
    const dollars = costOf(anatomy, (model) => priceOf(model, llm.prices));
    terminal.print(
      options.json === true
        ? JSON.stringify({ ...anatomy, dollars }, null, 2)
        : textOf(anatomy, dollars),
    );
  } finally {
    db.close();
  }
}

function costOf({ trail }: ReplyAnatomy, price: (model: string) => Price | null): number | null {
  if (trail.kind !== "read" || trail.trail.model === null) return null;
  const known = price(trail.trail.model);
  return known === null ? null : dollarsOf(known, trail.trail, trail.trail.estimatedTokens);
}

function textOf(anatomy: ReplyAnatomy, dollars: number | null): string {
  const { trail } = anatomy;
  const body =
    trail.kind === "read"
      ? trailLines(trail.trail, dollars)
      : [
          trail.kind === "none"
            ? "It has no trail: it ended before a model was asked."
            : "Its trail is damaged and cannot be read.",
        ];
  return [...headLines(anatomy), "", ...body, "", ...actionLines(anatomy)].join("\n");
}

function headLines(anatomy: ReplyAnatomy): string[] {
  const { id, channel, viewer, trigger, state, reason, createdAtMs, latencyMs, outcomes } = anatomy;
  const latency = latencyMs === null ? "" : `, the model took ${latencyMs} ms`;
  return [
    `Reply ${id} in #${channel}, to ${viewer ?? "someone"} (${trigger}), ${localTime(createdAtMs)}`,
    `${state}${reason === null ? "" : ` (${reason})`}${latency}`,
    `What came of it: ${outcomes.length === 0 ? "not known" : outcomes.join(", ")}`,
  ];
}

function trailLines(trail: Trail, dollars: number | null): string[] {
  return [
    ...costLines(trail, dollars),
    "",
    "Sections, in their order, tokens by estimate:",
    ...sectionLines(trail),
    "",
    ...ladderLines(trail),
    "",
    ...candidateLines(trail),
    ...rerankLines(trail),
  ];
}

function costLines(trail: Trail, dollars: number | null): string[] {
  const { model, finish, estimatedTokens, budgetTokens, correction, prefix } = trail;
  const count = (tokens: number | null) => (tokens === null ? "not counted" : `${tokens}`);
  return [
    `Model: ${model ?? "none"}${finish === null ? "" : `, ended with ${finish}`}; rules ${trail.rulesVersion}; chat was ${trail.pace}`,
    `Prompt: ${estimatedTokens} tokens by estimate (× ${correction.toFixed(2)}), ${count(trail.promptTokens)} by the provider, ${count(trail.cachedTokens)} cached, of a budget of ${budgetTokens}${trail.overBudget ? ": OVER BUDGET" : ""}`,
    `Answer: ${trail.outputTokens === null ? "tokens not counted" : `${trail.outputTokens} tokens`}. Cost: ${dollars === null ? "not known" : `$${dollars.toFixed(6)}`}`,
    `Prefix: version ${prefix.version}, ${prefix.tokens} tokens, ${prefix.bytes} bytes, ${prefix.hash}${prefix.fresh ? "" : "; the database could not be read, an earlier one served"}`,
    ...(trail.loreRead ? [] : ["The speaker's notes could not be read: the reply went without."]),
  ];
}

function sectionLines({ sections, ids }: Trail): string[] {
  return Object.entries(sections).map(([name, tokens]) => {
    const shown = ids[name] ?? [];
    return `  ${name.padEnd(13)} ${String(tokens).padStart(5)}${shown.length === 0 ? "" : `  ${shown.join(" ")}`}`;
  });
}

function ladderLines({ ladder, limitTokens, correction }: Trail): string[] {
  if (ladder.length === 0) return ["Nothing was left out for the budget."];
  const limit = limitTokens === null ? "" : ` of ${limitTokens} tokens by estimate`;
  return [
    `Left out to stay within the limit${limit} (a factor of ${correction.toFixed(2)} and 5 % under the budget):`,
    ...ladder.map(
      ({ section, from, to, savedTokens, droppedIds }) =>
        `  ${section.padEnd(13)} ${from} → ${to}, saved ${savedTokens} tokens${droppedIds.length === 0 ? "" : `: ${droppedIds.join(" ")}`}`,
    ),
  ];
}

/** Both orders, where a model was asked for one. */
function rerankLines({ rerank }: Trail): string[] {
  if (rerank === undefined) return [];
  const { mode, outcome, latencyMs, database, model } = rerank;
  const use = mode === "on" && model !== null ? "the model's was used" : "the database's was used";
  return [
    "",
    `A model was asked for the order of the notes (${mode}): ${outcome}, ${latencyMs} ms; ${use}.`,
    `  by the database  ${database.join(" ")}`,
    `  by the model     ${model === null ? "none" : model.join(" ")}`,
  ];
}

const PLACES = ["kept place", "", "", "too many of a kind"];

function candidateLines({ notes, ids, ladder }: Trail): string[] {
  if (notes.candidates.length === 0) return ["No notes were candidates."];
  const cutOf = (name: string) =>
    ladder.flatMap(({ section, droppedIds }) => (section === name ? droppedIds : []));
  const ofChannel = new Set([...(ids["channelNotes"] ?? []), ...cutOf("channelNotes")]);
  const fates = new Map([
    ...notes.kept.map((id) => [id, "shown"] as const),
    ...notes.dropped.map((id) => [id, "beyond the ceiling of lore"] as const),
    ...[...cutOf("lore"), ...cutOf("channelNotes")].map(
      (id) => [id, "cut for the budget"] as const,
    ),
  ]);
  const group = (title: string, some: Trail["notes"]["candidates"]): string[] =>
    some.length === 0
      ? []
      : [
          title,
          ...some.map((one) => candidateLine(one, fates.get(one.id) ?? "not among the first")),
        ];
  return [
    "Notes that were candidates (base + importance + words + topics):",
    ...group(
      "  of the channel, as they stood in the prompt",
      notes.candidates.filter(({ id }) => ofChannel.has(id)),
    ),
    ...group(
      "  about the speaker, best first",
      notes.candidates.filter(({ id }) => !ofChannel.has(id)),
    ),
  ];
}

function candidateLine(
  { id, score, terms }: Trail["notes"]["candidates"][number],
  fate: string,
): string {
  const parts = terms?.slice(0, 4).map((term) => term.toFixed(3)) ?? [];
  const sum = parts.length === 0 ? "" : ` = ${parts.join(" + ")}`;
  const place = terms === null ? "" : (PLACES[terms[4]] ?? "");
  return `  ${String(id).padStart(6)}  ${score.toFixed(3)}${sum}  ${fate}${place === "" ? "" : `, ${place}`}`;
}

function actionLines({ actions }: ReplyAnatomy): string[] {
  if (actions.length === 0) return ["It proposed no action."];
  return [
    "Actions it proposed:",
    ...actions.map(
      ({ id, action, decision, reason, outcome }) =>
        `  ${String(id).padStart(6)}  ${action}: ${decision} (${reason})${outcome === null ? "" : `, ${outcome}`}`,
    ),
  ];
}

function noSuchReply(id: number): Fault {
  return new Fault(`there is no reply ${id}`, {
    code: "usage",
    mend: "the log names replies by number (reply=…), and so does `forgetmenot report`",
  });
}
