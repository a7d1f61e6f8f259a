import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault, messageOf } from "../errors.ts";
import { readJsonFile } from "../lab/evaluation/load-scenario.ts";
import { fromLocomo } from "../lab/evaluation/locomo.ts";
import { makeFolder } from "../platform/config/make-folder.ts";
import type { Terminal } from "./terminal.ts";

/** Writes the conversations of a LoCoMo file as scenarios into a folder. Throws a Fault, before anything is written. */
export function convertLocomo(file: string, folder: string, terminal: Terminal): void {
  const converted = fromLocomo(readJsonFile(file), file);
  const names = converted.map(({ scenario }) => scenario.name);
  if (new Set(names).size < names.length) {
    throw new Fault(`${file}: two conversations have the same sample_id`, {
      code: "usage",
      mend: "give each a sample_id of its own",
    });
  }
  try {
    makeFolder(folder);
    for (const { scenario } of converted) {
      writeFileSync(
        join(folder, `${scenario.name}.json`),
        `${JSON.stringify(scenario, null, 1)}\n`,
      );
    }
  } catch (cause) {
    throw new Fault(`${folder}: cannot be written (${messageOf(cause)})`, {
      code: "folder",
      mend: "name a folder that you may write to",
      cause,
    });
  }
  terminal.print(
    converted
      .map(
        ({ scenario: { name, facts, questions, sessions }, left }) =>
          `${name}: ${sessions.length} sessions, ${facts.length} facts, ${questions.length} questions` +
          ` (left out: ${left.unanswerable} without an answer, ${left.withoutNote} without a note)`,
      )
      .join("\n"),
  );
}
