import { printable, wrapWords } from "../../language/clean.ts";
import type { Typist } from "../terminal.ts";

type Clack = typeof import("@clack/prompts");

/** The person wants no more of it. Not a Fault yet: only setup knows what to say. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** What a person means by what they typed, or what is wrong with it. */
export type Meant<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

interface TextQuestion<T> {
  readonly message: string;
  /** Stands there already and can be changed. */
  readonly initial?: string;
  /** What an answer looks like. */
  readonly placeholder?: string;
  readonly read: (typed: string) => Meant<T>;
}

const CTRL_D = "\u0004";

type Label = string | readonly [label: string, hint: string];

/** What can be chosen, in this order, each under a name. */
export type Choices<T extends string> = Readonly<Partial<Record<T, Label>>>;

export interface ChoiceQuestion<T extends string> {
  readonly message: string;
  readonly choices: Choices<T>;
  readonly initial?: NoInfer<T>;
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
  /** Asks until what is typed means something. */
  text<T>(question: TextQuestion<T>): Promise<T>;
  /** The same, and what is typed is not shown. */
  secret<T>(question: Pick<TextQuestion<T>, "message" | "read">): Promise<T>;
  choose<T extends string>(question: ChoiceQuestion<T>): Promise<T>;
  /** None is an answer, too. */
  chooseSome<T extends string>(
    question: Omit<ChoiceQuestion<T>, "initial"> & { readonly chosen: readonly T[] },
  ): Promise<readonly T[]>;
  /** What `work` gives; throws `Cancelled` where they stop before. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** Opens the conversation; the package that draws it is loaded now. */
export async function openAsk(person: Typist, signal: AbortSignal): Promise<Ask> {
  const clack = await import("@clack/prompts");
  const put = putter(clack, person.input, signal);
  return {
    signal,
    ...teller(clack, person),
    text: async ({ message, initial = "", placeholder = "", read }) => {
      const given = { message, initialValue: initial, placeholder, validate: wrongBy(read) };
      return meantBy(
        read,
        await put((ending) => clack.text({ ...person, signal: ending, ...given })),
      );
    },
    secret: async ({ message, read }) => {
      const given = { message, validate: wrongBy(read) };
      return meantBy(
        read,
        await put((ending) => clack.password({ ...person, signal: ending, ...given })),
      );
    },
    choose: async <T extends string>({ message, choices, initial }: ChoiceQuestion<T>) => {
      const names = namesOf(choices);
      const at = initial === undefined ? 0 : Math.max(0, names.indexOf(initial));
      const given = { message: printable(message), options: optionsOf(choices), initialValue: at };
      const picked = await put((ending) =>
        clack.select<number>({ ...person, signal: ending, ...given }),
      );
      const name = names[picked];
      if (name === undefined) throw new Cancelled();
      return name;
    },
    chooseSome: async ({ message, choices, chosen }) => {
      const names = namesOf(choices);
      const initialValues = chosen.map((name) => names.indexOf(name));
      const given = { message, options: optionsOf(choices), initialValues, required: false };
      const picked = await put((ending) =>
        clack.multiselect<number>({ ...person, signal: ending, ...given }),
      );
      return names.filter((_, at) => picked.includes(at));
    },
    during: (work) => unlessAborted(work, signal),
  };
}

function wrongBy(read: (typed: string) => Meant<unknown>) {
  return (typed = ""): string | undefined => {
    const meant = read(typed);
    return meant.ok ? undefined : meant.why;
  };
}

function meantBy<T>(read: (typed: string) => Meant<T>, typed = ""): T {
  const meant = read(typed);
  if (!meant.ok) throw new Cancelled();
  return meant.value;
}

/** Puts one question, which ends when the person stops; on `signal` itself every question would listen for ever. */
function putter(clack: Clack, input: Typist["input"], signal: AbortSignal) {
  return async <T>(
    question: (ending: AbortSignal) => Promise<T | Clack["CANCEL_SYMBOL"]>,
  ): Promise<T> => {
    const ending = new AbortController();
    const stop = () => ending.abort();
    // Ctrl-D closes what reads the keyboard: the question would stand there, and the program end without a word.
    const heard = (typed: unknown) => void (String(typed) === CTRL_D && stop());
    input.prependListener("data", heard);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const answer = await question(ending.signal);
      if (clack.isCancel(answer)) throw new Cancelled();
      return answer;
    } finally {
      input.removeListener("data", heard);
      signal.removeEventListener("abort", stop);
    }
  };
}

function namesOf<T extends string>(choices: Choices<T>): T[] {
  return Object.keys(choices) as T[];
}

/** By their numbers, so that what comes back is one of them. */
function optionsOf(choices: Choices<string>) {
  return Object.values(choices).map((told, value) => {
    const [label = "", hint] = typeof told === "string" ? [told] : (told ?? []);
    return { value, label: printable(label), ...(hint === undefined ? {} : { hint }) };
  });
}

function teller(clack: Clack, { output }: Typist) {
  const { columns = 80 } = output;
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
