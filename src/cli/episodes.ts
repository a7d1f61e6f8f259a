import { type Fault, wrongUse } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { recallStore } from "../memory/recall/recall-store.ts";
import { type EpisodeDetail, type EpisodeView, reviewStore } from "../memory/review-store.ts";
import { sessionStore } from "../memory/summarised-store.ts";
import { localTime } from "../platform/config/local-time.ts";
import { type CommandOutput, channelName, type Opened } from "./open-folder.ts";

/** Lists episodes, newest first; of every channel where none is named. */
export function listEpisodes(
  { db }: Opened,
  { channel, limit }: { channel?: string; limit: number },
): CommandOutput {
  const named = channel === undefined ? null : channelName(channel);
  const episodes = reviewStore(db).episodes(named, limit);
  const none = "No episodes yet: 25 messages, or a pause, make one.";
  return { value: episodes, text: episodes.length === 0 ? none : episodes.map(episodeLine) };
}

/** Shows one episode whole: who took part, and what it claims. */
export function tellEpisode({ db }: Opened, id: number): CommandOutput {
  const episode = reviewStore(db).episode(id);
  if (episode === null) throw noSuchEpisode(id);
  return { value: episode, text: episodeLines(episode) };
}

/** Makes a failed episode due at once; the daemon takes it up at its next look. */
export function retryEpisode({ db }: Opened, id: number): string {
  const review = reviewStore(db);
  if (review.episode(id) === null) throw noSuchEpisode(id);
  return review.retry(id)
    ? `episode ${id} is tried again at the next look`
    : `episode ${id} is finished, or its chat is gone: there is nothing to try again`;
}

/** Tells the recap of each channel's last stream that has one. */
export function showRecap({ config, db }: Opened): CommandOutput {
  const sessions = sessionStore(db);
  const { displayName } = recallStore(db);
  const streams = config.channels.map((channel) => {
    const stream = sessions.lastRecap(channel);
    const told = stream && { ...stream, recap: fillNames(stream.recap, displayName) };
    return { channel, told };
  });
  return {
    value: streams.flatMap(({ told }) => told ?? []),
    text: streams.map(({ channel, told }) =>
      told === null
        ? `#${channel}: no stream with a recap yet`
        : `#${channel}, ${localTime(told.startedAtMs)} to ${localTime(told.endedAtMs)}\n${told.recap}`,
    ),
  };
}

function episodeLine(episode: EpisodeView): string {
  const about = episode.topic || episode.summary.slice(0, 60) || `(no topic; ${stateOf(episode)})`;
  return `${String(episode.id).padStart(6)}  ${localTime(episode.startedAtMs)}  ${episode.kind.padEnd(7)} ${String(episode.eventCount).padStart(4)} events  ${about}`;
}

function episodeLines(episode: EpisodeDetail): string[] {
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
    ...(claims.length === 0 ? ["No claims."] : ["Claims:", ...claims]),
  ];
}

function stateOf({ kind, status, stage, attempts, nextAttemptAtMs }: EpisodeView): string {
  if (kind === "gap") return "a gap: this stretch could not be remembered";
  if (status !== "pending") return status;
  const next = nextAttemptAtMs ? `, next try ${localTime(nextAttemptAtMs)}` : "";
  return stage === "claimed" ? `waiting for a summary, ${attempts} tries so far${next}` : stage;
}

function noSuchEpisode(id: number): Fault {
  return wrongUse(`there is no episode ${id}`, "see `forgetmenot memory episodes` for the numbers");
}
