import { actionReview } from "../actions/ledger-store.ts";
import { Act, Badge, Item, Part, plain, When } from "./parts.tsx";
import type { PageData } from "./route.ts";

type LedgerLine = ReturnType<ReturnType<typeof actionReview>["list"]>[number];

const HELD_SHOWN = 20;

/** Proposals that wait for the streamer's word, and may still be answered. */
export function HeldActions({ data: { db, nowMs } }: { data: PageData }) {
  const held = actionReview(db, () => nowMs)
    .list({ decision: "hold", limit: HELD_SHOWN })
    .filter(({ waitsFor, expiresAtMs }) => waitsFor === "streamer" && Number(expiresAtMs) > nowMs);
  if (held.length === 0) return null;
  return (
    <Part title="Waits for your word">
      <ol class="list sheet">
        {held.map((line) => {
          const to = `post /api/actions/${line.id}/answer`;
          return (
            <Item id={`held-${line.id}`}>
              <LedgerLines line={line} />
              <div class="acts">
                <Act to={to} fields={{ answer: "approve" }} look="first" keyName="y">
                  Do it
                </Act>
                <Act to={to} fields={{ answer: "refuse" }} keyName="n">
                  Do not
                </Act>
                <span class="num soft small" data-until={line.expiresAtMs}>
                  …
                </span>
              </div>
            </Item>
          );
        })}
      </ol>
    </Part>
  );
}

/** What was proposed, and what became of it. */
export function LedgerItem({ line }: { line: LedgerLine }) {
  return (
    <Item id={`action-${line.id}`}>
      <LedgerLines line={line} />
    </Item>
  );
}

function LedgerLines({ line }: { line: LedgerLine }) {
  const args = argsOf(line.argsJson);
  return (
    <>
      <div class="meta">
        <b class="who">{line.action.slice(0, NAME_CHARS_MAX)}</b>
        <Badge code={line.decision} />
        <span>{plain(line.reason)}</span>
        {line.waitsFor === null ? null : <span>{ASKED[line.waitsFor]}</span>}
        {line.endedAs === null || line.endedAs === line.reason ? null : (
          <Badge code={line.endedAs} />
        )}
        {line.outcome === null ? null : <Badge code={line.outcome} />}
        {line.error === null ? null : <span>{plain(line.error)}</span>}
        <When ms={line.createdAtMs} />
      </div>
      <p class="small soft">
        {line.requesterLogin === null
          ? "asked by somebody who is forgotten"
          : `asked by ${line.requesterLogin}`}
        {line.targetLogin === null ? "" : `, meant ${line.targetLogin}`}
        {line.result === null ? null : <Made result={line.result} />}
      </p>
      {args.length === 0 ? null : (
        <p class="small soft" data-mortal="">
          {args.join(" · ")}
        </p>
      )}
    </>
  );
}

const ASKED: Readonly<Record<NonNullable<LedgerLine["waitsFor"]>, string>> = {
  requester: "asked them",
  streamer: "asked you",
};

/** What an action made: a clip's link, or Twitch's id of a poll or a mark. */
function Made({ result }: { result: string }) {
  return <>, made {result.startsWith("https://") ? <a href={result}>{result}</a> : result}</>;
}

/** A name that a model made up may be anybody's words: it is cut. */
const NAME_CHARS_MAX = 40;

/** Free text in them lives 24 hours. */
function argsOf(json: string | null): string[] {
  if (json === null) return [];
  try {
    const args: unknown = JSON.parse(json);
    if (typeof args !== "object" || args === null) return [String(args)];
    return Object.entries(args)
      .filter(([, value]) => value !== null)
      .map(
        ([key, value]) =>
          `${key}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
      );
  } catch {
    return [json];
  }
}
