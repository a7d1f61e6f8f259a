import { type Child, createContext, useContext } from "hono/jsx";
import { localTime } from "../platform/config/local-time.ts";

/** What every part of a page may need. */
export interface Around {
  readonly csrf: string;
  readonly nowMs: number;
}

export const AroundContext = createContext<Around>({ csrf: "", nowMs: 0 });

function useAround(): Around {
  return useContext(AroundContext);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each as long as less than so much has passed. */
const UNITS = [
  [MINUTE_MS, "min", HOUR_MS],
  [HOUR_MS, "h", 2 * DAY_MS],
] as const;

/** When something was, or will be, in words; the clock's time stands behind it. */
export function When({ ms }: { ms: number }) {
  const { nowMs } = useAround();
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
  return code.replaceAll("_", " ");
}

type Tone = "good" | "warn" | "bad" | "blue" | "";

const CODES: Readonly<Record<Exclude<Tone, "">, string>> = {
  good: "active sent run done good positive viewer_answered",
  warn: "pending hold unknown",
  bad: "failed bad rejected deleted timed_out negative",
  blue: "shadow dry_run thinking sending blue",
};
const TONES = new Map(
  Object.entries(CODES).flatMap(([tone, codes]) => codes.split(" ").map((code) => [code, tone])),
);

/** A state, a decision or an outcome. */
export function Badge({ code, children }: { code: string; children?: Child }) {
  return <span class={`badge ${TONES.get(code) ?? ""}`}>{children ?? plain(code)}</span>;
}

type Look = "first" | "quiet" | "grave" | "";
type Fields = Readonly<Record<string, string>>;

interface ActGiven {
  /** The method and the place: `patch /api/notes/7`. */
  readonly to: string;
  readonly fields?: Fields;
  /** The key that presses it while its item is chosen. */
  readonly keyName?: string | undefined;
  readonly look?: Look;
  /** The id of what it is done to, where many have the same button. */
  readonly about?: string | undefined;
  readonly children?: Child;
}

/** One button that does one thing. */
export function Act({ to, fields = {}, keyName, look = "", about, children }: ActGiven) {
  return (
    <Form to={to} fields={fields} look="inline">
      <button type="submit" class={look} data-key={keyName} aria-describedby={about}>
        {children}
        {keyName === undefined ? null : <kbd>{keyName}</kbd>}
      </button>
    </Form>
  );
}

interface FormGiven {
  readonly to: string;
  readonly fields?: Fields;
  readonly look?: string;
  readonly id?: string;
  readonly children?: Child;
}

/** A form that asks something of `/api`, with what every form carries. */
export function Form({ to, fields = {}, look, id, children }: FormGiven) {
  const { csrf } = useAround();
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

/** A form with fields below each other, and what sends it. */
export function Fill({ yes, ...form }: FormGiven & { readonly yes: string }) {
  const { children, look = "", ...rest } = form;
  return (
    <Form {...rest} look="fields">
      {children}
      <div>
        <button type="submit" class={look}>
          {yes}
        </button>
      </div>
    </Form>
  );
}

/** Asks what the bot would answer, and shows it. */
export function TryForm({ children }: { children?: Child }) {
  const { csrf } = useAround();
  return (
    <form data-try="" class="fields">
      <input type="hidden" name="_csrf" value={csrf} />
      {children}
      <p id="tried" class="quote" data-tried="" role="status" />
    </form>
  );
}

interface ConfirmGiven extends ActGiven {
  /** Keeps it open while the page is drawn anew. */
  readonly id: string;
  readonly label: string;
  readonly yes: string;
}

/** What cannot be taken back is asked for twice. `children` say what it means. */
export function Confirm({ id, label, yes, to, fields = {}, about, children }: ConfirmGiven) {
  return (
    <details class="confirm" id={id}>
      <summary data-key={label.startsWith("Forget") ? "f" : ""} aria-describedby={about}>
        {label}
      </summary>
      <p class="small">{children}</p>
      <Act to={to} fields={fields} look="grave" about={about}>
        {yes}
      </Act>
    </details>
  );
}

/** A part of a view. */
export function Part({ title, children }: { title: Child; children?: Child }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** All of a list; in the place of an empty one stands `none`. */
export function List<T>({
  of,
  none,
  look = "list",
  children,
}: {
  of: readonly T[];
  none: Child;
  look?: string;
  children: (one: T, at: number) => Child;
}) {
  return of.length === 0 ? <Empty>{none}</Empty> : <ol class={look}>{of.map(children)}</ol>;
}

/** An item that keys choose, and press the buttons of. */
export function Item({ id, children }: { id: string; children?: Child }) {
  return (
    <li id={id} data-item="" tabindex={-1}>
      {children}
    </li>
  );
}

/** A table, by the titles and looks of its columns; where it is too wide it is moved aside. */
export function Table({
  label,
  columns,
  look = "",
  children,
}: {
  label: string;
  columns: readonly (readonly [title: string, look?: string])[];
  look?: string;
  children?: Child;
}) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table class={look}>
        <thead>
          <tr>
            {columns.map(([title, aligned]) => (
              <th scope="col" class={aligned}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function FactList({ rows }: { rows: readonly (readonly [label: Child, value: Child])[] }) {
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

interface InputGiven {
  readonly label: string;
  readonly name: string;
  /** Of the label: `wide`. */
  readonly look?: string;
  readonly value?: string;
  readonly type?: string;
  readonly inputmode?: "numeric";
  readonly maxlength?: number;
  readonly placeholder?: string;
  readonly required?: boolean;
}

/** A line to type in, with its name. */
export function Input({ label, look, ...rest }: InputGiven) {
  return (
    <label class={look}>
      <span>{label}</span>
      <input {...rest} />
    </label>
  );
}

/** Lines to type in, with their name. */
export function Lines({
  label,
  value = "",
  ...rest
}: InputGiven & { readonly rows: number; readonly id?: string }) {
  return (
    <label>
      <span>{label}</span>
      <textarea {...rest}>{value}</textarea>
    </label>
  );
}

export function Empty({ children }: { children?: Child }) {
  return <p class="empty">{children}</p>;
}

/** Names one after the other: none turns the next, however it is written. */
export function Names({ of }: { of: readonly string[] }) {
  return of.map((name, at) => (
    <>
      {at === 0 ? "" : ", "}
      <bdi>{name}</bdi>
    </>
  ));
}

/** The way to the next page of a list; nothing where there is none. */
export function More({ href, children }: { href: string | null; children?: Child }) {
  return href === null ? null : (
    <p class="more">
      <a href={href}>{children ?? "Older"}</a>
    </p>
  );
}

type Choices = readonly (readonly [value: string, name: string])[];

/** A list to choose from. */
export function Choose({
  name,
  label,
  value,
  options,
}: {
  name: string;
  label: string;
  value: string;
  options: Choices;
}) {
  return (
    <label>
      <span>{label}</span>
      <select name={name}>{optionsOf(options, value)}</select>
    </label>
  );
}

/** What stands in such a list, one of it chosen. */
export function optionsOf(options: Choices, value: string) {
  return options.map(([one, shown]) => (
    <option value={one} selected={one === value}>
      {shown}
    </option>
  ));
}

/** The address of a list with other values in its query. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const kept = Object.entries(query).filter(([, value]) => value !== "");
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

/** The address of a list's next page; null where there is none. */
export function nextPage(
  path: string,
  query: Readonly<Record<string, string>>,
  next: string | null,
) {
  return next === null ? null : withQuery(path, { ...query, after: next });
}

/** The address of a person's card: their id is Twitch's, and is made safe all the same. */
export function personHref(userId: string): string {
  return `/memory/people/${encodeURIComponent(userId)}`;
}
