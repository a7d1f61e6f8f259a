import { readFileSync } from "node:fs";
import { type Context, Hono } from "hono";
import { FLOWER_FILE } from "./layout.ts";
import { type Child, drawWith, html } from "./parts.ts";
import type { Site } from "./server.ts";
import type { Setup, Step } from "./setup.ts";
import { SETUP_STYLE } from "./setup-style.ts";
import { alert, STEP_PAGES } from "./setup-view.ts";
import { STYLE } from "./style.ts";

/** Without scripts, a page that waits checks again after this time. */
const CHECK_SECONDS = 2;

/** The site of a setup: a page for each step, and an address for each form. It needs no script. */
export function openSetupSite(setup: Setup): Site {
  const app = new Hono<{ Bindings: { csrf: string; isRedrawn: boolean } }>();
  const style = "text/css; charset=utf-8";
  const script = readFileSync(new URL("./browser/setup.js", import.meta.url), "utf8");
  const assets = {
    "/assets/style.css": [style, STYLE],
    "/assets/setup.css": [style, SETUP_STYLE],
    "/assets/setup.js": ["text/javascript; charset=utf-8", script],
    "/assets/flower.svg": ["image/svg+xml", FLOWER_FILE],
  } as const;
  for (const [path, [type, text]] of Object.entries(assets))
    app.get(path, (context) => context.body(text, 200, { "content-type": type }));
  const goTo = (context: Context, step: Step) => context.redirect(`/setup/${step}`, 303);
  const showStarting = (context: Context) =>
    context.html(drawStarting(setup.ground.base.dashboard.port !== false));
  app.get("/setup/twitch/wait", async (context) => goTo(context, await setup.leaveAfterLogin()));
  app.get("/setup/:step", async (context) => {
    if (setup.isWritten) return showStarting(context);
    const wanted = context.req.param("step");
    const step = setup.findReachable(wanted);
    if (step !== wanted) return goTo(context, step);
    if (step === "twitch") await setup.takeStoredLogins();
    const page = await drawStep(setup, step, context.env.csrf);
    // A message is for the next page that the user sees, not for a check of the page that waits.
    if (!context.env.isRedrawn) setup.message = null;
    return context.html(page);
  });
  app.post("/setup/:form{.+}", async (context) => {
    const fields = Object.fromEntries(new URLSearchParams(await context.req.text()));
    const next = await setup.submit(context.req.param("form"), fields);
    if (next === null) return context.notFound();
    return setup.isWritten ? context.redirect("/", 303) : goTo(context, next);
  });
  // Addresses of the demo or the bot lead here while setup is open.
  app.notFound((context) =>
    setup.isWritten ? showStarting(context) : goTo(context, setup.findFirstStep()),
  );
  return {
    answer: async (request, { person, isRedrawn }) =>
      app.fetch(request, { csrf: person?.csrf ?? "", isRedrawn }),
  };
}

/** Draws the page of a step. */
async function drawStep(setup: Setup, step: Step, csrf: string): Promise<string> {
  const { name, read, draw } = STEP_PAGES[step];
  const found = (await read?.(setup)) ?? [];
  const steps = setup.listSteps().map((one) => {
    const label = STEP_PAGES[one].name;
    if (one === step) return html`<li><span aria-current="step">${label}</span></li>`;
    if (!setup.isDone(one)) return html`<li><span>${label}</span></li>`;
    return html`<li class="done"><a href="/setup/${one}">${label}</a></li>`;
  });
  const { message } = setup;
  return drawWith({ csrf, nowMs: setup.now() }, () => {
    const { heading, lead, waitsAt, shown } = draw(setup, found);
    const main = html`<nav aria-label="Steps"><ol class="steps">${steps}</ol></nav>
      <main><h1>${heading}</h1>${lead && html`<p class="lead">${lead}</p>`}
      ${message?.isWrong && alert(message.text)}
      ${message?.isWrong === false && html`<p class="word" role="status">${message.text}</p>`}
      ${shown}</main>`;
    const check = `${CHECK_SECONDS};url=${waitsAt}`;
    const refresh = html`<noscript><meta http-equiv="refresh" content="${check}" /></noscript>`;
    return drawShell(name, waitsAt && refresh, main, waitsAt);
  });
}

/** Draws that setup is over and the bot starts. If the bot has a page, it follows without a click. */
function drawStarting(hasPage: boolean) {
  const next = hasPage
    ? "This page goes on by itself."
    : "Your configuration has no page for the bot (dashboard.port is false), so you can close this tab.";
  // Not by the script, whose address the bot's page does not have.
  const refresh = hasPage && html`<meta http-equiv="refresh" content="1;url=/" />`;
  const main = html`<main><h1>The bot is starting …</h1><p class="lead">Your answers are saved. ${next}</p></main>`;
  return drawShell("Starting", refresh, main);
}

/** Draws a whole page of setup. `waitsAt`: an address that its script checks. */
function drawShell(title: string, refresh: Child, main: Child, waitsAt?: string) {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  ${refresh}
  <title>${title} · Set up ForgetMeNot</title>
  <link rel="icon" href="/assets/flower.svg" type="image/svg+xml" />
  <link rel="stylesheet" href="/assets/style.css" />
  <link rel="stylesheet" href="/assets/setup.css" />
  <script type="module" src="/assets/setup.js"></script>
</head>
<body class="setup"${waitsAt && html` data-waits-at="${waitsAt}"`}>
  <header><img src="/assets/flower.svg" alt="" width="26" height="26" /><b>ForgetMeNot</b> <span>setup</span></header>
  ${main}
</body>
</html>`;
}
