/**
 * Draws the house from its code: which room imports from which, and the steps of one line of chat. `npm run docs:house`
 * writes `docs/house.svg`; a test compares it with the code.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));
const PICTURE = fileURLToPath(new URL("../docs/house.svg", import.meta.url));
/** The rooms in the order in which data flows, as the architecture test has them; without single files. */
const ROOMS = [
  ...["language", "platform", "twitch", "chat", "memory", "actions"],
  ...["reply", "privacy", "telemetry", "system", "page", "daemon", "lab", "cli"],
];
const TURN = "reply/turn.ts";
/** How a line comes to its turn: in which file which call stands, and what it is for. */
const WAY = [
  ["twitch/connection.ts", "toWire", "a line of Twitch's wire, tags and all"],
  ["daemon/routes.ts", "normalise", "an event, or a reason to ignore it"],
  ["daemon/routes.ts", "commands.obey", "!remember, !forget, !bot: without a model"],
  ["daemon/routes.ts", "actions.hear", "a command, a yes or a no: without a model"],
  ["daemon/routes.ts", "service.hear", "does it speak to the bot, and who asks?"],
  ["daemon/routes.ts", "stores.events.add", "kept for a day; a batch a second"],
  ["daemon/routes.ts", "service.answer", "a ticket in the channel's queue"],
] as const;
/** What the steps of a turn are for, by the name of their function. */
const STEPS: Readonly<Record<string, string>> = {
  preflight: "paused or offline? which notes?",
  readTail: "the speaker's notes, the chat, own answers",
  assemble: "sections, trimmed to the budget",
  begin: "the reply's row, before the model is asked",
  askModel: "never rejects",
  guardAnswer: "what may be said; proposals taken out",
  propose: "policy: run, refuse, or ask for a yes",
  say: "the outbox waits for Twitch's limits",
  finish: "how it ended, in its row",
  countUse: "notes that were shown count as used",
  recordOutcomes: "what came of the proposals",
};

/** The picture as SVG. Throws where a step that it shows is not in the code any more. */
export function drawHouse(): string {
  const rooms = roomImports();
  const steps = [...WAY.map(stepOfWay), ...stepsOfTurn()];
  const height = Math.max(TOP + ROOMS.length * CELL, TOP - 60 + steps.length * ROW);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title about">
  <title id="title">The rooms of the code, and the way of one line of chat</title>
  <desc id="about">Left: a dot where the room of a row imports from the room of a column; every dot is left of the diagonal. Right: the steps that a line of chat and its answer take, with the file of each.</desc>
  <style>
    text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #cfd5e1; }
    .head { font-weight: 600; fill: #ffffff; } .file { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #86d993; }
    .why { fill: #9aa2b1; } .dot { fill: #e3c26f; } .own { fill: #3b404a; }
  </style>
  <rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" fill="#14171d" stroke="#3b404a"/>
  <text class="head" x="20" y="30">A room imports only from rooms above it</text>
${ROOMS.flatMap((room, row) => drawRoom(room, row, rooms)).join("\n")}
  <text class="head" x="${STEPS_LEFT}" y="30">One line of chat, and its turn</text>
${steps.map(drawStep).join("\n")}
</svg>
`;
}

const WIDTH = 1_180;
const TOP = 120;
const CELL = 26;
const ROW = 26;
const NAMES_WIDTH = 100;
const STEPS_LEFT = 520;

interface Step {
  readonly file: string;
  readonly call: string;
  readonly why: string;
}

function drawRoom(room: string, row: number, imports: ReadonlyMap<string, Set<string>>): string[] {
  const y = TOP + row * CELL;
  const x = (column: number): number => 20 + NAMES_WIDTH + column * CELL;
  const dots = ROOMS.flatMap((other, column) => {
    const kind = column === row ? "own" : "dot";
    const isDrawn = column === row || imports.get(room)?.has(other) === true;
    return isDrawn ? [`  <circle class="${kind}" cx="${x(column)}" cy="${y - 4}" r="6"/>`] : [];
  });
  return [
    `  <text x="20" y="${y}">${room}</text>`,
    `  <text transform="translate(${x(row) + 4} ${TOP - 22}) rotate(-60)">${room}</text>`,
    ...dots,
  ];
}

function drawStep({ file, call, why }: Step, at: number): string {
  const y = TOP - 60 + at * ROW;
  return `  <text x="${STEPS_LEFT}" y="${y}">${at + 1}. ${call}</text>
  <text class="why" x="${STEPS_LEFT + 170}" y="${y}">${why}</text>
  <text class="file" x="${STEPS_LEFT + 490}" y="${y}">${file}</text>`;
}

function stepOfWay([file, call, why]: (typeof WAY)[number]): Step {
  if (!codeOf(file).includes(`${call}(`)) throw new Error(`${file} calls no ${call} any more`);
  return { file, call, why };
}

/** The calls of the function that takes a turn, in their order, each with the file that has the called function. */
function stepsOfTurn(): Step[] {
  const code = codeOf(TURN);
  const body = /async function take\([\s\S]*?\n}\n/.exec(code)?.[0] ?? "";
  const calls = [...body.matchAll(/\b(\w+)\(parts[,.]/g)].map(([, call = ""]) => call);
  if (calls.length === 0) throw new Error(`${TURN} has no steps`);
  return [...new Set(calls)].map((call) => {
    const why = STEPS[call];
    if (why === undefined) throw new Error(`the step ${call} of a turn wants a word here`);
    const from = new RegExp(`import [^;]*\\b${call}\\b[^;]*from "([^"]+)"`).exec(code)?.[1];
    return { file: from === undefined ? TURN : resolved(TURN, from), call, why };
  });
}

/** Which rooms each room imports from. */
function roomImports(): ReadonlyMap<string, Set<string>> {
  const found = new Map(ROOMS.map((room) => [room, new Set<string>()]));
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((path) => /\.tsx?$/.test(path))) {
    const path = file.split(sep).join("/");
    for (const [, target = ""] of codeOf(path).matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      found.get(roomOf(path))?.add(roomOf(resolved(path, target)));
    }
  }
  return found;
}

function codeOf(path: string): string {
  return readFileSync(join(SRC, path), "utf8");
}

function resolved(from: string, target: string): string {
  return normalize(join(dirname(from), target))
    .split(sep)
    .join("/");
}

function roomOf(path: string): string {
  return path.split("/")[0] ?? path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PICTURE, drawHouse());
