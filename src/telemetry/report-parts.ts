import { depthName, plural } from "./figures.ts";
import { WELCOME_MEANS } from "./outcome-scores.ts";
import { plainName } from "./plain-names.ts";
import type { Report } from "./report.ts";
import {
  escaped,
  type Figure,
  listed,
  RANGE_MIN,
  type Teller,
  teller,
  type Words,
} from "./report-figures.ts";

/** A subject of the report: what its charts show and its lines say. */
export interface ReportPart {
  readonly name: string;
  readonly charts: readonly Chart[];
  readonly lines: readonly { readonly label: string; readonly words: Words }[];
}

export type Chart =
  | { readonly kind: "bars"; readonly title: string; readonly rows: readonly Bar[] }
  /** Values over time, one series on top of the other. */
  | {
      readonly kind: "columns";
      readonly title: string;
      readonly series: readonly { readonly name: string; readonly values: readonly Figure[] }[];
      readonly from: Figure;
      readonly to: Figure;
    }
  /** Counts by error, one for each percent; the middle one is no error. */
  | { readonly kind: "histogram"; readonly title: string; readonly bins: readonly Figure[] }
  | { readonly kind: "heat"; readonly title: string; readonly cells: readonly Cell[] };

export interface Bar {
  readonly name: string;
  readonly bar: Figure;
  readonly label: Words;
}

interface Cell extends Bar {
  readonly row: string;
  readonly column: string;
}

/** The whole report, for a terminal and for pages. What there is nothing to say of has no part and no line. */
export function reportParts(report: Report): ReportPart[] {
  const tell = teller(report);
  return [
    { name: "Drift", charts: [], lines: driftLines(report, tell) },
    repliesPart(report, tell),
    costPart(report, tell),
    promptPart(report, tell),
    ladderPart(report, tell),
    estimatePart(report, tell),
    { name: "Memory", charts: [], lines: memoryLines(report, tell) },
    outcomesPart(report, tell),
  ].filter(({ charts, lines }) => charts.length + lines.length > 0);
}

function repliesPart({ timeLine }: Report, tell: Teller): ReportPart {
  const { say, any, tally, times } = tell;
  return {
    name: "Replies",
    charts: [
      ...overTime("Answers over time; not sent on top", ["sent", "notSent"], timeLine, tell),
      ...overTime("Time in the model, ms", ["latencyMs"], timeLine, tell),
    ],
    lines: lines([
      ["sent", say("{/replies/sent} of {/replies/total} that were asked for")],
      ["not sent", tally("/replies/byReason")],
      ["asked by", tally("/replies/byTrigger")],
      ["pace of chat", tally("/replies/byPace")],
      ["time in the model", times("/prompts/modelLatency")],
      ["turn to chat", times("/prompts/turnLatency")],
      ["stopped by the guard", tally("/replies/guardStopped")],
      ["taken out", tally("/replies/guardRemoved")],
      ["actions", tally("/replies/actions")],
      ["saved by caps", any("{/replies/cappedReplies:answer}")],
    ]),
  };
}

const SERIES: Readonly<Record<string, string>> = { notSent: "not sent", latencyMs: "latency" };

function overTime(
  title: string,
  names: readonly (keyof Report["timeLine"][number])[],
  timeLine: Report["timeLine"],
  { at }: Teller,
): Chart[] {
  if (timeLine.every((stretch) => names.every((name) => stretch[name] === 0))) return [];
  const series = names.map((name) => ({
    name: SERIES[name] ?? name,
    values: timeLine.map((_, n) => at(`/timeLine/${n}/${name}`)),
  }));
  const [from, to] = [at("/period/fromMs", "clock"), at("/period/toMs", "clock")];
  return [{ kind: "columns", title, series, from, to }];
}

function costPart({ spend, isSpendShared, timeLine }: Report, tell: Teller): ReportPart {
  const { say, tally } = tell;
  if (spend.calls === 0) return NOTHING;
  const isPriceMissing = spend.unpriced > 0 && spend.dollars !== null;
  const [unpriced, ofMoney] = [
    isPriceMissing ? ", without {/spend/unpriced:call} to models whose price is not known" : "",
    spend.memoryDollarShare === null ? "" : ", {/spend/memoryDollarShare:percent} of the money",
  ];
  return {
    name: "Cost",
    charts: overTime("Tokens over time", ["tokens"], timeLine, tell),
    lines: lines([
      ["tokens", say("{tokensIn} in, of them {tokensCached} cached · {tokensOut} out", "/spend")],
      ["money", say(`{/spend/dollars:dollars}${unpriced}`)],
      ...spend.byModel.map(({ model }, n): Row => {
        const words = "{calls:call} · {tokensIn} in · {tokensOut} out · {dollars:dollars}";
        return [model, say(words, `/spend/byModel/${n}`)];
      }),
      ...spend.byPurpose.map(({ purpose, failed }, n): Row => {
        const words = `{calls:call}${failed === 0 ? "" : ", {failed} failed"} · {dollars:dollars}`;
        return [`for ${purpose}`, say(words, `/spend/byPurpose/${n}`)];
      }),
      ["memory's share", say(`{/spend/memoryTokenShare:percent} of the tokens${ofMoney}`)],
      ["failed calls", tally("/callFailures")],
      ["counted", isSpendShared ? ["calls for every channel in that time together"] : []],
    ]),
  };
}

