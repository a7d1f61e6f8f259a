import type { Trail } from "../reply/trail.ts";
import { count, dollars, milliseconds } from "../telemetry/figures.ts";
import { plainName, whySilent } from "../telemetry/plain-names.ts";
import type { ReplyRow } from "./browse-store.ts";
import { PromptBar } from "./charts.tsx";
import { Act, Badge, Empty, More, personHref, plain, Tabs, When, withQuery } from "./parts.tsx";
import type { showReply } from "./record-routes.ts";

type ShownReply = ReturnType<typeof showReply>;

const STATES = ["", "sent", "shadow", "silent", "refused", "unknown"] as const;

/** Every answer, newest first. */
export function RepliesView({
  replies,
  state,
  next,
}: {
  replies: readonly ReplyRow[];
  state: string;
  next: string | null;
}) {
  return (
    <>
      <div class="head">
        <h1>Answers</h1>
      </div>
      <Tabs
        label="What became of them"
        at={withQuery("/replies", { state })}
        tabs={STATES.map(
          (one) => [withQuery("/replies", { state: one }), one === "" ? "all" : one] as const,
        )}
      />
      {replies.length === 0 ? (
        <Empty>There is none.</Empty>
      ) : (
        <ReplyList replies={replies} isJudged />
      )}
      {next === null ? null : <More href={withQuery("/replies", { state, after: next })} />}
    </>
  );
}

/** One answer: what it saw, what was left out, what it cost, what came of it. */
export function AnatomyView({ reply }: { reply: ShownReply }) {
  const { trail } = reply;
  return (
    <>
      <div class="head">
        <div>
          <h1>{`Answer ${reply.id}`}</h1>
          <p class="lead">{`To ${reply.viewer ?? "someone"} in #${reply.channel}, by ${plain(reply.trigger)}`}</p>
        </div>
      </div>
      <section class="sheet">
        <ReplyList replies={[reply]} />
        <Thumbs reply={reply} />
      </section>
      {trail.kind === "read" ? (
        <TrailParts trail={trail.trail} reply={reply} />
      ) : (
        <Empty>
          {trail.kind === "none"
            ? "It ended before a model was asked, so there was no prompt."
            : "The record of its prompt is damaged and cannot be read."}
        </Empty>
      )}
      <Proposed reply={reply} />
    </>
  );
}

function TrailParts({ trail, reply }: { trail: Trail; reply: ShownReply }) {
  return (
    <>
      <section>
        <h2>The prompt</h2>
        <PromptBar trail={trail} />
        <Ladder trail={trail} />
      </section>
      <div class="pair">
        <section>
          <h2>Notes that were weighed</h2>
          <Candidates trail={trail} reply={reply} />
        </section>
        <section>
          <h2>Figures</h2>
          <dl class="facts">
            {figuresOf(trail, reply).map(([label, text]) => (
              <>
                <dt>{label}</dt>
                <dd>{text}</dd>
              </>
            ))}
          </dl>
          {trail.notes.candidates.length === 0 ? null : (
            <p class="more">
              <a href={`/api/replies/${reply.id}/scenario`} download={`reply-${reply.id}.json`}>
                Make a scenario for eval of it
              </a>
              <br />
              <span class="small soft">From its notes alone: no word of chat is in it.</span>
            </p>
          )}
        </section>
      </div>
    </>
  );
}

function Ladder({ trail: { ladder } }: { trail: Trail }) {
  if (ladder.length === 0)
    return <p class="soft small">Everything fitted: nothing was left out.</p>;
  return (
    <>
      <h3>Left out to stay within the budget</h3>
      <ul class="small">
        {ladder.map(({ section, from, to, savedTokens, droppedIds }) => (
          <li>
            {`${plainName(section)}: ${from} → ${to}, ${count(savedTokens)} tokens saved`}
            {droppedIds.length === 0 ? "" : ` (${droppedIds.join(", ")})`}
          </li>
        ))}
      </ul>
    </>
  );
}

function figuresOf(trail: Trail, reply: ShownReply): readonly (readonly [string, string])[] {
  const orUnknown = (value: number | null) => (value === null ? "not counted" : count(value));
  return [
    ["Model", `${trail.model ?? "none"}${trail.finish === null ? "" : `, ${plain(trail.finish)}`}`],
    ["Prompt, estimated", `${count(trail.estimatedTokens)} tokens`],
    ["Prompt, counted", `${orUnknown(trail.promptTokens)}`],
    ["of it cached", orUnknown(trail.cachedTokens)],
    ["Answer", `${orUnknown(trail.outputTokens)}`],
    ["Budget", `${count(trail.budgetTokens)} tokens`],
    ["Cost", dollars(reply.dollars)],
    ["Time in the model", reply.latencyMs === null ? "not asked" : milliseconds(reply.latencyMs)],
    ["Chat was", trail.pace],
    ["Prefix", `${count(trail.prefix.tokens)} tokens, version ${trail.prefix.version}`],
    ["Taken out of the answer", trail.guard.removed.map(plain).join(", ") || "nothing"],
    ...(trail.guard.rule === null ? [] : [["Stopped by", plain(trail.guard.rule)] as const]),
  ];
}

