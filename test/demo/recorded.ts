import { readFileSync } from "node:fs";
import { makeEvenings } from "../../src/demo/script.ts";

export const script = makeEvenings();
export const picture = readFileSync("docs/rehearsal.svg", "utf8");

/** The rows of the picture, in order. */
export const rows = [...picture.matchAll(/<text class="(\w+)"[^>]*>(.*)<\/text>/g)].map(
  ([, kind, text = ""]) => ({
    kind,
    text: text.replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&amp;", "&").trim(),
  }),
);

/** What somebody says in the script, as a row of the picture. */
export const said = script.flatMap((beat) =>
  beat.kind === "message"
    ? [{ row: `${beat.person.displayName}  ${beat.text}`, proves: beat.proves }]
    : [],
);

/** What stands in the picture as the bot's answer to something that the rehearsal is there to show. */
export function proofs() {
  return said.flatMap(({ row, proves }) => {
    if (proves === undefined) return [];
    const at = rows.findIndex(({ text }) => text === row);
    const next = rows.slice(at + 1, at + 4).filter(({ kind }) => kind === "bot");
    const words = "words" in proves ? proves.words.toLowerCase() : "";
    const answer = next.find(
      ({ text }) => proves.kind !== "memory" || text.toLowerCase().includes(words),
    );
    return [{ asked: row, kind: proves.kind, answer: at < 0 ? null : (answer?.text ?? null) }];
  });
}
