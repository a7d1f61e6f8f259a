import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { ViewerList } from "../chat/viewer-store.ts";
import type { Config } from "../config/load.ts";
import type { Db } from "../database/open-database.ts";
import type { BugReport } from "../errors.ts";
import type { NoteReview } from "../memory/note-review-store.ts";
import type { OperatorContext } from "../privacy/operator.ts";
import type { TriedOut, TryOut } from "../reply/try-out.ts";
import type { Autostart } from "../system/autostart.ts";
import type { BrowseStore } from "./browse-store.ts";
import type { PageView } from "./layout.ts";

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
  Bindings: {
    readonly data: PageData;
    /** The session that sent a form; null for a program. */
    readonly person: { readonly id: string; readonly csrf: string } | null;
    /** The page that the request came from, with its query; "" if it came from none. */
    readonly back: string;
    readonly onBug: (thrown: unknown) => void;
    /** Stores a message for the next page of the session. */
    readonly flash: (flash: Flash) => void;
    /** Returns and deletes that message; null if there is none. */
    readonly takeFlash: () => Flash | null;
  };
}

/** The data that views and handlers use. `db` is read-only. */
export interface PageData extends ShownPage {
  readonly nowMs: number;
  readonly browse: BrowseStore;
  readonly notes: NoteReview;
  readonly viewers: ViewerList;
  /** Runs `work` on a connection that can write, as a command next to the daemon does. */
  readonly change: <T>(work: (data: OperatorContext) => T) => T;
}

type Params = Readonly<Record<string, string>>;

/** Views by address. Each reads its data with the handlers of `/api`, and draws it. */
export type Views = Readonly<
  Record<string, (data: PageData, address: { params: Params; query: Params }) => PageView>
>;

/** A message after a change, and how the user undoes the change. */
export interface Flash {
  readonly text: string;
  readonly isWrong?: boolean;
  /** True if it leaves the page once a viewer is forgotten. */
  readonly isMortal?: boolean;
  /** The page that follows; default: the page of the form. */
  readonly goTo?: string;
  /** `to` is a method and an address: `post /api/notes/7/undo`. */
  readonly undo?: { readonly to: string; readonly fields?: Params };
}

interface Input<Q, B> {
  readonly params: Params;
  readonly query: Q;
  readonly body: B;
}

interface RouteSpec<Q, B, R> {
  readonly query?: Q;
  readonly body?: B;
  /** Returns a value for JSON, or JSON as a string. */
  readonly handle: (data: PageData, input: Input<z.output<Q>, z.output<B>>) => R;
  /** Returns the message that follows a form. */
  readonly flash?: (
    result: Awaited<R>,
    input: Input<z.output<Q>, z.output<B>>,
  ) => Flash | string | null;
}

/** One address of `/api`, for programs and for forms of the page. */
export interface Route extends RouteSpec<z.ZodObject, z.ZodType, never> {
  readonly method: string;
  /** Under `/api`: `/notes/:id`. */
  readonly path: string;
  readonly summary: string;
}

/** Ties a method and an address, such as `get /notes/:id`, to a handler. */
export function defineRoute<Q extends z.ZodObject, B extends z.ZodType, R>(
  place: string,
  summary: string,
  spec: RouteSpec<Q, B, R>,
): Route {
  const [method = "", path = ""] = place.split(" ");
  const general = spec as unknown as RouteSpec<z.ZodObject, z.ZodType, never>;
  return { method, path, summary, ...general };
}

/** Returns the body of every error. */
export function makeErrorBody(code: string, message: string, fix: string | null = null) {
  return { error: { code, message, mend: fix } };
}

/** Reads the id of a row in a path. Throws a 404 if it is none. */
export function readId(params: Params): number {
  const id = Number(params["id"]);
  if (!Number.isSafeInteger(id) || id < 1) throw makeAbsent("this");
  return id;
}

/** Reads the Twitch user id in a path. Throws a 404 if it is none. */
export function readUserId(params: Params): string {
  const userId = params["id"] ?? "";
  if (!/^[\w-]{1,40}$/.test(userId)) throw makeAbsent("viewer");
  return userId;
}

/** Returns the named channel, or the first one for "". Throws a 404 for a channel without the bot. */
export function findChannel({ config }: PageData, name: string): string {
  const channel = name === "" ? (config.channels[0] ?? "") : name;
  if (!config.channels.includes(channel)) throw makeAbsent("channel");
  return channel;
}

/** Makes a 404. `what` is a kind of thing, never a text from a request. */
export function makeAbsent(what: string): HTTPException {
  return new HTTPException(404, { message: `there is no ${what} of that number or name` });
}

export const timeMs = z.int().describe("Epoch milliseconds, UTC.");
/** A switch in a form or in JSON. */
export const flag = z.union([z.boolean(), z.stringbool()]);
/** A short text from a form; "" if it is empty. */
export const shortText = z.string().trim().max(60).default("");
/** A number from 1 on. */
export const ordinal = z.coerce.number().int().min(1);
/** The query of every list. */
export const listQuery = z.object({
  limit: ordinal.max(200).default(50).describe("Rows on a page."),
  after: z.coerce.number().int().min(0).optional().describe("`next` of the page before."),
});

/** One of these values, or "". */
export function makeChoice<T extends string>(values: readonly T[]) {
  return z.enum<readonly ("" | T)[]>(["", ...values]).default("" as never);
}
