import { type Child, createContext, useContext } from "hono/jsx";
import { formatLocalTime } from "../config/local-time.ts";

/** The token of the session's forms, and the time that the page is drawn for. */
export const PageContext = createContext({ csrf: "", nowMs: 0 });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each unit applies below the age in its third column. */
const UNITS = [
  [MINUTE_MS, "min", HOUR_MS],
  [HOUR_MS, "h", 2 * DAY_MS],
] as const;

/** A time in words; its title is the clock's time. */
export function Time({ ms }: { ms: number }) {
  const { nowMs } = useContext(PageContext);
  return (
    <time datetime={new Date(ms).toISOString()} title={formatLocalTime(ms)} class="nowrap">
      {describeTime(ms - nowMs)}
    </time>
  );
}

/** `3 min ago`, `in 2 days`. */
function describeTime(fromNowMs: number): string {
  const far = Math.abs(fromNowMs);
  if (far < MINUTE_MS) return fromNowMs > 5_000 ? "within a minute" : "just now";
  const [unitMs, unit] = UNITS.find(([, , below]) => far < below) ?? [DAY_MS, "days"];
  const amount = `${Math.round(far / unitMs)} ${unit}`;
  return fromNowMs < 0 ? `${amount} ago` : `in ${amount}`;
}

/** Plain words for codes that a streamer would not know. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["active", "in use"],
  ["pending", "waits for you"],
  ["shadow", "kept back"],
  ["superseded", "replaced"],
  ["stale", "old"],
  ["run", "allowed"],
  ["refuse", "refused"],
  ["hold", "waiting"],
  ["dry_run", "only tried"],
  ["bit", "joke"],
  ["running_bit", "joke"],
  ["constraint", "wish"],
  ["profile", "about them"],
  ["preference", "likes"],
  ["state", "right now"],
  ["event", "happening"],
  ["window", "chat"],
  ["direct", "talk with the bot"],
  ["operator", "you"],
  ["extracted", "from chat"],
  ["viewer_request", "they asked for it"],
]);

/** Returns the plain words for a code. */
export function toPlainWord(code: string): string {
  return WORDS.get(code) ?? code.replaceAll("_", " ");
}

const TONES = new Map(
  Object.entries({
    good: "active sent run done good viewer_answered",
    warn: "pending hold unknown",
    bad: "failed bad rejected deleted timed_out",
    blue: "shadow dry_run thinking sending blue",
  }).flatMap(([tone, codes]) => codes.split(" ").map((code) => [code, tone])),
);

/** A state, a decision or an outcome. */
export function badge(code: string, shown: Child = toPlainWord(code)) {
  return <span class={`badge ${TONES.get(code) ?? ""}`}>{shown}</span>;
}

export function link(href: string, text: Child, look?: string) {
  return (
    <a href={href} class={look}>
      {text}
    </a>
  );
}

/** A small, pale sentence. */
export function hint(...children: readonly Child[]) {
  return <p class="small soft">{children}</p>;
}

type Fields = Readonly<Record<string, string>>;

interface FormProps {
  /** The method and the address: `patch /api/notes/7`. */
  readonly to: string;
  readonly fields?: Fields | undefined;
  readonly look?: string | undefined;
  readonly id?: string;
  readonly children?: Child;
}

