import { SECRET_VARIABLES } from "../../platform/config/environment.ts";
import { toConfig } from "../../platform/config/load.ts";
import { listOllamaModels, probeModel } from "../../platform/models/probe.ts";
import { milliseconds } from "../../telemetry/figures.ts";
import type { Choices } from "./ask.ts";
import { type Answers, type KeyChoice, llmWith, type ModelChoice } from "./setup-answers.ts";
import { keyName, noteAnswer, type SetupState } from "./setup-draft.ts";
import { addressIn, keyIn, modelTrouble, sentenceIn } from "./setup-words.ts";

const OLLAMA = "http://127.0.0.1:11434/v1";
const KEY_PAGE = "https://aistudio.google.com/apikey";
type AskedProvider = "gemini" | "openai-compatible";

/** Takes what was answered of a choice so far, so that an interruption does not lose it. */
type Note = (model: ModelChoice) => ModelChoice;

/** Asks which language model thinks, and asks it a question on the spot. */
export async function askModel(state: SetupState, answers: Answers): Promise<Answers> {
  const note: Note = (model) => {
    noteAnswer(state, "model", { ...answers, model });
    return model;
  };
  let model = await askChoice(state, answers.model, note);
  for (;;) {
    const next = await probe(state, model);
    if (next === "done") return { ...answers, model };
    if (next === "change") model = await askChoice(state, model, note);
    if (next === "default") model = { ...model, model: defaults().model };
  }
}

async function askChoice(state: SetupState, before: ModelChoice, note: Note): Promise<ModelChoice> {
  const { ask, base } = state;
  const provider = await ask.choose<ModelChoice["provider"]>({
    message: "Which language model does the thinking?",
    choices: {
      gemini: ["Google Gemini", "a thousand answers cost about half a dollar"],
      "openai-compatible": ["A model on this machine, or another server", "Ollama, LM Studio …"],
      ...(base.llm.provider === "offline" && {
        offline: "As now: no model, a handful of rules",
      }),
    },
    initial: before.provider,
  });
  if (provider === "offline") return { ...before, provider, key: { kind: "none" } };
  const chosen = note(provider === before.provider ? before : unanswered(provider));
  return provider === "gemini"
    ? note({ ...chosen, key: await askGeminiKey(state) })
    : await askServer(state, chosen, note);
}

function unanswered(provider: AskedProvider): ModelChoice {
  const { model, baseUrl, allowInsecureHost } = defaults();
  const isGemini = provider === "gemini";
  const key = { kind: "none" } as const;
  return { provider, model: isGemini ? model : "", baseUrl, allowInsecureHost, key };
}

function askGeminiKey(state: SetupState): Promise<KeyChoice> {
  return askKey(state, "gemini", () => {
    state.ask.say(
      `Get a key at   ${KEY_PAGE}`,
      "On Google's free tier, what you send may be used for training and read by people. In the European Economic Area, Switzerland and the United Kingdom you need the paid tier.",
    );
    state.open(KEY_PAGE);
  });
}

async function askServer(state: SetupState, before: ModelChoice, note: Note): Promise<ModelChoice> {
  const { url, insecure } = await askAddress(state, before.baseUrl ?? OLLAMA);
  const allowInsecureHost = insecure || before.allowInsecureHost;
  const there = note({ ...before, baseUrl: url, allowInsecureHost });
  const named = note({ ...there, model: await askModelName(state, url, before.model) });
  return note({ ...named, key: await askKey(state, "openai-compatible", () => undefined) });
}

/** Of those that an Ollama has, or typed where the server tells none. */
async function askModelName({ ask }: SetupState, url: string, before: string): Promise<string> {
  const listed = await ask.during(listOllamaModels(url, ask.signal));
  if (listed.length > 0) {
    // One that it does not have was typed before; nothing typed yet means the first.
    const initial = before === "" ? listed[0] : before;
    const name = await ask.choose<string>({
      message: "Which model? Ollama has these:",
      choices: {
        ...Object.fromEntries(listed.map((one) => [one, one])),
        [OTHER]: "Another one: I type its name",
      },
      initial: listed.find((one) => one === initial) ?? OTHER,
    });
    if (name !== OTHER) return name;
  }
  return await ask.text({
    message: "Which model? (its name, as the server calls it)",
    initial: before,
    placeholder: "such as llama3.1:8b",
    read: sentenceIn("Type the name of a model."),
  });
}

