import { localTime } from "../platform/config/local-time.ts";
import {
  count,
  dollars,
  milliseconds,
  percent,
  type Share,
  signedPercent,
  span,
  tallyText,
} from "./figures.ts";
import { WELCOME_MEANS } from "./outcome-scores.ts";
import { plainName } from "./plain-names.ts";
import type { Report } from "./report.ts";
import { relationRows } from "./status.ts";

const IDS_SHOWN = 10;
const MOVED_SHOWN = 3;

/** One thing a report says: a label and its figures. */
export interface Line {
  readonly label: string;
  readonly text: string;
}

/** `Stream 12 in #lanternroom`, and when it was. */
export function titleOf({ period }: Report): { readonly title: string; readonly when: string } {
  const { sessionId, channels, fromMs, toMs, isOver } = period;
  const where = channels.map((channel) => `#${channel}`).join(", ");
  const noStream = where === "" ? "No channel was joined yet" : `In ${where}`;
  const title = sessionId === null ? noStream : `Stream ${sessionId} in ${where}`;
  const until = isOver ? localTime(toMs) : "now";
  return { title, when: `${localTime(fromMs)} to ${until} (${span(toMs - fromMs)})` };
}

export function replyLines({ replies, prompts }: Report): Line[] {
  const { modelLatency, turnLatency } = prompts;
  return [
    line("sent", `${count(replies.sent)} of ${count(replies.total)} that were asked for`),
    line("not sent", tallyText(replies.byReason)),
    line("asked by", tallyText(replies.byTrigger)),
    line("pace of chat", tallyText(replies.byPace)),
    ...latency("time in the model", modelLatency),
    ...latency("turn to chat", turnLatency),
    line(
      "guard",
      `${tallyText(replies.guardStopped)} stopped · taken out: ${tallyText(replies.guardRemoved)}`,
    ),
    line("actions", tallyText(replies.actions)),
    line("saved by caps", savedByCaps(replies.cappedReplies)),
  ];
}

function latency(label: string, found: Report["prompts"]["modelLatency"]): Line[] {
  if (found === null) return [];
  const { p50, p90, p99, max } = found;
  const parts = [
    `p50 ${milliseconds(p50)}`,
    `p90 ${milliseconds(p90)}`,
    `p99 ${milliseconds(p99)}`,
    `longest ${milliseconds(max)}`,
  ];
  return [line(label, parts.join(" · "))];
}

function savedByCaps(replies: number): string {
  return replies === 0 ? "no call" : `${count(replies)} calls for replies`;
}

export function costLines({ spend, callFailures, isSpendShared }: Report): Line[] {
  if (spend.calls === 0) return [line("calls", "none to a language model that counts or costs")];
  const unpriced =
    spend.unpriced > 0 && spend.dollars !== null
      ? `, without ${count(spend.unpriced)} calls to models whose price is not known`
      : "";
  const ofMoney =
    spend.memoryDollarShare === null ? "" : `, ${percent(spend.memoryDollarShare)} of the money`;
  return [
    line(
      "tokens",
      `${count(spend.tokensIn)} in, of them ${count(spend.tokensCached)} cached · ${count(spend.tokensOut)} out`,
    ),
    line("money", `${dollars(spend.dollars)}${unpriced}`),
    ...spend.byModel.map((sum) =>
      line(
        sum.model,
        `${count(sum.calls)} calls · ${count(sum.tokensIn)} in · ${count(sum.tokensOut)} out · ${dollars(sum.dollars)}`,
      ),
    ),
    ...spend.byPurpose.map((sum) =>
      line(
        `for ${sum.purpose}`,
        `${count(sum.calls)} calls, ${count(sum.failed)} failed · ${dollars(sum.dollars)}`,
      ),
    ),
    line("memory's share", `${percent(spend.memoryTokenShare)} of the tokens${ofMoney}`),
    line("failed calls", tallyText(callFailures)),
    ...(isSpendShared ? [line("counted", "calls for every channel in that time together")] : []),
  ];
}

