import { AsyncLocalStorage } from "node:async_hooks";
import { html as template } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { NOTE_KIND_LIST } from "../catalogue/note-kinds.ts";
import { formatLocalTime } from "../config/local-time.ts";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;
/** HTML, or text and numbers to escape. false, null and undefined draw nothing. */
export type Child = Html | string | number | boolean | null | undefined | readonly Child[];

/** The page that is being drawn: the token of the session's forms, and the time. */
const drawn = new AsyncLocalStorage<{ readonly csrf: string; readonly nowMs: number }>();

/** Returns the HTML that `draw` makes. Forms in it carry `csrf`, and times are relative to `nowMs`. */
export function drawWith(page: { csrf: string; nowMs: number }, draw: () => Child): string {
  return drawn.run(page, () => String(draw()));
}

/** Makes HTML. Escapes the values; an attribute's value needs quotation marks around it. */
export function html(strings: TemplateStringsArray, ...values: readonly Child[]): Html {
  return template(strings, ...values);
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Draws attributes: of true only the name. Leaves out undefined and false. */
function attributes(given: Attributes) {
  return Object.entries(given).map(([name, value]) => {
    if (value === undefined || value === false) return null;
    return value === true ? html` ${name}` : html` ${name}="${value}"`;
  });
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each unit applies below the age in its third column. */
const UNITS = [
  ["minute", MINUTE_MS, HOUR_MS],
  ["hour", HOUR_MS, 2 * DAY_MS],
  ["day", DAY_MS, Number.POSITIVE_INFINITY],
] as const;
const AGES = new Intl.RelativeTimeFormat("en-GB", { style: "short" });

/** Draws a time in words: `3 min ago`, `in 2 days`, within a minute `just now`. Its title has date and time. */
export function time(ms: number) {
  const fromNowMs = ms - (drawn.getStore()?.nowMs ?? 0);
  const ageMs = Math.abs(fromNowMs);
  const [unit, unitMs] = UNITS.find(([, , below]) => ageMs < below) ?? UNITS[2];
  const words = ageMs < MINUTE_MS ? "just now" : AGES.format(Math.round(fromNowMs / unitMs), unit);
  const iso = new Date(ms).toISOString();
  return html`<time class="nowrap" datetime="${iso}" title="${formatLocalTime(ms)}">${words}</time>`;
}

/** Plain words for codes that a streamer would not know. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...NOTE_KIND_LIST.map(([name, { label }]) => [name, label] as const),
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
  ["window", "chat"],
  ["direct", "talk with the bot"],
  ["operator", "you wrote it"],
  ["import", "imported"],
  ["extracted", "from chat"],
  ["viewer_request", "they asked for it"],
]);

/** Returns plain words for a code; for one without, the code with spaces for its underscores. */
export function describeCode(code: string): string {
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

/** Draws a state, a decision or an outcome in the colour of its code: in plain words, or as `shown`. */
export function badge(code: string, shown: Child = describeCode(code)) {
  return html`<span class="badge ${TONES.get(code)}">${shown}</span>`;
}

export function link(href: string, text: Child, cssClass?: string) {
  return html`<a${attributes({ href, class: cssClass })}>${text}</a>`;
}

/** A paragraph of small, soft text. */
export function hint(...children: readonly Child[]) {
  return html`<p class="small soft">${children}</p>`;
}

/** Small, soft text within a line. */
export function faint(...children: readonly Child[]) {
  return html`<span class="small soft">${children}</span>`;
}

type Fields = Readonly<Record<string, string>>;

interface FormOptions {
  readonly fields?: Fields | undefined;
  readonly cssClass?: string | undefined;
  readonly id?: string;
  /** True if the form keeps the typed text after it is sent. */
  readonly isKept?: boolean;
}

/** A form with the token of the session. `to` is a method and an address, such as `patch /api/notes/7`. */
export function form(to: string, options: FormOptions, ...children: readonly Child[]) {
  const { fields, cssClass, id, isKept } = options;
  const [method, action] = to.split(" ");
  const named = method === "post" ? {} : { _method: method };
  const hidden = Object.entries({ _csrf: drawn.getStore()?.csrf, ...named, ...fields });
  return html`<form method="post"${attributes({ action, class: cssClass, id, "data-keep": isKept })}>
    ${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${children}</form>`;
}

interface ActOptions {
  readonly fields?: Fields | undefined;
  /** The key that presses it while its item is chosen. */
  readonly key?: string | undefined;
  readonly cssClass?: "first" | "quiet" | "grave";
  /** The id of the text that it acts on, if several items have the same button. */
  readonly about?: string | undefined;
}

/** One button that does one thing. `to` is a method and an address, such as `patch /api/notes/7`. */
export function act(to: string, label: Child, { fields, key, cssClass, about }: ActOptions = {}) {
  const rest = attributes({ class: cssClass, "data-key": key, "aria-describedby": about });
  const shownKey = key && html`<kbd>${key}</kbd>`;
  const button = html`<button type="submit"${rest}>${label}${shownKey}</button>`;
  return form(to, { fields, cssClass: "inline" }, button);
}

/**
 * Draws a button that first shows a question, with a button that answers yes. The question stays open while the page
 * redraws. `to`: as in `act`. `key` opens the question.
 */
export function askTwice(
  id: string,
  label: string,
  text: Child,
  [to, yes]: readonly [to: string, yes: string],
  { fields, key, about }: ActOptions = {},
) {
  const rest = attributes({ "data-key": key, "aria-describedby": about });
  return html`<details class="confirm" id="${id}"><summary${rest}>${label}</summary>
    <p class="small">${text}</p>${act(to, yes, { cssClass: "grave", about, fields })}</details>`;
}

export function submitButton(label: string) {
  return html`<div><button type="submit">${label}</button></div>`;
}

/** A form of filters, which is sent while the user types. */
export function search(action: string, ...fields: readonly Child[]) {
  return html`<form class="filters" data-search="" action="${action}" method="get">
    ${fields}<button type="submit" class="unseen">Show</button></form>`;
}

export function input(label: Child, name: string, { class: cssClass, ...rest }: Attributes = {}) {
  const field = html`<input${attributes({ name, ...rest })}>`;
  return html`<label${attributes({ class: cssClass })}><span>${label}</span>${field}</label>`;
}

export function textArea(label: string, name: string, value: string, rest: Attributes) {
  const field = html`<textarea${attributes({ name, ...rest })}>${value}</textarea>`;
  return html`<label><span>${label}</span>${field}</label>`;
}

export function checkbox(label: string, name: string, rest: Attributes) {
  const field = html`<input type="checkbox"${attributes({ name, ...rest })}>`;
  return html`<label class="tick">${field} ${label}</label>`;
}

export function selectField(
  label: string,
  name: string,
  chosen: string,
  choices: readonly (readonly [value: string, name: string])[],
) {
  const options = choices.map(
    ([one, shown]) =>
      html`<option${attributes({ value: one, selected: one === chosen })}>${shown}</option>`,
  );
  const field = html`<select name="${name}">${options}</select>`;
  return html`<label><span>${label}</span>${field}</label>`;
}

export function part(title: Child, ...children: readonly Child[]) {
  return html`<section><h2>${title}</h2>${children}</section>`;
}

/** Two parts of a view next to each other, one below the other on a phone. */
export function columns(left: Child, right: Child) {
  return html`<div class="cols"><div>${left}</div><div>${right}</div></div>`;
}

/** A part that the user unfolds. By its `id` it stays open while the page redraws. */
export function foldAway(id: string, title: Child, content: Child, isOpen = false) {
  const open = isOpen && html` open`;
  return html`<details class="fold" id="${id}"${open}><summary>${title}</summary>${content}</details>`;
}

/** A list with an item for each of `of`, or the sentence `none` if there are none. `draw` makes the whole `<li>`. */
export function list<T>(of: readonly T[], none: Child, draw: (one: T) => Child, cssClass = "list") {
  return of.length === 0 ? emptyText(none) : html`<ol class="${cssClass}">${of.map(draw)}</ol>`;
}

/** A `<li>` that keys choose: its content, the facts about it in one line, and its buttons. */
export function card(id: string, body: Child, facts: readonly Child[], buttons?: Child) {
  const acts = buttons && html`<div class="acts">${buttons}</div>`;
  return html`<li id="${id}" data-item="" tabindex="-1">${body}${meta(...facts)}${acts}</li>`;
}

/** Facts in one line. Leaves out false and null. */
export function meta(...facts: readonly Child[]) {
  const shown = facts.filter((one) => one !== false && one !== null);
  return html`<div class="meta">${shown.map((one) => html`<span>${one}</span>`)}</div>`;
}

export function facts(rows: readonly (readonly [label: Child, value: Child])[]) {
  const drawn = rows.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`);
  return html`<dl class="facts">${drawn}</dl>`;
}

/** The sentence in the place of an empty list. */
export function emptyText(...children: readonly Child[]) {
  return html`<p class="empty">${children}</p>`;
}

const BAR_WIDTH = 200;

/** Draws a share as a bar, which is full from 1 on. A screen reader skips it: the text next to it says the same. */
export function bar(share: number) {
  const width = Math.round(BAR_WIDTH * Math.min(1, share) * 100) / 100;
  return html`<svg class="chart" viewBox="0 0 ${BAR_WIDTH} 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="room" width="${BAR_WIDTH}" height="6"/><rect class="one" width="${width}" height="6"/></svg>`;
}

/** Names with commas between them, each with its own direction of writing. */
export function names(all: readonly string[]) {
  return all.map((name, at) => [at === 0 ? "" : ", ", html`<bdi>${name}</bdi>`]);
}

export function more(href: string, text: string) {
  return html`<p class="more">${link(href, text)}</p>`;
}

/** Returns an address with a query. Leaves out empty values. */
export function withQuery(path: string, query: Fields): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** A link to the next page of a list; null if `next` is null. */
export function nextPage(path: string, query: Fields, next: string | null, text: string) {
  return next === null ? null : more(withQuery(path, { ...query, after: next }), text);
}

export function viewerHref(userId: string): string {
  return `/memory/people/${encodeURIComponent(userId)}`;
}
