import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { runtimeStore, switchStore } from "../database/runtime-store.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import type { Topic } from "./live-store.ts";
import { AroundContext, act, type PageContext } from "./parts.tsx";
import type { Flash, PageData } from "./route.ts";

const VIEWS = [
  ["/", "Now"],
  ["/review", "Review"],
  ["/memory", "Memory"],
  ["/replies", "Answers"],
  ["/actions", "Actions"],
  ["/report", "Report"],
  ["/settings", "Settings"],
] as const;
const KEYS = [
  ["1 to 7", "Open a view"],
  ["j, k or arrows", "Next, previous"],
  ["a", "Approve a note"],
  ["r", "Reject a note"],
  ["p", "Pin a note"],
  ["x", "Select a note"],
  ["f", "Forget a note, after a question"],
  ["g, b", "Good answer, bad answer"],
  ["y, n", "Do it, do not do it"],
  ["w", "The note was wrong"],
  ["u", "Undo"],
  ["/", "Search"],
  ["?", "Show or hide these keys"],
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
  /** True if the first item has the focus at once, so that its keys work. */
  readonly hasKeys?: boolean;
  readonly shown: Child;
}

export interface ViewTabs {
  readonly label: string;
  readonly of: readonly (readonly [href: string, name: string])[];
}

type BotState = ReturnType<typeof botState>;

/** A whole page: the rail, what was just done, and the view. */
export function Page(given: {
  view: PageView;
  path: string;
  flash: Flash | null;
  bot: BotState;
  around: PageContext;
}) {
  const { view, path, flash, bot, around } = given;
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
          <Rail path={path} bot={bot} />
          <p id="lost" role="alert" hidden />
          <main
            id="main"
            tabindex={-1}
            data-live={["texts", "status", ...live].join(" ")}
            data-now={String(around.nowMs)}
            data-begin={view.hasKeys ? "" : undefined}
          >
            {around.isDemo ? <DemoBanner /> : null}
            {bot.isSilent && <SilentBanner canTalk={bot.canSave} />}
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
          <Keys />
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

function Rail({ path, bot }: { path: string; bot: BotState }) {
  const at = VIEWS.findLast(([href]) => path.startsWith(href))?.[0];
  const tallies: Readonly<Record<string, number>> = {
    "/review": bot.toReview,
    "/actions": bot.held,
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
          <span class={`dot ${bot.tone}`} />
          <b>{bot.word}</b>
        </span>
        <span>{bot.more}</span>
      </div>
      <button type="button" class="quiet keys" data-keys="" data-key="?">
        Keys <kbd>?</kbd>
      </button>
    </header>
  );
}

/** Every view of the demo says what is simulated, and leads to setup. */
function DemoBanner() {
  return (
    <div class="banner" id="demo">
      <p>
        <b>This is a demo.</b> The bot is real; its channel is simulated, and the model's answers
        are recorded. Nothing leaves this machine.
      </p>
      {act("post /api/demo/end", "Go live", { look: "first" })}
    </div>
  );
}

/** In silent mode every view says so, and how to end it. */
function SilentBanner({ canTalk }: { canTalk: boolean }) {
  return (
    <div class="banner" id="silent">
      <p>
        <b>The bot is silent.</b> It reads chat and remembers. It writes answers for you to see, and
        sends none.
      </p>
      {canTalk
        ? act("patch /api/settings", "Start talking", {
            fields: { mode: "mentions" },
            look: "first",
          })
        : null}
    </div>
  );
}

function Keys() {
  return (
    <dialog id="keys" aria-label="Keys">
      <h2>Keys</h2>
      <dl class="facts">
        {KEYS.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
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

/** The state of the bot in one word and one sentence, and how much waits for the streamer. */
export function botState({ db, nowMs, browse, config, configFile }: PageData) {
  const now = () => nowMs;
  const beat = runtimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value ?? null;
  const { paused, safeMode, readOnly } = switchStore(db, now).read();
  const joined = beat?.channels.filter((one) => one.joined).map(({ channel }) => channel) ?? [];
  const off = [...(safeMode ? ["actions off"] : []), ...(readOnly ? ["learning off"] : [])];
  const isSilent = config.mode === "shadow";
  const { isLive } = browse.liveState(joined);
  const more = [joined.map((one) => `#${one}`).join(", "), ...off].filter((one) => one !== "");
  return {
    ...stateWords({ isJoined: joined.length > 0, paused, isSilent, isLive, config }),
    more: more.join(" · "),
    isSilent,
    canSave: configFile !== null,
    ...browse.tallies(),
  };
}

function stateWords(bot: {
  isJoined: boolean;
  paused: boolean;
  isSilent: boolean;
  isLive: boolean | null;
  config: PageData["config"];
}) {
  const { isJoined, paused, isSilent, isLive, config } = bot;
  if (!isJoined)
    return { tone: "bad", word: "Not in chat", about: "The bot has not joined your chat." };
  if (paused) return { tone: "warn", word: "Paused", about: "It reads chat and sends nothing." };
  if (isSilent) return { tone: "blue", word: "Silent", about: "It reads chat and sends nothing." };
  if (isLive === true) return { tone: "good", word: "Live", about: "It answers in your chat." };
  if (isLive === null)
    return { tone: "good", word: "In chat", about: "Twitch does not say if your stream is on." };
  const about = config.replies.whenOffline
    ? "Your stream is off. It answers all the same."
    : "Your stream is off. It answers when you are live.";
  return { tone: "", word: "Offline", about };
}

const FLOWER = [0, 72, 144, 216, 288]
  .map((turn) => `<circle class="petal" cx="0" cy="-5.1" r="4.1" transform="rotate(${turn})"/>`)
  .join("");

export const FLOWER_FILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 20 20"><g fill="#4a76c9">${FLOWER}</g><circle fill="#f2c230" r="2.3"/></svg>`;
