import { readFileSync } from "node:fs";
import { type Context, Hono } from "hono";
import { FLOWER_FILE } from "./layout.tsx";
import type { Site } from "./server.ts";
import {
  findFirstStep,
  findReachable,
  leaveAfterLogin,
  type Setup,
  submitForm,
  takeStoredLogins,
} from "./setup.ts";
import { SETUP_STYLE } from "./setup-style.ts";
import { SetupPage, StartingPage } from "./setup-view.tsx";
import { STYLE } from "./style.ts";

interface SetupServed {
  Bindings: {
    readonly csrf: string;
    /** True if a page that waits looks whether it can go on. */
    readonly isLook: boolean;
  };
}

/** The site of a setup: a page for each step, and an address for each form. It needs no script. */
export function openSetupSite(setup: Setup): Site {
  const app = buildSetupApp(setup);
  return {
    answer: async (request, { person, isRedrawn }) =>
      app.fetch(request, { csrf: person?.csrf ?? "", isLook: isRedrawn }),
    watch: () => undefined,
    close: () => undefined,
  };
}

function buildSetupApp(setup: Setup): Hono<SetupServed> {
  const app = new Hono<SetupServed>();
  const hasPage = setup.ground.base.dashboard.port !== false;
  const showStarting = (context: Context) => context.html(<StartingPage hasPage={hasPage} />);
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
  app.get("/setup/twitch/wait", async (context) => goTo(context, await leaveAfterLogin(setup)));
  app.get("/setup/:step", async (context) => {
    if (setup.isWritten) return showStarting(context);
    const wanted = context.req.param("step");
    const step = findReachable(setup, wanted);
    if (step !== wanted) return goTo(context, step);
    if (step === "twitch") await takeStoredLogins(setup);
    const page = await SetupPage({ setup, step, csrf: context.env.csrf });
    if (!context.env.isLook) setup.message = null;
    return context.html(page);
  });
  app.post("/setup/:form{.+}", async (context) => {
    const body = await context.req.parseBody();
    const fields = Object.fromEntries(
      Object.entries(body).flatMap(([name, value]) =>
        typeof value === "string" ? [[name, value]] : [],
      ),
    );
    const next = await submitForm(setup, context.req.param("form"), fields);
    if (next === null) return context.notFound();
    return setup.isWritten ? context.redirect("/", 303) : goTo(context, next);
  });
  // Addresses of the demo or the bot lead here while setup is open.
  app.notFound((context) =>
    setup.isWritten ? showStarting(context) : goTo(context, findFirstStep(setup)),
  );
  return app;
}

function goTo(context: Context, step: string): Response {
  return context.redirect(`/setup/${step}`, 303);
}
