import type { Child } from "hono/jsx";
import { plainName, whySilent } from "../telemetry/plain-names.ts";
import type { ReplyRow } from "./browse-store.ts";
import { Act, Badge, personHref, plain, When } from "./parts.tsx";

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
          <ReplyCard reply={reply}>
            <a href={`/replies/${reply.id}`}>anatomy</a>
          </ReplyCard>
          {isJudged ? <Thumbs reply={reply} /> : null}
        </li>
      ))}
    </ol>
  );
}

/** `children` stand at the end of its first line. */
export function ReplyCard({ reply, children }: { reply: ReplyRow; children?: Child }) {
  const { viewer, userId, state, reason, text, question, createdAtMs, outcomes } = reply;
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
        {children}
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

const VERDICTS = [
  ["good", "Good", "g"],
  ["bad", "Bad", "b"],
] as const;
/** What there are words of to judge, said or not. */
const JUDGED: ReadonlySet<string> = new Set(["sent", "unknown", "shadow"]);

/** The streamer's own !good and !bad. */
export function Thumbs({ reply: { id, state, outcomes } }: { reply: ReplyRow }) {
  if (!JUDGED.has(state)) return null;
  return (
    <div class="acts">
      {VERDICTS.map(([verdict, label, keyName]) => (
        <Act action={`/api/replies/${id}/verdict`} fields={{ verdict }} keyName={keyName}>
          {outcomes.includes(verdict) ? `${label} ✓` : label}
        </Act>
      ))}
    </div>
  );
}
