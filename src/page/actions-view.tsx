import { actionReview, type LedgerLine } from "../actions/ledger-store.ts";
import { actionsQuery, listActions } from "./control-routes.ts";
import { act, badge, Card, Choose, input, list, Part, plain, Search, When } from "./parts.tsx";
import type { PageData, Views } from "./route.ts";

const DECISIONS = [
  ["", "any"],
  ["run", "allowed"],
  ["refuse", "refused"],
  ["hold", "waiting"],
  ["dry_run", "only tried"],
] as const;

/** What the bot was asked to do, with the decision about each. */
export const ACTION_VIEWS: Views = {
  "/actions": (data, { query }) => {
    const asked = actionsQuery.parse(query);
    const requester = { type: "search", value: asked.requester, maxlength: 60 };
    const isAny = asked.decision === "" && asked.requester === "";
    const none = isAny
      ? "The bot has had no requests for actions yet. You choose under Settings what it may do."
      : "Nothing matches.";
    const shown = (
      <>
        {heldActions(data)}
        <Search action="/actions">
          <Choose name="decision" label="Decision" value={asked.decision} options={DECISIONS} />
          {input("Asked by", "requester", { ...requester, placeholder: "a login" })}
        </Search>
        {list(listActions(data, asked), none, (line) => (
          <LedgerCard id={`action-${line.id}`} line={line} />
        ))}
      </>
    );
    const lead = (
      <>
        What the bot was asked to do. <a href="/settings#actions">What it may do</a> is a setting.
      </>
    );
    return { title: "Actions", lead, live: ["actions"], shown };
  },
};

const HELD_SHOWN = 20;
const FORGOTTEN = "a forgotten viewer";
const WAITED_FOR = { requester: "asked them", streamer: "asked you" } as const;
/** A model may invent a long action name. */
const NAME_CHARS_MAX = 40;

/** What still waits for a yes, as sentences with a countdown: from the streamer, or from a viewer in chat. */
export function heldActions({ db, nowMs }: PageData) {
  const held = actionReview(db, () => nowMs)
    .list({ decision: "hold", limit: HELD_SHOWN })
    .filter(({ expiresAtMs }) => Number(expiresAtMs) > nowMs);
  if (held.length === 0) return null;
  return (
    <Part title="Waiting for an answer">
      {list(
        held,
        "",
        (line) => {
          const { id, expiresAtMs, waitsFor } = line;
          const to = `post /api/actions/${id}/answer`;
          const isYours = waitsFor === "streamer";
          return (
            <li id={`held-${id}`} data-item="" tabindex={-1}>
              <p class="fact" data-mortal="">
                {questionText(line)}
              </p>
              <div class="acts">
                {isYours &&
                  act(to, "Do it", { fields: { answer: "approve" }, key: "y", look: "first" })}
                {isYours && act(to, "Do not", { fields: { answer: "refuse" }, key: "n" })}
                <span class="num soft small" data-until={expiresAtMs}>
                  …
                </span>
              </div>
            </li>
          );
        },
        "list sheet",
      )}
    </Part>
  );
}

/** `Rosa asks: timeout bob for 60 s?` */
function questionText({ requesterLogin, targetLogin, waitsFor, action, argsJson }: LedgerLine) {
  const who = requesterLogin ?? FORGOTTEN;
  const words = argsOf(argsJson).flatMap((one) => {
    const [name = "", value = ""] = one.split(/: (.*)/s);
    if (name === "user") return [];
    return [name === "seconds" ? `for ${value} s` : `“${value}”`];
  });
  const what = [plain(action.slice(0, NAME_CHARS_MAX)), targetLogin ?? "", ...words]
    .filter((one) => one !== "")
    .join(" ");
  return waitsFor === "streamer"
    ? `${who} asks: ${what}?`
    : `The bot asked ${who} for a yes: ${what}?`;
}

/** A proposal and what became of it. */
function LedgerCard({ id, line }: { id: string; line: LedgerLine }) {
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
    <Card id={id} meta={meta}>
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
