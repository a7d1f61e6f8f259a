import { CONFIG_FILE } from "../command-options.ts";

/** How a person calls a command on the configuration in `file`. npm keeps options to itself in some shells. */
export function commandLine(file: string, command: string): string {
  return file === CONFIG_FILE
    ? `npm start -- ${command}`
    : `node dist/main.js ${command} --config "${file}"`;
}
