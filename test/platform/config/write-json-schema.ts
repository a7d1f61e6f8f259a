import { writeFileSync } from "node:fs";
import { configJsonSchema } from "../../../src/platform/config/schema.ts";

// Regenerates the schema that editors read: npx tsx test/platform/config/write-json-schema.ts
writeFileSync(new URL("../../../docs/config.schema.json", import.meta.url), configJsonSchema());
