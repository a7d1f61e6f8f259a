import type { Trail } from "../reply/trail.ts";
import { count } from "../telemetry/figures.ts";
import { plainName } from "../telemetry/plain-names.ts";
import type { Figure, Words } from "../telemetry/report-figures.ts";
import type { Chart } from "../telemetry/report-parts.ts";

/** Charts as inline SVG. They are 360 units wide: a phone shows them at about that size. */
const WIDTH = 360;
const ROW = 34;
const COLUMNS_HEIGHT = 90;
const HISTOGRAM_HEIGHT = 80;
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
      return <Columns {...chart} />;
    case "histogram":
      return <Histogram {...chart} />;
    case "shares":
      return <Shares {...chart} />;
    case "heat":
      return <HeatMap {...chart} />;
  }
}

type Of<K extends Chart["kind"]> = Extract<Chart, { kind: K }>;

/** A row each: its name and label above a bar. */
function Bars({ title, rows }: Of<"bars">) {
  const max = Math.max(...rows.map(({ bar }) => Number(bar.value)), 1e-9);
  return (
    <Drawing title={title} height={rows.length * ROW}>
      {rows.map(({ name, bar, label }, n) => (
        <g transform={`translate(0 ${n * ROW})`}>
          <RowLabel name={name} label={label} />
          <rect
            class="one"
            x="0"
            y="17"
            width={round((WIDTH * Number(bar.value)) / max)}
            height="9"
            rx="2"
            {...shows(bar)}
          />
        </g>
      ))}
    </Drawing>
  );
}

function RowLabel({ name, label }: { name: string; label: Words }) {
  return (
    <>
      <text x="0" y="12">
        {name}
      </text>
      <text class="soft" x={WIDTH} y="12" text-anchor="end">
        {label.map((one) =>
          typeof one === "string" ? one : <tspan {...shows(one)}>{one.text}</tspan>,
        )}
      </text>
    </>
  );
}

const SERIES_CLASSES = ["one", "two"] as const;

/** Columns from the beginning of a period to its end, one series on top of the other. */
function Columns({ title, series, from, to }: Of<"columns">) {
  const [first] = series;
  const columns = (first?.values ?? []).map((_, n) =>
    series.flatMap(({ values }) => values[n] ?? []),
  );
  const sums = columns.map((parts) => parts.reduce((sum, { value }) => sum + Number(value), 0));
  const max = Math.max(...sums, 1e-9);
  const step = WIDTH / Math.max(1, columns.length);
  return (
    <Drawing title={title} height={COLUMNS_HEIGHT + 20}>
      {columns.map((parts, n) => (
        <Column parts={parts} x={n * step} width={step * 0.8} max={max} />
      ))}
      <line class="axis" x1="0" x2={WIDTH} y1={COLUMNS_HEIGHT} y2={COLUMNS_HEIGHT} />
      <text class="soft" x="0" y={COLUMNS_HEIGHT + 15} {...shows(from)}>
        {from.text}
      </text>
      <text class="soft" x={WIDTH} y={COLUMNS_HEIGHT + 15} text-anchor="end" {...shows(to)}>
        {to.text}
      </text>
    </Drawing>
  );
}

function Column({
  parts,
  x,
  width,
  max,
}: {
  parts: readonly Figure[];
  x: number;
  width: number;
  max: number;
}) {
  let top = COLUMNS_HEIGHT;
  return (
    <>
      {parts.map((part, n) => {
        const height = (COLUMNS_HEIGHT * Number(part.value)) / max;
        top -= height;
        const box = { x: round(x), y: round(top), width: round(width), height: round(height) };
        return <rect class={SERIES_CLASSES[n] ?? "one"} {...box} {...shows(part)} />;
      })}
    </>
  );
}

/** How many fell into each step, the middle one around no error at all. */
function Histogram({ title, bins }: Of<"histogram">) {
  const max = Math.max(...bins.map(({ value }) => Number(value)), 1);
  const step = WIDTH / Math.max(1, bins.length);
  const middle = (bins.length - 1) / 2;
  const tall = (bin: Figure) => (HISTOGRAM_HEIGHT * Number(bin.value)) / max;
  return (
    <Drawing title={title} height={HISTOGRAM_HEIGHT + 20}>
      {bins.map((bin, n) => (
        <rect
          class={Math.abs(n - middle) <= GOOD_PERCENT ? "good" : "two"}
          x={round(n * step)}
          y={round(HISTOGRAM_HEIGHT - tall(bin))}
          width={round(step * 0.9)}
          height={round(tall(bin))}
          {...shows(bin)}
        />
      ))}
      <line class="axis" x1="0" x2={WIDTH} y1={HISTOGRAM_HEIGHT} y2={HISTOGRAM_HEIGHT} />
      <text class="soft" x="0" y={HISTOGRAM_HEIGHT + 15}>{`−${middle} % or more`}</text>
      <text class="soft" x={WIDTH / 2} y={HISTOGRAM_HEIGHT + 15} text-anchor="middle">
        0
      </text>
      <text class="soft" x={WIDTH} y={HISTOGRAM_HEIGHT + 15} text-anchor="end">
        {`+${middle} % or more`}
      </text>
    </Drawing>
  );
}