function promptPart({ prompts, replies }: Report, { at, any }: Teller): ReportPart {
  const rows = Object.keys(prompts.sections).map((name): Bar => {
    const bar = at(`/prompts/sections/${escaped(name)}`);
    return { name: plainName(name), bar, label: [bar, " tokens"] };
  });
  const over = ", {/replies/overBudget} over budget by the provider's count";
  const prefix =
    "{share:percent} of all tokens · changed {changes:time}, cut or restored by the ladder {cuts:time}";
  return {
    name: "Prompt",
    charts: bars("Tokens of each section, on average", rows),
    lines: lines([
      ["prompts", any(`{/prompts/prompts}${replies.overBudget === 0 ? "" : over}`)],
      ["stable prefix", any(prefix, "/prompts/prefix")],
      ["unreadable", any("{/replies/damaged:record}")],
      ["from a snapshot", any("{/replies/staleSnapshots}: the database could not be read")],
    ]),
  };
}

function ladderPart({ prompts }: Report, { at, say }: Teller): ReportPart {
  if (prompts.ladder.length === 0) return NOTHING;
  const cells = prompts.ladder.map(({ section, messageKind: row }, n): Cell => {
    const label = "{fired}×, {droppedLines:line} out, {savedTokens:token} saved";
    const column = plainName(section);
    return {
      row,
      column,
      name: `${column} · ${row}`,
      bar: at(`/prompts/ladder/${n}/fired`),
      label: say(label, `/prompts/ladder/${n}`),
    };
  });
  const title = "How often something was left out, by kind of message";
  const fired = say("{/prompts/ladderFired:time}, {/prompts/ladderSavedTokens:token} saved");
  return {
    name: "Ladder",
    charts: [{ kind: "heat", title, cells }],
    lines: lines([["fired", fired]]),
  };
}

function estimatePart({ prompts }: Report, { at, say }: Teller): ReportPart {
  const spread =
    " · p5 {error/p5:signed}, p50 {error/p50:signed}, p95 {error/p95:signed} · within ±5 %: {within/5:percent}";
  const few = ({ count }: { readonly count: number }) => count < RANGE_MIN;
  return {
    name: "Estimate against the provider's count",
    charts: prompts.estimates.map(({ model, histogram }, n) => ({
      kind: "histogram",
      title: `${model}: prompts by error, in steps of 1 %`,
      bins: histogram.map((_, bin) => at(`/prompts/estimates/${n}/histogram/${bin}`)),
    })),
    lines: lines(
      prompts.estimates.map(({ model, error }, n) => [
        model,
        say(`{error/count:prompt}${few(error) ? "" : spread}`, `/prompts/estimates/${n}`),
      ]),
    ),
  };
}

function memoryLines(
  { memory, counted }: Report,
  { say, any, each, tally }: Teller,
): ReportPart["lines"] {
  const ever = counted.over === "ever" ? " since the database was made" : "";
  const told = (template: string): Words => any(template, "/memory");
  const such = (key: "episodesUnused" | "neverUsedIds", of: string): Words =>
    memory[key].length === 0 ? [] : [", such as ", ...each(`/memory/${key}`, `{.:${of}Id}`)];
  const judged = memory.candidates.flatMap(({ decision, reason }, n) =>
    decision === "evict" ? [] : [say(`{count} ${decision} (${reason})`, `/memory/candidates/${n}`)],
  );
  const dropped =
    memory.notesDropped === 0 ? "" : " · the ladder took out {notesDropped:place} for notes";
  const made =
    "{notesMade} made, {notesConfirmed} confirmed, {notesSuperseded} superseded, {notesEvicted} evicted";
  const idle = "{unusedEpisodes} of this time stood in no prompt of it";
  const unused =
    "{activeUnused} active in no prompt of this time; {neverUsed} of those about viewers in none ever";
  const backlog =
    "{backlog/waitingEvents:event} waiting · {backlog/pendingEpisodes:episode} in work, {backlog/failedEpisodes} failed";
  return lines([
    ["episodes", told(`{episodes}${memory.gaps === 0 ? "" : ", and {gaps:gap}"}`)],
    ["notes", told(made)],
    [
      "now active",
      told("{active} · {notesPerViewer:mean} for each of {viewersWithNotes:viewer} with notes"),
    ],
    ["in prompts", told(`{notesUsed:different note} and {episodesUsed:episode}${dropped}`)],
    ["most used notes", each("/memory/mostUsedNotes", "{id:noteId}\u00a0({uses}×)")],
    ["most used episodes", each("/memory/mostUsedEpisodes", "{id:episodeId}\u00a0({uses}×)")],
    ["unused episodes", [...told(idle), ...such("episodesUnused", "episode")]],
    ["unused notes", [...told(unused), ...such("neverUsedIds", "note")]],
    ["policy", listed(judged)],
    ...memory.sorted.map(({ model }, n): Row => {
      const at = `/memory/sorted/${n}`;
      const share = say(`${model}: {newShare:percent} of {claims:claim} new · `, at);
      return ["sorted", [...share, ...tally(`${at}/relations`), ever]];
    }),
    ["backlog", told(backlog)],
    ["pruned unsummarised", told(`{unsummarised:event}${ever}`)],
    ["never read", told(`{linesUnread:line} of chat${ever}`)],
    ["memory calls capped", told(`{cappedCalls}${ever}`)],
  ]);
}

