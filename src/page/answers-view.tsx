import type { Child } from "hono/jsx";
import { listUnshownEpisodes, type Trail } from "../reply/trail.ts";
import { count, formatDollars, formatMilliseconds, formatPlural } from "../telemetry/figures.ts";
import { explainSilence, getPlainName } from "../telemetry/plain-names.ts";
import { repliesQuery, showReply } from "./bot-routes.ts";
import type { ReplyRow } from "./browse-store.ts";
import {
  act,
  badge,
  bar,
  card,
  empty,
  facts,
  foldAway,
  hint,
  link,
  list,
  more,
  nextPage,
  part,
  Time,
  toPlainWord,
  viewerHref,
  withQuery,
} from "./parts.tsx";
import { readId, type Views } from "./route.ts";

type ShownReply = ReturnType<typeof showReply>;

const STATES = (
  [
    ["", "All"],
    ["sent", "Sent"],
    ["shadow", "Kept back in silent mode"],
    ["silent", "Said nothing"],
    ["refused", "Not answered"],
    ["unknown", "Perhaps not sent"],
  ] as const
).map(([state, name]) => [withQuery("/replies", { state }), name] as const);

/** All answers, newest first; and each with its prompt, the parts left out, and its cost. */
export const REPLIES: Views = {
  "/replies": (data, { query }) => {
    const asked = repliesQuery.parse(query);
    const { state } = asked;
    const { items, next } = data.browse.replies(asked);
    const tabs = { label: "State", at: withQuery("/replies", { state }), of: STATES };
    const none =
      "None yet. Write to the bot in chat, with its name in the message: its answer shows here, with what it saw.";
    const shown = [drawReplies(items, none), more(nextPage("/replies", { state }, next))];
    return { title: "Answers", tabs, live: ["replies"], shown };
  },
  "/replies/:id": (data, { params }) => {
    const reply = showReply(data, readId(params));
    const shown = (
      <>
        {drawReplies([reply], "", "list sheet")}
        {drawTrail(reply)}
        {reply.actions.length > 0 &&
          part(
            "What it wanted to do",
            list(reply.actions, "", ({ id, action, decision, reason, outcome }) => (
              <li>
                <b>{action}</b> {badge(decision)} {toPlainWord(reason)}
                {outcome && `, ${toPlainWord(outcome)}`}{" "}
                {link(`/actions?#action-${id}`, "among the actions")}
              </li>
            )),
          )}
      </>
    );
    return {
      title: `Answer ${reply.id}`,
      lead: `To ${reply.viewer ?? "someone"} in #${reply.channel}, by ${toPlainWord(reply.trigger)}`,
      live: ["replies", "notes", "actions"],
      shown,
    };
  },
};

/** Draws answers, sent or not, with the reason, the outcome, and buttons to judge each. */
export function drawReplies(replies: readonly ReplyRow[], none: string, look?: string) {
  return list(replies, none, drawReply, look);
}

/** Texts of chat have `data-mortal`: an open page that loses the bot removes them. */
function drawReply(reply: ReplyRow) {
  const { id, viewer, userId, state, reason, text, question, outcomes } = reply;
  const unsaid = state === "silent" ? "It said nothing." : "The text has expired.";
  const body = (
    <>
      {question && (
        <p class="asked" data-mortal="">
          {question}
        </p>
      )}
      {text && (
        <p class="quote" data-mortal="">
          {text}
        </p>
      )}
      {text === null && state !== "refused" && <p class="gone small">{unsaid}</p>}
    </>
  );
  const about = [
    link(viewerHref(userId), viewer ?? "someone", "who plain"),
    <Time ms={reply.createdAtMs} />,
    badge(state),
    reason && toPlainWord(explainSilence(reason)),
    ...outcomes.map((one) => badge(one, getPlainName(one))),
    link(`/replies/${id}`, "what it saw"),
  ];
  return card(`reply-${id}`, body, about, drawThumbs(reply));
}

/** Draws the streamer's own !good and !bad. */
function drawThumbs({ id, state, outcomes }: ReplyRow) {
  if (!["sent", "unknown", "shadow"].includes(state)) return null;
  const thumbs = [
    ["good", "Good", "g"],
    ["bad", "Bad", "b"],
  ] as const;
  return thumbs.map(([verdict, label, key]) =>
    act(`post /api/replies/${id}/verdict`, outcomes.includes(verdict) ? `${label} ✓` : label, {
      fields: { verdict },
      key,
    }),
  );
}

