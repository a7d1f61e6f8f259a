import { writeFileSync } from "node:fs";
import { configJsonSchema } from "../../src/config/json-schema.ts";

// Regenerates the schema that editors read: npx tsx test/config/write-json-schema.ts
writeFileSync(new URL("../../docs/config.schema.json", import.meta.url), configJsonSchema());
