import { printable } from "../../language/clean.ts";
import { displayNameOf } from "./login.ts";
import type { Answers } from "./setup-answers.ts";
import { noteAnswer, type SetupState } from "./setup-draft.ts";
import { askForSample } from "./setup-model.ts";
import { isSaidOften, nameIn, sentenceIn } from "./setup-words.ts";

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
    const note = (stands: string) => noteAnswer(state, "voice", { ...answers, voice: stands });
    voice = await chooseVoice(state, voice, note);
    note(voice);
    const isSampled = await showSample(state, { ...answers, voice });
    if (!isSampled) return { ...answers, voice };
    const next = await ask.choose({
      message: "Is that how it should talk?",
      choices: { keep: "Yes", other: "No: another voice" },
    });
    if (next === "keep") return { ...answers, voice };
  }
}

/** `stands` is empty where they chose words of their own, and typed none yet. */
async function chooseVoice(
  { ask }: SetupState,
  stands: string,
  note: (voice: string) => void,
): Promise<string> {
  const presets = Object.entries(PRESETS);
  const known = presets.find(([, voice]) => voice === stands)?.[0];
  const isOwn = known === undefined && stands !== "";
  const chosen = await ask.choose<string>({
    message: "How does it talk?",
    choices: {
      ...(isOwn && { kept: "As now, in your own words" }),
      ...Object.fromEntries(presets.map(([label, voice]) => [label, [label, voice] as const])),
      own: "In my own words",
    },
    initial: known ?? (isOwn ? "kept" : "own"),
  });
  if (chosen === "kept") return stands;
  if (chosen !== "own") return PRESETS[chosen] ?? stands;
  if (!isOwn) note("");
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
  const said = await askForSample(state, answers.model, {
    prefix: `You are ${name}, a bot that chats in the Twitch channel of ${answers.channels[0] ?? "a streamer"}.\nHow you talk: ${answers.voice}\nAnswer in one or two short sentences of plain text. You know nothing about the stream yet, and invent nothing.`,
    tail: `mira_k: @${name} ${SAMPLE_LINE}`,
  });
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