const SUBJECTS = {
  channel: "about the channel",
  bit: "a running joke",
  lore: "about who asked",
} as const;

function drawTrail(reply: ShownReply) {
  if (reply.trail.kind === "none")
    return empty("It ended before the model was called, so the model saw nothing.");
  if (reply.trail.kind === "damaged")
    return empty("The record of this answer is damaged and cannot be read.");
  const { trail } = reply.trail;
  const sections = Object.entries(trail.sections).filter(([, tokens]) => tokens > 0);
  const total = sections.reduce((sum, [, tokens]) => sum + tokens, 0);
  const most = Math.max(...sections.map(([, tokens]) => tokens), 1);
  const limit = trail.limitTokens;
  const notes = list(reply.facts, "There was no note.", (note) => {
    const [fact, button] = drawUsedNote(note, "w");
    const about = [
      note.isKept ? badge("blue", "it saw this") : "left out",
      SUBJECTS[note.about],
      `score ${note.score.toFixed(2)}`,
    ];
    return card(`weighed-${note.id}`, fact, about, button);
  });
  const leftOut = list(
    trail.ladder,
    "Nothing: everything fitted.",
    ({ section, from, to, savedTokens, droppedIds }) => (
      <li>
        {`${getPlainName(section)}: ${from} → ${to}, ${formatPlural(savedTokens, "token")} saved`}
        {droppedIds.length > 0 && ` (${droppedIds.join(", ")})`}
      </li>
    ),
    "list small",
  );
  return (
    <div class="cols">
      <div>{part("Notes it could use", notes)}</div>
      <div>
        {part(
          "What the model saw",
          hint(
            `About ${count(total)} tokens, of ${count(limit)} at most. A token is about four letters.`,
          ),
          facts(
            sections.map(([name, tokens]) => [
              getPlainName(name),
              [count(tokens), bar(tokens / most)],
            ]),
          ),
        )}
        {part("Left out to keep it short", leftOut)}
        {foldAway(
          "numbers",
          "Numbers",
          facts(listFigures(trail, reply)),
          trail.notes.candidates.length > 0 && (
            <p class="more">
              <a href={`/api/replies/${reply.id}/scenario`} download={`reply-${reply.id}.json`}>
                Make a scenario for eval
              </a>{" "}
              <span class="small soft">It holds only notes, no word of chat.</span>
            </p>
          ),
        )}
      </div>
    </div>
  );
}

function listFigures(trail: Trail, reply: ShownReply): readonly (readonly [string, Child])[] {
  const countText = (value: number | null) => (value === null ? "not counted" : count(value));
  return [
    [
      "Model",
      `${trail.model ?? "none"}${trail.finish === null ? "" : `, ${toPlainWord(trail.finish)}`}`,
    ],
    ["Tokens in, estimated", count(trail.estimatedTokens)],
    ["Tokens in, counted", countText(trail.promptTokens)],
    ["of them cached", countText(trail.cachedTokens)],
    ["Tokens out", countText(trail.outputTokens)],
    ["Cost", formatDollars(reply.dollars)],
    [
      "Time in the model",
      reply.latencyMs === null ? "not asked" : formatMilliseconds(reply.latencyMs),
    ],
    ["Pace of chat", trail.pace],
    ["Summaries left out", listUnshownEpisodes(trail).join(", ") || "none"],
    ["Removed from the answer", trail.guard.removed.map(toPlainWord).join(", ") || "nothing"],
    ["Stopped by", trail.guard.rule === null ? "nothing" : toPlainWord(trail.guard.rule)],
  ];
}

/** Draws a note of a prompt: its fact, and a button that rejects it. */
export function drawUsedNote({ id, fact, status }: ShownReply["facts"][number], key?: string) {
  if (fact === null) return [<p class="gone">This note is gone.</p>, null] as const;
  const reject = { fields: { status: "rejected" }, look: "quiet", key } as const;
  const button =
    status === "active"
      ? act(`patch /api/notes/${id}`, "This note was wrong", reject)
      : badge(status ?? "");
  return [<p class="fact">{link(`/memory/notes/${id}`, fact)}</p>, button] as const;
}
