import { readFileSync } from "node:fs";
import { z } from "zod";

const manifest = z.object({ version: z.string(), engines: z.object({ node: z.string() }) });

const { version, engines } = manifest.parse(
  JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")),
);

/** Of package.json: the one place that knows. */
export const VERSION = version;
/** The oldest Node that will do, such as 20.19. */
export const NODE_OLDEST = engines.node.replace(/^>=/, "");
