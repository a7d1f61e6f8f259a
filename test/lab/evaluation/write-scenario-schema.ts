import { writeFileSync } from "node:fs";
import { scenarioJsonSchema } from "../../../src/lab/evaluation/scenario.ts";

writeFileSync("docs/scenario.schema.json", scenarioJsonSchema());
