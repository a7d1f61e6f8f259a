import { inject } from "vitest";
import { builtIn } from "./built-folder.ts";

/** The path of the main file of the compiled program, which all the test files of a run share. */
export function builtProgram(): string {
  return builtIn(inject("builtFolder"));
}
