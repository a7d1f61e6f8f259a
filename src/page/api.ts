import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { withShellCommands } from "../config/command-line.ts";
import { VERSION } from "../config/environment.ts";
import { Fault, type FaultCode } from "../errors.ts";
import { BOT_ROUTES } from "./bot-routes.ts";
import { MEMORY_ROUTES } from "./memory-routes.ts";
import { makeErrorBody, type RequestContext, type Route } from "./route.ts";

const ROUTES: readonly Route[] = [...MEMORY_ROUTES, ...BOT_ROUTES];

const STATUS: Readonly<Record<FaultCode, 400 | 409 | 500 | 503>> = {
  usage: 400,
  config: 400,
  secret: 500,
  folder: 500,
  database: 503,
  locked: 409,
  port: 500,
  network: 503,
  broken: 503,
};

/** Serves everything under `/api`. A form gets a redirect to its page, with a message; a program gets JSON. */
export function openApi(): Hono<RequestContext> {
  const api = new Hono<RequestContext>().basePath("/api");
  api.get("/openapi.json", (context) => context.json(describeApi()));
  for (const route of ROUTES)
    api.on(route.method.toUpperCase(), route.path, (context) => serve(route, context));
  api.notFound((context) => context.json(makeErrorBody("absent", "not found"), 404));
  api.onError((thrown, context) => {
    const { status, code, message, fix } = explainError(thrown);
    if (code === "broken" && !(thrown instanceof Fault)) context.env.onBug(thrown);
    const back = findFormPage(context);
    if (back === null) return context.json(makeErrorBody(code, message, fix), status);
    context.env.flash({ text: fix === null ? message : `${message}: ${fix}`, isWrong: true });
    return context.redirect(back, 303);
  });
  return api;
}

async function serve(route: Route, context: Context<RequestContext>): Promise<Response> {
  const input = {
    params: context.req.param() as Record<string, string>,
    query: route.query?.parse(context.req.query()) ?? {},
    body: route.body?.parse(await readBody(context)),
  };
  const result: unknown = await route.handle(context.env.data, input);
  if (result instanceof Response) return result;
  const back = findFormPage(context);
  if (back === null) {
    const text = typeof result === "string" ? result : JSON.stringify(result);
    return context.body(text, 200, { "content-type": "application/json" });
  }
  const message = route.flash?.(result as never, input) ?? null;
  const flash = typeof message === "string" ? { text: message } : message;
  if (flash !== null) context.env.flash(flash);
  return context.redirect(flash?.goTo ?? back, 303);
}

async function readBody(context: Context<RequestContext>): Promise<unknown> {
  if (isForm(context)) {
    const { _csrf, _method, ...fields } = await context.req.parseBody({ all: true });
    return fields;
  }
  const text = await context.req.text();
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (cause) {
    throw new HTTPException(400, { message: "the body is no JSON", cause });
  }
}

function isForm(context: Context): boolean {
  return (context.req.header("content-type") ?? "").startsWith("application/x-www-form-urlencoded");
}

/** Returns the page that a form was on; null for a program's request. */
function findFormPage(context: Context<RequestContext>): string | null {
  if (!isForm(context) || context.env.person === null) return null;
  const { back } = context.env;
  return /^\/(?![/\\])[^\\\s]*$/.test(back) ? back : "/";
}

const BROKEN = "this failed; the log says why";
/** Descriptions of wrong values, without the value. */
const WRONG: Readonly<Record<string, string>> = {
  too_small: "empty, too short or too small",
  too_big: "too long or too large",
  invalid_type: "missing, or of the wrong type",
  invalid_value: "not one of the allowed values",
  unrecognized_keys: "has an unknown key",
};

/** Shows only messages that were written for a user. Others may quote chat. */
function explainError(thrown: unknown) {
  if (thrown instanceof Fault) {
    const { code } = thrown;
    const [message = "", fix = null] = [thrown.message, thrown.fix].map(withShellCommands);
    return { status: STATUS[code], code, message, fix };
  }
  if (thrown instanceof z.ZodError) {
    const keys = thrown.issues.map(
      ({ path, code }) => `${path.join(".") || "it"} is ${WRONG[code] ?? "invalid"}`,
    );
    const message = keys.join("; ").slice(0, 500);
    return { status: 400, code: "invalid", message, fix: null } as const;
  }
  if (!(thrown instanceof HTTPException))
    return { status: 500, code: "broken", message: BROKEN, fix: null } as const;
  const { message, status } = thrown;
  const [shown, code] = status === 404 ? ([404, "absent"] as const) : ([400, "malformed"] as const);
  return { status: shown, code, message, fix: null };
}

/** Describes the requests of `/api` as OpenAPI, from the schemas that check them. A program sees the answers. */
function describeApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, summary, query, body } of ROUTES) {
    const place = `/api${path.replaceAll(/:(\w+)/g, "{$1}")}`;
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
      return { name, in: "path", required: true, schema: { type: "string" } };
    });
    const inQuery = Object.entries(query?.shape ?? {}).map(([name, shape]) => {
      return { name, in: "query", schema: toJsonSchema(shape as z.ZodType) };
    });
    const failure = "Refused or failed: error.code, error.message, error.mend or null.";
    paths[place] = {
      ...paths[place],
      [method]: {
        summary,
        parameters: [...inPath, ...inQuery],
        ...(body && {
          requestBody: { content: { "application/json": { schema: toJsonSchema(body) } } },
        }),
        responses: {
          200: { description: "Done." },
          default: { description: failure },
        },
      },
    };
  }
  const scheme = { type: "http", scheme: "bearer", description: "See `forgetmenot page token`." };
  return {
    openapi: "3.1.0",
    info: { title: "ForgetMeNot", version: VERSION },
    components: { securitySchemes: { token: scheme } },
    security: [{ token: [] }],
    paths,
  };
}

function toJsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}
