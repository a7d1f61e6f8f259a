import type { OwnNote } from "../memory/recall/recall-store.ts";
import type { RequestOutcome } from "../memory/viewer-requests.ts";
import { REPLY_CHARS_MAX } from "../reply/guard.ts";
import type { Forgotten } from "./forget-store.ts";

/** Returns wordings of an answer to `!remember`: stored, known already, waiting for the streamer, or why refused. */
export function makeRememberAnswer(outcome: RequestOutcome): readonly string[] {
  if (outcome.kind === "refused") return [NOT_KEPT[outcome.reason] ?? NOT_KEEPABLE];
  switch (outcome.as) {
    case "known":
      return ["I know that already.", "I know that already!", "I have that one already."];
    case "waiting":
      return [
        "Noted. The streamer decides whether I use it.",
        "Noted; the streamer has a say in it.",
      ];
    case "kept":
    case "forgotten":
      return ["I will remember that.", "Kept.", "Noted, I will remember.", "Got it, that is kept."];
  }
}

/** Returns wordings that say that the bot stores no more about a viewer, and how much was removed. */
export function makeOptOutAnswer(forgotten: Forgotten): readonly string[] {
  const undo = ` !optin ends that. Removed: ${describeRemoved(forgotten)}.`;
  return [
    `Done: I forgot what I knew, and keep nothing of what you write from now on.${undo}`,
    `All forgotten, and from now on I keep nothing of what you write.${undo}`,
    `I forgot what I knew about you and keep nothing of yours any more.${undo}`,
  ];
}

const NOT_KEEPABLE =
  "That is not something I keep. One short plain sentence about yourself works: plays the bass.";

const NOT_KEPT: Readonly<Record<string, string>> = {
  read_only: "I take no notes at the moment.",
  scope_off: "I keep no notes about viewers in this channel.",
  kind_off: "The streamer switched off such notes.",
  rejected_before: "The streamer does not want me to keep that.",
  weaker_source: "The streamer told me otherwise, so I keep what I have.",
  names_other: "I keep only what is about you alone, so without anybody else's name.",
  banned: "There is a word in it that I do not say, so I do not keep it.",
  too_long: "That is too long for me. One short sentence works.",
  url: "I keep no links.",
  empty: "Tell me what to keep, in one short sentence about yourself.",
  no_room: "I have no room left for more about you; !forget something, or ask the streamer.",
  opted_out: "You opted out, so I keep nothing about you.",
};

/** Returns wordings that say that a viewer is forgotten, and how much was removed. `whom`: who was forgotten. */
export function makeForgottenAnswer(
  forgotten: Forgotten,
  whom: "you" | "that viewer",
): readonly string[] {
  const removed = describeRemoved(forgotten);
  return [
    `Done: I forgot everything about ${whom}, ${removed}.`,
    `I forgot everything I knew about ${whom}: ${removed}.`,
    `All I knew about ${whom} is gone: ${removed}.`,
  ];
}

const HIDDEN = "(not for chat; the streamer can show it)";
const BETWEEN = " · ";
const LINE_CHARS_MAX = REPLY_CHARS_MAX - " (!memory 99 goes on)".length;

/**
 * Lists a viewer's notes as the texts of chat messages: the count, then each note with its number. The commonest topics
 * follow the count if one message is not enough. `replaced`: how many replaced notes to mention. `maySay` returns the
 * text that may be sent; null hides the text of a note, and leaves out a topic.
 */
export function writeMemoryLines(
  notes: readonly OwnNote[],
  replaced: number,
  maySay: (text: string) => string | null,
): string[] {
  const older =
    replaced === 0 ? "" : `, and keep ${countNoun(replaced, "thing")} from before a change`;
  const start = `I know ${countNoun(notes.length, "thing")} about you${older}`;
  const items = notes.map(({ id, fact }) => `#${id} ${maySay(fact) ?? HIDDEN}`);
  if (items.length === 0) return [`${start}.`];
  const lines = fillLines(`${start}: `, items);
  const topics = findCommonTopics(notes, maySay);
  if (lines.length === 1 || topics === "") return lines;
  const withTopics = fillLines(`${start} (${topics}): `, items);
  // Long topics may leave too little room for the first note.
  return (withTopics[0] ?? "").length > REPLY_CHARS_MAX ? lines : withTopics;
}

