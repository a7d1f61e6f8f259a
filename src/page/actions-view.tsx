import { count } from "../telemetry/figures.ts";
import { actionsQuery, explain, explainQuery, listActions } from "./control-routes.ts";
import { ExplainView } from "./explain-view.tsx";
import type { ViewTabs } from "./layout.tsx";
import { HeldActions, LedgerItem } from "./ledger-view.tsx";
import { Badge, Choose, Empty, Input, List, Part, personHref, plain, Search } from "./parts.tsx";
import { PolicyView } from "./policy-view.tsx";
import type { Given } from "./route.ts";
import type { Views } from "./views.tsx";

const TABS: ViewTabs = {
  label: "Parts of actions",
  of: [
    ["/actions", "Ledger"],
    ["/actions/explain", "What if"],
    ["/actions/policy", "Policy"],
  ],
};

/** What was proposed and why it was decided so, what would be, and the policy that decides. */
export const ACTIONS: Views = {
  "/actions": (data, { query }) => ({
    title: "Actions",
    tabs: TABS,
    live: ["actions"],
    shown: <LedgerView data={data} query={query} />,
  }),
  "/actions/explain": async (data, { query }) => {
    const asked = explainQuery.parse(query);
    const explained = query["action"] === undefined ? null : await explain(data, asked);
    return {
      title: "What if",
      lead: "What the bot would do if somebody asked for an action now. Nothing is sent.",
      tabs: TABS,
      shown: <ExplainView query={asked} explained={explained} />,
    };
  },
  "/actions/policy": (data, { lists }) => ({
    title: "Policy",
    lead: "What the bot may do, and what it keeps. Nothing is saved before you saw what it changes.",
    tabs: TABS,
    shown: <PolicyView data={data} asked={lists} />,
  }),
};

const DECISIONS = [
  ["", "any"],
  ["run", "run"],
  ["refuse", "refused"],
  ["hold", "waits"],
  ["dry_run", "dry run"],
] as const;

function LedgerView({ data, query }: Given) {
  const asked = actionsQuery.parse(query);
  const { items, byReason, refusedByRequester } = listActions(data, asked);
  return (
    <>
      <HeldActions data={data} />
      <div class="cols">
        <section>
          <Search action="/actions">
            <Choose name="decision" label="Decision" value={asked.decision} options={DECISIONS} />
            <Input
              label="Asked by"
              type="search"
              name="requester"
              value={asked.requester}
              maxlength={60}
              placeholder="a login"
            />
          </Search>
          <List of={items} none="Nothing was proposed.">
            {(line) => <LedgerItem line={line} />}
          </List>
        </section>
        <Part title="In the last week">
          {byReason.length === 0 ? <Empty>Nothing.</Empty> : null}
          <Counted
            rows={byReason.map(({ decision, reason, count: n }) => [
              <>
                <Badge code={decision} /> {plain(reason)}
              </>,
              n,
            ])}
          />
          {refusedByRequester.length === 0 ? null : <h3 class="more">Refused, by who asked</h3>}
          <Counted
            rows={refusedByRequester
              .slice(0, 10)
              .map(({ userId, login, count: n }) => [
                login === null ? (
                  "somebody who is forgotten"
                ) : (
                  <a href={personHref(userId)}>{login}</a>
                ),
                n,
              ])}
          />
        </Part>
      </div>
    </>
  );
}

function Counted({ rows }: { rows: readonly (readonly [what: unknown, times: number])[] }) {
  return (
    <table>
      <tbody>
        {rows.map(([what, times]) => (
          <tr>
            <td>{what}</td>
            <td class="n">{count(times)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
