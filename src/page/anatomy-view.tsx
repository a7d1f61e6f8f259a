import { episodesUnshown, type Trail } from "../reply/trail.ts";
import { count, dollars, milliseconds, plural } from "../telemetry/figures.ts";
import { plainName } from "../telemetry/plain-names.ts";
import { PromptBar } from "./charts.tsx";
import {
  Act,
  Badge,
  Empty,
  FactList,
  Item,
  List,
  More,
  nextPage,
  Part,
  plain,
  withQuery,
} from "./parts.tsx";
import { repliesQuery, showReply } from "./record-routes.ts";
import { ReplyCard, ReplyItem, Thumbs } from "./replies-view.tsx";
import { idIn } from "./route.ts";
import type { Views } from "./views.tsx";

type ShownReply = ReturnType<typeof showReply>;

const STATES = ["", "sent", "shadow", "silent", "refused", "unknown"].map(
  (state) => [withQuery("/replies", { state }), state || "all"] as const,
);

/** Every answer, newest first, and each with what it saw, what was left out, what it cost and what came of it. */
export const REPLIES: Views = {
  "/replies": (data, { query }) => {
    const asked = repliesQuery.parse(query);
    const { state } = asked;
    const { items, next } = data.browse.replies(asked);
    const shown = (
      <>
        <List of={items} none="There is none.">
          {(reply) => (
            <ReplyItem reply={reply}>
              <Thumbs reply={reply} />
            </ReplyItem>
          )}
        </List>
        <More href={nextPage("/replies", { state }, next)} />
      </>
    );
    const at = withQuery("/replies", { state });
    const tabs = { label: "What became of them", at, of: STATES };
    return { title: "Answers", tabs, live: ["replies"], shown };
  },
  "/replies/:id": (data, { params }) => {
    const reply = showReply(data, idIn(params));
    const { trail } = reply;
    const shown = (
      <>
        <section class="sheet" data-item="" tabindex={-1} id={`reply-${reply.id}`}>
          <ReplyCard reply={reply} />
          <Thumbs reply={reply} />
        </section>
        {trail.kind === "read" ? <TrailParts trail={trail.trail} reply={reply} /> : null}
        {trail.kind === "none" ? (
          <Empty>It ended before a model was asked, so there was no prompt.</Empty>
        ) : null}
        {trail.kind === "damaged" ? (
          <Empty>The record of its prompt is damaged and cannot be read.</Empty>
        ) : null}
        <Proposed reply={reply} />
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

function TrailParts({ trail, reply }: { trail: Trail; reply: ShownReply }) {
  return (
    <>
      <Part title="The prompt">
        <PromptBar trail={trail} />
        <Ladder trail={trail} />
      </Part>
      <div class="pair">
        <Part title="Notes that were weighed">
          <List of={reply.facts} none="No note was at hand.">
            {(fact) => <Candidate fact={fact} />}
          </List>
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
    ...(trail.guard.rule === null ? [] : [["Stopped by", plain(trail.guard.rule)] as const]),
  ];
}

const SUBJECTS = {
  channel: "of the channel",
  bit: "a running bit",
  lore: "about who asked",
} as const;

function Candidate({ fact }: { fact: ShownReply["facts"][number] }) {
  return (
    <Item id={`weighed-${fact.id}`}>
      <div class="meta">
        {fact.isKept ? <Badge code="blue">stood in the prompt</Badge> : <span>left out</span>}
        <span>{SUBJECTS[fact.about]}</span>
        <span class="num">{`score ${fact.score.toFixed(2)}`}</span>
      </div>
      <UsedNote note={fact} keyName="w" />
    </Item>
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
          to={`patch /api/notes/${id}`}
          fields={{ status: "rejected" }}
          look="quiet"
          keyName={keyName}
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
