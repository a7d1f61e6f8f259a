// Pure: values in, values out.
import { z } from "zod";

/** Any of the keys, at any depth; a list counts as one value. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;

/**
 * A schema that takes some of the keys of `schema`, at any depth, within the same bounds, and puts in no defaults.
 * `.partial()` would: zod applies a default to a key that is optional, too.
 */
export function partialOf(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return partialOf(schema.unwrap());
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  const shape: Record<string, z.core.$ZodType> = {};
  for (const [key, value] of Object.entries<z.core.$ZodType>(schema.shape)) {
    shape[key] = z.optional(partialOf(value));
  }
  return z.strictObject(shape);
}
