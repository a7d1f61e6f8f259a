import { CATALOGUE } from "../actions/catalogue.ts";
import type { actionReview } from "../actions/ledger-store.ts";
import type { PolicyChange } from "../memory/memory-policy.ts";
import { count } from "../telemetry/figures.ts";
import type { listActions, policyRows } from "./control-routes.ts";
import { Act, Badge, Choose, Empty, Hidden, personHref, plain, Tabs, When } from "./parts.tsx";
import type { Setting } from "./settings.ts";
import { Field, GROUPS, groupOf, isLong, shownValue } from "./settings-view.tsx";

export type LedgerLine = ReturnType<ReturnType<typeof actionReview>["list"]>[number];

export const ACTION_TABS = [
  ["/actions", "Ledger"],
  ["/actions/explain", "What if"],
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
        {line.waitsFor === null ? null : <span>{ASKED[line.waitsFor]}</span>}
        {line.endedAs === null ? null : <Badge code={line.endedAs} />}
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

/** Whose answer it waits or waited for. */
const ASKED: Readonly<Record<NonNullable<LedgerLine["waitsFor"]>, string>> = {
  requester: "asked them",
  streamer: "asked you",
};

/** What an action made: a clip's link, or Twitch's id of a poll or a mark. */
function Made({ result }: { result: string }) {
  return <>, made {result.startsWith("https://") ? <a href={result}>{result}</a> : result}</>;
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

export interface PolicyGiven {
  readonly settings: readonly Setting[];
  readonly canSave: boolean;
  readonly rows: ReturnType<typeof policyRows>;
  readonly preview: {
    readonly changes: readonly PolicyChange[];
    readonly effects: readonly string[];
    readonly fields: Readonly<Record<string, string>>;
  } | null;
}

/** What memory keeps and what the bot may do: changed only after the effect was shown. */
export function PolicyView({ settings, canSave, rows, preview }: PolicyGiven) {
  const groups = ["actions", "memory"] as const;
  return (
    <>
      <div class="head">
        <div>
          <h1>Policy</h1>
          <p class="lead">
            What the bot may do, and what it keeps. Nothing is saved before you saw what it changes.
          </p>
        </div>
      </div>
      <Tabs label="Parts of actions" at="/actions/policy" tabs={ACTION_TABS} />
      {preview === null ? null : <Preview preview={preview} canSave={canSave} />}
      <div class="cols">
        <div>
          {groups.map((name) => (
            <details class="fold" id={`group-${name}`} open={name === "actions"}>
              <summary>{GROUPS[name]}</summary>
              <form method="get" action="/actions/policy" class="fields">
                {settings
                  .filter(({ key }) => groupOf(key) === name)
                  .map((setting) => (
                    <div class={isLong(setting) ? "setting wide" : "setting"}>
                      <div>
                        <code>{setting.key}</code>
                        <p>{setting.describe}</p>
                      </div>
                      <Field setting={setting} isOff={!canSave} />
                    </div>
                  ))}
                <div>
                  <button type="submit" class="first" disabled={!canSave}>
                    Show what this changes
                  </button>
                </div>
              </form>
            </details>
          ))}
        </div>
        <section>
          <h2>Earlier policies of memory</h2>
          {rows.length === 0 ? <Empty>None yet.</Empty> : null}
          <ol class="list small">
            {rows.map(({ number, source, createdAtMs, changes }, n) => (
              <li>
                <b>{number}</b>{" "}
                <span class="soft">
                  {source}, <When ms={createdAtMs} />
                </span>
                {changes.map((one) => (
                  <p class="soft">
                    {one.key}: {shownValue(one.from)} → {shownValue(one.to)}
                  </p>
                ))}
                {n === 0 || !canSave ? null : (
                  <div>
                    <Act
                      action="/api/policy/rollback"
                      fields={{ number: String(number) }}
                      look="quiet"
                    >
                      Bring it back
                    </Act>
                  </div>
                )}
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}

function Preview({
  preview: { changes, effects, fields },
  canSave,
}: {
  preview: NonNullable<PolicyGiven["preview"]>;
  canSave: boolean;
}) {
  if (changes.length === 0) return <p class="flash">That is how it is already.</p>;
  return (
    <section class="sheet" id="preview">
      <h2>This would change</h2>
      <ul>
        {changes.map(({ key, from, to }) => (
          <li>
            <code>{key}</code>: {shownValue(from)} → <b>{shownValue(to)}</b>
          </li>
        ))}
      </ul>
      {effects.length === 0 ? null : <h3>What it would have meant</h3>}
      {effects.map((text) => (
        <p class="soft">{text}</p>
      ))}
      <div class="acts">
        <form method="post" action="/api/settings" class="inline">
          <Hidden fields={{ _method: "patch", ...fields }} />
          <button type="submit" class="first" disabled={!canSave}>
            {`Save ${count(changes.length)} ${changes.length === 1 ? "change" : "changes"}`}
          </button>
        </form>
        <a class="button" href="/actions/policy">
          Leave it
        </a>
      </div>
    </section>
  );
}
