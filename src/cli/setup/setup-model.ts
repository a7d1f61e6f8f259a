import { PROVIDERS, type ProviderName } from "../../catalogue/providers.ts";
import { SECRET_VARIABLES } from "../../config/environment.ts";
import { toConfig } from "../../config/load.ts";
import { printable } from "../../language/clean.ts";
import { listOllamaModels, probeModel } from "../../models/probe.ts";
import { modelAdvice } from "../../system/model-check.ts";
import { milliseconds } from "../../telemetry/figures.ts";
import type { Choices } from "./ask.ts";
import { displayNameOf } from "./login.ts";
import { type Answers, type KeyChoice, llmWith, type ModelChoice } from "./setup-answers.ts";
import { keyName, type SetupState } from "./setup-state.ts";
import { addressIn, isSaidOften, keyIn, nameIn, sentenceIn } from "./setup-words.ts";

const NO_KEYS = { geminiApiKey: null, openaiApiKey: null };
const OLLAMA = "http://127.0.0.1:11434/v1";

/** Asks which language model thinks, and asks it a question on the spot. */
export async function askModel(state: SetupState, answers: Answers): Promise<Answers> {
  let model = await askChoice(state, answers.model);
  for (;;) {
    const next = await probe(state, model);
    if (next === "done") return { ...answers, model };
    if (next === "change") model = await askChoice(state, model);
    if (next === "default") model = { ...model, model: defaults().model };
  }
}

async function askChoice(state: SetupState, before: ModelChoice): Promise<ModelChoice> {
  const { ask, base } = state;
  const provider = await ask.choose<ModelChoice["provider"]>({
    message: "Which language model does the thinking?",
    choices: {
      gemini: [PROVIDERS.gemini.label, "a thousand answers cost about half a dollar"],
      "openai-compatible": [PROVIDERS["openai-compatible"].label, "Ollama, LM Studio …"],
      ...(base.llm.provider === "offline" && {
        offline: "As now: no model, recorded answers",
      }),
    },
    initial: before.provider,
  });
  if (provider === "offline") return { ...before, provider, key: { kind: "none" } };
  const chosen = provider === before.provider ? before : unanswered(provider);
  return PROVIDERS[provider].address === null
    ? await askServer(state, provider, chosen)
    : { ...chosen, key: await askKey(state, provider) };
}

function unanswered(provider: ProviderName): ModelChoice {
  const { baseUrl, allowInsecureHost } = defaults();
  const key = { kind: "none" } as const;
  return { provider, model: PROVIDERS[provider].usualModel ?? "", baseUrl, allowInsecureHost, key };
}

