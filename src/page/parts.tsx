import { type Child, createContext, useContext } from "hono/jsx";
import { localTime } from "../config/local-time.ts";

/** What every part of a page may need. */
export interface PageContext {
  readonly csrf: string;
  readonly nowMs: number;
  /** True if the page shows the demo. */
  readonly isDemo: boolean;
}

export const AroundContext = createContext<PageContext>({ csrf: "", nowMs: 0, isDemo: false });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A unit applies below the age in its third column. */
const UNITS = [
  [MINUTE_MS, "min", HOUR_MS],
  [HOUR_MS, "h", 2 * DAY_MS],
] as const;

/** When something was or will be, in words; the title has the clock's time. */
export function When({ ms }: { ms: number }) {
  const { nowMs } = useContext(AroundContext);
  return (
    <time datetime={new Date(ms).toISOString()} title={localTime(ms)} class="nowrap">
      {inWords(ms - nowMs)}
    </time>
  );
}

/** `3 min ago`, `in 2 days`. */
function inWords(fromNowMs: number): string {
  const far = Math.abs(fromNowMs);
  if (far < MINUTE_MS) return fromNowMs > 5_000 ? "within a minute" : "just now";
  const [unitMs, unit] = UNITS.find(([, , below]) => far < below) ?? [DAY_MS, "days"];
  const amount = `${Math.round(far / unitMs)} ${unit}`;
  return fromNowMs < 0 ? `${amount} ago` : `in ${amount}`;
}

/** A code as a person reads it. */
export function plain(code: string): string {
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
]);

/** A state, a decision or an outcome. */
export function badge(code: string, shown: Child = plain(code)) {
  return <span class={`badge ${TONES.get(code) ?? ""}`}>{shown}</span>;
}

type Fields = Readonly<Record<string, string>>;

interface FormGiven {
  /** The method and the address: `patch /api/notes/7`. */
  readonly to: string;
  readonly fields?: Fields | undefined;
  readonly look?: string | undefined;
  readonly id?: string;
  readonly children?: Child;
}

/** A form that asks something of `/api`, with what every form carries. */
export function Form({ to, fields = {}, look, id, children }: FormGiven) {
  const { csrf } = useContext(AroundContext);
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
  /** The id of what it is done to, if many have the same button. */
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

/** Asks twice for what cannot be taken back. `children` say what it means; `id` keeps it open while the page redraws. */
export function Confirm(given: {
  id: string;
  label: string;
  yes: string;
  to: string;
  fields?: Fields;
  about?: string | undefined;
  children?: Child;
}) {
  const { id, label, yes, to, fields = {}, about, children } = given;
  return (
    <details class="confirm" id={id}>
      <summary data-key={label.startsWith("Forget") ? "f" : ""} aria-describedby={about}>
        {label}
      </summary>
      <p class="small">{children}</p>
      {act(to, yes, { fields, look: "grave", about })}
    </details>
  );
}

/** A form with fields below each other, and the button that sends it. */
export function Fill({ yes, look, ...form }: FormGiven & { readonly yes: string }) {
  return (
    <Form {...form} look="fields">
      {form.children}
      <div>
        <button type="submit" class={look}>
          {yes}
        </button>
      </div>
    </Form>
  );
}

/** Asks something of `/api` and shows the answer's text. Nothing of it is stored. */
export function TryForm({ to, children }: { to: string; children?: Child }) {
  const { csrf } = useContext(AroundContext);
  return (
    <form method="post" action={to} data-try="" class="fields">
      <input type="hidden" name="_csrf" value={csrf} />
      {children}
      <p id="tried" class="quote" data-tried="" role="status" />
    </form>
  );
}

/** A form that is sent as one types, and changes nothing. */
export function Search({ action, children }: { action: string; children?: Child }) {
  return (
    <form class="filters" data-search="" action={action} method="get">
      {children}
      <button type="submit" class="unseen">
        Show
      </button>
    </form>
  );
}

type Attributes = Readonly<Record<string, string | number | boolean | undefined>> & {
  readonly class?: string;
};

/** A line to type in, with its name. */
export function input(label: string, name: string, { class: look, ...rest }: Attributes = {}) {
  return (
    <label class={look}>
      <span>{label}</span>
      <input name={name} {...rest} />
    </label>
  );
}

/** Lines to type in, with their name. */
export function lines(label: string, name: string, value: string, rest: Attributes) {
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

/** A list to choose from. */
export function Choose(given: { label: string; name: string; value: string; options: Choices }) {
  const { label, name, value, options } = given;
  return (
    <label>
      <span>{label}</span>
      <select name={name}>{optionsOf(options, value)}</select>
    </label>
  );
}

/** The options of such a list, one of them chosen. */
export function optionsOf(options: Choices, value: string) {
  return options.map(([one, shown]) => (
    <option value={one} selected={one === value}>
      {shown}
    </option>
  ));
}

/** A part of a view, under its title. */
export function Part({ title, children }: { title: Child; children?: Child }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A list; `none` replaces an empty one. */
export function list<T>(of: readonly T[], none: Child, draw: (one: T) => Child, look = "list") {
  return of.length === 0 ? <Empty>{none}</Empty> : <ol class={look}>{of.map(draw)}</ol>;
}

/** One thing of a list, which keys choose: what it says, the facts about it, and its buttons. */
export function Card(given: { id: string; meta: Child; acts?: Child; children?: Child }) {
  const { id, meta, acts, children } = given;
  return (
    <li id={id} data-item="" tabindex={-1}>
      {children}
      <div class="meta">{meta}</div>
      {acts && <div class="acts">{acts}</div>}
    </li>
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

export function Empty({ children }: { children?: Child }) {
  return <p class="empty">{children}</p>;
}

/** Names one after the other. Each keeps its own direction, however it is written. */
export function names(all: readonly string[]) {
  return all.map((name, at) => (
    <>
      {at === 0 ? "" : ", "}
      <bdi>{name}</bdi>
    </>
  ));
}

/** A link to the next page of a list; nothing if there is none. */
export function more(href: string | null, text = "Older") {
  return href === null ? null : (
    <p class="more">
      <a href={href}>{text}</a>
    </p>
  );
}

/** The address of a list with other values in its query. */
export function withQuery(path: string, query: Fields): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The address of a list's next page; null if there is none. */
export function nextPage(path: string, query: Fields, next: string | null) {
  return next === null ? null : withQuery(path, { ...query, after: next });
}

/** The address of a person's card. The id comes from Twitch, and is made safe all the same. */
export function personHref(userId: string): string {
  return `/memory/people/${encodeURIComponent(userId)}`;
}
