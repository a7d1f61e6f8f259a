// Pure: values in, values out.

import { formatLocalTime } from "../config/local-time.ts";
import { wrapWords } from "../language/clean.ts";
import {
  COUNTED_MAX,
  formatCount,
  formatDollars,
  formatDurationSpan,
  formatPercent,
  formatPlural,
  formatTally,
  formatTimes,
} from "./figures.ts";
import { explainSilence, findFixOfSilence, getPlainName } from "./plain-names.ts";
import type { Period, Report, Story } from "./report-store.ts";

const BOLD = 1;
const DIM = 2;
const INDENT = "  ";
const NAMES_MAX = 12;
const REASONS_MAX = 4;
const DAYS_MAX = 7;

/** The one table of figures that the terminal and pages print. */
export interface ReportPart {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** A figure: its label, and its value as a person reads it. */
interface Row {
  readonly label: string;
  readonly text: string;
  /** Draws a bar, relative to the longest one of its part. */
  readonly bar?: number;
  /** On the local page the label links there. */
  readonly link?: { readonly of: "reply" | "note"; readonly id: number };
}

/** Returns a report's title: `Stream 12 in #lanternroom`, `In #lanternroom`, or `No channel was joined yet`. */
export function formatTitle({ sessionId, channels }: Period): string {
  const where = channels.map((channel) => `#${channel}`).join(", ");
  if (sessionId !== null) return `Stream ${sessionId} in ${where}`;
  return where === "" ? "No channel was joined yet" : `In ${where}`;
}

/** Formats a period: `2026-05-01 20:00 +02:00 to now (4 h 10 min)`. */
export function formatPeriod({ fromMs, toMs, isOver }: Period): string {
  return `${formatLocalTime(fromMs)} to ${isOver ? formatLocalTime(toMs) : "now"} (${formatDurationSpan(toMs - fromMs)})`;
}

/** Formats parts of the report for a terminal of `columns`. Long values continue below their beginning. */
export function formatParts(
  parts: readonly ReportPart[],
  { colour, columns }: { colour: boolean; columns: number },
): string {
  const paint = (code: number, text: string): string =>
    colour && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  const lines = parts.flatMap(({ name, rows }) => {
    const width = Math.max(...rows.map(({ label }) => label.length));
    const room = Math.max(20, columns - width - 2 * INDENT.length);
    const lineOf = ({ label, text }: Row): string[] =>
      wrapWords(text, room).map(
        (piece, n) =>
          `${INDENT}${paint(DIM, (n === 0 ? label : "").padEnd(width))}${INDENT}${piece}`,
      );
    return ["", paint(BOLD, name), ...rows.flatMap(lineOf)];
  });
  return lines.join("\n");
}

/** Makes the parts of the streamer's report, with names and texts. Leaves out empty rows and parts. */
export function makeSummaryParts(report: Report, story: Story): ReportPart[] {
  const { memory, outcomes, replies } = report;
  const countOf = (kind: string) => outcomes.byKind[kind] ?? 0;
  return dropEmpty([
    ...makeStoryParts(story),
    {
      name: "Answers",
      rows: [
        figure("sent", replies.sent, formatCount),
        figure("liked", countOf("good"), formatCount),
        figure("not liked", countOf("bad"), formatCount),
        figure("the viewer went on talking", countOf("viewer_answered"), formatCount),
        figure("notes corrected", memory.notesSuperseded, formatCount),
      ],
    },
    { name: "What went wrong", rows: listProblems(report, story.pending) },
    { name: "Cost per day", rows: makeCostRows(report) },
  ]);
}

function makeCostRows({ costPerDay, isSpendShared }: Report): Row[] {
  const older = costPerDay.length - DAYS_MAX;
  const rows = costPerDay.slice(-DAYS_MAX).map((cost) => {
    // In tokens if no price is known.
    const isPriced = cost.answerDollars !== null || cost.memoryDollars !== null;
    const answers = isPriced ? (cost.answerDollars ?? 0) : cost.answerTokens;
    const memory = isPriced ? (cost.memoryDollars ?? 0) : cost.memoryTokens;
    const format = (amount: number) =>
      isPriced ? formatDollars(amount) : formatPlural(amount, "token");
    const sides = `answers ${format(answers)}, memory ${format(memory)}`;
    return row(cost.day, `${format(answers + memory)}: ${sides}`, { bar: answers + memory });
  });
  return [
    ...rows,
    row("", older > 0 ? `and ${formatPlural(older, "earlier day")}` : ""),
    row("includes", rows.length > 0 && isSpendShared ? "the calls for every channel" : ""),
  ];
}

/** Makes the parts of the engineer's report: statistics, without names and texts. Leaves out empty rows and parts. */
export function makeNumberParts(report: Report): ReportPart[] {
  const { prompts } = report;
  return dropEmpty([
    { name: "Replies", rows: makeReplyRows(report) },
    { name: "What came of replies", rows: makeOutcomeRows(report) },
    { name: "Model", rows: makeModelRows(report) },
    { name: "Prompt", rows: makePromptRows(report) },
    {
      name: "Tokens of each section, on average",
      rows: Object.entries(prompts.sections).map(([name, tokens]) =>
        row(getPlainName(name), formatCount(tokens), { bar: tokens }),
      ),
    },
    {
      name: "What the ladder left out",
      rows: prompts.ladder.map(({ messageKind, section, fired, savedTokens }) =>
        row(
          `${getPlainName(section)} · ${messageKind}`,
          `${countTimes(fired)}, ${formatPlural(savedTokens, "token")} saved`,
          { bar: fired },
        ),
      ),
    },
    { name: "Memory", rows: makeMemoryRows(report) },
  ]);
}

function makeReplyRows({ replies, prompts }: Report): Row[] {
  return [
    row(
      "sent",
      `${formatCount(replies.sent)} of ${formatCount(replies.total)} that were asked for`,
    ),
    figure("not sent", replies.byReason, formatTally),
    figure("asked by", replies.byTrigger, formatTally),
    figure("time in the model", prompts.modelLatency, formatTimes),
    figure("turn to chat", prompts.turnLatency, formatTimes),
    figure("stopped by the guard", replies.guardStopped, formatTally),
    figure("removed by the guard", replies.guardRemoved, formatTally),
    figure("actions", replies.actions, formatTally),
    figure("unreadable records", replies.damaged, formatCount),
  ];
}

function makeOutcomeRows({ outcomes }: Report): Row[] {
  const { byKind, bestNotes, welcome, worstNotes } = outcomes;
  const scores = (label: string, notes: typeof bestNotes) =>
    notes.map(({ noteId: id, score: { hits, of } }) =>
      row(`${label}: note ${id}`, `${hits} of ${of} welcome`, { link: { of: "note", id } }),
    );
  return [
    ...Object.entries(byKind).map(([kind, many]) =>
      row(getPlainName(kind), formatCount(many), { bar: many }),
    ),
    figure("welcome", welcome.of, (of) => `${welcome.hits} of ${of}`),
    ...scores("best", bestNotes),
    ...scores("worst", worstNotes),
  ];
}

function makeModelRows({ spend }: Report): Row[] {
  const calls = (label: string, sum: { calls: number; failed: number; dollars: number | null }) =>
    row(
      label,
      `${formatPlural(sum.calls, "call")}, ${sum.failed} failed · ${formatDollars(sum.dollars)}`,
    );
  return [
    figure("tokens in", spend.tokensIn, formatCount),
    figure("of them cached", spend.cachedShare, formatPercent),
    figure("tokens out", spend.tokensOut, formatCount),
    figure("memory's share of tokens", spend.memoryTokenShare, formatPercent),
    figure("memory's share of money", spend.memoryDollarShare, formatPercent),
    figure("calls without a known price", spend.unpriced, formatCount),
    ...spend.byModel.map((sum) => calls(sum.model, sum)),
    ...spend.byPurpose.map((sum) => calls(`to ${sum.purpose}`, sum)),
  ];
}

function makePromptRows({ prompts, replies }: Report): Row[] {
  const { prefix } = prompts;
  return [
    figure("prompts", prompts.prompts, formatCount),
    figure("over budget by the provider's count", replies.overBudget, formatCount),
    figure("stable prefix, of all tokens", prefix.share, formatPercent),
    figure("the prefix changed", prefix.changes, countTimes),
    figure("the ladder cut the prefix", prefix.cuts, countTimes),
    figure("database unreadable, old snapshot used", replies.staleSnapshots, formatCount),
    ...prompts.estimates.map(({ model, within5 }) =>
      figure(`estimates within 5 %, ${model}`, within5, formatPercent),
    ),
  ];
}

function makeMemoryRows({ memory, drift }: Report): Row[] {
  return [
    figure("episodes", memory.episodes, formatCount),
    figure("gaps between them", memory.gaps, formatCount),
    ...memory.candidates.map(({ decision, reason, count: many }) =>
      figure(`${decision} (${reason})`, many, formatCount),
    ),
    figure("notes now active", memory.active, formatCount),
    figure("viewers with notes", memory.viewersWithNotes, formatCount),
    figure("events not yet read", memory.backlog.waitingEvents, formatCount),
    figure("episodes in progress", memory.backlog.pendingEpisodes, formatCount),
    figure("ever: events that came too fast", memory.linesUnread, formatCount),
    figure("ever: events that expired unread", memory.unsummarised, formatCount),
    figure("ever: calls that caps stopped", memory.cappedCalls, formatCount),
    figure("drift", drift?.cosine ?? null, (cosine) => {
      const { number, source } = drift?.policy ?? {};
      return `${cosine.toFixed(2)}: cosine of what was learned before and after policy ${number} (${source}); 1 is the same mix of kinds`;
    }),
  ];
}

/** Makes the row of a figure. Its text is empty for null and 0: `dropEmpty` removes such a row. */
function figure<T>(label: string, value: T | null, format: (value: T) => string): Row {
  return row(label, value === null || value === 0 ? "" : format(value));
}

/** Removes rows without a text, and parts without a row. */
function dropEmpty(parts: readonly ReportPart[]): ReportPart[] {
  const full = parts.map(({ name, rows }) => ({ name, rows: rows.filter(({ text }) => text) }));
  return full.filter(({ rows }) => rows.length > 0);
}

function row(label: string, text: string, more: Partial<Row> = {}): Row {
  return { label, text, ...more };
}

function makeStoryParts(story: Story): ReportPart[] {
  const { talked, learned, faded } = story;
  const most = talked.map(({ name, replies: many }) => (many === 1 ? name : `${name} (${many})`));
  const topics = story.busiest.map(
    ({ topic, messages }) => `${topic} (${formatPlural(messages, "message")})`,
  );
  const moments = story.moments.map(({ kind, many }) => formatPlural(many, kind.replace("_", " ")));
  return [
    {
      name: "People",
      rows: [
        row("talked to it", joinNames(most) || "nobody"),
        row("here for the first time", joinNames(story.newcomers)),
        row("came back", joinNames(story.back)),
      ],
    },
    {
      name: "What it learned",
      rows: [
        ...learned.map(({ id, fact, status, before }) => {
          const replaced = before === null ? "" : `; before: ${before}`;
          const waits = status === "pending" ? " (waits for you)" : "";
          return makeNoteRow(id, `${fact}${replaced}${waits}`);
        }),
        makeMoreRow(story.learnedCount, learned.length),
        ...faded.map(({ id, fact }) => makeNoteRow(id, `${fact} (forgotten: its time was over)`)),
        makeMoreRow(story.fadedCount, faded.length),
        figure(
          "forgotten",
          story.forgotten,
          (many) => `${formatPlural(many, "viewer")}, on request`,
        ),
      ],
    },
    {
      name: "Moments",
      rows: [
        ...story.raids.map(({ name, raiders }) =>
          row("raid", raiders === null ? name : `${name} with ${formatPlural(raiders, "viewer")}`),
        ),
        row("also", moments.join(", ")),
        row("most chatted about", topics.join("; ")),
      ],
    },
  ];
}

/** Joins names by commas; after twelve it only counts the others. */
function joinNames(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function countTimes(many: number): string {
  return formatPlural(many, "time");
}

function makeNoteRow(id: number, text: string): Row {
  return row(`[${id}]`, text, { link: { of: "note", id } });
}

/** Returns "at least " for a count of notes that reached its limit, else "". */
function atLeast(total: number): string {
  return total < COUNTED_MAX ? "" : "at least ";
}

function makeMoreRow(total: number, shown: number): Row {
  return row("", total > shown ? `and ${atLeast(total)}${total - shown} more` : "");
}

/**
 * Lists problems as rows: each says what happened, then the fix if there is one. At most four reasons for silence, the
 * most frequent, and never shadow mode.
 */
function listProblems(report: Report, pendingNotes: number): Row[] {
  const { outcomes, callFailures, memory } = report;
  const silences = Object.entries(report.replies.byReason).filter(([why]) => why !== "shadow");
  const notes = outcomes.unwelcomeNotes;
  return [
    ...outcomes.unwelcomeIds.map((id) => {
      const text = `got a thumb down, a deletion or a timeout. See \`forgetmenot explain ${id}\`.`;
      return row(`reply ${id}`, text, { link: { of: "reply", id } });
    }),
    figure("notes in them", notes[0] ?? null, () => {
      const all = joinNames(notes.map(String));
      return `${all}. Correct what is wrong on the page, under Memory.`;
    }),
    figure("waiting for you", pendingNotes, (many) => {
      return `${atLeast(many)}${formatPlural(many, "note")}. See \`forgetmenot memory list --status pending\`.`;
    }),
    ...silences.slice(0, REASONS_MAX).map(([reason, many]) => {
      const fix = findFixOfSilence(reason);
      const why = `${countTimes(many)}: ${explainSilence(reason)}`;
      return row("silent", fix === null ? why : `${why}; ${fix}`);
    }),
    ...Object.entries(callFailures).map(([outcome, many]) =>
      row(
        "model",
        `${formatPlural(many, "call")} failed (${outcome}). \`forgetmenot doctor\` tries it.`,
      ),
    ),
    figure("not summarised", memory.backlog.failedEpisodes, (many) => {
      const stretches = formatPlural(many, "stretch", "stretches");
      return `${stretches} of chat. The page shows them, under Memory.`;
    }),
  ];
}
