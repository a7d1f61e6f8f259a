import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm, type Terminal } from "../../src/cli/terminal.ts";

/** Somebody at a keyboard who types `answer`. */
function typing(answer: string) {
  const printed: string[] = [];
  const input = new PassThrough();
  const output = new PassThrough().resume();
  input.write(`${answer}\n`);
  const terminal: Terminal = {
    print: (text) => void printed.push(text),
    complain: () => undefined,
    write: () => undefined,
    isTerminal: true,
    columns: () => 80,
    stop: new AbortController().signal,
    person: () => ({ input, output }),
  };
  return { terminal, printed };
}

test.each(["y", "yes", "Y"])(
  "%s goes on, and was shown first what would happen",
  async (answer) => {
    const { terminal, printed } = typing(answer);
    await confirm(["note 3 goes"], {}, terminal);
    expect(printed).toEqual(["note 3 goes"]);
  },
);

test.each(["", "n", "yup", "forget"])(
  "%j changes nothing, and the command fails",
  async (answer) => {
    const { terminal, printed } = typing(answer);
    await expect(confirm(["note 3 goes"], {}, terminal)).rejects.toMatchObject({ exitCode: 1 });
    expect(printed.at(-1)).toBe("Nothing was changed.");
  },
);

test("with nobody to ask it is refused, unless --yes says so", async () => {
  const { person: _, ...alone } = typing("").terminal;
  await expect(confirm(["note 3 goes"], {}, alone)).rejects.toMatchObject({
    message: expect.stringContaining("note 3 goes"),
    fix: expect.stringContaining("--yes"),
  });
  await confirm(["note 3 goes"], { yes: true }, alone);
});
