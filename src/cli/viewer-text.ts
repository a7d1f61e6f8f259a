import { localDay } from "../platform/config/local-time.ts";
import type { ViewerRecord } from "../privacy/viewer-record-store.ts";

/** What is kept about a person, for a terminal. */
export function recordText(record: ViewerRecord): string {
  const { notes, claims, episodes, namedIn, actions } = record;
  return [
    ...record.accounts.map(accountLine),
    record.optedOut ? "opted out: nothing of what they write is kept" : "not opted out",
    ...record.channels.map(channelLine),
    `${record.lines} lines of chat are still there, ${record.linesWithText} with their words; asked the bot ${record.asked} times, answered ${record.answered} times`,
    ...(record.suppressedTopics > 0 ? ["has topics that are never to be learned again"] : []),
    ...section(
      "Notes",
      notes.map(
        ({ id, kind, fact, status, source }) => `${id}  ${kind}  ${fact} [${status}, ${source}]`,
      ),
    ),
    ...section(
      "Claims in episodes",
      claims.map(
        ({ episodeId, statement, withdrawnAtMs }) =>
          `episode ${episodeId}: ${statement}${withdrawnAtMs === null ? "" : " (withdrawn)"}`,
      ),
    ),
    ...section(
      "Took part in",
      episodes.map(({ id, topic, endedAtMs }) => `episode ${id}, ${localDay(endedAtMs)}: ${topic}`),
    ),
    ...section("Named in", namedIn),
    ...section(
      "Actions",
      actions.map(
        ({ action, decision, reason, asked, createdAtMs }) =>
          `${localDay(createdAtMs)}  ${action}: ${decision} (${reason})${asked === 1 ? "" : ", done to them"}`,
      ),
    ),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function accountLine(account: ViewerRecord["accounts"][number]): string {
  const { userId, login, displayName, firstSeenAtMs, lastSeenAtMs } = account;
  if (login === null || firstSeenAtMs === null || lastSeenAtMs === null)
    return `account ${userId}: never seen, or forgotten`;
  return `account ${userId}: ${login} (${displayName}), seen ${localDay(firstSeenAtMs)} to ${localDay(lastSeenAtMs)}`;
}

function channelLine(one: ViewerRecord["channels"][number]): string {
  const roles = [
    one.isBroadcaster === 1 ? "streamer" : "",
    one.isModerator === 1 ? "moderator" : "",
    one.isVip === 1 ? "VIP" : "",
    one.isSubscriber === 1 ? "subscriber" : "",
  ].filter((role) => role !== "");
  const as = roles.length === 0 ? "" : `, ${roles.join(", ")}`;
  return `in #${one.channel}: ${one.messages} messages in ${one.streams} streams${as}`;
}
