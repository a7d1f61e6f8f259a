import {
  type CandidateView,
  type NoteReviewStore,
  noteReviewStore,
} from "../memory/note-review-store.ts";
import { loadConfig } from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import type { Terminal } from "./terminal.ts";

export interface CandidatesOptions {
  readonly config: string;
  readonly reason?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Lists what was offered for memory and what became of it, newest first, and counts all of it by reason. */
export function listCandidates(options: CandidatesOptions, terminal: Terminal): void {
  const { config, reason = null, limit, json } = options;
  const db = openDatabase(loadConfig(config).databaseFile, { readOnly: true });
  try {
    const review = noteReviewStore(db);
    const found = {
      candidates: review.candidates({ reason, limit }),
      byReason: review.candidateCounts(),
    };
    terminal.print(json === true ? JSON.stringify(found, null, 2) : candidatesText(found));
  } finally {
    db.close();
  }
}

interface Found {
  readonly candidates: readonly CandidateView[];
  readonly byReason: ReturnType<NoteReviewStore["candidateCounts"]>;
}

function candidatesText({ candidates, byReason }: Found): string {
  const counts = byReason.map(({ decision, reason, count }) => `${decision} ${reason} ${count}`);
  return [
    ...(candidates.length === 0 ? ["No candidates."] : candidateLines(candidates)),
    "",
    `In the last 30 days, by reason: ${counts.join(", ") || "none"}`,
  ].join("\n");
}

function candidateLines(candidates: readonly CandidateView[]): string[] {
  const verdict = ({ decision, reason }: CandidateView): string => `${decision} (${reason})`;
  const width = Math.max(...candidates.map((one) => verdict(one).length));
  return candidates.map((one) => {
    const note = one.noteId === null ? "" : `, note ${one.noteId}`;
    return `${localTime(one.createdAtMs)}  ${verdict(one).padEnd(width)}  ${one.fact ?? "(not kept)"}  [episode ${one.episodeId}${note}]`;
  });
}
