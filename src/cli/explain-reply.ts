import { type Fault, wrongUse } from "../errors.ts";
import { PLACE_NAMES } from "../memory/recall/weigh.ts";
import { type NoteReviewStore, type NoteView, noteReviewStore } from "../memory/review-store.ts";
import { localTime } from "../platform/config/local-time.ts";
import { dollarsOf, type Price, priceOf } from "../platform/models/models.ts";
import { type ReplyAnatomy, replyAnatomy } from "../reply/reply-store.ts";
import { episodesUnshown, subjectOf, type Trail } from "../reply/trail.ts";
import { type Options, reading, tell } from "./open-folder.ts";
import type { Terminal } from "./terminal.ts";

/** Shows what a reply's prompt was made of, what was left out and why, what it cost and what came of it. */
export function explainReply(id: number, options: Options, terminal: Terminal): void {
  reading(options.config, ({ config, db, now }) => {
    const anatomy = replyAnatomy(db)(id);
    if (anatomy === null) throw noSuchReply(id);
    const dollars = costOf(anatomy, (model) => priceOf(model, config.llm.prices));
    const facts = factsOf(anatomy, noteReviewStore(db, now()).note);
    tell(terminal, options, { ...anatomy, dollars, facts: Object.fromEntries(facts) }, () =>
      textOf(anatomy, dollars, facts),
    );
  });
}

/** What the notes that were candidates say now, by their ids; null for one that is no more. */
type Facts = ReadonlyMap<number, Pick<NoteView, "fact" | "status"> | null>;

function factsOf({ trail }: ReplyAnatomy, noteOf: NoteReviewStore["note"]): Facts {
  if (trail.kind !== "read") return new Map();
  return new Map(
    trail.trail.notes.candidates.map(({ id }) => {
      const note = noteOf(id);
      return [id, note === null ? null : { fact: note.fact, status: note.status }] as const;
    }),
  );
}

function costOf({ trail }: ReplyAnatomy, price: (model: string) => Price | null): number | null {
  if (trail.kind !== "read" || trail.trail.model === null) return null;
  const known = price(trail.trail.model);
  return known === null ? null : dollarsOf(known, trail.trail, trail.trail.estimatedTokens);
}

function textOf(anatomy: ReplyAnatomy, dollars: number | null, facts: Facts): string {
  const { trail } = anatomy;
  const body =
    trail.kind === "read"
      ? trailLines(trail.trail, dollars, facts)
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

function trailLines(trail: Trail, dollars: number | null, facts: Facts): string[] {
  return [
    ...costLines(trail, dollars),
    "",
    "Sections, in their order, tokens by estimate:",
    ...sectionLines(trail),
    "",
    ...ladderLines(trail),
    "",
    ...candidateLines(trail, facts),
    ...episodeLines(trail),
    ...rerankLines(trail),
  ];
}

function costLines(trail: Trail, dollars: number | null): string[] {
  const { model, finish, estimatedTokens, budgetTokens, correction, prefix } = trail;
  return [
    `Model: ${model ?? "none"}${finish === null ? "" : `, ended with ${finish}`}; rules ${trail.rulesVersion}; chat was ${trail.pace}`,
    `Prompt: ${estimatedTokens} tokens by estimate (× ${correction.toFixed(2)}), ${countedText(trail)}, of a budget of ${budgetTokens}${trail.overBudget ? ": OVER BUDGET" : ""}`,
    `Answer: ${trail.outputTokens === null ? "tokens not counted" : `${trail.outputTokens} tokens`}. Cost: ${dollars === null ? "not known" : `$${dollars.toFixed(6)}`}`,
    `Prefix: version ${prefix.version}, ${prefix.tokens} tokens, ${prefix.bytes} bytes, ${prefix.hash}${prefix.fresh ? "" : "; the database could not be read, an earlier one served"}`,
    ...(trail.loreRead ? [] : ["The speaker's notes could not be read: the reply went without."]),
  ];
}

function countedText({ promptTokens, cachedTokens }: Trail): string {
  if (promptTokens === null) return "not counted by the provider";
  const cached = cachedTokens === null ? "" : `, ${cachedTokens} cached`;
  return `${promptTokens} by the provider${cached}`;
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

type Candidate = Trail["notes"]["candidates"][number];

const SUBJECTS = {
  channel: "  of the channel, in the order of the prompt",
  bit: "  running bits",
  lore: "  about the speaker, best first",
} as const;

function candidateLines(trail: Trail, facts: Facts): string[] {
  const { notes, ladder } = trail;
  if (notes.candidates.length === 0) return ["No notes were candidates."];
  const cutOf = (name: string) =>
    ladder.flatMap(({ section, droppedIds }) => (section === name ? droppedIds : []));
  const subject = subjectOf(trail);
  const fates = new Map([
    ...notes.kept.map((id) => [id, "shown"] as const),
    ...notes.dropped.map((id) => [id, "beyond the ceiling of lore"] as const),
    ...[...cutOf("lore"), ...cutOf("channelNotes")].map(
      (id) => [id, "cut for the budget"] as const,
    ),
  ]);
  const group = (title: string, some: readonly Candidate[]): string[] => {
    const fateOf = (one: Candidate) => fateText(one, fates.get(one.id) ?? "not among the first");
    const width = Math.max(0, ...some.map((one) => fateOf(one).length));
    const line = (one: Candidate) =>
      `${scoreText(one)}  ${fateOf(one).padEnd(width)}  ${factText(facts.get(one.id))}`;
    return some.length === 0 ? [] : [title, ...some.map(line)];
  };
  return [
    "Notes that were candidates (base + importance + words + topics):",
    ...(["channel", "bit", "lore"] as const).flatMap((about) =>
      group(
        SUBJECTS[about],
        notes.candidates.filter((one) => subject(one) === about),
      ),
    ),
  ];
}

function episodeLines(trail: Trail): string[] {
  const unshown = episodesUnshown(trail);
  return unshown.length === 0
    ? []
    : [`Episodes that were candidates and not shown: ${unshown.join(" ")}`];
}

function scoreText({ id, score, terms }: Candidate): string {
  const parts = terms?.slice(0, 4).map((term) => term.toFixed(3)) ?? [];
  const sum = parts.length === 0 ? "" : ` = ${parts.join(" + ")}`;
  return `  ${String(id).padStart(6)}  ${score.toFixed(3)}${sum}`;
}

function fateText({ terms }: Candidate, fate: string): string {
  const place = terms === null ? "" : (PLACE_NAMES[terms[4]] ?? "");
  return place === "" ? fate : `${fate}, ${place}`;
}

function factText(note: Pick<NoteView, "fact" | "status"> | null | undefined): string {
  if (note === null || note === undefined) return "gone";
  return note.status === "active" ? note.fact : `${note.fact} [${note.status}]`;
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
  return wrongUse(
    `there is no reply ${id}`,
    "the log names replies by number (reply=…), and so does `forgetmenot report`",
  );
}
