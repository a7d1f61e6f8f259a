import { Fault } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import {
  type EpisodeDetail,
  type EpisodeView,
  reviewStore,
} from "../memory/memory-review-store.ts";
import { sessionStore } from "../memory/memory-session-store.ts";
import { recallStore } from "../memory/recall/recall-store.ts";
import { loadConfig } from "../platform/config/load.ts";
import { localTime } from "../platform/config/local-time.ts";
import { type Db, openDatabase } from "../platform/database/open-database.ts";
import type { Terminal } from "./terminal.ts";

export interface EpisodesOptions {
  readonly config: string;
  /** Of every channel where it is missing. */
  readonly channel?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Lists episodes, newest first. */
export function listEpisodes(
  { config, channel, limit, json }: EpisodesOptions,
  terminal: Terminal,
): void {
  withDatabase(config, true, (db) => {
    const episodes = reviewStore(db).episodes(channel?.toLowerCase() ?? null, limit);
    if (json === true) return terminal.print(JSON.stringify(episodes, null, 2));
    terminal.print(
      episodes.length === 0
        ? "No episodes yet: 25 messages, or a pause, make one."
        : episodes.map(episodeLine).join("\n"),
    );
  });
}

/** Shows one episode whole: who took part, and what it claims. */
export function showEpisode(
  id: number,
  { config, json }: { readonly config: string; readonly json?: true },
  terminal: Terminal,
): void {
  withDatabase(config, true, (db) => {
    const episode = reviewStore(db).episode(id);
    if (episode === null) throw noSuchEpisode(id);
    terminal.print(json === true ? JSON.stringify(episode, null, 2) : episodeText(episode));
  });
}

/** Makes a failed episode due at once; the daemon takes it up at its next look. */
export function retryEpisode(id: number, config: string, terminal: Terminal): void {
  withDatabase(config, false, (db) => {
    const review = reviewStore(db);
    if (review.episode(id) === null) throw noSuchEpisode(id);
    terminal.print(
      review.retry(id)
        ? `episode ${id} is tried again at the next look`
        : `episode ${id} is finished, or its chat is gone: there is nothing to try again`,
    );
  });
}

/** Prints the recap of the last stream that has one. */
export function showRecap(
  { config, json }: { readonly config: string; readonly json?: true },
  terminal: Terminal,
): void {
  const { channels } = loadConfig(config);
  withDatabase(config, true, (db) => {
    const sessions = sessionStore(db);
    const { displayName } = recallStore(db);
    const streams = channels.map((channel) => ({ channel, stream: sessions.lastRecap(channel) }));
    if (json === true) {
      const told = streams.flatMap(({ stream }) =>
        stream === null ? [] : [{ ...stream, recap: fillNames(stream.recap, displayName) }],
      );
      return terminal.print(JSON.stringify(told, null, 2));
    }
    for (const { channel, stream } of streams) {
      terminal.print(
        stream === null
          ? `#${channel}: no stream with a recap yet`
          : `#${channel}, ${localTime(stream.startedAtMs)} to ${localTime(stream.endedAtMs)}\n${fillNames(stream.recap, displayName)}`,
      );
    }
  });
}

function withDatabase(configFile: string, readOnly: boolean, work: (db: Db) => void): void {
  const db = openDatabase(loadConfig(configFile).databaseFile, { readOnly });
  try {
    work(db);
  } finally {
    db.close();
  }
}

function episodeLine(episode: EpisodeView): string {
  const about = episode.topic || episode.summary.slice(0, 60) || `(no topic; ${stateOf(episode)})`;
  return `${String(episode.id).padStart(6)}  ${localTime(episode.startedAtMs)}  ${episode.kind.padEnd(7)} ${String(episode.eventCount).padStart(4)} events  ${about}`;
}

function episodeText(episode: EpisodeDetail): string {
  const claims = episode.claims.map(
    ({ n, scope, subject, statement, support, withdrawn }) =>
      `  ${n}. ${statement} (${subject ?? scope}, ${support} events${withdrawn ? ", withdrawn" : ""})`,
  );
  return [
    `Episode ${episode.id} in #${episode.channel}: ${episode.topic || "no topic"}`,
    `${localTime(episode.startedAtMs)} to ${localTime(episode.endedAtMs)} · ${episode.kind} · ${episode.eventCount} events · ${stateOf(episode)}`,
    `With ${episode.participants.join(", ")}`,
    "",
    episode.summary || "(no summary: not written yet, or taken back with chat that was removed)",
    "",
    claims.length === 0 ? "No claims." : `Claims:\n${claims.join("\n")}`,
  ].join("\n");
}

function stateOf({ kind, status, stage, attempts, nextAttemptAtMs }: EpisodeView): string {
  if (kind === "gap") return "a gap: this stretch could not be remembered";
  if (status !== "pending") return status;
  const next =
    nextAttemptAtMs === null || nextAttemptAtMs === 0
      ? ""
      : `, next try ${localTime(nextAttemptAtMs)}`;
  return stage === "claimed" ? `waiting for a summary, ${attempts} tries so far${next}` : stage;
}

function noSuchEpisode(id: number): Fault {
  return new Fault(`there is no episode ${id}`, {
    code: "usage",
    mend: "see `forgetmenot memory episodes` for the numbers",
  });
}