export function promptLines({ prompts, replies }: Report): Line[] {
  const { prefix } = prompts;
  return [
    line(
      "prompts",
      `${count(prompts.prompts)}, ${count(replies.overBudget)} over budget by the provider's count`,
    ),
    line(
      "stable prefix",
      `${percent(prefix.share)} of all tokens · changed ${count(prefix.changes)} times, cut or restored by the ladder ${count(prefix.cuts)} times`,
    ),
    ...(replies.damaged === 0 ? [] : [line("unreadable", `${count(replies.damaged)} records`)]),
    ...(replies.staleSnapshots === 0
      ? []
      : [
          line(
            "from a snapshot",
            `${count(replies.staleSnapshots)}: the database could not be read`,
          ),
        ]),
  ];
}

export function estimateLines({ prompts }: Report): Line[] {
  if (prompts.estimates.length === 0) return [line("estimate", "no provider counted a prompt")];
  return prompts.estimates.map(({ model, error, within }) =>
    line(
      model,
      `${count(error.count)} prompts · p5 ${signedPercent(error.p5)}, p50 ${signedPercent(error.p50)}, p95 ${signedPercent(error.p95)} · within ±5 %: ${percent(within["5"])}`,
    ),
  );
}

export function memoryLines({ memory, counted }: Report): Line[] {
  const evicted = memory.candidates
    .filter(({ decision }) => decision === "evict")
    .reduce((sum, row) => sum + row.count, 0);
  const mean = memory.viewersWithNotes === 0 ? 0 : memory.viewerNotes / memory.viewersWithNotes;
  const { backlog } = memory;
  return [
    line("episodes", `${count(memory.episodes)}, of them ${count(memory.gaps)} gaps`),
    line(
      "notes",
      `${count(memory.notesMade)} made, ${count(memory.notesConfirmed)} confirmed, ${count(memory.notesSuperseded)} superseded, ${count(evicted)} evicted`,
    ),
    line(
      "now active",
      `${count(memory.active)} · ${mean.toFixed(1)} for each of ${count(memory.viewersWithNotes)} viewers with notes`,
    ),
    line(
      "in prompts",
      `${count(memory.notesUsed)} different notes and ${count(memory.episodesUsed)} episodes · the ladder took out ${count(memory.notesDropped)} places for notes`,
    ),
    line("most used notes", idsText(memory.mostUsedNotes)),
    line("most used episodes", idsText(memory.mostUsedEpisodes)),
    line(
      "unused episodes",
      `${count(memory.episodesUnused.length)} of this time stood in no prompt of it${suchAs(memory.episodesUnused)}`,
    ),
    line(
      "unused notes",
      `${count(memory.activeUnused)} active notes in no prompt of this time; ${count(memory.neverUsed)} of those about viewers in none ever${suchAs(memory.neverUsedIds)}`,
    ),
    line("policy", candidatesText(memory.candidates)),
    ...relationRows(counted.counts).map(([label, text]) => line(label, `${text}${ever(counted)}`)),
    line(
      "backlog",
      `${count(backlog.waitingEvents)} events wait · ${count(backlog.pendingEpisodes)} episodes in work, ${count(backlog.failedEpisodes)} failed`,
    ),
    line(
      "pruned unsummarised",
      `${count(counted.counts["retention.unsummarised"] ?? 0)} events${ever(counted)}`,
    ),
    line("memory calls capped", `${count(cappedMemoryCalls(counted.counts))}${ever(counted)}`),
  ];
}

function cappedMemoryCalls(counts: Report["counted"]["counts"]): number {
  return (counts["compaction.failed.cap"] ?? 0) + (counts["extract.failed.cap"] ?? 0);
}

function ever({ over }: Report["counted"]): string {
  return over === "ever" ? " since the database was made" : "";
}

