import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Config } from "../config/load.ts";
import type { Db } from "../database/open-database.ts";
import type { describeBug } from "../errors.ts";
import type { OperatorContext } from "../privacy/operator.ts";
import type { TriedOut, TryOut } from "../reply/try-out.ts";
import type { Autostart } from "../system/autostart.ts";
import type { Browse } from "./browse-store.ts";
import type { PageView } from "./layout.tsx";

/** What the daemon hands to the page. */
export interface ShownPage {
  readonly db: Db;
  readonly config: Config;
  /** null: the configuration is in no file, and cannot be changed. */
  readonly configFile: string | null;
  readonly now: () => number;
  readonly onBug: (bug: ReturnType<typeof describeBug>) => void;
  /** What the bot would answer. Nothing is sent or stored. */
  readonly tryAnswer: (asked: TryOut) => Promise<TriedOut>;
  readonly control: ProgramControl;
}

/** What the page can do with the program that serves it. */
export interface ProgramControl {
  /** Ends the demo and opens setup; undefined for a bot. */
  readonly goLive?: () => void;
  /** Ends the program in order; undefined for a demo. */
  readonly quit?: () => void;
  /** Undefined for a demo, and on systems that have none. */
  readonly autostart?: Autostart;
}

/** What each request is answered with. */
export interface Served {
  Bindings: {
    readonly data: PageData;
    /** The session whose form it is; null for a program. */
    readonly person: { readonly id: string; readonly csrf: string } | null;
    /** The page of ours that the request came from, with its query; "" for none. */
    readonly back: string;
    /** Told of what nobody foresaw. */
    readonly onBug: (thrown: unknown) => void;
    /** Leaves word for the next page of a session. */
    readonly flash: (flash: Flash) => void;
    /** Takes that word, once; null for none. */
    readonly takeFlash: () => Flash | null;
  };
}

/** What a page or an answer is made from. `db` can only be read. */
export interface PageData extends ShownPage {
  readonly nowMs: number;
  readonly browse: Browse;
  /** Works on a connection that can write, as a command beside the daemon does. */
  readonly change: <T>(work: (data: OperatorContext) => T) => T;
}

/** Views by their addresses. Each reads what it shows, by the handlers that answer `/api`, and draws it. */
export type Views = Readonly<
  Record<string, (data: PageData, address: Address) => PageView | Promise<PageView>>
>;

interface Address {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** The same for what only reads. */
export function operatorContext({ config, db, nowMs }: PageData): OperatorContext {
  return { config, db, now: () => nowMs };
}

/** What a person is told after a change, and how they take it back. */
export interface Flash {
  readonly text: string;
  readonly isWrong?: boolean;
  /** Where they go on; else where they were. */
  readonly goTo?: string;
  /** `to` as a form has it: `post /api/notes/7/undo`. */
  readonly undo?: { readonly to: string; readonly fields?: Readonly<Record<string, string>> };
}

interface Input<Q, B> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
}

interface RouteSpec<Q, B, R> {
  readonly query?: Q;
  readonly body?: B;
  /** What a list is of, for `/api/openapi.json`. */
  readonly items?: z.ZodType;
  /** A string is JSON that is ready to send. */
  readonly handle: (data: PageData, input: Input<z.output<Q>, z.output<B>>) => R;
  /** What a person reads after they sent a form. */
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

/** Ties an address, such as `get /notes/:id`, to its handler. */
export function route<Q extends z.ZodObject, B extends z.ZodType, R>(
  place: string,
  summary: string,
  spec: RouteSpec<Q, B, R>,
): Route {
  const [method = "", path = ""] = place.split(" ");
  return {
    method,
    path,
    summary,
    ...(spec as unknown as RouteSpec<z.ZodObject, z.ZodType, never>),
  };
}

/** The one shape of an error. */
export function errorBody(code: string, message: string, mend: string | null = null) {
  return { error: { code, message, mend } };
}

/** A number of a row, in a path. */
export function idIn(params: Readonly<Record<string, string>>): number {
  const id = Number(params["id"]);
  if (!Number.isSafeInteger(id) || id < 1) throw absent("this");
  return id;
}

/** The channel of that name, or the first for none; throws where the bot is in no such. */
export function channelIn({ config }: PageData, name: string): string {
  const channel = name === "" ? (config.channels[0] ?? "") : name;
  if (!config.channels.includes(channel)) throw absent("channel");
  return channel;
}

/** `what` names the kind of thing, and nothing that somebody typed. */
export function absent(what: string): HTTPException {
  return new HTTPException(404, { message: `there is no ${what} of that number or name` });
}

/** Times, epoch milliseconds UTC. */
export const timeMs = z.int().describe("Epoch milliseconds, UTC.");
/** A switch of a form or of JSON. */
export const flag = z.union([z.boolean(), z.stringbool()]);
/** One of these, or "" for none. */
export function oneOf<T extends string>(values: readonly T[]) {
  return z.enum<readonly ("" | T)[]>(["", ...values]).default("" as never);
}
/** What somebody types into a field of its own; "" for nothing. */
export const shortText = z.string().trim().max(60).default("");
/** From 1 on. */
export const ordinal = z.coerce.number().int().min(1);
const LIMIT_MAX = 200;
const AFTER = "Where the last page ended: its `next`.";
/** What every list takes. */
export const listQuery = z.object({
  limit: ordinal.max(LIMIT_MAX).default(50).describe("Rows on a page."),
  after: z.coerce.number().int().min(0).optional().describe(AFTER),
});
