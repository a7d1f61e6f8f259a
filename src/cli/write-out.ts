import { Fault, messageOf } from "../errors.ts";
import { writePrivately } from "../platform/config/write-privately.ts";

/** Writes what a command made to a file that only its owner can read. Throws a Fault where that cannot be done. */
export function writeOut(path: string, text: string): void {
  try {
    writePrivately(path, text);
  } catch (cause) {
    throw new Fault(`${path}: cannot be written (${messageOf(cause)})`, {
      code: "folder",
      mend: "make the folder writable for this user, or name another file",
      cause,
    });
  }
}
