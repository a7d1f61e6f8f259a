import { html as template } from "hono/html";
import { type Child, createContext, useContext } from "hono/jsx";
import { formatLocalTime } from "../config/local-time.ts";

/** The token of the session's forms, and the time that the page is drawn for. */
export const PageContext = createContext({ csrf: "", nowMs: 0 });

/** Makes HTML. Escapes the values; an attribute's value needs quotation marks around it. */
export function html(strings: TemplateStringsArray, ...values: (Child | readonly Child[])[]) {
  return template(strings, ...values);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each unit applies below the age in its third column. */
const UNITS = [
  [MINUTE_MS, "min", HOUR_MS],
  [HOUR_MS, "h", 2 * DAY_MS],
] as const;

/** Draws a time in words, with the clock's time as its title. */
export function time(ms: number) {
  const { nowMs } = useContext(PageContext);
  const iso = new Date(ms).toISOString();
  return html`<time class="nowrap" datetime="${iso}" title="${formatLocalTime(ms)}">${describeTime(ms - nowMs)}</time>`;
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
  return html`<span class="badge ${TONES.get(code)}">${shown}</span>`;
}

export function link(href: string, text: Child, look?: string) {
  const rest = look && html` class="${look}"`;
  return html`<a href="${href}"${rest}>${text}</a>`;
}

/** A small, pale sentence. */
export function hint(...children: readonly Child[]) {
  return html`<p class="small soft">${children}</p>`;
}

/** Small, pale words next to others. */
export function faint(...children: readonly Child[]) {
  return html`<span class="small soft">${children}</span>`;
}

type Fields = Readonly<Record<string, string>>;

/** A form that sends to `/api`, with the token of the session. `to`: method and address, `patch /api/notes/7`. */
export function Form(props: {
  to: string;
  fields?: Fields | undefined;
  look?: string | undefined;
  id?: string;
  /** True if the form keeps the typed text after it is sent. */
  isKept?: boolean;
  children?: Child;
}) {
  const { to, fields = {}, look, id, isKept, children } = props;
  const { csrf } = useContext(PageContext);
  const [method = "", action] = to.split(" ");
  const hidden = { _csrf: csrf, ...(method === "post" ? {} : { _method: method }), ...fields };
  return (
    <form method="post" action={action} class={look} id={id} data-keep={isKept || undefined}>
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
  return html`<div><button type="submit" class="${look}">${label}</button></div>`;
}

/** A form that is sent while one types, and changes nothing. */
export function search(action: string, ...fields: readonly Child[]) {
  return html`<form class="filters" data-search="" action="${action}" method="get">
    ${fields}<button type="submit" class="unseen">Show</button></form>`;
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

/** A list to choose from, with its label. */
export function choose(
  label: string,
  name: string,
  value: string,
  choices: readonly (readonly [value: string, name: string])[],
  isOff = false,
) {
  const options = choices.map(
    ([one, shown]) =>
      html`<option value="${one}"${one === value && html` selected`}>${shown}</option>`,
  );
  const off = isOff && html` disabled`;
  return html`<label><span>${label}</span><select name="${name}"${off}>${options}</select></label>`;
}

/** A part of a view, under its title. */
export function part(title: Child, ...children: readonly Child[]) {
  return html`<section><h2>${title}</h2>${children}</section>`;
}

/** Two parts of a view next to each other, one below the other on a phone. */
export function columns(left: Child, right: Child, look: "cols" | "pair" = "cols") {
  return html`<div class="${look}"><div>${left}</div><div>${right}</div></div>`;
}

/** A folded part. With an `id` it stays open while the page redraws. */
export function foldAway(id: string, title: Child, content: Child, isOpen = false) {
  const open = isOpen && html` open`;
  return html`<details class="fold" id="${id}"${open}><summary>${title}</summary>${content}</details>`;
}

/** A list; `none` replaces an empty one. */
export function list<T>(of: readonly T[], none: Child, draw: (one: T) => Child, look = "list") {
  return of.length === 0 ? empty(none) : html`<ol class="${look}">${of.map(draw)}</ol>`;
}

/** An item that keys choose: its content, the facts about it in one line, and its buttons. */
export function card(id: string, body: Child, facts: readonly Child[], buttons?: Child) {
  const acts = buttons && html`<div class="acts">${buttons}</div>`;
  return html`<li id="${id}" data-item="" tabindex="-1">${body}${meta(...facts)}${acts}</li>`;
}

/** Facts in one line. Leaves out false, null and "". */
export function meta(...facts: readonly Child[]) {
  const shown = facts.filter((one) => one !== false && one !== null && one !== "");
  return html`<div class="meta">${shown.map((one) => html`<span>${one}</span>`)}</div>`;
}

/** Labels and their values. */
export function facts(rows: readonly (readonly [label: Child, value: Child | readonly Child[]])[]) {
  const drawn = rows.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`);
  return html`<dl class="facts">${drawn}</dl>`;
}

export function empty(...children: readonly Child[]) {
  return html`<p class="empty">${children}</p>`;
}

const BAR_WIDTH = 200;

/** Draws a share, 0 to 1, as a bar. The text next to it says the same. */
export function bar(share: number) {
  const width = Math.round(BAR_WIDTH * Math.min(1, share) * 100) / 100;
  return html`<svg class="chart" viewBox="0 0 ${BAR_WIDTH} 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="room" width="${BAR_WIDTH}" height="6"/><rect class="one" width="${width}" height="6"/></svg>`;
}

/** Names, each with its own direction of writing. */
export function names(all: readonly string[]) {
  return all.map((name, at) => [at === 0 ? "" : ", ", html`<bdi>${name}</bdi>`]);
}

/** A link to more, below a list. */
export function more(href: string, text: string) {
  return html`<p class="more">${link(href, text)}</p>`;
}

/** Returns an address with a query. Leaves out empty values. */
export function withQuery(path: string, query: Fields): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** A link to the next page of a list; null if there is none. */
export function nextPage(path: string, query: Fields, next: string | null, text: string) {
  return next === null ? null : more(withQuery(path, { ...query, after: next }), text);
}

/** Returns the address of a viewer's card. The id comes from Twitch, and is escaped all the same. */
export function viewerHref(userId: string): string {
  return `/memory/people/${encodeURIComponent(userId)}`;
}
