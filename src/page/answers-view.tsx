import type { Child } from "hono/jsx";
import { episodesUnshown, type Trail } from "../reply/trail.ts";
import { count, dollars, milliseconds, plural } from "../telemetry/figures.ts";
import { plainName, whySilent } from "../telemetry/plain-names.ts";
import type { ReplyRow } from "./browse-store.ts";
import { bar } from "./charts.tsx";
import {
  act,
  badge,
  Card,
  Empty,
  facts,
  list,
  more,
  nextPage,
  Part,
  personHref,
  plain,
  When,
  withQuery,
} from "./parts.tsx";
import { repliesQuery, showReply } from "./record-routes.ts";
import { idIn, type Views } from "./route.ts";

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

/** All answers, newest first; and each with what the model saw, what was left out, and what it cost. */
export const REPLIES: Views = {
  "/replies": (data, { query }) => {
    const asked = repliesQuery.parse(query);
    const { state } = asked;
    const { items, next } = data.browse.replies(asked);
    const tabs = { label: "State", at: withQuery("/replies", { state }), of: STATES };
    const shown = (
      <>
        {replyList(
          items,
          "None yet. Write to the bot in chat, with its name in the message: its answer shows here, with what it saw.",
        )}
        {more(nextPage("/replies", { state }, next))}
      </>
    );
    return { title: "Answers", tabs, live: ["replies"], shown };
  },
  "/replies/:id": (data, { params }) => {
    const reply = showReply(data, idIn(params));
    const shown = (
      <>
        {replyList([reply], "", "list sheet")}
        <TrailParts reply={reply} />
        {reply.actions.length > 0 && (
          <Part title="What it wanted to do">
            {list(reply.actions, "", ({ id, action, decision, reason, outcome }) => (
              <li>
                <b>{action}</b> {badge(decision)} {plain(reason)}
                {outcome && `, ${plain(outcome)}`}{" "}
                <a href={`/actions?#action-${id}`}>among the actions</a>
              </li>
            ))}
          </Part>
        )}
      </>
    );
    return {
      title: `Answer ${reply.id}`,
      lead: `To ${reply.viewer ?? "someone"} in #${reply.channel}, by ${plain(reply.trigger)}`,
      live: ["replies", "notes", "actions"],
      shown,
    };
  },
};

/** Answers, sent or not, with the reason, the outcome, and buttons to judge each. */
export function replyList(replies: readonly ReplyRow[], none: string, look?: string) {
  return list(replies, none, (reply) => <ReplyCard reply={reply} />, look);
}

/** Words of chat have `data-mortal`: an open page that loses the bot removes them. */
function ReplyCard({ reply }: { reply: ReplyRow }) {
  const { id, viewer, userId, state, reason, text, question, createdAtMs, outcomes } = reply;
  const unsaid = state === "silent" ? "It said nothing." : "The text has expired.";
  const meta = (
    <>
      <a class="who plain" href={personHref(userId)}>
        {viewer ?? "someone"}
      </a>
      <When ms={createdAtMs} />
      {badge(state)}
      {reason && <span>{plain(whySilent(reason))}</span>}
      {outcomes.map((one) => badge(one, plainName(one)))}
      <a href={`/replies/${id}`}>what it saw</a>
    </>
  );
  return (
    <Card id={`reply-${id}`} meta={meta} acts={thumbs(reply)}>
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
    </Card>
  );
}

const JUDGED: ReadonlySet<string> = new Set(["sent", "unknown", "shadow"]);

/** The streamer's own !good and !bad. */
function thumbs({ id, state, outcomes }: ReplyRow) {
  if (!JUDGED.has(state)) return null;
  const thumb = (verdict: string, label: string, key: string) =>
    act(`post /api/replies/${id}/verdict`, outcomes.includes(verdict) ? `${label} ✓` : label, {
      fields: { verdict },
      key,
    });
  return (
    <>
      {thumb("good", "Good", "g")}
      {thumb("bad", "Bad", "b")}
    </>
  );
}

const SUBJECTS = {
  channel: "about the channel",
  bit: "a running joke",
  lore: "about who asked",
} as const;

/** Sections that stay the same between two answers. */
const PREFIX: ReadonlySet<string> = new Set(["persona", "channel", "channelNotes", "episodes"]);

