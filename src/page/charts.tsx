import { count } from "../telemetry/figures.ts";

/** Charts as inline SVG. They are 360 units wide: a phone shows them at about that size. */
const WIDTH = 360;
const PACE_HEIGHT = 64;
const BAR_WIDTH = 200;

/** A bar of a share, 0 to 1. The text next to it says the same. */
export function bar(share: number, look = "one") {
  return (
    <svg class="chart" viewBox={`0 0 ${BAR_WIDTH} 6`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="room" width={BAR_WIDTH} height="6" />
      <rect class={look} width={round(BAR_WIDTH * Math.min(1, share))} height="6" />
    </svg>
  );
}

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

/** A drawing needs no more digits. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
