// Pure: values in, values out.

import { localTime } from "../platform/config/local-time.ts";
import { dollars, span } from "./figures.ts";
import type { Report } from "./report.ts";
import type { Story } from "./story-store.ts";
import { whySilent } from "./why-silent.ts";

const NAMES_MAX = 12;
const FACTS_MAX = 25;
/** Of the reasons for silence the most frequent are told. */
const REASONS_MAX = 4;

/**
 * A stream on one page: people first, then what was learned, moments, what went wrong and what to do about it, and what
 * it cost. What there is nothing to say of has no heading.
 */
export function storyText(story: Story, report: Report): string {
  const { sessionId, channels, fromMs, toMs } = report.period;
  const where = channels.map((channel) => `#${channel}`).join(", ");
  const title = sessionId === null ? `In ${where}` : `Stream ${sessionId} in ${where}`;
  return [
    `${title}, ${localTime(fromMs)}, ${span(toMs - fromMs)}`,
    ...part("People", people(story)),
    ...part("What it learned", learned(story)),
    ...part("Moments", moments(story)),
    ...part("What to look at", lookAt(story, report)),
    ...part("Cost", cost(report)),
    "",
    "`forgetmenot report --details` has the numbers, `forgetmenot replies` what it said.",
  ].join("\n");
}

function part(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", name, ...lines.map((line) => `  ${line}`)];
}

function people({ talked, fresh, back }: Story): string[] {
  const most = talked.map(({ name, replies }) => (replies === 1 ? name : `${name} (${replies})`));
  return [
    ...(most.length === 0 ? ["Nobody had an answer."] : [`Talked to it: ${list(most)}`]),
    ...(fresh.length === 0 ? [] : [`Here for the first time: ${list(fresh)}`]),
    ...(back.length === 0 ? [] : [`Came back: ${list(back)}`]),
  ];
}

function learned({ learned: facts, replaced, faded }: Story): string[] {
  const more = facts.length - FACTS_MAX;
  return [
    ...facts
      .slice(0, FACTS_MAX)
      .map(
        ({ id, fact, status }) =>
          `[${id}] ${fact}${status === "pending" ? " (waits for you)" : ""}`,
      ),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...replaced.map(({ before, after }) => `No longer: ${before}. Now: ${after}`),
    ...(faded === 0 ? [] : [`${plural(faded, "note")} of before ran out.`]),
  ];
}

function moments({ busiest, raids }: Story): string[] {
  return [
    ...raids.map(({ name, people: count }) =>
      count === null
        ? `${name} raided.`
        : `${name} raided with ${plural(count, "person", "people")}.`,
    ),
    ...(busiest.length === 0
      ? []
      : [
          `Most chatted about: ${busiest.map(({ topic, lines }) => `${topic} (${plural(lines, "line")})`).join("; ")}`,
        ]),
  ];
}

function lookAt({ faulted, pending }: Story, report: Report): string[] {
  const { callFailures, memory } = report;
  const failed = Object.values(callFailures).reduce((sum, count) => sum + count, 0);
  const { failedEpisodes } = memory.backlog;
  return [
    ...faults(faulted),
    ...when(
      pending,
      `${plural(pending, "note")} ${pending === 1 ? "waits" : "wait"} for your word: \`forgetmenot memory list --status pending\``,
    ),
    ...silences(report),
    ...when(
      failed,
      `${plural(failed, "call")} to the model failed: \`forgetmenot doctor\` tries it`,
    ),
    ...when(
      failedEpisodes,
      `${plural(failedEpisodes, "stretch", "stretches")} of chat could not be summarised: \`forgetmenot memory episodes\``,
    ),
  ];
}

function when(count: number, line: string): string[] {
  return count === 0 ? [] : [line];
}

/** Answers that were not liked, and the notes that stood in their prompts. */
function faults(faulted: Story["faulted"]): string[] {
  const replies = faulted.map(({ reply }) => reply);
  const notes = [...new Set(faulted.flatMap((one) => one.notes))].sort((a, b) => a - b);
  const isOne = replies.length === 1;
  return [
    ...when(
      replies.length,
      `${isOne ? "Reply" : "Replies"} ${replies.join(", ")} ${isOne ? "was" : "were"} not liked: \`forgetmenot explain ${replies[0]}\``,
    ),
    ...when(
      notes.length,
      `look at ${notes.length === 1 ? "note" : "notes"} ${notes.join(", ")}: \`forgetmenot memory show ${notes[0]}\``,
    ),
  ];
}

function silences({ replies }: Report): string[] {
  return Object.entries(replies.byReason)
    .filter(([reason]) => reason !== "shadow")
    .sort(([, one], [, other]) => other - one)
    .slice(0, REASONS_MAX)
    .map(([reason, count]) => `Silent ${plural(count, "time")}: ${whySilent(reason)}`);
}

function cost({ spend }: Report): string[] {
  if (spend.calls === 0) return [];
  return [`${dollars(spend.dollars)} for ${plural(spend.calls, "call")} to the model`];
}

function list(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