async function askServer(
  state: SetupState,
  provider: ProviderName,
  before: ModelChoice,
): Promise<ModelChoice> {
  const { url, insecure } = await askAddress(state, before.baseUrl ?? OLLAMA);
  const allowInsecureHost = insecure || before.allowInsecureHost;
  const model = await askModelName(state, url, before.model);
  const key = await askKey(state, provider);
  return { ...before, baseUrl: url, allowInsecureHost, model, key };
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

async function askKey(state: SetupState, provider: ProviderName): Promise<KeyChoice> {
  const { ask, environment, open, secrets } = state;
  const secret = keyName(provider);
  const variable = SECRET_VARIABLES[secret];
  const { page, isNeeded } = PROVIDERS[provider].key;
  const isServer = !isNeeded;
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
  if (page !== null) {
    ask.say(
      `Get a key at   ${page}`,
      "On Google's free tier, what you send may be used for training and read by people. In the European Economic Area, Switzerland and the United Kingdom you need the paid tier.",
    );
    open(page);
  }
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
  const { found: failure, fix } = modelAdvice(found, llm);
  ask.warn(failure, `→ ${fix}`);
  const byDefault =
    PROVIDERS[choice.provider].usualModel === defaults().model && choice.model !== defaults().model;
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
      apiKeys: {
        ...NO_KEYS,
        ...(choice.provider !== "offline" && { [keyName(choice.provider)]: key }),
      },
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

const VOICE_CHARS_MAX = 8_000;

/** Ways to talk, to choose from. What stands in `voice` goes into every prompt, so it is short. */
const PRESETS: Readonly<Record<string, string>> = {
  "Warm and dry": "Warm, dry, brief. Teases gently, never mocks. Asks back when curious.",
  Cheerful: "Cheerful and quick to celebrate. Short sentences, plain words, never sarcastic.",
  Deadpan: "Deadpan and laconic. One dry sentence, no exclamation marks, kind underneath.",
  "Old storyteller":
    "An old storyteller by the fire: vivid, a little grand, and always brief. Never cruel.",
  "Matter-of-fact":
    "Helpful and matter-of-fact. Answers first, then one friendly word. No jokes of its own.",
};

/** Asks how the bot talks, and lets the model that was just set up answer once in that voice. */
export async function askVoice(state: SetupState, answers: Answers): Promise<Answers> {
  const { ask, base } = state;
  for (let voice = answers.voice ?? base.persona.voice; ; ) {
    voice = await chooseVoice(state, voice);
    const isSampled = await showSample(state, { ...answers, voice });
    if (!isSampled) return { ...answers, voice };
    const next = await ask.choose({
      message: "Is that how it should talk?",
      choices: { keep: "Yes", other: "No: another voice" },
    });
    if (next === "keep") return { ...answers, voice };
  }
}

async function chooseVoice({ ask }: SetupState, stands: string): Promise<string> {
  const presets = Object.entries(PRESETS);
  const known = presets.find(([, voice]) => voice === stands)?.[0];
  const isOwn = known === undefined;
  const chosen = await ask.choose<string>({
    message: "How does it talk?",
    choices: {
      ...(isOwn && { kept: "As now, in your own words" }),
      ...Object.fromEntries(presets.map(([label, voice]) => [label, [label, voice] as const])),
      own: "In my own words",
    },
    initial: known ?? "kept",
  });
  if (chosen === "kept") return stands;
  if (chosen !== "own") return PRESETS[chosen] ?? stands;
  return await ask.text({
    message: "Describe its voice in a sentence or two",
    initial: isOwn ? stands : "",
    placeholder: "such as: a sleepy lighthouse keeper, gentle and short of words",
    read: sentenceIn("Type a sentence.", VOICE_CHARS_MAX),
  });
}

const SAMPLE_LINE = "hi! just got home, today was long. what did i miss?";

/** Whether there was an answer to show. */
async function showSample(
  state: SetupState,
  answers: Answers & { voice: string },
): Promise<boolean> {
  const { ask, base } = state;
  const name = answers.name ?? base.persona.name;
  if (answers.model.provider === "offline") return false;
  ask.say("Letting it answer once …");
  const found = await question(state, answers.model, {
    prefix: `You are ${name}, a bot that chats in the Twitch channel of ${answers.channels[0] ?? "a streamer"}.\nHow you talk: ${answers.voice}\nAnswer in one or two short sentences of plain text. You know nothing about the stream yet, and invent nothing.`,
    tail: `mira_k: @${name} ${SAMPLE_LINE}`,
  });
  const said = found.ok ? found.text : null;
  if (said === null) {
    ask.warn("The model gave no sample. The voice is kept all the same.");
    return false;
  }
  ask.say(`   mira_k: @${name} ${SAMPLE_LINE}`, `   ${name}: ${printable(said)}`);
  return true;
}

/** Asks what the bot is called in chat. Other personas keep their names. */
export async function askName(state: SetupState, answers: Answers): Promise<Answers> {
  const { ask, base } = state;
  const initial = answers.name ?? (await firstName(state, answers));
  const elsewhere = base.personas.filter(({ channels }) => channels.length > 0);
  if (elsewhere.length > 0)
    ask.say(
      ...elsewhere.map(
        ({ name, channels }) => `In ${channels.join(", ")} it is ${name}: that stays.`,
      ),
    );
  const name = await ask.text({
    message: "What is the bot called? (viewers speak to it by this name)",
    initial,
    placeholder: "such as Mark",
    read: (typed) => nameIn(typed, base.personas),
  });
  if (isSaidOften(name))
    ask.warn(
      `The bot answers whenever somebody says "${name}", and chat says that often.`,
      "A rarer name is better; you can still change it at the end.",
    );
  return { ...answers, name };
}

/** A new bot is called as its account, unless that is the streamer's: then nothing but the person can say. */
async function firstName(
  { ask, base, isNew }: SetupState,
  { account, bot }: Answers,
): Promise<string> {
  if (!isNew) return base.persona.name;
  if (account !== "bot" || bot === null) return "";
  return await displayNameOf(ask, bot);
}
