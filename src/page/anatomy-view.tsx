import { episodesUnshown, type Trail } from "../reply/trail.ts";
import { count, dollars, milliseconds, plural } from "../telemetry/figures.ts";
import { plainName } from "../telemetry/plain-names.ts";
import { PromptBar } from "./charts.tsx";
import { Act, Badge, Empty, FactList, Head, More, Part, plain, Tabs, withQuery } from "./parts.tsx";
import { listReplies, repliesQuery, showReply } from "./record-routes.ts";
import { ReplyCard, ReplyList, Thumbs } from "./replies-view.tsx";
import { idIn } from "./route.ts";
import type { Views } from "./views.tsx";

type ShownReply = ReturnType<typeof showReply>;

const STATES = ["", "sent", "shadow", "silent", "refused", "unknown"] as const;

/** Every answer, newest first, and each with what it saw, what was left out, what it cost and what came of it. */
export const REPLIES: Views = {
  "/replies": (data, { query }) => {
    const { state } = repliesQuery.parse(query);
    const { items, next } = listReplies(data, repliesQuery.parse(query));
    const shown = (
      <>
        <Head title="Answers" />
        <Tabs
          label="What became of them"
          at={withQuery("/replies", { state })}
          tabs={STATES.map(
            (one) => [withQuery("/replies", { state: one }), one === "" ? "all" : one] as const,
          )}
        />
        {items.length === 0 ? (
          <Empty>There is none.</Empty>
        ) : (
          <ReplyList replies={items} isJudged />
        )}
        {next === null ? null : <More href={withQuery("/replies", { state, after: next })} />}
      </>
    );
    return { title: "Answers", live: ["replies"], shown };
  },
  "/replies/:id": (data, { params }) => {
    const reply = showReply(data, idIn(params));
    const { trail } = reply;
    const shown = (
      <>
        <Head
          title={`Answer ${reply.id}`}
          lead={`To ${reply.viewer ?? "someone"} in #${reply.channel}, by ${plain(reply.trigger)}`}
        />
        <section class="sheet" data-item="" tabindex={-1} id={`reply-${reply.id}`}>
          <ReplyCard reply={reply} />
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
    return { title: `Answer ${reply.id}`, live: ["replies", "notes", "actions"], shown };
  },
};

function TrailParts({ trail, reply }: { trail: Trail; reply: ShownReply }) {
  return (
    <>
      <Part title="The prompt">
        <PromptBar trail={trail} />
        <Ladder trail={trail} />
      </Part>
      <div class="pair">
        <Part
          title="Notes that were weighed"
          isEmpty={reply.facts.length === 0}
          none="No note was at hand."
        >
          <Candidates facts={reply.facts} />
        </Part>
        <Part title="Figures">
          <FactList rows={figuresOf(trail, reply)} />
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

function Ladder({ trail: { ladder } }: { trail: Trail }) {
  if (ladder.length === 0)
    return <p class="soft small">Everything fitted: nothing was left out.</p>;
  return (
    <>
      <h3>Left out to stay within the budget</h3>
      <ul class="small">
        {ladder.map(({ section, from, to, savedTokens, droppedIds }) => (
          <li>
            {`${plainName(section)}: ${from} → ${to}, ${plural(savedTokens, "token")} saved`}
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
    ["Episodes not shown", episodesUnshown(trail).join(", ") || "none"],
    ["Taken out of the answer", trail.guard.removed.map(plain).join(", ") || "nothing"],
    ...(trail.guard.rule === null ? [] : [["Stopped by", plain(trail.guard.rule)] as const]),
  ];
}

const SUBJECTS = {
  channel: "of the channel",
  bit: "a running bit",
  lore: "about who asked",
} as const;

function Candidates({ facts }: { facts: ShownReply["facts"] }) {
  return (
    <ol class="list">
      {facts.map((fact) => (
        <li id={`weighed-${fact.id}`} data-item="" tabindex={-1}>
          <div class="meta">
            {fact.isKept ? <Badge code="blue">stood in the prompt</Badge> : <span>left out</span>}
            <span>{SUBJECTS[fact.about]}</span>
            <span class="num">{`score ${fact.score.toFixed(2)}`}</span>
          </div>
          <UsedNote note={fact} keyName="w" />
        </li>
      ))}
    </ol>
  );
}

/** A note as an answer used it. What was wrong is rejected, and not learned again. */
export function UsedNote({
  note: { id, fact, status },
  keyName,
}: {
  note: Pick<ShownReply["facts"][number], "id" | "fact" | "status">;
  keyName?: string;
}) {
  if (fact === null) return <p class="gone">This note is gone.</p>;
  return (
    <>
      <p class="fact">
        <a href={`/memory/notes/${id}`}>{fact}</a>
      </p>
      {status === "active" ? (
        <Act
          action={`/api/notes/${id}`}
          fields={{ _method: "patch", status: "rejected" }}
          look="quiet"
          {...(keyName === undefined ? {} : { keyName })}
        >
          This note was wrong
        </Act>
      ) : (
        <Badge code={status ?? ""} />
      )}
    </>
  );
}

function Proposed({ reply: { actions } }: { reply: ShownReply }) {
  if (actions.length === 0) return null;
  return (
    <Part title="What it wanted to do">
      <ul class="list">
        {actions.map(({ id, action, decision, reason, outcome }) => (
          <li>
            <b>{action}</b> <Badge code={decision} /> {plain(reason)}
            {outcome === null ? "" : `, ${plain(outcome)}`}{" "}
            <a href={`/actions?#action-${id}`}>in the ledger</a>
          </li>
        ))}
      </ul>
    </Part>
  );
}
