import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { withShellCommands } from "../config/command-line.ts";
import { VERSION } from "../config/environment.ts";
import { Fault, type FaultCode } from "../errors.ts";
import { CONTROL_ROUTES } from "./control-routes.ts";
import { NOTE_ROUTES } from "./notes-routes.ts";
import { PEOPLE_ROUTES } from "./people-routes.ts";
import { RECORD_ROUTES } from "./record-routes.ts";
import { errorBody, type Route, type Served } from "./route.ts";

const ROUTES: readonly Route[] = [
  ...NOTE_ROUTES,
  ...PEOPLE_ROUTES,
  ...RECORD_ROUTES,
  ...CONTROL_ROUTES,
];

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

/**
 * Everything under `/api`. A form of the page goes to the same places as a program's request: it is answered with the
 * page that it came from, and word of what was done.
 */
export function apiRoutes(): Hono<Served> {
  const api = new Hono<Served>().basePath("/api");
  api.get("/openapi.json", (context) => context.json(openApi()));
  for (const route of ROUTES)
    api.on(route.method.toUpperCase(), route.path, (context) => serve(route, context));
  api.notFound((context) => context.json(errorBody("absent", "not found"), 404));
  api.onError((thrown, context) => {
    const { status, code, message, mend } = problemOf(thrown);
    if (code === "broken") context.env.onBug(thrown);
    const back = backOf(context);
    if (back === null) return context.json(errorBody(code, message, mend), status);
    context.env.flash({ text: mend === null ? message : `${message}: ${mend}`, isWrong: true });
    return context.redirect(back, 303);
  });
  return api;
}

async function serve(route: Route, context: Context<Served>): Promise<Response> {
  const input = {
    params: context.req.param() as Record<string, string>,
    query: route.query?.parse(context.req.query()) ?? {},
    body: route.body?.parse(await bodyOf(context)),
  };
  const result: unknown = await route.handle(context.env.data, input);
  if (result instanceof Response) return result;
  const back = backOf(context);
  if (back === null) {
    const text = typeof result === "string" ? result : JSON.stringify(result);
    return context.body(text, 200, { "content-type": "application/json" });
  }
  const word = route.flash?.(result as never, input) ?? null;
  const flash = typeof word === "string" ? { text: word } : word;
  if (flash !== null) context.env.flash(flash);
  return context.redirect(flash?.goTo ?? back, 303);
}

/** What a form has for the way is not asked for. */
async function bodyOf(context: Context<Served>): Promise<unknown> {
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

/** The page of ours that a form stood on; null for a program's request. */
function backOf(context: Context<Served>): string | null {
  if (!isForm(context) || context.env.person === null) return null;
  const { back } = context.env;
  return /^\/(?![/\\])[^\\\s]*$/.test(back) ? back : "/";
}

/** What is wrong with a value, without the value. */
const WRONG: Readonly<Record<string, string>> = {
  too_small: "empty, too short or too small",
  too_big: "too long or too large",
  invalid_type: "missing, or of the wrong type",
  invalid_value: "not one of the allowed values",
  unrecognized_keys: "has an unknown key",
};

/** Of what is thrown only what was written for an operator is told: anything else may quote chat. */
function problemOf(thrown: unknown) {
  if (thrown instanceof Fault) {
    const { code } = thrown;
    const [message, mend] = [thrown.message, thrown.mend].map(withShellCommands);
    return { status: STATUS[code], code, message: message ?? "", mend: mend ?? null };
  }
  if (thrown instanceof z.ZodError) {
    const keys = thrown.issues.map(
      ({ path, code }) => `${path.join(".") || "it"} is ${WRONG[code] ?? "invalid"}`,
    );
    return untold(400, "invalid", keys.join("; ").slice(0, 500));
  }
  if (!(thrown instanceof HTTPException))
    return untold(500, "broken", "this failed; the log says why");
  return thrown.status === 404
    ? untold(404, "absent", thrown.message)
    : untold(400, "malformed", thrown.message);
}

function untold(status: 400 | 404 | 500, code: string, message: string) {
  return { status, code, message, mend: null };
}

/** What can be asked of `/api`, as OpenAPI, from the schemas that check it. */
function openApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ROUTES) {
    const path = `/api${route.path.replaceAll(/:(\w+)/g, "{$1}")}`;
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "ForgetMeNot",
      version: VERSION,
      description:
        "What the local page reads and does. Send `Authorization: Bearer …` with a token from `forgetmenot page token`.",
    },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    security: [{ token: [] }],
    paths,
  };
}

const ERROR = { error: { code: "string", message: "string", mend: "string or null" } };

function operationOf({ method, path, summary, query, body, items }: Route) {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, shape]) => {
    const { description, ...schema } = schemaOf(shape as z.ZodType, "input");
    return { name, in: "query", required: false, ...(description ? { description } : {}), schema };
  });
  const page = items && z.object({ items: z.array(items), next: z.string().nullable() });
  return {
    operationId: `${method}${path.replaceAll(/[^a-zA-Z]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: true, content: json(schemaOf(body, "input")) } }),
    responses: {
      200: { description: "Done.", content: json(page ? schemaOf(page, "output") : {}) },
      default: { description: "It was refused, or failed.", content: json({ example: ERROR }) },
    },
  };
}

function json(schema: object) {
  return { "application/json": { schema } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