/** A form that sends to `/api`, with the token of the session. */
export function Form({ to, fields = {}, look, id, children }: FormProps) {
  const { csrf } = useContext(PageContext);
  const [method = "", action] = to.split(" ");
  const hidden = { _csrf: csrf, ...(method === "post" ? {} : { _method: method }), ...fields };
  return (
    <form method="post" action={action} class={look} id={id}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

interface ActOptions {
  readonly fields?: Fields;
  /** The key that presses it while its item is chosen. */
  readonly key?: string | undefined;
  readonly look?: "first" | "quiet" | "grave";
  /** The id of the text that it acts on, if several items have the same button. */
  readonly about?: string | undefined;
}

/** One button that does one thing. */
export function act(to: string, label: Child, { fields, key, look, about }: ActOptions = {}) {
  return (
    <Form to={to} fields={fields} look="inline">
      <button type="submit" class={look} data-key={key} aria-describedby={about}>
        {label}
        {key === undefined ? null : <kbd>{key}</kbd>}
      </button>
    </Form>
  );
}

/** Asks before an act that cannot be undone. With an `id` it stays open while the page redraws. */
export function askTwice(
  id: string,
  label: string,
  text: Child,
  [to, yes]: readonly [to: string, yes: string],
  { fields, about }: ActOptions = {},
) {
  return (
    <details class="confirm" id={id}>
      <summary data-key={label.startsWith("Forget") ? "f" : ""} aria-describedby={about}>
        {label}
      </summary>
      <p class="small">{text}</p>
      {act(to, yes, { look: "grave", about, ...(fields && { fields }) })}
    </details>
  );
}

export function submitButton(label: string, look?: string) {
  return (
    <div>
      <button type="submit" class={look}>
        {label}
      </button>
    </div>
  );
}

/** Sends a question to `/api` and shows the text of the answer. Nothing of it is stored. */
export function TryForm({ to, yes, children }: { to: string; yes: string; children?: Child }) {
  const { csrf } = useContext(PageContext);
  return (
    <form method="post" action={to} data-try="" class="fields">
      <input type="hidden" name="_csrf" value={csrf} />
      {children}
      {submitButton(yes)}
      <p id="tried" class="quote" data-tried="" role="status" />
    </form>
  );
}

/** A form that is sent while one types, and changes nothing. */
export function search(action: string, ...fields: readonly Child[]) {
  return (
    <form class="filters" data-search="" action={action} method="get">
      {fields}
      <button type="submit" class="unseen">
        Show
      </button>
    </form>
  );
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>> & {
  readonly class?: string;
};

/** An input with its label. */
export function input(label: Child, name: string, { class: look, ...rest }: Attributes = {}) {
  return (
    <label class={look}>
      <span>{label}</span>
      <input name={name} {...rest} />
    </label>
  );
}

/** A field of several lines with its label. */
export function textArea(label: string, name: string, value: string, rest: Attributes) {
  return (
    <label>
      <span>{label}</span>
      <textarea name={name} {...rest}>
        {value}
      </textarea>
    </label>
  );
}

type Choices = readonly (readonly [value: string, name: string])[];

/** A list to choose from, with its label. */
export function choose(label: string, name: string, value: string, choices: Choices) {
  return (
    <label>
      <span>{label}</span>
      <select name={name}>{listOptions(choices, value)}</select>
    </label>
  );
}

export function listOptions(choices: Choices, value: string) {
  return choices.map(([one, shown]) => (
    <option value={one} selected={one === value}>
      {shown}
    </option>
  ));
}

/** A part of a view, under its title. */
export function part(title: Child, ...children: readonly Child[]) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A folded part. With an `id` it stays open while the page redraws. */
export function foldAway(id: string, title: Child, ...children: readonly Child[]) {
  return (
    <details class="fold" id={id}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** A list; `none` replaces an empty one. */
export function list<T>(of: readonly T[], none: Child, draw: (one: T) => Child, look = "list") {
  return of.length === 0 ? empty(none) : <ol class={look}>{of.map(draw)}</ol>;
}

/** An item that keys choose: its content, the facts about it in one line, and its buttons. */
export function card(id: string, body: Child, facts: readonly Child[], buttons?: Child) {
  return (
    <li id={id} data-item="" tabindex={-1}>
      {body}
      {meta(...facts)}
      {buttons && <div class="acts">{buttons}</div>}
    </li>
  );
}

/** Facts in one line. Leaves out false, null and "". */
export function meta(...facts: readonly Child[]) {
  const shown = facts.filter((one) => one !== false && one !== null && one !== "");
  return (
    <div class="meta">
      {shown.map((one) => (
        <span>{one}</span>
      ))}
    </div>
  );
}

/** Labels and their values. */
export function facts(rows: readonly (readonly [label: Child, value: Child])[]) {
  return (
    <dl class="facts">
      {rows.map(([label, value]) => (
        <>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

export function empty(...children: readonly Child[]) {
  return <p class="empty">{children}</p>;
}

const BAR_WIDTH = 200;

/** Draws a share, 0 to 1, as a bar. The text next to it says the same. */
export function bar(share: number) {
  const width = Math.round(BAR_WIDTH * Math.min(1, share) * 100) / 100;
  return (
    <svg class="chart" viewBox={`0 0 ${BAR_WIDTH} 6`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="room" width={BAR_WIDTH} height="6" />
      <rect class="one" width={width} height="6" />
    </svg>
  );
}

/** Names, each with its own direction of writing. */
export function names(all: readonly string[]) {
  return all.map((name, at) => [at === 0 ? "" : ", ", <bdi>{name}</bdi>]);
}

/** Links to the next page of a list; null if there is none. */
export function more(href: string | null, text = "Older") {
  return href === null ? null : <p class="more">{link(href, text)}</p>;
}

/** Returns an address with a query. Leaves out empty values. */
export function withQuery(path: string, query: Fields): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Returns the address of a list's next page; null if there is none. */
export function nextPage(path: string, query: Fields, next: string | null) {
  return next === null ? null : withQuery(path, { ...query, after: next });
}

/** Returns the address of a viewer's card. The id comes from Twitch, and is escaped all the same. */
export function viewerHref(userId: string): string {
  return `/memory/people/${encodeURIComponent(userId)}`;
}
