const MARKER = /^~[0-9a-z]{8,}~ /;

/** The blocks of a prompt's tail by their titles, each as its lines. Only the mark that it begins with opens one. */
export function blocksOf(tail: string): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  const marker = MARKER.exec(tail)?.[0];
  if (marker === undefined) return blocks;
  let lines: string[] = [];
  for (const line of tail.split("\n")) {
    if (line.startsWith(marker)) {
      lines = [];
      blocks.set(line.slice(marker.length), lines);
    } else if (line !== "") {
      lines.push(line);
    }
  }
  return blocks;
}

/** The first block whose title satisfies `matches`; no lines where there is none. */
export function blockWhere(blocks: Map<string, string[]>, matches: RegExp): readonly string[] {
  for (const [title, lines] of blocks) if (matches.test(title)) return lines;
  return [];
}
