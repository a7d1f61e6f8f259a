import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { openRuntimeStore, switchStore } from "../database/runtime-store.ts";
import { HEARTBEAT, heartbeatSchema } from "../telemetry/heartbeat.ts";
import type { Topic } from "./live-store.ts";
import { act, facts, PageContext } from "./parts.tsx";
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

/** The content of an address. */
export interface PageView {
  readonly title: string;
  /** Default: the title. */
  readonly heading?: Child;
  readonly lead?: Child;
  readonly aside?: Child;
  /** Links to the views next to this one. `at` is this one's address; default: its path. */
  readonly tabs?: {
    readonly label: string;
    readonly of: readonly (readonly [href: string, name: string])[];
    readonly at?: string;
  };
  /** The page redraws when one of these changes. */
  readonly live?: readonly Topic[];
  /** True if the first item has the focus at once, so that its keys work. */
  readonly hasKeys?: boolean;
  readonly shown: Child;
}

type BotState = ReturnType<typeof readBotState>;

/** A whole page: the rail, the message after a change, and the view. */
export function Page(props: {
  view: PageView;
  path: string;
  flash: Flash | null;
  data: PageData;
  csrf: string;
}) {
  const { view, path, flash, data, csrf } = props;
  const { title, heading = title, lead, aside, tabs, live = [], shown } = view;
  const bot = readBotState(data);
  return (
    <PageContext.Provider value={{ csrf, nowMs: data.nowMs }}>
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
          {drawRail(path, bot)}
          <p id="lost" role="alert" hidden />
          <main
            id="main"
            tabindex={-1}
            data-live={["texts", "status", ...live].join(" ")}
            data-now={String(data.nowMs)}
            data-begin={view.hasKeys ? "" : undefined}
          >
            {data.control.goLive !== undefined && DEMO_BANNER}
            {bot.isSilent && drawSilentBanner(data.configFile !== null)}
            {flash !== null && drawFlash(flash)}
            <div class="head">
              <div>
                <h1>{heading}</h1>
                {lead !== undefined && <p class="lead">{lead}</p>}
              </div>
              {aside}
            </div>
            {tabs !== undefined && (
              <nav aria-label={tabs.label}>
                <ul class="tabs">
                  {tabs.of.map(([href, name]) => (
                    <li>{viewLink(href, name, href === (tabs.at ?? path))}</li>
                  ))}
                </ul>
              </nav>
            )}
            {shown}
          </main>
          {KEY_LIST}
        </body>
      </html>
    </PageContext.Provider>
  );
}

function viewLink(href: string, name: Child, isHere: boolean, key?: number) {
  return (
    <a href={href} data-key={key} aria-current={isHere ? "page" : undefined}>
      {name}
    </a>
  );
}

function drawRail(path: string, bot: BotState) {
  const at = VIEWS.findLast(([href]) => path.startsWith(href))?.[0];
  const tallies: Readonly<Record<string, number>> = {
    "/review": bot.toReview,
    "/actions": bot.held,
  };
  const tally = (href: string) =>
    (tallies[href] ?? 0) > 0 && <span class="tally">{tallies[href]}</span>;
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
            <li>{viewLink(href, [name, tally(href)], href === at, n + 1)}</li>
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

/** Tells the visitors of a demo about the simulation, and leads to setup. */
const DEMO_BANNER = (
  <div class="banner" id="demo">
    <p>
      <b>This is a demo.</b> The bot is real; its channel is simulated, and the model's answers are
      recorded. Nothing leaves this machine.
    </p>
    {act("post /api/demo/end", "Go live", { look: "first" })}
  </div>
);

/** In silent mode every view says so, and how to end it. */
function drawSilentBanner(canTalk: boolean) {
  const talk = { fields: { mode: "mentions" }, look: "first" } as const;
  return (
    <div class="banner" id="silent">
      <p>
        <b>The bot is silent.</b> It reads chat and remembers. It writes answers for you to see, and
        sends none.
      </p>
      {canTalk && act("patch /api/settings", "Start talking", talk)}
    </div>
  );
}

const KEY_LIST = (
  <dialog id="keys" aria-label="Keys">
    <h2>Keys</h2>
    {facts(KEYS.map(([key, does]) => [<kbd>{key}</kbd>, does]))}
    <form method="dialog">
      <button type="submit">Close</button>
    </form>
  </dialog>
);

function drawFlash({ text, isWrong, undo }: Flash) {
  return (
    <div class={isWrong ? "flash wrong" : "flash"} role="status" id="flash">
      <span>{text}</span>
      {undo && act(undo.to, "Undo", { fields: undo.fields ?? {}, key: "u" })}
    </div>
  );
}

/** Returns the state of the bot in one word and one sentence, and the number of things that wait. */
export function readBotState({ db, now, browse, config }: PageData) {
  const beat = openRuntimeStore(db, now).read(HEARTBEAT, heartbeatSchema)?.value ?? null;
  const { paused, safeMode, readOnly } = switchStore(db, now).read();
  const joined = beat?.channels.filter((one) => one.joined).map(({ channel }) => channel) ?? [];
  const isSilent = config.mode === "shadow";
  const { isLive } = browse.liveState(joined);
  const more = [
    joined.map((one) => `#${one}`).join(", "),
    safeMode && "actions off",
    readOnly && "learning off",
  ];
  return {
    ...describeState({ isJoined: joined.length > 0, paused, isSilent, isLive, config }),
    more: more.filter(Boolean).join(" · "),
    isSilent,
    ...browse.tallies(),
  };
}

function describeState(bot: {
  isJoined: boolean;
  paused: boolean;
  isSilent: boolean;
  isLive: boolean | null;
  config: PageData["config"];
}) {
  const { isJoined, paused, isSilent, isLive, config } = bot;
  if (!isJoined)
    return {
      tone: "bad",
      word: "Not in chat",
      about:
        "The bot has not joined your chat yet. It keeps trying; notices here say why it cannot.",
    };
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
