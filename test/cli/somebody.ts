import type { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { until } from "../stand-ins/until.ts";

/** Somebody at a terminal: types, and waits by what stands on the screen. */
export interface Somebody {
  /** Everything that was on the screen, without colours. */
  screen(): string;
  /** Resolves once `text` stands on the screen behind what was seen last. */
  sees(text: string): Promise<void>;
  press(keys: string): void;
  /** What came behind what was seen last. */
  last(): string;
}

/** Somebody at these two ends: what they type goes into `input`, what they see comes out of `output`. */
export function somebody(input: Writable, output: Readable): Somebody {
  let written = "";
  let seen = 0;
  output.setEncoding("utf8").on("data", (text: string) => {
    written += text;
  });
  const screen = () => stripVTControlCharacters(written);
  const fresh = () => screen().slice(seen);
  return {
    screen,
    sees: async (text) => {
      await until(() => fresh().includes(text), 30_000).catch((cause: unknown) => {
        const message = `"${text}" was not to be seen; last:\n${screen().slice(-2_000)}`;
        throw new Error(message, { cause });
      });
      seen += fresh().indexOf(text) + text.length;
    },
    press: (keys) => void input.write(keys),
    last: fresh,
  };
}
