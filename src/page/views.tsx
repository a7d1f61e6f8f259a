import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Child } from "hono/jsx";
import { z } from "zod";
import { Fault } from "../errors.ts";
import { Page, type PageView, pulseOf } from "./layout.tsx";
import type { Flash, PageData, Served } from "./route.ts";

/** What an address asks for. */
interface Wanted {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The same where a key may stand there more than once. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** Views by their addresses. Each reads what it shows, by the handlers that answer `/api`, and draws it. */
export type Views = Readonly<
  Record<string, (data: PageData, wanted: Wanted) => PageView | Promise<PageView>>
>;

export function viewApp(views: Views): Hono<Served> {
  const app = new Hono<Served>();
  for (const [path, show] of Object.entries(views)) {
    app.get(path, async (context) => {
      const { req, env } = context;
      const wanted = { params: req.param(), query: req.query(), lists: req.queries() };
      const view = await show(env.data, wanted as Wanted);
      return draw(context, view, env.takeFlash());
    });
  }
  app.notFound((context) => missing(context, "There is nothing here.", 404));
  app.onError((thrown, context) => {
    if (thrown instanceof HTTPException && thrown.status === 404)
      return missing(context, "There is nothing of that name or number.", 404);
    if (thrown instanceof Fault) return missing(context, thrown.message, 400);
    if (thrown instanceof z.ZodError)
      return missing(context, "This address asks for what there is not.", 400);
    context.env.onBug(thrown);
    return missing(context, "This cannot be shown right now.", 500);
  });
  return app;
}

function draw(context: Context<Served>, view: PageView, flash: Flash | null) {
  const { data, person } = context.env;
  const around = { csrf: person?.csrf ?? "", nowMs: data.nowMs };
  const path = context.req.path;
  return context.html(
    <Page view={view} path={path} flash={flash} pulse={pulseOf(data)} around={around} />,
  );
}

/** Says what is missing, in the look of every page. */
function missing(context: Context<Served>, text: string, status: 400 | 404 | 500) {
  context.status(status);
  const lead: Child = <a href="/">Back to now</a>;
  // A note that was forgotten from its own page is missing there: that it was done is told all the same.
  const isSeen = (context.req.header("accept") ?? "").includes("text/html");
  const flash = isSeen ? context.env.takeFlash() : null;
  try {
    return draw(context, { title: "Nothing", heading: text, lead, shown: null }, flash);
  } catch {
    return context.text(text, 500);
  }
}
