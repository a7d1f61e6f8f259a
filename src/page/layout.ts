import type { Env, Hono } from "hono";
import { raw } from "hono/html";
import { ActionReview } from "../actions/ledger-store.ts";
import { isLocked } from "../database/lock.ts";
import { readStatusNow, type StatusNow } from "../telemetry/status.ts";
import type { Flash, PageData } from "./api.ts";
import type { Topic } from "./live-store.ts";
import { act, type Child, facts, html } from "./parts.ts";

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

/** Draws a whole page: the rail, the banners of a demo and a silent bot, the message after a change, and the view. */
export function drawPage(view: PageView, path: string, flash: Flash | undefined, data: PageData) {
  const { title, heading = title, lead, aside, tabs, live = [], hasKeys, shown } = view;
  const bot = readBotState(data);
  const tabLinks = tabs?.of.map(
    ([href, name]) => html`<li>${viewLink(href, name, href === (tabs.at ?? path))}</li>`,
  );
  const demoBanner = html`<div class="banner" id="demo">
    <p><b>This is a demo.</b> The bot is real; its channel is simulated, and the model's answers are recorded.
      Nothing leaves this machine.</p>
    ${act("post /api/demo/end", "Go live", { cssClass: "first" })}</div>`;
  const talk = { fields: { mode: "mentions" }, cssClass: "first" } as const;
  const silentBanner = html`<div class="banner" id="silent">
    <p><b>The bot is silent.</b> It reads chat and remembers. It writes answers for you to see, and sends none.</p>
    ${data.configFile !== null && act("patch /api/settings", "Start talking", talk)}</div>`;
  const head = html`<script type="module" src="/assets/app.js"></script>`;
  const body = html`<body>
  <a class="skip" href="#main">To the page</a>
  ${drawRail(path, bot, data)}
  <p id="lost" role="alert" hidden></p>
  <main id="main" tabindex="-1" data-live="${["texts", "status", ...live].join(" ")}" data-now="${data.nowMs}"${hasKeys && html` data-begin`}>
    ${data.control.goLive !== undefined && demoBanner}
    ${data.config.mode === "shadow" && silentBanner}
    ${flash && drawFlash(flash)}
    <div class="head">
      <div><h1>${heading}</h1>${lead !== undefined && html`<p class="lead">${lead}</p>`}</div>
      ${aside}
    </div>
    ${tabs && html`<nav aria-label="${tabs.label}"><ul class="tabs">${tabLinks}</ul></nav>`}
    ${shown}
  </main>
  ${KEY_LIST}
</body>`;
  return drawDocument(`${title} · ForgetMeNot`, head, body);
}

function drawFlash({ text, isWrong, isPersonal, undo }: Flash) {
  const personal = isPersonal && html` data-expires`;
  return html`<div class="flash ${isWrong && "wrong"}" role="status" id="flash"${personal}>
      <span>${text}</span>
      ${undo && act(undo.to, "Undo", { fields: undo.fields, key: "u" })}</div>`;
}

/** Draws an HTML document with the style of the page. `body` is the whole element. */
export function drawDocument(title: string, head: Child, body: Child) {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" href="/assets/flower.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/assets/style.css">
  ${head}
</head>
${body}
</html>`;
}

function viewLink(href: string, name: Child, isHere: boolean, key?: number) {
  const rest = [isHere && html` aria-current="page"`, key && html` data-key="${key}"`];
  return html`<a href="${href}"${rest}>${name}</a>`;
}

function drawRail(
  path: string,
  bot: { readonly tone: string; readonly word: string; readonly more: string },
  data: PageData,
) {
  const at = VIEWS.findLast(([href]) => path.startsWith(href))?.[0];
  const held = new ActionReview(data.db, data.now).listHeld();
  const tallies: Readonly<Record<string, number>> = {
    "/review": data.notes.countToReview(),
    "/actions": held.filter(({ waitsFor }) => waitsFor === "streamer").length,
  };
  const links = VIEWS.map(([href, name], n) => {
    const tally = tallies[href] ? html`<span class="tally">${tallies[href]}</span>` : null;
    return html`<li>${viewLink(href, [name, tally], href === at, n + 1)}</li>`;
  });
  return html`<header class="rail" id="rail">
    <a class="brand" href="/"><svg viewBox="-10 -10 20 20" aria-hidden="true">${raw(FLOWER)}<circle class="eye"
      r="2.3"/></svg>ForgetMeNot</a>
    <nav aria-label="Views"><ol>${links}</ol></nav>
    <div class="pulse"><span><span class="dot ${bot.tone}"></span><b>${bot.word}</b></span><span>${bot.more}</span></div>
    <button type="button" class="quiet keys" data-keys="" data-key="?">Keys <kbd>?</kbd></button>
  </header>`;
}

const KEY_LIST = html`<dialog id="keys" aria-label="Keys"><h2>Keys</h2>
  ${facts(KEYS.map(([key, does]) => [html`<kbd>${key}</kbd>`, does]))}
  <form method="dialog"><button type="submit">Close</button></form></dialog>`;

/**
 * Reads the bot's figures, and its state: the colour (`tone`), a word, and a sentence (`about`). `more` names the
 * joined channels, and actions or learning if they are off.
 */
export function readBotState(data: PageData) {
  const status = readStatusNow({ ...data, running: isLocked(data.config.dataDir) });
  const { safeMode, readOnly } = status.switches;
  const joined = status.channels.filter((one) => one.joined).map(({ channel }) => `#${channel}`);
  const more = [joined.join(", "), safeMode && "actions off", readOnly && "learning off"];
  const [tone, word, about] = describeState(status, data.config);
  return { status, tone, word, about, more: more.filter(Boolean).join(" · ") };
}

function describeState(
  { channels, switches }: StatusNow,
  { mode, replies }: PageData["config"],
): [tone: string, word: string, about: string] {
  const joined = channels.filter((one) => one.joined);
  if (joined.length === 0)
    return [
      "bad",
      "Not in chat",
      "The bot has not joined your chat yet. It keeps trying; notices here say why it cannot.",
    ];
  if (switches.paused) return ["warn", "Paused", "It reads chat and sends nothing."];
  if (mode === "shadow") return ["blue", "Silent", "It reads chat and sends nothing."];
  if (joined.some(({ isLive }) => isLive)) return ["good", "Live", "It answers in your chat."];
  if (joined.some(({ isLive }) => isLive === null))
    return ["good", "In chat", "Twitch does not say if your stream is on."];
  return replies.whenOffline
    ? ["", "Offline", "Your stream is off. It answers all the same."]
    : ["", "Offline", "Your stream is off. It answers when you are live."];
}

const FLOWER = [0, 72, 144, 216, 288]
  .map((turn) => `<circle class="petal" cx="0" cy="-5.1" r="4.1" transform="rotate(${turn})"/>`)
  .join("");

export const FLOWER_FILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 20 20"><g fill="#4a76c9">${FLOWER}</g><circle fill="#f2c230" r="2.3"/></svg>`;

/** The files of a site: type and text by address. */
type Assets = Readonly<Record<string, readonly [type: string, text: string]>>;

export function serveAssets<E extends Env>(app: Hono<E>, assets: Assets): void {
  for (const [path, [type, text]] of Object.entries(assets))
    app.get(path, (context) =>
      context.body(text, 200, { "content-type": `${type}; charset=utf-8` }),
    );
}
