import type { Child } from "hono/jsx";
import { actionReview } from "../actions/ledger-store.ts";
import { ACTION_NAMES } from "../platform/config/names.ts";
import type { Explanation } from "../reply/explain-action.ts";
import { count } from "../telemetry/figures.ts";
import { actionsQuery, explain, explainQuery, listActions } from "./control-routes.ts";
import type { ViewTabs } from "./layout.tsx";
import {
  act,
  badge,
  Choose,
  Empty,
  Item,
  input,
  list,
  Part,
  personHref,
  plain,
  Search,
  Table,
  When,
} from "./parts.tsx";
import type { PageData, Views } from "./route.ts";
import { policyView } from "./settings-view.tsx";

const TABS: ViewTabs = {
  label: "Parts of actions",
  of: [
    ["/actions", "Ledger"],
    ["/actions/explain", "What if"],
    ["/actions/policy", "Policy"],
  ],
};
const DECISIONS = [
  ["", "any"],
  ["run", "run"],
  ["refuse", "refused"],
  ["hold", "waits"],
  ["dry_run", "dry run"],
] as const;
const REQUESTERS = [
  ["viewer", "a viewer"],
  ["moderator", "a moderator"],
  ["streamer", "you"],
] as const;
const REFUSED_SHOWN = 10;

/** What was proposed and why it was decided so, what would be, and the policy that decides. */
export const ACTIONS: Views = {
  "/actions": (data, { query }) => {
    const asked = actionsQuery.parse(query);
    const { items, byReason, refusedByRequester } = listActions(data, asked);
    const requester = { type: "search", value: asked.requester, maxlength: 60 };
    const reasons = byReason.map(({ decision, reason, count: n }) =>
      counted(n, badge(decision), " ", plain(reason)),
    );
    const refused = refusedByRequester
      .slice(0, REFUSED_SHOWN)
      .map(({ userId, login, count: n }) =>
        counted(n, login === null ? FORGOTTEN : <a href={personHref(userId)}>{login}</a>),
      );
    const shown = (
      <>
        {heldActions(data)}
        <div class="cols">
          <section>
            <Search action="/actions">
              <Choose name="decision" label="Decision" value={asked.decision} options={DECISIONS} />
              {input("Asked by", "requester", { ...requester, placeholder: "a login" })}
            </Search>
            {list(items, "Nothing was proposed.", (line) => (
              <Item id={`action-${line.id}`}>{ledgerLine(line)}</Item>
            ))}
          </section>
          <Part title="In the last week">
            {reasons.length === 0 ? <Empty>Nothing.</Empty> : null}
            <table>{reasons}</table>
            {refused.length === 0 ? null : <h3 class="more">Refused, by who asked</h3>}
            <table>{refused}</table>
          </Part>
        </div>
      </>
    );
    return { title: "Actions", tabs: TABS, live: ["actions"], shown };
  },
  "/actions/explain": async (data, { query }) => {
    const asked = explainQuery.parse(query);
    const explained = query["action"] === undefined ? null : await explain(data, asked);
    const { as, action, about, text, seconds, words } = asked;
    const actions = ACTION_NAMES.map((name) => [name, name] as const);
    const shown = (
      <div class="pair">
        <form method="get" action="/actions/explain" data-search="" class="fields">
          <Choose name="as" label="Who asks" value={as} options={REQUESTERS} />
          <Choose name="action" label="For what" value={action} options={actions} />
          {input("About whom: a login, or a note's number", "about", {
            value: about,
            maxlength: 60,
            placeholder: "bob",
          })}
          {input("Text, reason or fact, if it takes one", "text", { value: text, maxlength: 450 })}
          {input("Seconds, if it takes any", "seconds", {
            value: seconds,
            inputmode: "numeric",
            maxlength: 6,
          })}
          {input("What they wrote, word for word; nothing: a request for it is assumed", "words", {
            value: words,
            maxlength: 500,
            placeholder: "@bot timeout bob",
          })}
          <div>
            <button type="submit" class="first">
              Show what would happen
            </button>
          </div>
        </form>
        {explained === null ? <Empty>Choose, and see each rule decide.</Empty> : null}
        {explained === null ? null : <Explained {...explained} />}
      </div>
    );
    return {
      title: "What if",
      lead: "What the bot would do if somebody asked for an action now. Nothing is sent.",
      tabs: TABS,
      shown,
    };
  },
  "/actions/policy": (data) => ({ ...policyView(data), tabs: TABS }),
};

