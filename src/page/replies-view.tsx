import type { Child } from "hono/jsx";
import { plainName, whySilent } from "../telemetry/plain-names.ts";
import type { ReplyRow } from "./browse-store.ts";
import { Act, Badge, Item, personHref, plain, When } from "./parts.tsx";

/** An answer in a list, said, held back or refused, with why and what came of it. */
export function ReplyItem({ reply, children }: { reply: ReplyRow; children?: Child }) {
  return (
    <Item id={`reply-${reply.id}`}>
      <ReplyCard reply={reply}>
        <a href={`/replies/${reply.id}`}>anatomy</a>
      </ReplyCard>
      {children}
    </Item>
  );
}

/** `children` stand at the end of its first line. */
export function ReplyCard({ reply, children }: { reply: ReplyRow; children?: Child }) {
  const { viewer, userId, state, reason, text, question, createdAtMs, outcomes } = reply;
  const known = outcomes.filter((one) => one !== "none");
  return (
    <>
      <div class="meta">
        <a class="who plain" href={personHref(userId)}>
          {viewer ?? "someone"}
        </a>
        <When ms={createdAtMs} />
        <Badge code={state} />
        {reason === null ? null : <span>{plain(whySilent(reason))}</span>}
        {known.map((one) => (
          <Badge code={one}>{plainName(one)}</Badge>
        ))}
        {children}
      </div>
      {question === null ? null : <Mortal look="asked">{question}</Mortal>}
      {text === null ? <Unsaid state={state} /> : <Mortal look="quote">{text}</Mortal>}
    </>
  );
}

/** Words of chat: a page that is no longer told whether they live takes them away. */
function Mortal({ look, children }: { look: string; children?: Child }) {
  return (
    <p class={look} data-mortal="">
      {children}
    </p>
  );
}

function Unsaid({ state }: { state: string }) {
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
        <Act to={`post /api/replies/${id}/verdict`} fields={{ verdict }} keyName={keyName}>
          {outcomes.includes(verdict) ? `${label} ✓` : label}
        </Act>
      ))}
    </div>
  );
}
