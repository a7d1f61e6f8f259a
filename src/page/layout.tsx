import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { noticeLists } from "../database/notices-store.ts";
import { runtimeStore, switchStore } from "../database/runtime-store.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import type { Topic } from "./live-store.ts";
import { AroundContext, act, type PageContext } from "./parts.tsx";
import type { Flash, PageData } from "./route.ts";

const VIEWS = [
  ["/", "Now"],
  ["/review", "Review"],
  ["/memory", "Memory"],
  ["/actions", "Actions"],
  ["/telemetry", "Telemetry"],
  ["/settings", "Settings"],
] as const;

/** What an address shows. */
export interface PageView {
  readonly title: string;
  /** If it is not the title; null for none: the view is a part of another. */
  readonly heading?: Child;
  readonly lead?: Child;
  readonly aside?: Child;
  /** Views next to this one, by their addresses. `at` is this one's, if it is not its path. */
  readonly tabs?: ViewTabs & { readonly at?: string };
  readonly live?: readonly Topic[];
  readonly shown: Child;
}

export interface ViewTabs {
  readonly label: string;
  readonly of: readonly (readonly [href: string, name: string])[];
}

type Pulse = ReturnType<typeof statusLine>;

/** A whole page: the rail, what was just done, and the view. */
export function Page(given: {
  view: PageView;
  path: string;
  flash: Flash | null;
  pulse: Pulse;
  around: PageContext;
}) {
  const { view, path, flash, pulse, around } = given;
  const { title, heading = title, lead, aside, tabs, live = [], shown } = view;
  return (
    <AroundContext.Provider value={around}>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="csrf" content={around.csrf} />
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
            tabindex={-1}
            data-live={["texts", "status", ...live].join(" ")}
            data-now={String(around.nowMs)}
          >
            {around.isDemo ? <DemoBanner /> : null}
            {flash === null ? null : <Word flash={flash} />}
            {heading === null ? null : (
              <div class="head">
                <div>
                  <h1>{heading}</h1>
                  {lead === undefined ? null : <p class="lead">{lead}</p>}
                </div>
                {aside}
              </div>
            )}
            {tabs === undefined ? null : (
              <nav aria-label={tabs.label}>
                <ul class="tabs">
                  {tabs.of.map(([href, name]) => (
                    <li>{link(href, name, href === (tabs.at ?? path))}</li>
                  ))}
                </ul>
              </nav>
            )}
            {shown}
          </main>
        </body>
      </html>
    </AroundContext.Provider>
  );
}

function link(href: string, name: Child, isHere: boolean, key?: number) {
  return (
    <a href={href} data-key={key} aria-current={isHere ? "page" : undefined}>
      {name}
    </a>
  );
}

function Rail({ path, pulse }: { path: string; pulse: Pulse }) {
  const at = VIEWS.findLast(([href]) => path.startsWith(href))?.[0];
  const tallies: Readonly<Record<string, number>> = {
    "/review": pulse.toReview,
    "/actions": pulse.held,
  };
  const named = (href: string, name: string) => (
    <>
      {name}
      {(tallies[href] ?? 0) > 0 ? <span class="tally">{tallies[href]}</span> : null}
    </>
  );
  return (
    <header class="rail" id="rail">
      <a class="brand" href="/">
        <svg viewBox="-10 -10 20 20" aria-hidden="true">
          {raw(FLOWER)}
          <circle class="eye" r="2.3" />
        </svg>
        ForgetMeNot
      </a>
      <nav aria-label="Views">
        <ol>
          {VIEWS.map(([href, name], n) => (
            <li>{link(href, named(href, name), href === at, n + 1)}</li>
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

/** Every view of the demo says what is simulated, and leads to setup. */
function DemoBanner() {
  return (
    <div class="flash" id="demo">
      <span>
        <b>This is a demo.</b> The bot is real; its channel is simulated, and the model's answers
        are recorded. Nothing leaves this machine.
      </span>
      {act("post /api/demo/end", "Go live", { look: "first" })}
    </div>
  );
}

function Word({ flash: { text, isWrong, undo } }: { flash: Flash }) {
  return (
    <div class={isWrong ? "flash wrong" : "flash"} role="status" id="flash">
      <span>{text}</span>
      {undo && act(undo.to, "Undo", { fields: undo.fields ?? {}, key: "u" })}
    </div>
  );
}

/** The status at the side of every page: whether the bot is there, and how much waits for the streamer. */
export function statusLine({ db, nowMs, browse, config }: PageData) {
  const now = () => nowMs;
  const beat = runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value ?? null;
  const { paused, safeMode, readOnly } = switchStore(db, now).read();
  const notices = noticeLists(db, now).list();
  const isWrong = notices.some(({ severity }) => severity === "error");
  const joined = beat?.channels.filter((one) => one.joined) ?? [];
  const off = [...(safeMode ? ["safe mode"] : []), ...(readOnly ? ["read-only"] : [])];
  const state = { more: off.join(", ") || `mode ${config.mode}`, ...browse.tallies() };
  if (joined.length === 0) return { state: "bad", word: "Not in chat", ...state };
  if (paused) return { state: "warn", word: "Paused", ...state };
  const channel = `#${joined.map((one) => one.channel).join(", #")}`;
  return { state: isWrong ? "warn" : "good", word: channel, ...state };
}

const FLOWER = [0, 72, 144, 216, 288]
  .map((turn) => `<circle class="petal" cx="0" cy="-5.1" r="4.1" transform="rotate(${turn})"/>`)
  .join("");

export const FLOWER_FILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 20 20"><g fill="#4a76c9">${FLOWER}</g><circle fill="#f2c230" r="2.3"/></svg>`;
