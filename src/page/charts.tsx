import { localTime } from "../platform/config/local-time.ts";
import type { Share } from "../telemetry/figures.ts";

/** Charts as inline SVG. They are 360 units wide: a phone shows them at about that size. */
const WIDTH = 360;
const ROW = 34;
const COLUMNS_HEIGHT = 90;
const HISTOGRAM_HEIGHT = 80;

export interface ChartRow {
  readonly name: string;
  readonly value: number;
  readonly label: string;
}

/** A row each: its name and label above a bar. */
export function BarChart({ title, rows }: { title: string; rows: readonly ChartRow[] }) {
  const max = Math.max(...rows.map(({ value }) => value), 1e-9);
  return (
    <Drawing title={title} height={rows.length * ROW}>
      {rows.map(({ name, value, label }, n) => (
        <g transform={`translate(0 ${n * ROW})`}>
          <text x="0" y="12">
            {name}
          </text>
          <text class="soft" x={WIDTH} y="12" text-anchor="end">
            {label}
          </text>
          <rect class="one" x="0" y="17" width={units((WIDTH * value) / max)} height="9" rx="2" />
        </g>
      ))}
    </Drawing>
  );
}

/** Columns of two parts, from the beginning of a period to its end. */
export function Columns({
  title,
  values,
  period,
}: {
  title: string;
  values: readonly (readonly [number, number])[];
  period: { readonly fromMs: number; readonly toMs: number };
}) {
  const max = Math.max(...values.map(([below, above]) => below + above), 1e-9);
  const step = WIDTH / Math.max(1, values.length);
  const tall = (value: number) => (COLUMNS_HEIGHT * value) / max;
  const box = (value: number, y: number, n: number) => ({
    x: units(n * step),
    y: units(y),
    width: units(step * 0.8),
    height: units(tall(value)),
  });
  return (
    <Drawing title={title} height={COLUMNS_HEIGHT + 20}>
      {values.map(([below, above], n) => (
        <>
          <rect class="one" {...box(below, COLUMNS_HEIGHT - tall(below), n)} />
          <rect class="two" {...box(above, COLUMNS_HEIGHT - tall(below) - tall(above), n)} />
        </>
      ))}
      <line class="axis" x1="0" x2={WIDTH} y1={COLUMNS_HEIGHT} y2={COLUMNS_HEIGHT} />
      <text class="soft" x="0" y={COLUMNS_HEIGHT + 15}>
        {localTime(period.fromMs)}
      </text>
      <text class="soft" x={WIDTH} y={COLUMNS_HEIGHT + 15} text-anchor="end">
        {localTime(period.toMs)}
      </text>
    </Drawing>
  );
}

/** How many fell into each step, the middle one around no error at all. */
export function Histogram({ title, bins }: { title: string; bins: readonly number[] }) {
  const max = Math.max(...bins, 1);
  const step = WIDTH / Math.max(1, bins.length);
  const middle = (bins.length - 1) / 2;
  return (
    <Drawing title={title} height={HISTOGRAM_HEIGHT + 20}>
      {bins.map((value, n) => (
        <rect
          class={Math.abs(n - middle) <= 5 ? "good" : "two"}
          x={units(n * step)}
          y={units(HISTOGRAM_HEIGHT - (HISTOGRAM_HEIGHT * value) / max)}
          width={units(step * 0.9)}
          height={units((HISTOGRAM_HEIGHT * value) / max)}
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
export function Intervals({
  title,
  rows,
}: {
  title: string;
  rows: readonly { readonly name: string; readonly share: Share }[];
}) {
  const at = (share: number) => units(WIDTH * share);
  return (
    <Drawing title={title} height={rows.length * ROW}>
      {rows.map(({ name, share }, n) => (
        <g transform={`translate(0 ${n * ROW})`}>
          <text x="0" y="12">
            {name}
          </text>
          <text class="soft" x={WIDTH} y="12" text-anchor="end">
            {`${(share.share * 100).toFixed(0)} % of ${share.of}`}
          </text>
          <line class="axis" x1="0" x2={WIDTH} y1="21" y2="21" />
          <line class="reach" x1={at(share.low)} x2={at(share.high)} y1="21" y2="21" />
          <circle class="one" cx={at(share.share)} cy="21" r="4" />
        </g>
      ))}
    </Drawing>
  );
}

/** With its heading, which names it for those who do not see it, too. */
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
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={title}>
        {children}
      </svg>
    </figure>
  );
}

/** A drawing needs no more digits. */
function units(value: number): number {
  return Math.round(value * 100) / 100;
}
