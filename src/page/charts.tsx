import type { Child } from "hono/jsx";
import type { Trail } from "../reply/trail.ts";
import { count } from "../telemetry/figures.ts";
import { plainName } from "../telemetry/plain-names.ts";
import type { Figure } from "../telemetry/report-figures.ts";
import type { Chart } from "../telemetry/report-parts.ts";
import { Table } from "./parts.tsx";

/** Charts as inline SVG. They are 360 units wide: a phone shows them at about that size. */
const WIDTH = 360;
const ROW = 34;
const COLUMNS_HEIGHT = 90;
/** Of the middle of a histogram: an error of so many percent is a good estimate. */
const GOOD_PERCENT = 5;

/** What a part of an element shows: its place in `report --json`, and the value that stands there. */
export function shows({ at, value }: Figure) {
  return { "data-figure": at, "data-value": String(value) };
}

/** A chart of the report, with its title, which names it for those who do not see it, too. */
export function ReportChart({ chart }: { chart: Chart }) {
  switch (chart.kind) {
    case "bars":
      return <Bars {...chart} />;
    case "columns":
      return <OverTime {...chart} />;
    case "histogram":
      return <Histogram {...chart} />;
    case "heat":
      return <HeatMap {...chart} />;
  }
}

type Of<K extends Chart["kind"]> = Extract<Chart, { kind: K }>;

function Bars({ title, rows }: Of<"bars">) {
  const drawn = rows.map(({ name, bar, label }) => ({
    name,
    value: Number(bar.value),
    attributes: shows(bar),
    label: label.map((one) =>
      typeof one === "string" ? one : <tspan {...shows(one)}>{one.text}</tspan>,
    ),
  }));
  return <BarRows title={title} rows={drawn} />;
}

/** A row for each bar, its name and label above it. */
function BarRows(given: {
  title: string;
  rows: readonly { name: string; value: number; label: Child; attributes?: object }[];
}) {
  const { title, rows } = given;
  const max = Math.max(...rows.map(({ value }) => value), 1e-9);
  return (
    <Drawing title={title} height={rows.length * ROW}>
      {rows.map(({ name, value, label, attributes }, n) => {
        const width = round((WIDTH * value) / max);
        return (
          <g transform={`translate(0 ${n * ROW})`}>
            <text x="0" y="12">
              {name}
            </text>
            <text class="soft" x={WIDTH} y="12" text-anchor="end">
              {label}
            </text>
            <rect class="one" x="0" y="17" width={width} height="9" rx="2" {...attributes} />
          </g>
        );
      })}
    </Drawing>
  );
}

const SERIES_LOOKS = ["one", "two"] as const;

function OverTime({ title, series, from, to }: Of<"columns">) {
  const columns = (series[0]?.values ?? []).map((_, n) =>
    series.flatMap(({ values }) => values[n] ?? []),
  );
  return (
    <Columns title={title} columns={columns} lookOf={(_, part) => SERIES_LOOKS[part] ?? "one"}>
      <text class="soft" x="0" y={COLUMNS_HEIGHT + 15} {...shows(from)}>
        {from.text}
      </text>
      <text class="soft" x={WIDTH} y={COLUMNS_HEIGHT + 15} text-anchor="end" {...shows(to)}>
        {to.text}
      </text>
    </Columns>
  );
}

/** How many fell into each step, the middle one around no error at all. */
function Histogram({ title, bins }: Of<"histogram">) {
  const middle = (bins.length - 1) / 2;
  const lookOf = (n: number) => (Math.abs(n - middle) <= GOOD_PERCENT ? "good" : "two");
  const feet = [
    [0, "start", `−${middle} % or more`],
    [WIDTH / 2, "middle", "0"],
    [WIDTH, "end", `+${middle} % or more`],
  ] as const;
  return (
    <Columns title={title} columns={bins.map((bin) => [bin])} lookOf={lookOf}>
      {feet.map(([x, anchor, text]) => (
        <text class="soft" x={x} y={COLUMNS_HEIGHT + 15} text-anchor={anchor}>
          {text}
        </text>
      ))}
    </Columns>
  );
}

