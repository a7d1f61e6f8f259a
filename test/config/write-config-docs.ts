import { readFileSync, writeFileSync } from "node:fs";
import { makeConfigJsonSchema, withKeyTables } from "./config-docs.ts";

// Regenerates what is generated from the schema: npx tsx test/config/write-config-docs.ts
const page = new URL("../../docs/configuration.md", import.meta.url);
writeFileSync(page, withKeyTables(readFileSync(page, "utf8")));
writeFileSync(new URL("../../docs/config.schema.json", import.meta.url), makeConfigJsonSchema());