function Candidates({ trail, reply }: { trail: Trail; reply: ShownReply }) {
  const kept = new Set(trail.notes.kept);
  const facts = new Map(reply.facts.map((one) => [one.id, one]));
  if (trail.notes.candidates.length === 0) return <Empty>No note was at hand.</Empty>;
  return (
    <ol class="list">
      {trail.notes.candidates.map(({ id, score }) => {
        const fact = facts.get(id);
        return (
          <li id={`weighed-${id}`} data-item="" tabindex={-1}>
            <div class="meta">
              {kept.has(id) ? (
                <Badge code="blue">stood in the prompt</Badge>
              ) : (
                <span>left out</span>
              )}
              <span class="num">{`score ${score.toFixed(2)}`}</span>
            </div>
            {fact?.fact == null ? (
              <p class="gone">This note is gone.</p>
            ) : (
              <>
                <p class="fact">
                  <a href={`/memory/notes/${id}`}>{fact.fact}</a>
                </p>
                {fact.status === "active" ? (
                  <Act
                    action={`/api/notes/${id}`}
                    fields={{ _method: "patch", status: "rejected" }}
                    look="quiet"
                    keyName="w"
                  >
                    This note was wrong
                  </Act>
                ) : (
                  <Badge code={fact.status ?? ""} />
                )}
              </>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Proposed({ reply: { actions } }: { reply: ShownReply }) {
  if (actions.length === 0) return null;
  return (
    <section>
      <h2>What it wanted to do</h2>
      <ul class="list">
        {actions.map(({ id, action, decision, reason, outcome }) => (
          <li>
            <b>{action}</b> <Badge code={decision} /> {plain(reason)}
            {outcome === null ? "" : `, ${plain(outcome)}`}{" "}
            <a href={`/actions?#action-${id}`}>in the ledger</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Answers, said, held back or refused, each with why and what came of it. */
export function ReplyList({
  replies,
  isJudged = false,
}: {
  replies: readonly ReplyRow[];
  isJudged?: boolean;
}) {
  return (
    <ol class="list">
      {replies.map((reply) => (
        <li id={`reply-${reply.id}`} data-item="" tabindex={-1}>
          <ReplyCard reply={reply} />
          {isJudged ? <Thumbs reply={reply} /> : null}
        </li>
      ))}
    </ol>
  );
}

function ReplyCard({ reply }: { reply: ReplyRow }) {
  const { id, viewer, userId, state, reason, text, question, createdAtMs, outcomes } = reply;
  return (
    <>
      <div class="meta">
        <a class="who plain" href={personHref(userId)}>
          {viewer ?? "someone"}
        </a>
        <When ms={createdAtMs} />
        <Badge code={state} />
        {reason === null ? null : <span>{plain(whySilent(reason))}</span>}
        {outcomes
          .filter((one) => one !== "none")
          .map((one) => (
            <Badge code={one}>{plainName(one)}</Badge>
          ))}
        <a href={`/replies/${id}`}>anatomy</a>
      </div>
      {question === null ? null : (
        <p class="asked" data-mortal="">
          {question}
        </p>
      )}
      <Said text={text} state={state} />
    </>
  );
}

function Said({ text, state }: Pick<ReplyRow, "text" | "state">) {
  if (text !== null) {
    return (
      <p class="quote" data-mortal="">
        {text}
      </p>
    );
  }
  if (state === "refused") return null;
  const why = state === "silent" ? "It said nothing." : "The words are gone.";
  return <p class="gone small">{why}</p>;
}

/** The streamer's own !good and !bad. */
function Thumbs({ reply: { id, state, outcomes } }: { reply: ReplyRow }) {
  if (state !== "sent" && state !== "unknown") return null;
  return (
    <div class="acts">
      <Act action={`/api/replies/${id}/verdict`} fields={{ verdict: "good" }} keyName="g">
        {outcomes.includes("good") ? "Good ✓" : "Good"}
      </Act>
      <Act action={`/api/replies/${id}/verdict`} fields={{ verdict: "bad" }} keyName="b">
        {outcomes.includes("bad") ? "Bad ✓" : "Bad"}
      </Act>
    </div>
  );
}
