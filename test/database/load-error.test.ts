import { expect, test } from "vitest";
import { makeUnusableFault } from "../../src/database/database-fault.ts";

const compiled =
  "The module was compiled against a different Node.js version using NODE_MODULE_VERSION 115.";

test.each([
  Object.assign(new Error(compiled), { code: "ERR_DLOPEN_FAILED" }),
  new Error("Could not locate the bindings file. Tried: build/better_sqlite3.node"),
])("a native part that does not load is no damage: %s", (cause) => {
  const { message, fix } = makeUnusableFault("some.db", cause);
  expect(message).toContain("SQLite cannot be loaded");
  expect(message).not.toContain("damaged");
  expect(fix).toContain("npm ci");
});
