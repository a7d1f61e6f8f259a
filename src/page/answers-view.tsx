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

const STATES = ["", "sent", "shadow", "silent", "refused", "unknown"].map(
  (state) => [withQuery("/replies", { state }), state || "all"] as const,
);

/** All answers, newest first; and each with what the model saw, what was left out, and what it cost. */
export const REPLIES: Views = {
  "/replies": (data, { query }) => {
    const asked = repliesQuery.parse(query);
    const { state } = asked;
    const { items, next } = data.browse.replies(asked);
    const tabs = { label: "State", at: withQuery("/replies", { state }), of: STATES };
    const shown = (
      <>
        {replyList(items, "There is none.")}
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
                <a href={`/actions?#action-${id}`}>in the ledger</a>
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
  const unsaid = state === "silent" ? "It said nothing." : "The words are gone.";
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

function TrailParts({ reply }: { reply: ShownReply }) {
  if (reply.trail.kind === "none")
    return <Empty>It ended before a model was asked, so there was no prompt.</Empty>;
  if (reply.trail.kind === "damaged")
    return <Empty>The record of its prompt is damaged and cannot be read.</Empty>;
  const { trail } = reply.trail;
  return (
    <>
      <Part title="The prompt">
        {promptBars(trail)}
        <h3>Left out to stay within the budget</h3>
        {list(
          trail.ladder,
          "Everything fitted: nothing was left out.",
          ({ section, from, to, savedTokens, droppedIds }) => (
            <li>
              {`${plainName(section)}: ${from} → ${to}, ${plural(savedTokens, "token")} saved`}
              {droppedIds.length > 0 && ` (${droppedIds.join(", ")})`}
            </li>
          ),
          "list small",
        )}
      </Part>
      <div class="pair">
        <Part title="Notes it could use">
          {list(reply.facts, "There was no note.", (fact) => {
            const meta = (
              <>
                {fact.isKept ? badge("blue", "in the prompt") : <span>left out</span>}
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
        <Part title="Figures">
          {facts(figuresOf(trail, reply))}
          {trail.notes.candidates.length > 0 && (
            <p class="more">
              <a href={`/api/replies/${reply.id}/scenario`} download={`reply-${reply.id}.json`}>
                Make a scenario for eval
              </a>{" "}
              <span class="small soft">It holds only notes, no word of chat.</span>
            </p>
          )}
        </Part>
      </div>
    </>
  );
}

/** Sections of the stable prefix. */
const PREFIX: ReadonlySet<string> = new Set(["persona", "channel", "channelNotes", "episodes"]);

/** The tokens of each section of a prompt, as bars. */
function promptBars(trail: Trail) {
  const parts = Object.entries(trail.sections).filter(([, tokens]) => tokens > 0);
  const sum = (all: typeof parts) => all.reduce((total, [, tokens]) => total + tokens, 0);
  const max = Math.max(...parts.map(([, tokens]) => tokens), 1);
  const prefix = sum(parts.filter(([name]) => PREFIX.has(name)));
  const limit = trail.limitTokens ?? trail.budgetTokens;
  return (
    <>
      <p class="soft">
        {`${count(sum(parts))} tokens by estimate, ${count(prefix)} of them in the stable prefix, of a limit of ${count(limit)}`}
      </p>
      {facts(
        parts.map(([name, tokens]) => [
          `${plainName(name)}${PREFIX.has(name) ? " (prefix)" : ""}`,
          [count(tokens), bar(tokens / max)],
        ]),
      )}
    </>
  );
}

function figuresOf(trail: Trail, reply: ShownReply): readonly (readonly [string, Child])[] {
  const counted = (value: number | null) => (value === null ? "not counted" : count(value));
  return [
    ["Model", `${trail.model ?? "none"}${trail.finish === null ? "" : `, ${plain(trail.finish)}`}`],
    ["Tokens in, estimated", count(trail.estimatedTokens)],
    ["Tokens in, counted", counted(trail.promptTokens)],
    ["of them cached", counted(trail.cachedTokens)],
    ["Tokens out", counted(trail.outputTokens)],
    ["Cost", dollars(reply.dollars)],
    ["Time in the model", reply.latencyMs === null ? "not asked" : milliseconds(reply.latencyMs)],
    ["Pace of chat", trail.pace],
    ["Prefix", `${count(trail.prefix.tokens)} tokens, version ${trail.prefix.version}`],
    ["Episodes left out", episodesUnshown(trail).join(", ") || "none"],
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