function idsText(uses: readonly { readonly id: number; readonly uses: number }[]): string {
  if (uses.length === 0) return "none";
  return uses.map(({ id, uses: times }) => `${id}\u00a0(${count(times)}×)`).join(", ");
}

function suchAs(ids: readonly number[]): string {
  return ids.length === 0 ? "" : `, such as ${ids.slice(0, IDS_SHOWN).join(", ")}`;
}

function candidatesText(rows: Report["memory"]["candidates"]): string {
  const judged = rows.filter(({ decision }) => decision !== "evict");
  if (judged.length === 0) return "nothing was offered, or it is more than 30 days ago";
  return judged.map((row) => `${count(row.count)} ${row.decision} (${row.reason})`).join(", ");
}

export function outcomeLines({ outcomes }: Report): Line[] {
  return [
    line("known of", `${count(outcomes.known)} replies, not of ${count(outcomes.unknown)}`),
    line(
      "what came of them",
      tallyText(outcomes.byKind, (kind) => `× ${plainName(kind)}`),
    ),
    line("unwelcome", repliesText(outcomes.unwelcomeIds)),
    line("welcome", shareText(outcomes.welcome)),
    line("welcome means", WELCOME_MEANS),
    ...outcomes.sections.map((one) =>
      line(
        `with ${plainName(one.section)}`,
        `${shareText(one.with)}; without ${shareText(one.without)}`,
      ),
    ),
    ...outcomes.noteDepths.map((one) => line(`${one.notes} notes`, shareText(one.score))),
    ...outcomes.episodeDepths.map((one) => line(`${one.episodes} episodes`, shareText(one.score))),
    line("best notes", notesText(outcomes.bestNotes)),
    line("worst notes", notesText(outcomes.worstNotes)),
  ];
}

/** `41 % of 17 (22 to 64 %)`. */
function shareText({ share, of, low, high }: Share): string {
  if (of === 0) return "none";
  return `${percent(share)} of ${count(of)} (${(low * 100).toFixed(0)} to ${percent(high)})`;
}

function repliesText(ids: readonly number[]): string {
  if (ids.length === 0) return "none";
  return `${ids.length === 1 ? "reply" : "replies"} ${ids.join(", ")}: see forgetmenot explain ${ids[0]}`;
}

function notesText(notes: Report["outcomes"]["bestNotes"]): string {
  if (notes.length === 0) return "none that stood in five prompts or more";
  return notes.map(({ noteId, score }) => `note ${noteId}: ${shareText(score)}`).join("; ");
}

export function driftLines({ drift }: Report): Line[] {
  if (drift === null) return [line("drift", "only for a stream")];
  const { streams, moved, policies, models, rules } = drift;
  if (streams < 3)
    return [
      line(
        "drift",
        `to compare with takes three earlier streams; there ${["is none", "is one"][streams] ?? `are ${count(streams)}`}`,
      ),
    ];
  const since = [
    ...policies.map(({ number, source }) => `policy ${number} (${source})`),
    ...(models === null ? [] : [`model ${models.from.join(", ")} → ${models.to.join(", ")}`]),
    ...(rules === null ? [] : [`rules ${rules.from.join(", ")} → ${rules.to.join(", ")}`]),
  ];
  const head =
    moved.length === 0
      ? `nothing moved against the ${count(streams)} streams before`
      : `${count(moved.length)} things moved against the ${count(streams)} streams before`;
  const after = since.length === 0 ? "no policy or model changed" : `after ${since.join(", ")}`;
  const shown = moved.slice(0, MOVED_SHOWN).map(({ name, unit, from, to }) => {
    const text = (value: number) => (unit === "share" ? percent(value) : value.toFixed(2));
    return `${name} ${text(from)} → ${text(to)}`;
  });
  const most = shown.length === 0 ? "" : `; most: ${shown.join(", ")}`;
  return [line("drift", `${head}; ${after}${most}`)];
}

function line(label: string, text: string): Line {
  return { label, text };
}
