import type { LlmRequest } from "../../src/models/model-port.ts";
import { addRow } from "../stand-ins/rows.ts";
import { type ScriptedLlm, scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { CHANNEL, type MemoryRig, summaryJson } from "./memory-rig.ts";

export const CLAIMS = `SELECT n, scope, subject_id AS who, event_ids_json AS ids, withdrawn_at IS NOT NULL AS withdrawn
  FROM episode_claims ORDER BY episode_id, n`;

/** What the channel is said to do, once for each two lines in a row. */
export const SHARED = [
  "Everybody puts painted shells away in drawers",
  "Painted shells are put into drawers here",
  "Drawers are where the shells are put",
  "All of the shells are away",
] as const;

/** A model that notes who speaks of which drawer, and that any two lines in a row are a habit of the channel. */
export function drawerModel(onAsk: (request: LlmRequest) => void = () => undefined): ScriptedLlm {
  return scriptedLlm((request: LlmRequest) => {
    onAsk(request);
    if (request.purpose === "extract") return JSON.stringify({ notes: [] });
    if (request.tail.includes("notes on the stream")) {
      const drawers = [...request.tail.matchAll(/drawer \d+/g)].map(
        ([drawer]) => `There was talk of ${drawer}.`,
      );
      return JSON.stringify({ recap: drawers.slice(0, 5).join(" ") });
    }
    const lines = [
      ...request.tail.matchAll(/^(P\d+|STREAMER)(?: \(known\))?: .*? drawer (\d+).*$/gm),
    ];
    const own = lines.slice(0, 12).map(([, label, drawer]) => ({
      subject: label ?? "",
      quotes: [`in drawer ${drawer}`],
      statement: `${label} stores shells in ${drawer}`,
    }));
    const shared = lines.slice(1, 5).map(([, , drawer], at) => ({
      subject: "channel",
      quotes: [`in drawer ${lines[at]?.[2]}`, `in drawer ${drawer}`],
      statement: SHARED[at] ?? "",
    }));
    const said = lines.slice(0, 8).map(([, , drawer]) => `Talk turned to drawer ${drawer}.`);
    return summaryJson([...own, ...shared], said.join(" "));
  });
}

/** What somebody says of a drawer. */
export function drawerLine(drawer: number): string {
  return `honestly I put all of my painted shells away in drawer ${drawer}`;
}

interface NoteSeed {
  readonly id: number;
  /** Episode and claim. */
  readonly evidence: readonly (readonly [number, number])[];
  readonly supersededBy: number | null;
}

/** Writes a note about a collector of shells. */
export function addNote(rig: MemoryRig, { id, evidence, supersededBy }: NoteSeed): void {
  const note = { channel: CHANNEL, subject_id: "1001", fact: "stores shells" };
  addRow(rig.db, "semantic_notes", { id, ...note, superseded_by: supersededBy });
  for (const [episode, claim] of evidence)
    addRow(rig.db, "note_evidence", { note_id: id, episode_id: episode, claim_n: claim });
}
