// Pure: values in, values out.
import { z } from "zod";

/** A number from `min` to `max`, with a default. */
export const number = (min: number, max: number, standard: number) =>
  z.number().min(min).max(max).default(standard);

/** The same for a whole number. */
export const whole = (min: number, max: number, standard: number) =>
  z.int().min(min).max(max).default(standard);

/** One of these names. */
export const choice = <const Name extends string>(
  names: readonly Name[],
  standard: NoInfer<Name>,
) => z.enum(names).default(standard as z.util.NoUndefined<Name>);

/** On or off. */
export const onOrOff = (standard: boolean) => z.boolean().default(standard);

/** A text in small letters that fits `pattern`; `rule` says so in words. */
export const written = (pattern: RegExp, rule: string) =>
  z.string().trim().toLowerCase().regex(pattern, rule);

/** A Twitch login. */
export const login = written(
  /^[a-z0-9_]{1,25}$/,
  "a Twitch login: 1 to 25 letters, digits or underscores",
);
