import type { Child } from "hono/jsx";
import { actionReview } from "../actions/ledger-store.ts";
import { actionsQuery, listActions } from "./control-routes.ts";
import { act, badge, Card, Choose, input, list, Part, plain, Search, When } from "./parts.tsx";
import type { PageData, Views } from "./route.ts";
import { policyView } from "./settings-view.tsx";

const TABS = {
  label: "Parts of actions",
  of: [
    ["/actions", "Ledger"],
    ["/actions/policy", "Policy"],
  ],
} as const;
const DECISIONS = [
  ["", "any"],
  ["run", "run"],
  ["refuse", "refused"],
  ["hold", "waiting"],
  ["dry_run", "dry run"],
] as const;

/** Proposed actions with the decision about each, and the policy that decides. */
export const ACTION_VIEWS: Views = {
  "/actions": (data, { query }) => {
    const asked = actionsQuery.parse(query);
    const requester = { type: "search", value: asked.requester, maxlength: 60 };
    const shown = (
      <>
        {heldActions(data)}
        <Search action="/actions">
          <Choose name="decision" label="Decision" value={asked.decision} options={DECISIONS} />
          {input("Asked by", "requester", { ...requester, placeholder: "a login" })}
        </Search>
        {list(listActions(data, asked), "Nothing was proposed.", (line) => (
          <LedgerCard id={`action-${line.id}`} line={line} />
        ))}
      </>
    );
    return { title: "Actions", tabs: TABS, live: ["actions"], shown };
  },
  "/actions/policy": (data) => ({ ...policyView(data), tabs: TABS }),
};

type LedgerLine = ReturnType<ReturnType<typeof actionReview>["list"]>[number];

const HELD_SHOWN = 20;
const FORGOTTEN = "a forgotten viewer";
const WAITED_FOR = { requester: "asked them", streamer: "asked you" } as const;
/** A model may invent a long action name. */
const NAME_CHARS_MAX = 40;

/** Proposals that the streamer can still approve or refuse; null if there are none. */
export function heldActions({ db, nowMs }: PageData) {
  const held = actionReview(db, () => nowMs)
    .list({ decision: "hold", limit: HELD_SHOWN })
    .filter(({ waitsFor, expiresAtMs }) => waitsFor === "streamer" && Number(expiresAtMs) > nowMs);
  if (held.length === 0) return null;
  const answers = ({ id, expiresAtMs }: LedgerLine) => {
    const to = `post /api/actions/${id}/answer`;
    return (
      <>
        {act(to, "Do it", { fields: { answer: "approve" }, key: "y", look: "first" })}
        {act(to, "Do not", { fields: { answer: "refuse" }, key: "n" })}
        <span class="num soft small" data-until={expiresAtMs}>
          …
        </span>
      </>
    );
  };
  return (
    <Part title="Waiting for your answer">
      {list(
        held,
        "",
        (line) => (
          <LedgerCard id={`held-${line.id}`} line={line} acts={answers(line)} />
        ),
        "list sheet",
      )}
    </Part>
  );
}

/** A proposal and what became of it. */
function LedgerCard({ id, line, acts }: { id: string; line: LedgerLine; acts?: Child }) {
  const { requesterLogin, targetLogin, result, endedAs, outcome, error, waitsFor } = line;
  const args = argsOf(line.argsJson);
  const meta = (
    <>
      {badge(line.decision)}
      <span>{plain(line.reason)}</span>
      {waitsFor && <span>{WAITED_FOR[waitsFor]}</span>}
      {endedAs && endedAs !== line.reason && badge(endedAs)}
      {outcome && badge(outcome)}
      {error && <span>{plain(error)}</span>}
      <When ms={line.createdAtMs} />
    </>
  );
  return (
    <Card id={id} meta={meta} acts={acts}>
      <p>
        <b>{line.action.slice(0, NAME_CHARS_MAX)}</b>
        {targetLogin && ` for ${targetLogin}`}
        <span class="soft">
          {`, asked by ${requesterLogin ?? FORGOTTEN}`}
          {result && ", made "}
          {result?.startsWith("https://") ? <a href={result}>{result}</a> : result}
        </span>
      </p>
      {args.length > 0 && (
        <p class="small soft" data-mortal="">
          {args.join(" · ")}
        </p>
      )}
    </Card>
  );
}

/** The arguments of a proposal as `name: value`. Free text in them lives 24 hours. */
function argsOf(json: string | null): string[] {
  if (json === null) return [];
  try {
    const args: unknown = JSON.parse(json);
    if (typeof args !== "object" || args === null) return [String(args)];
    const shown = (value: unknown) =>
      typeof value === "object" ? JSON.stringify(value) : String(value);
    return Object.entries(args).flatMap(([key, value]) =>
      value === null ? [] : [`${key}: ${shown(value)}`],
    );
  } catch {
    // A model wrote it: text that is no JSON is shown as it is.
    return [json];
  }
}
