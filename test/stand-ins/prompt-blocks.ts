/** Splits a prompt at its fence. Returns the lines of each block by title, empty lines left out. */
export function blocksOf(prompt: string): Map<string, string[]> {
  const marker = /^~[0-9a-z]{8,}~ /m.exec(prompt)?.[0];
  const blocks = new Map<string, string[]>();
  if (marker === undefined) return blocks;
  for (const block of `\n${prompt}`.split(`\n${marker}`).slice(1)) {
    const [title = "", ...lines] = block.split("\n");
    blocks.set(
      title,
      lines.filter((line) => line !== ""),
    );
  }
  return blocks;
}
