import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes seconds: a test with a long time limit of its own, a process of the program, a browser, a whole daemon. */
const SLOW = [
  /^\}, (?:9\d|\d{3})_000\);$/m,
  /builtProgram\(/,
  /launchBrowser\(/,
  /openHouse\(|openTown\(/,
];

/** The slowest kinds of files first, so that no worker is left alone with one at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const code = readFileSync(moduleId, "utf8");
      const at = SLOW.findIndex((kind) => kind.test(code));
      return at < 0 ? SLOW.length : at;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
