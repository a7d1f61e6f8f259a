import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { noticeLists } from "../platform/database/notices-store.ts";
import { runtimeStore, switchStore } from "../platform/database/runtime-store.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import type { Topic } from "./live-store.ts";
import { Act, type Around, AroundContext } from "./parts.tsx";
import type { Flash, PageData } from "./route.ts";

const VIEWS = [
  ["/", "Now"],
  ["/review", "Review"],
  ["/memory", "Memory"],
  ["/actions", "Actions"],
  ["/telemetry", "Telemetry"],
  ["/settings", "Settings"],
] as const;

interface PageGiven extends Around {
  readonly title: string;
  readonly path: string;
  /** What it shows that may change: then it is drawn again. */
  readonly live: readonly Topic[];
  readonly flash: Flash | null;
  readonly pulse: Pulse;
  readonly children?: Child;
}

/** The line that stands on every page. */
interface Pulse {
  readonly state: "good" | "warn" | "bad";
  readonly word: string;
  readonly more: string;
  /** Notes that wait for the streamer, and proposals. */
  readonly toReview: number;
  readonly held: number;
}

/** A whole page: the rail, what was just done, and the view. */
export function Page(given: PageGiven) {
  const { title, path, live, flash, pulse, children, csrf, nowMs } = given;
  return (
    <AroundContext.Provider value={{ csrf, nowMs }}>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="csrf" content={csrf} />
          <title>{`${title} · ForgetMeNot`}</title>
          <link rel="icon" href="/assets/flower.svg" type="image/svg+xml" />
          <link rel="stylesheet" href="/assets/style.css" />
          <script type="module" src="/assets/app.js" />
        </head>
        <body>
          <a class="skip" href="#main">
            To the page
          </a>
          <Rail path={path} pulse={pulse} />
          <main
            id="main"
            data-live={["texts", "status", ...live].join(" ")}
            data-now={String(nowMs)}
          >
            {flash === null ? null : <Word flash={flash} />}
            {children}
          </main>
        </body>
      </html>
    </AroundContext.Provider>
  );
}

function Rail({ path, pulse }: { path: string; pulse: Pulse }) {
  const at = VIEWS.findLast(([href]) => path.startsWith(href))?.[0];
  const tallies: Readonly<Record<string, number>> = {
    "/review": pulse.toReview,
    "/actions": pulse.held,
  };
  return (
    <header class="rail" id="rail">
      <a class="brand" href="/">
        <Flower />
        ForgetMeNot
      </a>
      <nav aria-label="Views">
        <ol>
          {VIEWS.map(([href, name], n) => (
            <li>
              <a
                href={href}
                data-key={String(n + 1)}
                {...(href === at ? { "aria-current": "page" } : {})}
              >
                {name}
                {(tallies[href] ?? 0) > 0 ? <span class="tally">{tallies[href]}</span> : null}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <div class="pulse">
        <span>
          <span class={`dot ${pulse.state}`} />
          <b>{pulse.word}</b>
        </span>
        <span>{pulse.more}</span>
      </div>
    </header>
  );
}

function Word({ flash: { text, isWrong, undo } }: { flash: Flash }) {
  return (
    <div class={isWrong === true ? "flash wrong" : "flash"} role="status" id="flash">
      <span>{text}</span>
      {undo === undefined ? null : (
        <Act action={undo.action} fields={undo.fields} keyName="u">
          Undo
        </Act>
      )}
    </div>
  );
}

/** What stands at the side of every page: whether the bot is there, and what waits. */
export function pulseOf({ db, nowMs, browse, config }: PageData): Pulse {
  const now = () => nowMs;
  const beat = runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value ?? null;
  const { paused, safeMode, readOnly } = switchStore(db, now).read();
  const isWrong = noticeLists(db, now)
    .list()
    .some(({ severity }) => severity === "error");
  const joined = beat?.channels.filter((one) => one.joined) ?? [];
  const off = [safeMode ? "safe mode" : "", readOnly ? "read-only" : ""].filter(
    (one) => one !== "",
  );
  const state = {
    more: off.length > 0 ? off.join(", ") : `mode ${config.mode}`,
    ...browse.tallies(),
  };
  if (joined.length === 0) return { state: "bad", word: "Not in chat", ...state };
  if (paused) return { state: "warn", word: "Paused", ...state };
  const channel = `#${joined.map((one) => one.channel).join(", #")}`;
  return { state: isWrong ? "warn" : "good", word: channel, ...state };
}

const PETALS = [0, 72, 144, 216, 288];

function Flower() {
  return (
    <svg viewBox="-10 -10 20 20" aria-hidden="true">
      {PETALS.map((turn) => (
        <circle class="petal" cx="0" cy="-5.1" r="4.1" transform={`rotate(${turn})`} />
      ))}
      <circle class="eye" r="2.3" />
    </svg>
  );
}

export const FLOWER_FILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 20 20">${PETALS.map((turn) => `<circle fill="#4a76c9" cx="0" cy="-5.1" r="4.1" transform="rotate(${turn})"/>`).join("")}<circle fill="#f2c230" r="2.3"/></svg>`;
