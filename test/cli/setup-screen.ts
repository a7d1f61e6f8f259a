interface Screen {
  readonly rows: string[];
  row: number;
  column: number;
}

const PARTS = /\p{Cc}\[\??([\d;]*)([A-Za-z])|\n|[^\p{Cc}]+/gu;

/** The rows that stand on a terminal after all this was written to it, which nothing of it is too wide for. */
export function screenRows(written: string): readonly string[] {
  const screen: Screen = { rows: [], row: 0, column: 0 };
  for (const [part, count, kind] of written.matchAll(PARTS)) {
    if (kind !== undefined) steer(screen, kind, Number(count === "" ? 1 : count));
    else if (part === "\n") {
      screen.row += 1;
      screen.column = 0;
    } else put(screen, part);
  }
  return Array.from(screen.rows, (text) => text ?? "");
}

function put(screen: Screen, text: string): void {
  const { rows, row, column } = screen;
  const before = (rows[row] ?? "").padEnd(column);
  screen.column = column + text.length;
  rows[row] = before.slice(0, column) + text + before.slice(screen.column);
}

function steer(screen: Screen, kind: string, count: number): void {
  const { rows, row, column } = screen;
  switch (kind) {
    case "A":
      screen.row = Math.max(0, row - count);
      return;
    case "B":
      screen.row = row + count;
      return;
    case "D":
      screen.column = Math.max(0, column - count);
      return;
    case "G":
      screen.column = count - 1;
      return;
    case "J":
      rows.splice(row, rows.length, (rows[row] ?? "").slice(0, column));
      return;
    case "K":
      rows[row] = "";
  }
}
