import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import type { Candidate } from "./check-sorted.ts";

/** A fact as a person said it: no model took it for anything. */
export type SaidFact = Pick<Candidate, "scope" | "subjectId" | "kind" | "fact" | "source"> &
  Partial<Candidate>;

/** Notes come only from episodes: these are made of what is said outside chat, without any line of it. */
export function saidEpisodes(db: Db, kind: "request" | "operator" | "import") {
  const sql = statements(db);
  const episode = sql.insert<[string, number, number, number]>(
    `INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, stage, status, created_at)
     VALUES (?, '${kind}', 0, ?, ?, 'extracted', 'done', ?)`,
  );
  const participant = sql.run<[number, string]>(
    "INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)",
  );
  const claim = sql.run<[number, number, string, string | null, string]>(
    `INSERT INTO episode_claims (episode_id, n, scope, subject_id, statement, event_ids_json)
     VALUES (?, ?, ?, ?, ?, '[]')`,
  );
  return {
    /** Gives its number. It began at `startedAtMs` and ends now. */
    begin: (channel: string, subjectId: string | null, nowMs: number, startedAtMs = nowMs) => {
      const id = episode(channel, startedAtMs, nowMs, nowMs);
      if (subjectId !== null) participant(id, subjectId);
      return id;
    },
    /** Makes a fact the episode's claim `n`; gives the candidate that rests on it. */
    claim: (episodeId: number, n: number, said: SaidFact): Candidate => {
      claim(episodeId, n, said.scope, said.subjectId, said.fact);
      return {
        ...{ property: null, topics: [], confidence: 1, importance: "high", lifetime: null },
        ...{ sensitive: false, aboutBot: false, proves: true, happensOn: null },
        ...{ claims: [{ episodeId, n }], relation: "new", noteId: null, ...said },
      };
    },
    dropClaim: sql.run<[episodeId: number, n: number]>(
      "DELETE FROM episode_claims WHERE episode_id = ? AND n = ?",
    ),
  };
}

/** Where it comes from, for the writer of notes: no stream, no model. */
export function saidOrigin(channel: string, fresh: ReadonlySet<number>) {
  return { channel, model: null, promptVersion: null, fresh };
}
