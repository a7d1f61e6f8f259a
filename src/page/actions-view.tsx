import type { actionReview } from "../actions/action-review-store.ts";
import { CATALOGUE } from "../actions/catalogue.ts";
import { count } from "../telemetry/figures.ts";
import { Act, Badge, Choose, Empty, personHref, plain, Tabs, When } from "./parts.tsx";
import type { listActions } from "./record-routes.ts";

export type LedgerLine = ReturnType<ReturnType<typeof actionReview>["list"]>[number];

export const ACTION_TABS = [
  ["/actions", "Ledger"],
  ["/actions/policy", "Policy"],
] as const;

/** What was proposed, what was decided about it and why. */
export function ActionsView({
  ledger,
  held,
  query,
}: {
  ledger: ReturnType<typeof listActions>;
  held: readonly LedgerLine[];
  query: { readonly decision: string; readonly requester: string };
}) {
  return (
    <>
      <div class="head">
        <h1>Actions</h1>
      </div>
      <Tabs label="Parts of actions" at="/actions" tabs={ACTION_TABS} />
      {held.length === 0 ? null : <HeldActions held={held} />}
      <div class="cols">
        <section>
          <form class="filters" data-search="" action="/actions" method="get">
            <Choose
              name="decision"
              label="Decision"
              value={query.decision}
              options={[
                ["", "any"],
                ["run", "run"],
                ["refuse", "refused"],
                ["hold", "waits"],
                ["dry_run", "dry run"],
              ]}
            />
            <label>
              <span>Asked by</span>
              <input
                type="search"
                name="requester"
                value={query.requester}
                maxlength={60}
                placeholder="a login"
              />
            </label>
            <button type="submit" class="unseen">
              Show
            </button>
          </form>
          {ledger.items.length === 0 ? (
            <Empty>Nothing was proposed.</Empty>
          ) : (
            <ol class="list">
              {ledger.items.map((line) => (
                <li id={`action-${line.id}`} data-item="" tabindex={-1}>
                  <LedgerLines line={line} />
                </li>
              ))}
            </ol>
          )}
        </section>
        <section>
          <h2>In the last week</h2>
          <table>
            <tbody>
              {ledger.byReason.map(({ decision, reason, count: n }) => (
                <tr>
                  <td>
                    <Badge code={decision} /> {plain(reason)}
                  </td>
                  <td class="n">{count(n)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {ledger.refusedByRequester.length === 0 ? null : (
            <h3 class="more">Refused, by who asked</h3>
          )}
          <table>
            <tbody>
              {ledger.refusedByRequester.slice(0, 10).map(({ userId, login, count: n }) => (
                <tr>
                  <td>
                    {login === null ? (
                      "somebody who is forgotten"
                    ) : (
                      <a href={personHref(userId)}>{login}</a>
                    )}
                  </td>
                  <td class="n">{count(n)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </>
  );
}

function LedgerLines({ line }: { line: LedgerLine }) {
  const args = argsOf(line.argsJson);
  return (
    <>
      <div class="meta">
        <b class="who">{shownName(line.action)}</b>
        <Badge code={line.decision} />
        <span>{plain(line.reason)}</span>
        {line.endedAs === null ? null : <Badge code={line.endedAs} />}
        {line.waitsFor === "requester" && line.endedAs === null ? <span>asked them</span> : null}
        {line.outcome === null ? null : <Badge code={line.outcome} />}
        {line.error === null ? null : <span>{plain(line.error)}</span>}
        <When ms={line.createdAtMs} />
      </div>
      <p class="small soft">
        {line.requesterLogin === null
          ? "asked by somebody who is forgotten"
          : `asked by ${line.requesterLogin}`}
        {line.targetLogin === null ? "" : `, meant ${line.targetLogin}`}
      </p>
      {args.length === 0 ? null : (
        <p class="quote" data-mortal="">
          {args.join(" · ")}
        </p>
      )}
    </>
  );
}

/** Proposals that wait for the streamer's word. */
export function HeldActions({ held }: { held: readonly LedgerLine[] }) {
  return (
    <section>
      <h2>Waits for your word</h2>
      <ol class="list sheet">
        {held.map((line) => (
          <li id={`held-${line.id}`} data-item="" tabindex={-1}>
            <LedgerLines line={line} />
            <div class="acts">
              <Act
                action={`/api/actions/${line.id}/answer`}
                fields={{ answer: "approve" }}
                look="first"
                keyName="y"
              >
                Do it
              </Act>
              <Act
                action={`/api/actions/${line.id}/answer`}
                fields={{ answer: "refuse" }}
                keyName="n"
              >
                Do not
              </Act>
              {line.expiresAtMs === null ? null : (
                <span class="num soft small" data-until={String(line.expiresAtMs)}>
                  …
                </span>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A name that a model made up may be anybody's words: it is text here, and cut. */
function shownName(action: string): string {
  return action in CATALOGUE ? action : action.slice(0, 40);
}

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