/** Puts `head` and the items into as few lines as fit into chat; each but the last says how to see the next. */
function fillLines(head: string, [first = "", ...others]: readonly string[]): string[] {
  const lines: string[] = [];
  let line = head + first;
  for (const item of others) {
    if (line.length + BETWEEN.length + item.length <= LINE_CHARS_MAX) line += BETWEEN + item;
    else {
      lines.push(`${line} (!memory ${lines.length + 2} goes on)`);
      line = item;
    }
  }
  return [...lines, line];
}

const TOPICS_TOLD = 5;

/** Returns at most five topics that may be sent, those of most notes first, joined by commas; "" if there are none. */
function findCommonTopics(
  notes: readonly OwnNote[],
  maySay: (text: string) => string | null,
): string {
  const counts = new Map<string, number>();
  for (const topic of notes.flatMap(({ topics }) => topics.split(", ")))
    if (topic !== "" && maySay(topic) !== null) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  const common = [...counts].toSorted(([, one], [, other]) => other - one);
  return common
    .slice(0, TOPICS_TOLD)
    .map(([topic]) => topic)
    .join(", ");
}

/**
 * Says what a forget removed: `2 notes, 1 message and 3 moments; 1 summary changed`. Leaves out moments and summaries
 * if there are none.
 */
export function describeRemoved({
  notes,
  messages,
  moments,
  summaries,
}: Readonly<Record<"notes" | "messages" | "moments" | "summaries", number>>): string {
  const [first, second] = [countNoun(notes, "note"), countNoun(messages, "message")];
  const removed =
    moments === 0
      ? `${first} and ${second}`
      : `${first}, ${second} and ${countNoun(moments, "moment")}`;
  if (summaries === 0) return removed;
  return `${removed}; ${summaries} ${summaries === 1 ? "summary" : "summaries"} changed`;
}

/** `1 note`, `2 notes`. */
export function countNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Several wordings of each answer, because Twitch drops a text that was sent within 30 s to anyone. */
export const SAID = {
  later: [
    "I can't right now, try again later.",
    "Not now, sorry: please try again later.",
    "I can't store that right now, try again in a while.",
  ],
  loginUnknown: [
    "I know nobody here by that login.",
    "Nobody here has that login, as far as I know.",
  ],
  loginAmbiguous: [
    "More than one account had that login: the streamer can tell me which.",
    "That login was more than one account's; the streamer can tell me which.",
  ],
  streamersOwn: [
    "What I know of the streamer only the streamer has forgotten.",
    "Only the streamer can delete that.",
  ],
  noteForgotten: [
    "Forgotten, and I will not learn it again.",
    "That is gone, and I will not pick it up again.",
    "Gone. I will not learn it again.",
  ],
  topicUnknown: [
    "I knew nothing about that, and I will not learn it.",
    "There was nothing to forget, and I will not learn it either.",
  ],
  notYours: ["I have no such note about you.", "That is no note about you."],
  noTopic: [
    "Tell me a note's number, or a topic of one to five words.",
    "I need a note's number, or a topic of one to five words.",
  ],
  optedIn: ["Welcome back: I may remember you again.", "Good: I may remember you again."],
  wasIn: ["You had not opted out.", "You were not opted out."],
  nothingKept: [
    "You opted out: I keep nothing about you.",
    "Nothing: you opted out, so I keep nothing about you.",
  ],
  nothingKnown: ["I know nothing about you.", "I have no notes about you.", "Nothing yet."],
  noSuchPage: ["There is no more.", "That is all I know."],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Returns wordings that say how many channel notes were moved back to shadow. */
export function makeUnlearnAnswer(count: number): string[] {
  if (count === 0) return ["My last answer used no channel notes.", "No channel notes to unlearn."];
  const notes = countNoun(count, "channel note");
  return [`Unlearned ${notes}; the streamer can review it.`, `I set ${notes} aside for review.`];
}
