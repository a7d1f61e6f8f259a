import type { Db } from "../platform/database/open-database.ts";
import { statements } from "../platform/database/statements.ts";
import type { Candidate } from "./check-sorted.ts";

/** Who may put a fact into words outside chat, as their episode's kind: a viewer, the streamer, a file. */
type SaidKind = "request" | "operator" | "import";

type Given = Pick<Candidate, "scope" | "subjectId" | "kind" | "fact" | "source"> &
  Partial<Candidate>;

/** Notes come only from episodes: these are made of what somebody says outside chat, without any line of it. */
export function saidEpisodes(db: Db, kind: SaidKind) {
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
    claim: (
      episodeId: number,
      n: number,
      { scope, subjectId, fact }: Pick<Candidate, "scope" | "subjectId" | "fact">,
    ) => claim(episodeId, n, scope, subjectId, fact),
    dropClaim: sql.run<[episodeId: number, n: number]>(
      "DELETE FROM episode_claims WHERE episode_id = ? AND n = ?",
    ),
  };
}

/** A fact as a person said it: no model took it for anything. It rests on one claim of an episode. */
export function saidCandidate(episodeId: number, n: number, given: Given): Candidate {
  return {
    property: null,
    topics: [],
    confidence: 1,
    importance: "high",
    lifetime: null,
    sensitive: false,
    aboutBot: false,
    claims: [{ episodeId, n }],
    isWeak: false,
    carriers: 1,
    relation: "new",
    noteId: null,
    ...given,
  };
}

/** Where it comes from, for the writer of notes: no stream, no model. */
export function saidOrigin(channel: string, saidAtMs: number, fresh: ReadonlySet<number>) {
  return { channel, sessionId: null, saidAtMs, model: null, promptVersion: null, fresh };
}
