import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with `N passed, N failed`, a line that any CI can read. A file that failed to load counts as failed. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const skipped = tests.filter((test) => test.result().state === "skipped").length;
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const failed = tests.length - passed - skipped + brokenModules;
    const tail = skipped > 0 ? `, ${skipped} skipped` : "";
    setImmediate(() => process.stdout.write(`\n${passed} passed, ${failed} failed${tail}\n`));
  }
}
