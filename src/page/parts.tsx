import { type Child, createContext, useContext } from "hono/jsx";
import { localTime } from "../platform/config/local-time.ts";

/** What every part of a page may need. */
export interface Around {
  readonly csrf: string;
  readonly nowMs: number;
}

export const AroundContext = createContext<Around>({ csrf: "", nowMs: 0 });

export function useAround(): Around {
  return useContext(AroundContext);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

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
  const [amount, unit] = inUnits(far);
  return fromNowMs < 0 ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
}

function inUnits(ms: number): readonly [number, string] {
  if (ms < HOUR_MS) return [Math.round(ms / MINUTE_MS), "min"];
  if (ms < 2 * DAY_MS) return [Math.round(ms / HOUR_MS), "h"];
  return [Math.round(ms / DAY_MS), "days"];
}

/** A code as a person reads it. */
export function plain(code: string): string {
  return code.replaceAll("_", " ");
}

type Tone = "good" | "warn" | "bad" | "blue" | "";

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  sent: "good",
  run: "good",
  done: "good",
  good: "good",
  shadow: "blue",
  pending: "warn",
  hold: "warn",
  dry_run: "blue",
  thinking: "blue",
  sending: "blue",
  silent: "",
  refused: "",
  refuse: "",
  failed: "bad",
  bad: "bad",
  unknown: "warn",
  rejected: "bad",
  deleted: "bad",
  timed_out: "bad",
  negative: "bad",
  positive: "good",
  viewer_answered: "good",
};

/** A state, a decision or an outcome. */
export function Badge({ code, children }: { code: string; children?: Child }) {
  return <span class={`badge ${TONES[code] ?? ""}`}>{children ?? plain(code)}</span>;
}

interface ActGiven {
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** The key that presses it while its item is chosen. */
  readonly keyName?: string;
  readonly look?: "first" | "quiet" | "grave" | "";
  readonly children?: Child;
}

/** One button that does one thing. */
export function Act({ action, fields = {}, keyName, look = "", children }: ActGiven) {
  return (
    <form method="post" action={action} class="inline">
      <Hidden fields={fields} />
      <button
        type="submit"
        class={look}
        {...(keyName === undefined ? {} : { "data-key": keyName })}
      >
        {children}
        {keyName === undefined ? null : <kbd>{keyName}</kbd>}
      </button>
    </form>
  );
}

/** The fields that every form carries, and what it says besides. */
export function Hidden({ fields = {} }: { fields?: Readonly<Record<string, string>> }) {
  const { csrf } = useAround();
  return (
    <>
      <input type="hidden" name="_csrf" value={csrf} />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** What cannot be taken back is asked for twice. `id` keeps it open while the page is drawn anew. */
export function Confirm({
  id,
  label,
  text,
  action,
  fields = {},
  yes,
}: {
  id: string;
  label: string;
  text: string;
  action: string;
  fields?: Readonly<Record<string, string>>;
  yes: string;
}) {
  return (
    <details class="confirm" id={id}>
      <summary data-key={label.startsWith("Forget") ? "f" : ""}>{label}</summary>
      <p class="small">{text}</p>
      <Act action={action} fields={fields} look="grave">
        {yes}
      </Act>
    </details>
  );
}

/** The top of a view: its title, a line below it, and what stands at its side. */
export function Head({ title, lead, children }: { title: Child; lead?: Child; children?: Child }) {
  return (
    <div class="head">
      <div>
        <h1>{title}</h1>
        {lead === undefined ? null : <p class="lead">{lead}</p>}
      </div>
      {children}
    </div>
  );
}

/** A part of a view. `none` stands there in the place of nothing. */
export function Part({
  title,
  isEmpty = false,
  none,
  children,
}: {
  title: Child;
  isEmpty?: boolean;
  none?: Child;
  children?: Child;
}) {
  return (
    <section>
      <h2>{title}</h2>
      {isEmpty ? <Empty>{none}</Empty> : children}
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

/** A form that changes something. */
export function Fill({
  action,
  fields,
  yes,
  look = "",
  children,
}: {
  action: string;
  fields?: Readonly<Record<string, string>>;
  yes: string;
  look?: "first" | "";
  children?: Child;
}) {
  return (
    <form method="post" action={action} class="fields">
      <Hidden fields={fields ?? {}} />
      {children}
      <div>
        <button type="submit" class={look}>
          {yes}
        </button>
      </div>
    </form>
  );
}

/** A line to type in, with its name. */
export function Input({
  label,
  ...rest
}: {
  label: string;
  name: string;
  value?: string;
  type?: string;
  inputmode?: "numeric";
  maxlength?: number;
  placeholder?: string;
  required?: boolean;
}) {
  return (
    <label>
      <span>{label}</span>
      <input {...rest} />
    </label>
  );
}

export function Empty({ children }: { children?: Child }) {
  return <p class="empty">{children}</p>;
}

/** The way to the next page of a list. */
export function More({ href, children }: { href: string; children?: Child }) {
  return (
    <p class="more">
      <a href={href}>{children ?? "Older"}</a>
    </p>
  );
}

export function Tabs({
  label,
  at,
  tabs,
}: {
  label: string;
  at: string;
  tabs: readonly (readonly [href: string, name: string])[];
}) {
  return (
    <nav aria-label={label}>
      <ul class="tabs">
        {tabs.map(([href, name]) => (
          <li>
            <a href={href} {...(href === at ? { "aria-current": "page" } : {})}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

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
  options: readonly (readonly [value: string, name: string])[];
}) {
  return (
    <label>
      <span>{label}</span>
      <select name={name}>
        {options.map(([one, shown]) => (
          <option value={one} selected={one === value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The address of a list with other values in its query. */
export function withQuery(path: string, query: Readonly<Record<string, string | number>>): string {
  const kept = Object.entries(query).filter(([, value]) => value !== "");
  const text = new URLSearchParams(
    kept.map(([key, value]): [string, string] => [key, String(value)]),
  ).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The address of a person's card: their id is Twitch's, and is made safe all the same. */
export function personHref(userId: string): string {
  return `/memory/people/${encodeURIComponent(userId)}`;
}