function counted(times: number, ...what: Child[]) {
  return (
    <tr>
      <td>{what}</td>
      <td class="n">{count(times)}</td>
    </tr>
  );
}

const OUTCOMES: Readonly<Record<Explanation["decision"]["kind"], string>> = {
  run: "It would be done.",
  refuse: "It would be refused.",
  dry_run: "It would be written down, and not done.",
  hold: "The bot would ask them first.",
};

function Explained({ decision, rules, question, target }: Explanation) {
  const isYours = decision.kind === "hold" && decision.waitsFor === "streamer";
  return (
    <section id="explained">
      <h2>{isYours ? "It would wait for your word." : OUTCOMES[decision.kind]}</h2>
      <p class="soft">
        {badge(decision.kind)} {plain(decision.reason)}
        {target === null ? "" : `, about ${target.displayName}`}
      </p>
      {question === null ? null : <p class="quote note-card">The bot asks: {question}</p>}
      <Table label="Rules" columns={[["Rule"], ["Says"], ["Taken for granted"]]}>
        {rules.map(({ rule, verdict, isDeciding, assumed }) => (
          <tr class={verdict === "not_judged" ? "soft" : ""}>
            <td class="nowrap">{isDeciding ? <b>{plain(rule)}</b> : plain(rule)}</td>
            <td class="nowrap">{isDeciding ? badge("refuse", plain(verdict)) : plain(verdict)}</td>
            <td class="soft small">{assumed ?? ""}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

type LedgerLine = ReturnType<ReturnType<typeof actionReview>["list"]>[number];

const HELD_SHOWN = 20;
const FORGOTTEN = "somebody who is forgotten";
const WAITED_FOR = { requester: "asked them", streamer: "asked you" } as const;
/** A model may make up a name out of anybody's words: it is cut. */
const NAME_CHARS_MAX = 40;

/** Proposals that wait for the streamer and may still be answered. */
export function heldActions({ db, nowMs }: PageData) {
  const held = actionReview(db, () => nowMs)
    .list({ decision: "hold", limit: HELD_SHOWN })
    .filter(({ waitsFor, expiresAtMs }) => waitsFor === "streamer" && Number(expiresAtMs) > nowMs);
  if (held.length === 0) return null;
  const answer = (id: number, label: string, value: string, key: string) =>
    act(`post /api/actions/${id}/answer`, label, {
      fields: { answer: value },
      key,
      ...(value === "approve" ? { look: "first" } : {}),
    });
  const drawn = (line: LedgerLine) => (
    <Item id={`held-${line.id}`}>
      {ledgerLine(line)}
      <div class="acts">
        {answer(line.id, "Do it", "approve", "y")}
        {answer(line.id, "Do not", "refuse", "n")}
        <span class="num soft small" data-until={line.expiresAtMs}>
          …
        </span>
      </div>
    </Item>
  );
  return <Part title="Waits for your word">{list(held, "", drawn, "list sheet")}</Part>;
}

/** What was proposed, and what became of it. */
function ledgerLine(line: LedgerLine) {
  const { requesterLogin, targetLogin, result, endedAs, outcome, error, waitsFor } = line;
  const args = argsOf(line.argsJson);
  return (
    <>
      <div class="meta">
        <b class="who">{line.action.slice(0, NAME_CHARS_MAX)}</b>
        {badge(line.decision)}
        <span>{plain(line.reason)}</span>
        {waitsFor === null ? null : <span>{WAITED_FOR[waitsFor]}</span>}
        {endedAs === null || endedAs === line.reason ? null : badge(endedAs)}
        {outcome === null ? null : badge(outcome)}
        {error === null ? null : <span>{plain(error)}</span>}
        <When ms={line.createdAtMs} />
      </div>
      <p class="small soft">
        {`asked by ${requesterLogin ?? FORGOTTEN}`}
        {targetLogin === null ? "" : `, meant ${targetLogin}`}
        {result === null ? "" : ", made "}
        {result?.startsWith("https://") ? <a href={result}>{result}</a> : result}
      </p>
      {args.length === 0 ? null : (
        <p class="small soft" data-mortal="">
          {args.join(" · ")}
        </p>
      )}
    </>
  );
}

/** Free text in them lives 24 hours. */
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
    // A model wrote it: what is no JSON is shown as it is.
    return [json];
  }
}