function outcomesPart({ outcomes }: Report, tell: Teller): ReportPart {
  const { at, say, tally, each, share } = tell;
  if (outcomes.known + outcomes.unknown === 0) return NOTHING;
  const name = outcomes.unwelcomeIds.length === 1 ? "reply " : "replies ";
  const unwelcome = () => [
    name,
    ...each("/outcomes/unwelcomeIds", "{.:replyId}"),
    ...say(": see forgetmenot explain {/outcomes/unwelcomeIds/0:replyId}"),
  ];
  const depth = (many: string, noun: "note" | "episode", n: number): Row => {
    return [depthName(many, noun), share(`/outcomes/${noun}Depths/${n}/score`)];
  };
  const rows = Object.keys(outcomes.byKind).map((kind): Bar => {
    const bar = at(`/outcomes/byKind/${kind}`);
    return { name: plainName(kind), bar, label: [bar] };
  });
  return {
    name: "Outcomes",
    charts: bars("What came of replies", rows),
    lines: lines([
      ["known of", say("{/outcomes/known:reply}, not of {/outcomes/unknown}")],
      ["what came of them", tally("/outcomes/byKind", (kind) => `× ${plainName(kind)}`)],
      ["unwelcome", outcomes.unwelcomeIds.length === 0 ? [] : unwelcome()],
      ["welcome", when(outcomes.known, share("/outcomes/welcome"))],
      ["welcome means", when(outcomes.known, [WELCOME_MEANS])],
      ...outcomes.sections.map(({ section }, n): Row => {
        const at = `/outcomes/sections/${n}`;
        const words = [...share(`${at}/with`), "; without ", ...share(`${at}/without`)];
        return [`with ${plainName(section)}`, words];
      }),
      ...outcomes.noteDepths.map(({ notes }, n) => depth(notes, "note", n)),
      ...outcomes.episodeDepths.map(({ episodes }, n) => depth(episodes, "episode", n)),
      ["best notes", ranked("bestNotes", outcomes, tell)],
      ["worst notes", ranked("worstNotes", outcomes, tell)],
    ]),
  };
}

function ranked(
  key: "bestNotes" | "worstNotes",
  outcomes: Report["outcomes"],
  { say, share }: Teller,
): Words {
  const words = outcomes[key].map((_, n): Words => {
    const at = `/outcomes/${key}/${n}`;
    return [...say("note {noteId:noteId}: ", at), ...share(`${at}/score`)];
  });
  return listed(words, "; ");
}

/** One line: what moved, and what had changed by then. */
function driftLines({ drift }: Report, { say }: Teller): ReportPart["lines"] {
  if (drift === null) return [];
  const { streams, moved, policies, models, rules } = drift;
  const there = ["is none", "is one", "are two"][streams];
  if (there !== undefined)
    return lines([["drift", [`to compare with takes three earlier streams; there ${there}`]]]);
  const since = [
    ...policies.map(({ number, source }) => `policy ${number} (${source})`),
    ...(models === null ? [] : [`model ${models.from.join(", ")} → ${models.to.join(", ")}`]),
    ...(rules === null ? [] : [`rules ${rules.from.join(", ")} → ${rules.to.join(", ")}`]),
  ];
  const things = moved.length === 0 ? "nothing" : plural(moved.length, "thing");
  const after = since.length === 0 ? "no policy or model changed" : `after ${since.join(", ")}`;
  const most = moved.slice(0, MOVED_SHOWN).map(({ name, unit }, n): Words => {
    const how = unit === "share" ? "percent" : "hundredths";
    return [`${name} `, ...say(`{from:${how}} → {to:${how}}`, `/drift/moved/${n}`)];
  });
  const head = say(`${things} moved against the {/drift/streams} streams before; `);
  const tail = when(moved.length, ["; most: ", ...listed(most)]);
  return lines([["drift", [...head, after, ...tail]]]);
}

const MOVED_SHOWN = 3;
const NOTHING: ReportPart = { name: "", charts: [], lines: [] };

type Row = readonly [label: string, words: Words];

/** None where there is nothing to see. */
function bars(title: string, rows: readonly Bar[]): Chart[] {
  return rows.length === 0 ? [] : [{ kind: "bars", title, rows }];
}

/** What there is nothing to say of is no line. */
function lines(rows: readonly Row[]): ReportPart["lines"] {
  return rows.flatMap(([label, words]) => (words.length === 0 ? [] : [{ label, words }]));
}

function when(many: number, words: Words): Words {
  return many === 0 ? [] : words;
}