/** Columns beside each other, the parts of each on top of each other; `children` stand at the foot. */
function Columns({
  title,
  columns,
  lookOf,
  children,
}: {
  title: string;
  columns: readonly (readonly Figure[])[];
  lookOf: (column: number, part: number) => string;
  children?: Child;
}) {
  const sum = (parts: readonly Figure[]) =>
    parts.reduce((total, { value }) => total + Number(value), 0);
  const scale = COLUMNS_HEIGHT / Math.max(...columns.map(sum), 1e-9);
  const step = WIDTH / Math.max(1, columns.length);
  return (
    <Drawing title={title} height={COLUMNS_HEIGHT + 20}>
      {columns.flatMap((parts, column) =>
        parts.map((part, n) => {
          const box = {
            x: round(column * step),
            y: round(COLUMNS_HEIGHT - scale * sum(parts.slice(0, n + 1))),
            width: round(step * 0.8),
            height: round(scale * Number(part.value)),
          };
          return <rect class={lookOf(column, n)} {...box} {...shows(part)} />;
        }),
      )}
      <line class="axis" x1="0" x2={WIDTH} y1={COLUMNS_HEIGHT} y2={COLUMNS_HEIGHT} />
      {children}
    </Drawing>
  );
}

function HeatMap({ title, cells }: Of<"heat">) {
  const rows = [...new Set(cells.map(({ row }) => row))];
  const columns = [...new Set(cells.map(({ column }) => column))];
  const max = Math.max(...cells.map(({ bar }) => Number(bar.value)), 1);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <Table label={title} look="heat" columns={["message", ...columns].map((name) => [name])}>
        {rows.map((row) => (
          <tr>
            <th scope="row">{row}</th>
            {columns.map((column) => {
              const bar = cells.find((one) => one.row === row && one.column === column)?.bar;
              if (bar === undefined) return <td class="h0" />;
              return (
                <td class={`h${Math.ceil((4 * Number(bar.value)) / max)}`} {...shows(bar)}>
                  {bar.text}
                </td>
              );
            })}
          </tr>
        ))}
      </Table>
    </figure>
  );
}

function Drawing(given: { title: string; caption?: Child; height: number; children?: Child }) {
  const { title, caption = title, height, children } = given;
  return (
    <figure>
      <figcaption>{caption}</figcaption>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={title}>
        {children}
      </svg>
    </figure>
  );
}

const PACE_HEIGHT = 64;

/** Lines a minute, up to now. */
export function PaceChart({ lines, pace }: { lines: readonly number[]; pace: string | null }) {
  const max = Math.max(...lines, 5);
  const step = WIDTH / Math.max(1, lines.length - 1);
  const y = (value: number) => round(PACE_HEIGHT - (PACE_HEIGHT * value) / max);
  const points = lines.map((value, n) => `${round(n * step)},${y(value)}`).join(" ");
  const now = lines.at(-2) ?? 0;
  const title = `Chat, lines a minute: ${now} now, ${max} at most in the last ${lines.length} minutes`;
  const caption = (
    <span class="row between">
      <span>Chat{pace === null ? "" : `, ${pace}`}</span>
      <span class="num">{count(now)} lines a minute</span>
    </span>
  );
  return (
    <Drawing title={title} caption={caption} height={PACE_HEIGHT + 16}>
      <polygon class="under" points={`0,${PACE_HEIGHT} ${points} ${WIDTH},${PACE_HEIGHT}`} />
      <polyline class="trend" points={points} />
      <line class="axis" x1="0" x2={WIDTH} y1={PACE_HEIGHT} y2={PACE_HEIGHT} />
      <text x="0" y={PACE_HEIGHT + 13}>{`${lines.length} min ago`}</text>
      <text x={WIDTH} y={PACE_HEIGHT + 13} text-anchor="end">
        now
      </text>
    </Drawing>
  );
}

/** Sections in which the stable prefix of a prompt ends. */
const PREFIX: ReadonlySet<string> = new Set(["persona", "channel", "channelNotes", "episodes"]);

/** A prompt as it was sent: a bar for each section, and what the budget allowed. */
export function PromptBars({ trail }: { trail: Trail }) {
  const parts = Object.entries(trail.sections).filter(([, tokens]) => tokens > 0);
  const total = parts.reduce((sum, [, tokens]) => sum + tokens, 0);
  const prefix = parts.reduce((sum, [name, tokens]) => sum + (PREFIX.has(name) ? tokens : 0), 0);
  const limit = trail.limitTokens ?? trail.budgetTokens;
  const rows = parts.map(([name, tokens]) => {
    const where = PREFIX.has(name) ? " (prefix)" : "";
    return { name: `${plainName(name)}${where}`, value: tokens, label: count(tokens) };
  });
  const title = `A prompt of ${total} tokens by estimate, ${prefix} of them in the stable prefix, of a limit of ${limit}`;
  return <BarRows title={title} rows={rows} />;
}

/** A drawing needs no more digits. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
