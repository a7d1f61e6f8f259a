import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { ViewerList } from "../chat/viewer-store.ts";
import { VERSION, withShellCommands } from "../config/environment.ts";
import type { Config } from "../config/load.ts";
import type { Db } from "../database/open-database.ts";
import { type BugReport, describeBug, Fault, type FaultCode } from "../errors.ts";
import type { EpisodeReview } from "../memory/episode-texts-store.ts";
import type { NoteReview } from "../memory/note-review-store.ts";
import type { OperatorContext } from "../privacy/operator.ts";
import type { ReplyReview } from "../reply/reply-view-store.ts";
import type { TriedOut, TryOut } from "../reply/try-out.ts";
import type { Autostart } from "../system/autostart.ts";
import { makeErrorBody } from "./access.ts";
import type { PageView } from "./layout.ts";
import type { Visit } from "./server.ts";

/** The parts of a bot that the page shows and changes. */
export interface ShownPage {
  readonly db: Db;
  readonly config: Config;
  /** The file of the configuration; null if there is none. Then it cannot be changed. */
  readonly configFile: string | null;
  readonly now: () => number;
  readonly onBug: (bug: BugReport) => void;
  /** Returns the bot's answer to a question. Sends and stores nothing. */
  readonly tryAnswer: (question: TryOut) => Promise<TriedOut>;
  readonly control: ProgramControl;
}

/** The page's control of the program that serves it. */
export interface ProgramControl {
  /** Ends the demo and opens setup; undefined for a bot. */
  readonly goLive?: () => void;
  /** Ends the program in order; undefined for a demo. */
  readonly quit?: () => void;
  /** Undefined for a demo, and on systems without it. */
  readonly autostart?: Autostart;
}

/** The context of one request to the site. */
export interface RequestContext {
  Bindings: Visit & {
    readonly data: PageData;
    /** Messages after changes, by session. Each is shown once. */
    readonly flashes: Map<string, Flash>;
  };
}

/** The data that views and handlers use. `db` is read-only. */
export interface PageData extends ShownPage {
  readonly nowMs: number;
  readonly notes: NoteReview;
  readonly viewers: ViewerList;
  readonly episodes: EpisodeReview;
  readonly replies: ReplyReview;
  /** Runs `work` on a connection that can write, as a command next to the daemon does. */
  readonly change: <T>(work: (data: OperatorContext) => T) => T;
}

/** A message after a change, and how the user undoes the change. */
export interface Flash {
  readonly text: string;
  readonly isWrong?: boolean;
  /** True if it leaves the page once a viewer is forgotten. */
  readonly isPersonal?: boolean;
  /** The page that follows; default: the page of the form. */
  readonly goTo?: string;
  /** `to` is a method and an address: `post /api/notes/7/undo`. */
  readonly undo?: { readonly to: string; readonly fields?: Readonly<Record<string, string>> };
}

/** The schemas of a request's parts: `params` of its path, `query`, `body`. */
type InputShape = z.ZodRawShape & {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
};
type Input<I extends InputShape> = z.output<z.ZodObject<I>>;

/** A view, by its address. */
export interface View {
  readonly path: string;
  readonly open: (data: PageData, request: object) => PageView;
}

/** Makes the view of an address. Its `open` checks a request by `input`, and throws a ZodError for a wrong one. */
export function defineView<I extends InputShape>(
  path: string,
  input: I,
  show: (data: PageData, input: Input<I>) => PageView,
): View {
  const schema = z.object(input);
  return { path, open: (data, request) => show(data, schema.parse(request)) };
}

/** One place of `/api`, for programs and for forms of the page. */
export interface Route {
  readonly method: string;
  /** Under `/api`: `/notes/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly input: InputShape;
  /** Returns a value for JSON, JSON as a string, or a whole response; and the message that follows a form. */
  readonly run: (
    data: PageData,
    request: object,
  ) => Promise<{ readonly result: unknown; readonly flash: Flash | null }>;
}

/**
 * Makes the route of a place such as `get /notes/:id`. Its `run` checks a request by `input`, and rejects with a
 * ZodError for a wrong one. `flash` makes the message for a form; default: none.
 */
export function defineRoute<I extends InputShape, R>(
  place: string,
  summary: string,
  spec: {
    readonly input: I;
    readonly handle: (data: PageData, input: Input<I>) => R;
    readonly flash?: (result: Awaited<R>, input: Input<I>) => Flash | string;
  },
): Route {
  const [method = "", path = ""] = place.split(" ");
  const schema = z.object(spec.input);
  const run: Route["run"] = async (data, request) => {
    const given = schema.parse(request);
    const result = await spec.handle(data, given);
    const flash = spec.flash?.(result, given) ?? null;
    return { result, flash: typeof flash === "string" ? { text: flash } : flash };
  };
  return { method, path, summary, input: spec.input, run };
}

/** Returns the named channel, or the first one for "". Throws a 404 for a channel without the bot. */
export function findChannel({ config }: PageData, name: string): string {
  const channel = name === "" ? (config.channels[0] ?? "") : name;
  if (!config.channels.includes(channel)) throw makeAbsent("channel");
  return channel;
}

/** Makes a 404. `what` is a kind of thing, never a text from a request. */
function makeAbsent(what: string): HTTPException {
  return new HTTPException(404, { message: `there is no ${what} of that number or name` });
}

