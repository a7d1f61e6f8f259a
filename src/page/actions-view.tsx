import { type LedgerLine, openActionReview } from "../actions/ledger-store.ts";
import { actionsQuery, listActions } from "./bot-routes.ts";
import {
  act,
  badge,
  card,
  choose,
  input,
  link,
  list,
  part,
  search,
  Time,
  toPlainWord,
} from "./parts.tsx";
import type { PageData, Views } from "./route.ts";

const DECISIONS = [
  ["", "any"],
  ["run", "allowed"],
  ["refuse", "refused"],
  ["hold", "waiting"],
  ["dry_run", "only tried"],
] as const;
const HELD_SHOWN = 20;
const FORGOTTEN = "a forgotten viewer";
const WAITED_FOR = { requester: "asked them", streamer: "asked you" } as const;
/** A model may invent a long action name. */
const NAME_CHARS_MAX = 40;

/** Requests to the bot, with the decision about each. */
export const ACTION_VIEWS: Views = {
  "/actions": (data, { query }) => {
    const asked = actionsQuery.parse(query);
    const { decision, requester } = asked;
    const isAny = decision === "" && requester === "";
    const none = isAny
      ? "The bot has had no requests for actions yet. You choose under Settings what it may do."
      : "Nothing matches.";
    const field = { type: "search", value: requester, maxlength: 60, placeholder: "a login" };
    const shown = (
      <>
        {drawWaitingActions(data)}
        {search(
          "/actions",
          choose("Decision", "decision", decision, DECISIONS),
          input("Asked by", "requester", field),
        )}
        {list(listActions(data, asked), none, drawAction)}
      </>
    );
    const settings = link("/settings#actions", "What it may do");
    const lead = ["What the bot was asked to do. ", settings, " is a setting."];
    return { title: "Actions", lead, live: ["actions"], shown };
  },
};

/** Draws waiting questions as sentences with a countdown. The streamer or a viewer in chat answers them. */
export function drawWaitingActions({ db, now, nowMs }: PageData) {
  const held = openActionReview(db, now)
    .list({ decision: "hold", limit: HELD_SHOWN })
    .filter(({ expiresAtMs }) => Number(expiresAtMs) > nowMs);
  if (held.length === 0) return null;
  const answer = (id: number, yes: boolean) =>
    act(`post /api/actions/${id}/answer`, yes ? "Do it" : "Do not", {
      fields: { answer: yes ? "approve" : "refuse" },
      key: yes ? "y" : "n",
      ...(yes && { look: "first" }),
    });
  return part(
    "Waiting for an answer",
    list(
      held,
      "",
      (line) => (
        <li id={`held-${line.id}`} data-item="" tabindex={-1}>
          <p class="fact" data-mortal="">
            {askQuestion(line)}
          </p>
          <div class="acts">
            {line.waitsFor === "streamer" && [answer(line.id, true), answer(line.id, false)]}
            <span class="num soft small" data-until={line.expiresAtMs}>
              …
            </span>
          </div>
        </li>
      ),
      "list sheet",
    ),
  );
}

/** `Rosa asks: timeout bob for 60 s?` */
function askQuestion({ requesterLogin, targetLogin, waitsFor, action, argsJson }: LedgerLine) {
  const who = requesterLogin ?? FORGOTTEN;
  const words = readArguments(argsJson).flatMap(([name, value]) => {
    if (name === "user") return [];
    return [name === "seconds" ? `for ${value} s` : `“${value}”`];
  });
  const actionText = [toPlainWord(action.slice(0, NAME_CHARS_MAX)), targetLogin ?? "", ...words]
    .filter((one) => one !== "")
    .join(" ");
  return waitsFor === "streamer"
    ? `${who} asks: ${actionText}?`
    : `The bot asked ${who} for a yes: ${actionText}?`;
}

/** Draws a proposal with its decision and outcome. */
function drawAction(line: LedgerLine) {
  const { requesterLogin, targetLogin, result, endedAs, outcome, error, waitsFor } = line;
  const args = readArguments(line.argsJson).map(([name, value]) => `${name}: ${value}`);
  const body = (
    <>
      <p>
        <b>{line.action.slice(0, NAME_CHARS_MAX)}</b>
        {targetLogin && ` for ${targetLogin}`}
        <span class="soft">
          {`, asked by ${requesterLogin ?? FORGOTTEN}`}
          {result && ", made "}
          {result?.startsWith("https://") ? link(result, result) : result}
        </span>
      </p>
      {args.length > 0 && (
        <p class="small soft" data-mortal="">
          {args.join(" · ")}
        </p>
      )}
    </>
  );
  return card(`action-${line.id}`, body, [
    badge(line.decision),
    toPlainWord(line.reason) !== toPlainWord(line.decision) && toPlainWord(line.reason),
    waitsFor && WAITED_FOR[waitsFor],
    endedAs && endedAs !== line.reason && badge(endedAs),
    outcome && badge(outcome),
    error && toPlainWord(error),
    <Time ms={line.createdAtMs} />,
  ]);
}

/** Returns the arguments of a proposal by name. Free text in them lives 24 hours. */
function readArguments(json: string | null): (readonly [name: string, value: string])[] {
  if (json === null) return [];
  try {
    const args: unknown = JSON.parse(json);
    if (typeof args !== "object" || args === null) return [["text", String(args)]];
    return Object.entries(args)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        name,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]);
  } catch {
    // A model wrote it: text that is no JSON is shown as it is.
    return [["text", json]];
  }
}
