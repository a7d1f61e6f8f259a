import type { z } from "zod";
import { ACTION_NAMES } from "../platform/config/names.ts";
import type { Explanation } from "../reply/explain-action.ts";
import type { explainQuery } from "./control-routes.ts";
import { Badge, Choose, Empty, Input, plain, Table } from "./parts.tsx";

const ASKERS = [
  ["viewer", "a viewer"],
  ["moderator", "a moderator"],
  ["streamer", "you"],
] as const;

const FIELDS = [
  {
    name: "about",
    label: "About whom: a login, or a note's number",
    maxlength: 60,
    placeholder: "bob",
  },
  { name: "text", label: "Text, reason or fact, if it takes one", maxlength: 450 },
  { name: "seconds", label: "Seconds, if it takes any", inputmode: "numeric", maxlength: 6 },
  {
    name: "words",
    label: "What they wrote, word for word; nothing: that they ask for it is taken for granted",
    maxlength: 500,
    placeholder: "@bot timeout bob",
  },
] as const;

/** What would happen if somebody asked for an action. */
export function ExplainView({
  query,
  explained,
}: {
  query: z.output<typeof explainQuery>;
  explained: Explanation | null;
}) {
  return (
    <div class="pair">
      <form method="get" action="/actions/explain" data-search="" class="fields">
        <Choose name="as" label="Who asks" value={query.as} options={ASKERS} />
        <Choose
          name="action"
          label="For what"
          value={query.action}
          options={ACTION_NAMES.map((name) => [name, name] as const)}
        />
        {FIELDS.map((field) => (
          <Input {...field} value={query[field.name]} />
        ))}
        <div>
          <button type="submit" class="first">
            Show what would happen
          </button>
        </div>
      </form>
      {explained === null ? (
        <Empty>Choose, and see each rule decide.</Empty>
      ) : (
        <Explained {...explained} />
      )}
    </div>
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
        <Badge code={decision.kind} /> {plain(decision.reason)}
        {target === null ? "" : `, about ${target.displayName}`}
      </p>
      {question === null ? null : <p class="quote note-card">The bot asks: {question}</p>}
      <Table label="Rules" columns={[["Rule"], ["Says"], ["Taken for granted"]]}>
        {rules.map(({ rule, verdict, isDeciding, assumed }) => (
          <tr class={verdict === "not_judged" ? "soft" : ""}>
            <td class="nowrap">{isDeciding ? <b>{plain(rule)}</b> : plain(rule)}</td>
            <td class="nowrap">
              {isDeciding ? <Badge code="refuse">{plain(verdict)}</Badge> : plain(verdict)}
            </td>
            <td class="soft small">{assumed ?? ""}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