/** Returns a value. Throws a 404 if it is null or undefined. */
export function getOr404<T>(found: T | null | undefined, what: string): T {
  if (found === null || found === undefined) throw makeAbsent(what);
  return found;
}

/** A switch in a form or in JSON. */
export const flag = z.union([z.boolean(), z.stringbool()]);
/** A text of up to 60 characters from a form; "" if it is empty. */
export const shortText = z.string().trim().max(60).default("");
/** A number from 1 on. */
export const ordinal = z.coerce.number().int().min(1);
/** The id of a row in a path. */
export const rowId = z.object({ id: ordinal });
/** A Twitch user id in a path. */
export const viewerId = z.object({ id: z.string().regex(/^[\w-]{1,40}$/) });
/** The query of every list. */
export const listQuery = z.object({
  limit: ordinal.max(200).default(50).describe("Rows on a page."),
  after: z.coerce.number().int().min(0).optional().describe("`next` of the page before."),
});

/** Makes the schema of one of these values, or "", the default. */
export function makeChoice<T extends string>(values: readonly T[]) {
  return z.enum<readonly ("" | T)[]>(["", ...values]).default("" as never);
}

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
 * Serves routes and their description under `/api`. For results and errors alike, a page's form gets a redirect with a
 * message, and a program JSON. Unexpected errors also go to `onBug`.
 */
export function openApi(routes: readonly Route[]): Hono<RequestContext> {
  const api = new Hono<RequestContext>().basePath("/api");
  api.get("/openapi.json", (context) => context.json(describeApi(routes)));
  for (const route of routes)
    api.on(route.method.toUpperCase(), route.path, (context) => serve(route, context));
  api.notFound((context) => context.json(makeErrorBody("absent", "not found"), 404));
  api.onError((thrown, context) => {
    const { status, code, message, fix } = explainError(thrown);
    if (code === "broken" && !(thrown instanceof Fault))
      context.env.data.onBug(describeBug(thrown));
    if (!isFromPage(context)) return context.json(makeErrorBody(code, message, fix), status);
    const text = fix === null ? message : `${message}: ${fix}`;
    return leadBack(context, { text, isWrong: true });
  });
  return api;
}

/** Runs a route. Answers with its result if that is a response; else leads a page's form back, or answers with JSON. */
async function serve(route: Route, context: Context<RequestContext>): Promise<Response> {
  const { req, env } = context;
  const body = route.input.body && (await readBody(context));
  const parts = { params: req.param(), query: req.query(), body };
  const { result, flash } = await route.run(env.data, parts);
  if (result instanceof Response) return result;
  if (isFromPage(context)) return leadBack(context, flash);
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return context.body(text, 200, { "content-type": "application/json" });
}

/** Returns a form's fields, or the value of a JSON body; {} for an empty one. Throws a 400 for other texts. */
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

/** True for a form of a page; false for a program's request. */
function isFromPage(context: Context<RequestContext>): boolean {
  return isForm(context) && context.env.person !== null;
}

/** Redirects a browser to the page that `flash` names, else to that of its form. The page shows the flash, once. */
function leadBack(context: Context<RequestContext>, flash: Flash | null): Response {
  const { back, person, flashes } = context.env;
  if (flash !== null && person !== null) flashes.set(person.session, flash);
  return context.redirect(flash?.goTo ?? back, 303);
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

/** Returns how to answer an error. It has only messages that are meant for users: others may quote chat. */
function explainError(thrown: unknown) {
  if (thrown instanceof Fault) {
    const { code, message, fix } = thrown;
    const shown = { message: withShellCommands(message), fix: withShellCommands(fix) };
    return { status: STATUS[code], code, ...shown };
  }
  if (thrown instanceof z.ZodError) {
    // A path begins with the part of the request.
    const keys = thrown.issues.map(
      ({ path, code }) => `${path.slice(1).join(".") || "it"} is ${WRONG[code] ?? "invalid"}`,
    );
    return { status: 400, code: "invalid", message: keys.join("; "), fix: null } as const;
  }
  if (!(thrown instanceof HTTPException))
    return { status: 500, code: "broken", message: BROKEN, fix: null } as const;
  const { message } = thrown;
  if (thrown.status === 404) return { status: 404, code: "absent", message, fix: null } as const;
  return { status: 400, code: "malformed", message, fix: null } as const;
}

/** Describes the requests of `/api` as OpenAPI, from the schemas that check them. It does not describe the answers. */
function describeApi(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, summary, input } of routes) {
    const place = `/api${path.replaceAll(/:(\w+)/g, "{$1}")}`;
    const parameters = (["params", "query"] as const).flatMap((part) =>
      Object.entries(input[part]?.shape ?? {}).map(([name, schema]) => {
        const isInPath = part === "params";
        const where = { in: isInPath ? "path" : "query", required: isInPath };
        return { name, ...where, schema: toJsonSchema(schema) };
      }),
    );
    const failure = "Refused or failed: error.code, error.message, error.mend or null.";
    paths[place] = {
      ...paths[place],
      [method]: {
        summary,
        parameters,
        ...(input.body && {
          requestBody: { content: { "application/json": { schema: toJsonSchema(input.body) } } },
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

function toJsonSchema(schema: z.core.$ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}
