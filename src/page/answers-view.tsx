import type { Child } from "hono/jsx";
import { episodesUnshown, type Trail } from "../reply/trail.ts";
import { count, dollars, milliseconds, plural } from "../telemetry/figures.ts";
import { plainName, whySilent } from "../telemetry/plain-names.ts";
import type { ReplyRow } from "./browse-store.ts";
import { bar } from "./charts.tsx";
import {
  act,
  badge,
  Empty,
  facts,
  Item,
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

/** Every answer, newest first; and each with what it saw, what was left out, what it cost and what came of it. */
export const REPLIES: Views = {
  "/replies": (data, { query }) => {
    const asked = repliesQuery.parse(query);
    const { state } = asked;
    const { items, next } = data.browse.replies(asked);
    const tabs = {
      label: "What became of them",
      at: withQuery("/replies", { state }),
      of: STATES,
    };
    const shown = (
      <>
        {list(items, "There is none.", (reply) => replyItem(reply, true))}
        {more(nextPage("/replies", { state }, next))}
      </>
    );
    return { title: "Answers", tabs, live: ["replies"], shown };
  },
  "/replies/:id": (data, { params }) => {
    const reply = showReply(data, idIn(params));
    const shown = (
      <>
        <section class="sheet" data-item="" tabindex={-1} id={`reply-${reply.id}`}>
          <ReplyCard reply={reply} />
          {thumbs(reply)}
        </section>
        <TrailParts reply={reply} />
        {reply.actions.length === 0 ? null : (
          <Part title="What it wanted to do">
            {list(reply.actions, "", ({ id, action, decision, reason, outcome }) => (
              <li>
                <b>{action}</b> {badge(decision)} {plain(reason)}
                {outcome === null ? "" : `, ${plain(outcome)}`}{" "}
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

/** An answer in a list: sent, held back or refused, with why and what came of it. */
export function replyItem(reply: ReplyRow, isJudged: boolean) {
  return (
    <Item id={`reply-${reply.id}`}>
      <ReplyCard reply={reply}>
        <a href={`/replies/${reply.id}`}>anatomy</a>
      </ReplyCard>
      {isJudged ? thumbs(reply) : null}
    </Item>
  );
}

/** Words of chat have `data-mortal`: an open page that loses the bot removes them. */
function ReplyCard({ reply, children }: { reply: ReplyRow; children?: Child }) {
  const { viewer, userId, state, reason, text, question, createdAtMs, outcomes } = reply;
  const unsaid = state === "silent" ? "It said nothing." : "The words are gone.";
  return (
    <>
      <div class="meta">
        <a class="who plain" href={personHref(userId)}>
          {viewer ?? "someone"}
        </a>
        <When ms={createdAtMs} />
        {badge(state)}
        {reason === null ? null : <span>{plain(whySilent(reason))}</span>}
        {outcomes.filter((one) => one !== "none").map((one) => badge(one, plainName(one)))}
        {children}
      </div>
      {question === null ? null : (
        <p class="asked" data-mortal="">
          {question}
        </p>
      )}
      {text === null ? null : (
        <p class="quote" data-mortal="">
          {text}
        </p>
      )}
      {text === null && state !== "refused" ? <p class="gone small">{unsaid}</p> : null}
    </>
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
    <div class="acts">
      {thumb("good", "Good", "g")}
      {thumb("bad", "Bad", "b")}
    </div>
  );
}

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
              {droppedIds.length === 0 ? "" : ` (${droppedIds.join(", ")})`}
            </li>
          ),
          "list small",
        )}
      </Part>
      <div class="pair">
        <Part title="Notes that were weighed">
          {list(reply.facts, "No note was at hand.", (fact) => (
            <Item id={`weighed-${fact.id}`}>
              <div class="meta">
                {fact.isKept ? badge("blue", "stood in the prompt") : <span>left out</span>}
                <span>{SUBJECTS[fact.about]}</span>
                <span class="num">{`score ${fact.score.toFixed(2)}`}</span>
              </div>
              {usedNote(fact, "w")}
            </Item>
          ))}
        </Part>
        <Part title="Figures">
          {facts(figuresOf(trail, reply))}
          {trail.notes.candidates.length === 0 ? null : (
            <p class="more">
              <a href={`/api/replies/${reply.id}/scenario`} download={`reply-${reply.id}.json`}>
                Make a scenario for eval of it
              </a>
              <br />
              <span class="small soft">From its notes alone: no word of chat is in it.</span>
            </p>
          )}
        </Part>
      </div>
    </>
  );
}

/** Sections in which the stable prefix of a prompt ends. */
const PREFIX: ReadonlySet<string> = new Set(["persona", "channel", "channelNotes", "episodes"]);

/** A prompt as it was sent: a bar for each section, and what the budget allowed. */
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

const SUBJECTS = {
  channel: "of the channel",
  bit: "a running bit",
  lore: "about who asked",
} as const;

function figuresOf(trail: Trail, reply: ShownReply): readonly (readonly [string, string])[] {
  const orUnknown = (value: number | null) => (value === null ? "not counted" : count(value));
  return [
    ["Model", `${trail.model ?? "none"}${trail.finish === null ? "" : `, ${plain(trail.finish)}`}`],
    ["Prompt, estimated", `${count(trail.estimatedTokens)} tokens`],
    ["Prompt, counted", orUnknown(trail.promptTokens)],
    ["of it cached", orUnknown(trail.cachedTokens)],
    ["Answer", orUnknown(trail.outputTokens)],
    ["Budget", `${count(trail.budgetTokens)} tokens`],
    ["Cost", dollars(reply.dollars)],
    ["Time in the model", reply.latencyMs === null ? "not asked" : milliseconds(reply.latencyMs)],
    ["Chat was", trail.pace],
    ["Prefix", `${count(trail.prefix.tokens)} tokens, version ${trail.prefix.version}`],
    ["Episodes not shown", episodesUnshown(trail).join(", ") || "none"],
    ["Taken out of the answer", trail.guard.removed.map(plain).join(", ") || "nothing"],
    ["Stopped by", trail.guard.rule === null ? "nothing" : plain(trail.guard.rule)],
  ];
}

/** A note as an answer used it. A wrong one is rejected, and not learned again. */
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