/** A share each as a point, with the range in which it may lie. */
function Shares({ title, rows }: Of<"shares">) {
  const at = ({ value }: Figure) => round(WIDTH * Number(value));
  return (
    <Drawing title={title} height={rows.length * ROW}>
      {rows.map(({ name, range: [share, low, high], label }, n) => (
        <g transform={`translate(0 ${n * ROW})`}>
          <RowLabel name={name} label={label} />
          <line class="axis" x1="0" x2={WIDTH} y1="21" y2="21" />
          <line class="reach" x1={at(low)} x2={at(high)} y1="21" y2="21" {...shows(high)} />
          <circle class="one" cx={at(share)} cy="21" r="4" {...shows(share)} />
        </g>
      ))}
    </Drawing>
  );
}

/** How often, by kind of message and by section. */
function HeatMap({ title, cells }: Of<"heat">) {
  const rows = [...new Set(cells.map(({ row }) => row))];
  const columns = [...new Set(cells.map(({ column }) => column))];
  const max = Math.max(...cells.map(({ bar }) => Number(bar.value)), 1);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <section class="scroll" tabindex={0} aria-label={title}>
        <table class="heat">
          <thead>
            <tr>
              <th scope="col">message</th>
              {columns.map((column) => (
                <th scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">{row}</th>
                {columns.map((column) => {
                  const found = cells.find((one) => one.row === row && one.column === column);
                  if (found === undefined) return <td class="h0" />;
                  const { bar } = found;
                  return (
                    <td class={`h${Math.ceil((4 * Number(bar.value)) / max)}`} {...shows(bar)}>
                      {bar.text}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  );
}

function Drawing({
  title,
  height,
  children,
}: {
  title: string;
  height: number;
  children?: unknown;
}) {
  return (
    <figure>
      <figcaption>{title}</figcaption>
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
  return (
    <figure>
      <figcaption class="row between">
        <span>Chat{pace === null ? "" : `, ${pace}`}</span>
        <span class="num">{count(now)} lines a minute</span>
      </figcaption>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${PACE_HEIGHT + 16}`} role="img" aria-label={title}>
        <polygon class="under" points={`0,${PACE_HEIGHT} ${points} ${WIDTH},${PACE_HEIGHT}`} />
        <polyline class="trend" points={points} />
        <line class="axis" x1="0" x2={WIDTH} y1={PACE_HEIGHT} y2={PACE_HEIGHT} />
        <text x="0" y={PACE_HEIGHT + 13}>{`${lines.length} min ago`}</text>
        <text x={WIDTH} y={PACE_HEIGHT + 13} text-anchor="end">
          now
        </text>
      </svg>
    </figure>
  );
}

const BAR_WIDTH = 900;
const BAR_HEIGHT = 46;
const COLOURS = 10;
/** Sections in which the stable prefix of a prompt ends. */
const PREFIX: ReadonlySet<string> = new Set(["persona", "channel", "channelNotes", "episodes"]);

/** A prompt as it was sent: its sections by tokens, where the stable prefix ends, and what the budget allowed. */
export function PromptBar({
  trail,
}: {
  trail: Pick<Trail, "sections" | "limitTokens" | "budgetTokens">;
}) {
  const parts = Object.entries(trail.sections).filter(([, tokens]) => tokens > 0);
  const total = parts.reduce((sum, [, tokens]) => sum + tokens, 0);
  const limit = trail.limitTokens ?? trail.budgetTokens;
  const scale = BAR_WIDTH / Math.max(total, limit, 1);
  const prefix = parts.reduce((sum, [name, tokens]) => sum + (PREFIX.has(name) ? tokens : 0), 0);
  let at = 0;
  const bars = parts.map(([name, tokens], n) => {
    const x = at;
    at += tokens * scale;
    return { name, tokens, x: round(x), width: round(tokens * scale), colour: colour(n) };
  });
  return (
    <figure>
      <svg
        class="chart"
        viewBox={`0 0 ${BAR_WIDTH} ${BAR_HEIGHT + 40}`}
        role="img"
        aria-label={`A prompt of ${total} tokens by estimate, ${prefix} of them in the stable prefix, of a limit of ${limit}`}
      >
        <rect class="room" x="0" y="20" width={BAR_WIDTH} height={BAR_HEIGHT} rx="3" />
        {bars.map(({ name, tokens, x, width, colour: fill }) => (
          <rect class={fill} x={x} y="20" width={width} height={BAR_HEIGHT}>
            <title>{`${plainName(name)}: ${count(tokens)} tokens`}</title>
          </rect>
        ))}
        <line
          class="edge"
          x1={round(prefix * scale)}
          x2={round(prefix * scale)}
          y1="14"
          y2={BAR_HEIGHT + 24}
        />
        <text
          class="ink"
          x={round(prefix * scale)}
          y="10"
          text-anchor={prefix * scale > 150 ? "end" : "start"}
        >
          {`prefix ends, ${count(prefix)}`}
        </text>
        <line
          class="limit"
          x1={round(limit * scale)}
          x2={round(limit * scale)}
          y1="14"
          y2={BAR_HEIGHT + 24}
        />
        <text x={round(limit * scale)} y={BAR_HEIGHT + 37} text-anchor="end">
          {`budget ${count(limit)}`}
        </text>
      </svg>
      <ul class="key">
        {bars.map(({ name, tokens, colour: fill }) => (
          <li>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={fill} width="10" height="10" rx="2" />
            </svg>
            {plainName(name)} <span class="num">{count(tokens)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function colour(n: number): string {
  return `s${(n % COLOURS) + 1}`;
}

/** A drawing needs no more digits. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
