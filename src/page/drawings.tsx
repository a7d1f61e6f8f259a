import type { Trail } from "../reply/trail.ts";
import { count } from "../telemetry/figures.ts";
import { plainName } from "../telemetry/plain-names.ts";

const WIDTH = 360;
const PACE_HEIGHT = 64;

/** Lines a minute, up to now. */
export function Pace({ lines, pace }: { lines: readonly number[]; pace: string | null }) {
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

const CELL = 15;

/** How often the ladder took something, by kind of message and by section. */
export function HeatMap({
  title,
  cells,
}: {
  title: string;
  cells: readonly { readonly row: string; readonly column: string; readonly value: number }[];
}) {
  const rows = [...new Set(cells.map(({ row }) => row))];
  const columns = [...new Set(cells.map(({ column }) => column))];
  const max = Math.max(...cells.map(({ value }) => value), 1);
  const timesOf = (row: string, column: string) =>
    cells.find((cell) => cell.row === row && cell.column === column)?.value ?? 0;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <section class="scroll" tabindex={0} aria-label={title}>
        <table class="heat">
          <thead>
            <tr>
              <th scope="col">message</th>
              {columns.map((column) => (
                <th scope="col">{plainName(column)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">{row}</th>
                {columns.map((column) => (
                  <td>
                    <svg
                      viewBox={`0 0 ${CELL} ${CELL}`}
                      width={CELL}
                      height={CELL}
                      aria-hidden="true"
                    >
                      <rect
                        class={`h${Math.ceil((4 * timesOf(row, column)) / max)}`}
                        width={CELL}
                        height={CELL}
                        rx="3"
                      />
                    </svg>{" "}
                    {count(timesOf(row, column))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  );
}

/** A drawing needs no more digits. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