function TrailParts({ reply }: { reply: ShownReply }) {
  if (reply.trail.kind === "none")
    return <Empty>It ended before the model was called, so the model saw nothing.</Empty>;
  if (reply.trail.kind === "damaged")
    return <Empty>The record of this answer is damaged and cannot be read.</Empty>;
  const { trail } = reply.trail;
  const parts = Object.entries(trail.sections).filter(([, tokens]) => tokens > 0);
  const total = parts.reduce((sum, [, tokens]) => sum + tokens, 0);
  const max = Math.max(...parts.map(([, tokens]) => tokens), 1);
  return (
    <div class="cols">
      <div>
        <Part title="Notes it could use">
          {list(reply.facts, "There was no note.", (fact) => {
            const meta = (
              <>
                {fact.isKept ? badge("blue", "it saw this") : <span>left out</span>}
                <span>{SUBJECTS[fact.about]}</span>
                <span class="num">{`score ${fact.score.toFixed(2)}`}</span>
              </>
            );
            return (
              <Card id={`weighed-${fact.id}`} meta={meta}>
                {usedNote(fact, "w")}
              </Card>
            );
          })}
        </Part>
      </div>
      <div>
        <Part title="What the model saw">
          <p class="soft small">
            {`About ${count(total)} tokens, of ${count(trail.limitTokens ?? trail.budgetTokens)} at most. A token is about four letters.`}
          </p>
          {facts(
            parts.map(([name, tokens]) => [plainName(name), [count(tokens), bar(tokens / max)]]),
          )}
        </Part>
        <Part title="Left out to keep it short">
          {list(
            trail.ladder,
            "Nothing: everything fitted.",
            ({ section, from, to, savedTokens, droppedIds }) => (
              <li>
                {`${plainName(section)}: ${from} → ${to}, ${plural(savedTokens, "token")} saved`}
                {droppedIds.length > 0 && ` (${droppedIds.join(", ")})`}
              </li>
            ),
            "list small",
          )}
        </Part>
        <details class="fold" id="numbers">
          <summary>Numbers</summary>
          {facts(figuresOf(trail, reply))}
          {trail.notes.candidates.length > 0 && (
            <p class="more">
              <a href={`/api/replies/${reply.id}/scenario`} download={`reply-${reply.id}.json`}>
                Make a scenario for eval
              </a>{" "}
              <span class="small soft">It holds only notes, no word of chat.</span>
            </p>
          )}
        </details>
      </div>
    </div>
  );
}

function figuresOf(trail: Trail, reply: ShownReply): readonly (readonly [string, Child])[] {
  const counted = (value: number | null) => (value === null ? "not counted" : count(value));
  const prefix = Object.entries(trail.sections).filter(([name]) => PREFIX.has(name));
  return [
    ["Model", `${trail.model ?? "none"}${trail.finish === null ? "" : `, ${plain(trail.finish)}`}`],
    ["Tokens in, estimated", count(trail.estimatedTokens)],
    ["Tokens in, counted", counted(trail.promptTokens)],
    ["of them cached", counted(trail.cachedTokens)],
    ["in the stable prefix", count(prefix.reduce((sum, [, tokens]) => sum + tokens, 0))],
    ["Tokens out", counted(trail.outputTokens)],
    ["Cost", dollars(reply.dollars)],
    ["Time in the model", reply.latencyMs === null ? "not asked" : milliseconds(reply.latencyMs)],
    ["Pace of chat", trail.pace],
    ["Prefix version", count(trail.prefix.version)],
    ["Summaries left out", episodesUnshown(trail).join(", ") || "none"],
    ["Removed from the answer", trail.guard.removed.map(plain).join(", ") || "nothing"],
    ["Stopped by", trail.guard.rule === null ? "nothing" : plain(trail.guard.rule)],
  ];
}

/** A note as an answer used it. If it is wrong, a button rejects it. */
export function usedNote({ id, fact, status }: ShownReply["facts"][number], key?: string) {
  if (fact === null) return <p class="gone">This note is gone.</p>;
  const reject = { fields: { status: "rejected" }, look: "quiet", key } as const;
  return (
    <>
      <p class="fact">
        <a href={`/memory/notes/${id}`}>{fact}</a>
      </p>
      {status === "active"
        ? act(`patch /api/notes/${id}`, "This note was wrong", reject)
        : badge(status ?? "")}
    </>
  );
}
