import { readFileSync, writeFileSync } from "node:fs";
import { cellsOf, HEAD, type Row, ratioOf } from "./figures.ts";

const PAGE = new URL("../docs/performance.md", import.meta.url);
const PLOT = new URL("../docs/performance.svg", import.meta.url);
const GROWTH = new URL("../docs/growth.svg", import.meta.url);
const BEGIN = "<!-- figures: written by `npm run bench -- --write` -->";
const END = "<!-- end of figures -->";
const WIDTH = 760;
const BAR_HEIGHT = 22;
const LABELS_WIDTH = 380;
/** The plot reaches from a hundredth to a hundred times what stands beside. */
const DECADES = 2;

/** Puts the figures into `docs/performance.md` and draws their ratios and how costs grow. */
export function writeTable(rows: readonly Row[], machine: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [before] = page.split(BEGIN);
  const [, after] = page.split(END);
  if (before === undefined || after === undefined)
    throw new Error("the page has no place for figures");
  const lines = [HEAD, HEAD.map(() => "---"), ...rows.map(cellsOf)];
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  writeFileSync(PAGE, `${before}${BEGIN}\n\nMeasured ${machine}.\n\n${table}\n\n${END}${after}`);
  writeFileSync(PLOT, plotOf(rows));
  const growing = rows.filter(({ grows }) => grows !== undefined);
  if (growing.length > 0) writeFileSync(GROWTH, growthPlotOf(growing));
}

/** A panel for each cost, two in a row: its number by powers of ten to the right, the cost upwards from zero. */
function growthPlotOf(rows: readonly Row[]): string {
  const height = Math.ceil(rows.length / 2) * PANEL.height;
  return [
    ...frameOf(height),
    ...rows.map((row, n) => {
      const [x, y] = [(n % 2) * PANEL.width, Math.floor(n / 2) * PANEL.height];
      return `<g transform="translate(${x} ${y})">${panelOf(row)}</g>`;
    }),
    "</svg>\n",
  ].join("\n");
}

const PANEL = { width: WIDTH / 2, height: 150, left: 56, right: 30, top: 34, bottom: 26 };

function panelOf({ what, unit, digits = 1, grows }: Row): string {
  const { by, points } = grows ?? { by: "", points: [] };
  const logs = points.map(([count]) => Math.log10(count));
  const [from = 0, to = 1] = [logs[0], logs.at(-1)];
  const most = Math.max(...points.map(([, cost]) => cost)) * 1.15;
  const width = PANEL.width - PANEL.left - PANEL.right;
  const bottom = PANEL.height - PANEL.bottom;
  const places = points.map(([count, cost], n) => ({
    count,
    cost,
    x: Math.round(PANEL.left + (((logs[n] ?? 0) - from) / (to - from || 1)) * width),
    y: Math.round(bottom - (cost / most) * (bottom - PANEL.top)),
  }));
  const marks = places.map(
    ({ count, cost, x, y }) =>
      `<circle cx="${x}" cy="${y}" r="3" fill="#6441a5"/><text x="${x}" y="${y - 6}" text-anchor="middle">${cost.toFixed(digits)}</text><text x="${x}" y="${bottom + 14}" text-anchor="middle" fill="#666">${count.toLocaleString("en")}</text>`,
  );
  const title = `${what.replace(/, [\d,]+ \S+$/, "")}, ${unit}, by ${by}`;
  return (
    `<text x="8" y="16" font-weight="bold">${title}</text>` +
    `<path d="M${PANEL.left} ${bottom}h${width}" stroke="#ccc"/>` +
    `<polyline points="${places.map(({ x, y }) => `${x},${y}`).join(" ")}" fill="none" stroke="#6441a5"/>${marks.join("")}`
  );
}

function frameOf(height: number): string[] {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
  ];
}

/** Ours to theirs, a bar each, by a scale of powers of ten: to the left less than theirs, to the right more. */
function plotOf(rows: readonly Row[]): string {
  const shown = rows.flatMap((row) => {
    const ratio = ratioOf(row);
    return ratio === null || ratio <= 0 ? [] : [{ row, ratio }];
  });
  const height = (shown.length + 1) * BAR_HEIGHT;
  const bars = shown.map(({ row, ratio }, n) => barOf(row, ratio, n * BAR_HEIGHT + BAR_HEIGHT));
  return [
    ...frameOf(height + 8),
    ...[0.1, 1, 10].map((ratio) => scaleOf(ratio, height)),
    ...bars,
    "</svg>\n",
  ].join("\n");
}

function scaleOf(ratio: number, height: number): string {
  const x = placeOf(ratio);
  return `<text x="${x}" y="14" text-anchor="middle" fill="#666">${ratio} ×</text><path d="M${x} 18V${height}" stroke="#ccc"/>`;
}

function barOf({ what, beside }: Row, ratio: number, y: number): string {
  const [from, to] = [placeOf(1), placeOf(ratio)].sort((a, b) => a - b) as [number, number];
  const label = `${what} / ${beside ?? ""}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return (
    `<text x="${LABELS_WIDTH - 8}" y="${y + 12}" text-anchor="end">${label}</text>` +
    `<rect x="${from}" y="${y + 3}" width="${Math.max(1, to - from)}" height="12" fill="#6441a5"/>`
  );
}

function placeOf(ratio: number): number {
  const log = Math.max(-DECADES, Math.min(DECADES, Math.log10(ratio)));
  const span = WIDTH - LABELS_WIDTH - 12;
  return Math.round(LABELS_WIDTH + ((log + DECADES) / (2 * DECADES)) * span);
}
