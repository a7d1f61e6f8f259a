import process from "node:process";
import { isWhole, lookAt } from "./inspect-file.ts";
import { vacuumFile } from "./vacuum.ts";

// A process of its own: both read every page, and block whoever does it. Arguments: what to do, and the database; its one
// line is what came of it.
const [, , task, file = ""] = process.argv;
process.stdout.write(JSON.stringify(task === "vacuum" ? vacuumFile(file) : check(file)));

function check(path: string): boolean {
  try {
    return lookAt(path, isWhole);
  } catch {
    return false;
  }
}
