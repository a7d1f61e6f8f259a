import type { Child } from "hono/jsx";
import type { Trail } from "../reply/trail.ts";
import { count } from "../telemetry/figures.ts";
import { plainName } from "../telemetry/plain-names.ts";

/** Charts as inline SVG. They are 360 units wide: a phone shows them at about that size. */
const WIDTH = 360;
const ROW = 34;

/** A row for each bar, its name and label above it. */
function BarRows(given: {
  title: string;
  rows: readonly { name: string; value: number; label: Child }[];
}) {
  const { title, rows } = given;
  const max = Math.max(...rows.map(({ value }) => value), 1e-9);
  return (
    <Drawing title={title} height={rows.length * ROW}>
      {rows.map(({ name, value, label }, n) => {
        const width = round((WIDTH * value) / max);
        return (
          <g transform={`translate(0 ${n * ROW})`}>
            <text x="0" y="12">
              {name}
            </text>
            <text class="soft" x={WIDTH} y="12" text-anchor="end">
              {label}
            </text>
            <rect class="one" x="0" y="17" width={width} height="9" rx="2" />
          </g>
        );
      })}
    </Drawing>
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
