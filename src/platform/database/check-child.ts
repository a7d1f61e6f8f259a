import process from "node:process";
import { isWhole, lookAt } from "./inspect-file.ts";

// A process of its own: reading every page blocks whoever does it. Its one argument is the database; prints whether it is whole.
process.stdout.write(JSON.stringify(check(process.argv[2] ?? "")));

function check(file: string): boolean {
  try {
    return lookAt(file, isWhole);
  } catch {
    return false;
  }
}
