import { z } from "zod";
import { configSchema } from "./schema.ts";

/**
 * The configuration's schema for editors, as the text of a file: what may stand in config.json, each key with its
 * default and what it is for. Draft 7, the latest that all editors know.
 */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: "input", target: "draft-7" });
  return `${JSON.stringify({ title: "ForgetMeNot configuration", ...schema }, null, 2)}\n`;
}