/** No name of a model. */
const OTHER = "";

async function askAddress({ ask }: SetupState, initial: string) {
  for (let stands = initial; ; ) {
    const address = await ask.text({
      message: "Where is the server? (its address; most end in /v1)",
      initial: stands,
      placeholder: OLLAMA,
      read: addressIn,
    });
    if (!address.insecure) return address;
    const next = await ask.choose({
      message: "That is another machine, without encryption: prompts hold pieces of chat.",
      choices: {
        back: "Change the address",
        yes: "It is a machine of mine, in my own network: allow it",
      },
    });
    if (next === "yes") return address;
    stands = address.url;
  }
}

async function askKey(
  { ask, environment, secrets }: SetupState,
  provider: AskedProvider,
  explain: () => void,
): Promise<KeyChoice> {
  const secret = keyName(provider);
  const variable = SECRET_VARIABLES[secret];
  const isServer = provider === "openai-compatible";
  const known = knownKey(environment[secret] !== null, secrets[secret] !== null, variable);
  const isKnown = Object.keys(known).length > 0;
  if (isKnown || isServer) {
    const kind = await ask.choose<KeyChoice["kind"]>({
      message: isServer ? "Does the server want a key?" : "Which key?",
      choices: {
        ...known,
        // A key that is there is sent to whatever server: "none" would not be true then.
        ...(!isKnown && { none: "No" }),
        typed: isServer ? "Yes, I paste it" : "Another one",
      },
    });
    if (kind !== "typed") return { kind };
  }
  explain();
  const key = await ask.secret({ message: "Paste the key (it is not shown)", read: keyIn });
  if (environment[secret] !== null)
    ask.warn(
      `The variable ${variable} is set on this machine, and wins over a key that is kept.`,
      "Remove the variable before you start the bot.",
    );
  return { kind: "typed", key };
}

function knownKey(
  inEnvironment: boolean,
  isKept: boolean,
  variable: string,
): Choices<"environment" | "stored"> {
  if (inEnvironment) return { environment: `Use the key in ${variable}` };
  return isKept ? { stored: "Use the key that is kept here already" } : {};
}

type Next = "done" | "again" | "change" | "default";

async function probe(state: SetupState, choice: ModelChoice): Promise<Next> {
  const { ask, base } = state;
  const llm = llmWith(base.llm, choice);
  if (choice.provider === "offline") return "done";
  ask.say(`Asking ${llm.model} a question …`);
  const found = await question(state, choice);
  if (found.ok) {
    ask.good(`${found.model} answers, after ${milliseconds(found.latencyMs)}.`);
    for (const warning of found.warnings) ask.warn(warning);
    return "done";
  }
  const failed = { ...llm, model: found.model };
  ask.warn(...modelTrouble(found.failure, failed));
  const byDefault = choice.provider === "gemini" && choice.model !== defaults().model;
  return await ask.choose<Next>({
    message: "What now?",
    choices: {
      change: "Change my answer",
      again: "Try once more",
      ...(byDefault && { default: `Use ${defaults().model} instead` }),
      done: ["Go on all the same", "the bot stays silent until it works"],
    },
  });
}

/** What the model answers; null where it gives none. */
export async function askForSample(
  state: SetupState,
  choice: ModelChoice,
  words: { readonly prefix: string; readonly tail: string },
): Promise<string | null> {
  const found = await question(state, choice, words);
  return found.ok ? found.text : null;
}

async function question(
  state: SetupState,
  choice: ModelChoice,
  words?: { readonly prefix: string; readonly tail: string },
) {
  const { ask, base, now } = state;
  const key = keyOf(state, choice);
  return await ask.during(
    probeModel({
      config: llmWith(base.llm, choice),
      apiKeys: { gemini: key, openai: key },
      now,
      budgetTokens: base.prompt.budgetTokens,
      signal: ask.signal,
      ...(words === undefined ? {} : { question: words }),
    }),
  );
}

function keyOf(
  { environment, secrets }: SetupState,
  { provider, key }: ModelChoice,
): string | null {
  if (key.kind === "typed") return key.key;
  if (provider === "offline" || key.kind === "none") return null;
  const secret = keyName(provider);
  return key.kind === "environment" ? environment[secret] : secrets[secret];
}

function defaults() {
  return toConfig({ channel: "x" }, ".").llm;
}
