import { Writable } from "node:stream";
import { printable, wrapWords } from "../../language/clean.ts";
import type { Typist } from "../terminal.ts";

type Clack = typeof import("@clack/prompts");

/** The person wants no more of it. Not a Fault yet: only setup knows what to say. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

interface TextQuestion {
  readonly message: string;
  /** Stands there already and can be changed. */
  readonly initial?: string;
  /** What an answer looks like. */
  readonly placeholder?: string;
  /** What is wrong with an answer; undefined where it will do. */
  readonly wrong: (typed: string) => string | undefined;
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export interface ChoiceQuestion<T extends string> {
  readonly message: string;
  readonly choices: readonly Choice<T>[];
  readonly initial?: T;
}

/** Talks with the person at the terminal. Every question throws `Cancelled` when they stop. */
export interface Ask {
  /** Aborts when they stop, also between two questions. */
  readonly signal: AbortSignal;
  begin(title: string): void;
  say(...lines: readonly string[]): void;
  good(...lines: readonly string[]): void;
  warn(...lines: readonly string[]): void;
  end(...lines: readonly string[]): void;
  stopped(line: string): void;
  text(question: TextQuestion): Promise<string>;
  /** What is typed is not shown. */
  secret(question: Pick<TextQuestion, "message" | "wrong">): Promise<string>;
  choose<T extends string>(question: ChoiceQuestion<T>): Promise<T>;
  /** None is an answer, too. */
  chooseSome<T extends string>(
    question: Omit<ChoiceQuestion<T>, "initial"> & { readonly chosen: readonly T[] },
  ): Promise<readonly T[]>;
  /** A choice that is open until `event` comes; then it goes from the screen, and the event is the answer. */
  chooseUnless<T extends string, E>(
    question: ChoiceQuestion<T>,
    event: Promise<E>,
  ): Promise<{ readonly event: E } | { readonly chosen: T }>;
  /** What `work` gives; throws `Cancelled` where they stop before. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** Opens the conversation; the package that draws it is loaded now. */
export async function openAsk(person: Typist, signal: AbortSignal): Promise<Ask> {
  const clack = await import("@clack/prompts");
  const put = putter(clack, signal);
  const choose = chooser(clack, put);
  return {
    signal,
    ...teller(clack, person),
    text: async ({ message, initial = "", placeholder = "", wrong }) => {
      const validate = (typed: string | undefined) => wrong(typed ?? "");
      const given = { message, initialValue: initial, placeholder, validate };
      return (await put((ending) => clack.text({ ...person, signal: ending, ...given }))) ?? "";
    },
    secret: async ({ message, wrong }) => {
      const validate = (typed: string | undefined) => wrong(typed ?? "");
      const given = { message, validate };
      return (await put((ending) => clack.password({ ...person, signal: ending, ...given }))) ?? "";
    },
    choose: (question) => choose(question, person),
    chooseSome: async ({ message, choices, chosen }) => {
      const initialValues = choices.flatMap(({ value }, at) =>
        chosen.includes(value) ? [at] : [],
      );
      const given = { message, options: optionsOf(choices), initialValues, required: false };
      const picked = await put((ending) =>
        clack.multiselect<number>({ ...person, signal: ending, ...given }),
      );
      return choices.flatMap(({ value }, at) => (picked.includes(at) ? [value] : []));
    },
    chooseUnless: async <T extends string, E>(question: ChoiceQuestion<T>, event: Promise<E>) => {
      const ending = new AbortController();
      const screen = erasable(person.output);
      const come = event.then((value) => {
        ending.abort();
        return { event: value };
      });
      try {
        return { chosen: await choose(question, { ...person, output: screen.output }, ending) };
      } catch (thrown) {
        if (signal.aborted || !ending.signal.aborted) throw thrown;
        screen.erase();
        return await come;
      } finally {
        screen.close();
      }
    },
    during: (work) => unlessAborted(work, signal),
  };
}

type Put = <T>(
  question: (ending: AbortSignal) => Promise<T | Clack["CANCEL_SYMBOL"]>,
  ending?: AbortController,
) => Promise<T>;

/** Puts one question, which ends when the person stops; on `signal` itself every question would listen for ever. */
function putter(clack: Clack, signal: AbortSignal): Put {
  return async <T>(
    question: (ending: AbortSignal) => Promise<T | Clack["CANCEL_SYMBOL"]>,
    ending = new AbortController(),
  ) => {
    const stop = () => ending.abort();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const answer = await question(ending.signal);
      if (clack.isCancel(answer)) throw new Cancelled();
      return answer;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
}

function chooser(clack: Clack, put: Put) {
  return async <T extends string>(
    { message, choices, initial }: ChoiceQuestion<T>,
    person: Typist,
    ending?: AbortController,
  ): Promise<T> => {
    const at = choices.findIndex(({ value }) => value === initial);
    const options = optionsOf(choices);
    const given = { message: printable(message), options, initialValue: Math.max(0, at) };
    const picked = await put(
      (signal) => clack.select<number>({ ...person, signal, ...given }),
      ending,
    );
    const choice = choices[picked];
    if (choice === undefined) throw new Cancelled();
    return choice.value;
  };
}

/** By their numbers, so that what comes back is one of them. */
function optionsOf(choices: readonly Choice<string>[]) {
  return choices.map(({ label, hint }, value) => ({
    value,
    label: printable(label),
    ...(hint === undefined ? {} : { hint }),
  }));
}

function teller(clack: Clack, { output }: Typist) {
  const { columns = 80 } = sizeOf(output);
  const lines = (texts: readonly string[]) =>
    texts
      .flatMap((text) => text.split("\n"))
      .map((text) => wrapped(printable(text), columns - BAR_COLUMNS))
      .join("\n");
  return {
    begin: (title: string) => clack.intro(title, { output }),
    say: (...texts: readonly string[]) => clack.log.message(lines(texts), { output }),
    good: (...texts: readonly string[]) => clack.log.success(lines(texts), { output }),
    warn: (...texts: readonly string[]) => clack.log.warn(lines(texts), { output }),
    end: (...texts: readonly string[]) => {
      clack.log.success(lines(texts.slice(0, -1)), { output });
      clack.outro(texts.at(-1) ?? "", { output });
    },
    stopped: (text: string) => clack.cancel(text, { output }),
  };
}

/** What stands before each line, and one column to spare. */
const BAR_COLUMNS = 4;

/** Broken between words; an address is never broken, so that it can be copied and clicked. */
function wrapped(text: string, columns: number): string {
  if (text.length <= columns) return text;
  const indent = /^ */.exec(text)?.[0] ?? "";
  return wrapWords(text.trim(), columns - indent.length)
    .map((row) => indent + row)
    .join("\n");
}

/** What a terminal has, and a pipe has not. */
interface Size {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

function sizeOf(output: Writable & Size): Size {
  const { columns, rows } = output;
  return { columns, rows };
}

const DOWN_OR_UP = /\n|\p{Cc}\[(\d+)([AB])/gu;

/** The same screen, and what is written to it can be taken back: a choice ends, and leaves what it drew. */
function erasable(output: Writable) {
  let below = 0;
  const shown = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const text = String(chunk);
      for (const [, count = "1", way] of text.matchAll(DOWN_OR_UP))
        below += way === "A" ? -Number(count) : Number(count);
      output.write(text);
      done();
    },
  });
  const resized = () => {
    Object.assign(shown, sizeOf(output));
    shown.emit("resize");
  };
  resized();
  output.on("resize", resized);
  return {
    output: shown,
    erase: () => void output.write(`\u001b[${below}A\u001b[0J`),
    close: () => void output.off("resize", resized),
  };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Cancelled());
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}
