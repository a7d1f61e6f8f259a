// Pure: values in, values out.
import { z } from "zod";
import { ACTIONS, type Action, type ActionArg, type ActionName } from "../catalogue/actions.ts";
import { ACTION_NAMES } from "../config/names.ts";
import type { RawArgs } from "../language/action-syntax.ts";

/** A name, a text or a quote; a length or a number of a note; or the choices of a poll. */
export type ArgValue = string | number | readonly string[];

/** An action with its arguments as the action takes them. Nothing acts on `user`: the model wrote it. */
export interface ActionCall {
  readonly name: ActionName;
  readonly args: Readonly<Record<string, ArgValue>>;
}

/** The usual length of an action, if neither the requester nor the configuration gives one. */
export const SECONDS_USUAL = 60;
const USER_CHARS_MAX = 40;
const QUOTE_CHARS_MAX = 500;

const text = (charsMax: number) => z.string().trim().min(1).max(charsMax);

function schemaOf(arg: ActionArg) {
  switch (arg.kind) {
    case "user":
      return text(USER_CHARS_MAX);
    case "text":
      return arg.isNeeded ? text(arg.charsMax) : text(arg.charsMax).optional();
    case "quote":
    case "unused":
      return text(QUOTE_CHARS_MAX).optional();
    case "note":
      return z
        .string()
        .regex(/^(?:id:)?\d{1,12}$/)
        .transform((written) => Number(written.replace("id:", "")));
    case "seconds":
      return z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number)
        .default(SECONDS_USUAL);
    case "choices":
      return z
        .string()
        .transform((written) => written.split("|").map((choice) => choice.trim()))
        .pipe(z.array(text(arg.charsMax)).min(2).max(arg.countMax))
        .refine((all) => new Set(all.map((choice) => choice.toLowerCase())).size === all.length)
        .prefault("Yes|No");
  }
}

function argsSchema({ args, takesOneArg }: Action) {
  const all = Object.entries(args).map(([key, arg]) => ({ [key]: schemaOf(arg) }));
  if (takesOneArg) return z.union(all.map((one) => z.strictObject(one)));
  return z.strictObject(Object.assign({}, ...all) as Record<string, ReturnType<typeof schemaOf>>);
}

const SCHEMAS = new Map(ACTION_NAMES.map((name) => [name, argsSchema(ACTIONS[name])]));

/** Reads the arguments of an action. Null if one is missing, wrong or unknown. */
export function readCall(name: ActionName, args: RawArgs): ActionCall | null {
  const read = SCHEMAS.get(name)?.safeParse(args);
  if (!read?.success) return null;
  const used = Object.entries<ArgValue | undefined>(read.data).filter(
    ([key, value]) => value !== undefined && ACTIONS[name].args[key]?.kind !== "unused",
  );
  return { name, args: Object.fromEntries(used) as ActionCall["args"] };
}

/** Returns the arguments of a call as a model would write them. */
export function rawArgs({ args }: ActionCall): RawArgs {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, [value].flat().join("|")]),
  );
}

/** Returns the action with a name, or null. */
export function actionNamed(name: string): ActionName | null {
  return ACTION_NAMES.find((known) => known === name) ?? null;
}

/** True if an action needs a moderator's command or yes. */
export function touchesOthers(name: ActionName): boolean {
  return ACTIONS[name].consent === "yes" && ACTIONS[name].class !== "memory";
}

/** Returns the keys of an action's free texts, in order; the choices of a poll are one. */
export function textKeys(name: ActionName): string[] {
  const { args } = ACTIONS[name];
  return Object.keys(args).filter((key) => ["text", "choices"].includes(args[key]?.kind ?? ""));
}

/** Returns the scopes that actions of these classes need from the bot's token, or from the streamer's. */
export function scopesFor(classes: readonly string[], whose: "bot" | "streamer"): string[] {
  const wanted = Object.values(ACTIONS).filter(
    (action) => classes.includes(action.class) && action.token === whose,
  );
  return [...new Set(wanted.flatMap(({ scope }) => scope ?? []))];
}
