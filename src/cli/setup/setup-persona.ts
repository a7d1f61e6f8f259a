import { printable } from "../../language/clean.ts";
import type { Choice } from "./ask.ts";
import { displayNameOf } from "./login.ts";
import type { Answers } from "./setup-answers.ts";
import { noteAnswer, type SetupState } from "./setup-draft.ts";
import { askForSample } from "./setup-model.ts";
import { isSaidOften, nameIn } from "./setup-words.ts";

const VOICE_CHARS_MAX = 8_000;

/** Ways to talk, to choose from. What stands in `voice` goes into every prompt, so it is short. */
const PRESETS = [
  {
    label: "Warm and dry",
    voice: "Warm, dry, brief. Teases gently, never mocks. Asks back when curious.",
  },
  {
    label: "Cheerful",
    voice: "Cheerful and quick to celebrate. Short sentences, plain words, never sarcastic.",
  },
  {
    label: "Deadpan",
    voice: "Deadpan and laconic. One dry sentence, no exclamation marks, kind underneath.",
  },
  {
    label: "Old storyteller",
    voice: "An old storyteller by the fire: vivid, a little grand, and always brief. Never cruel.",
  },
  {
    label: "Matter-of-fact",
    voice:
      "Helpful and matter-of-fact. Answers first, then one friendly word. No jokes of its own.",
  },
] as const;

type VoiceChoice = "kept" | "own" | `${number}`;

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
      choices: [
        { value: "keep", label: "Yes" },
        { value: "other", label: "No: another voice" },
      ],
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
  const known = PRESETS.findIndex(({ voice }) => voice === stands);
  const isOwn = known === -1 && stands !== "";
  const kept: readonly Choice<VoiceChoice>[] = isOwn
    ? [{ value: "kept", label: "As now, in your own words" }]
    : [];
  const unlisted = isOwn ? "kept" : "own";
  const chosen = await ask.choose<VoiceChoice>({
    message: "How does it talk?",
    choices: [
      ...kept,
      ...PRESETS.map(({ label, voice }, at) => ({ value: `${at}` as const, label, hint: voice })),
      { value: "own", label: "In my own words" },
    ],
    initial: known === -1 ? unlisted : `${known}`,
  });
  if (chosen === "kept") return stands;
  if (chosen !== "own") return PRESETS[Number(chosen)]?.voice ?? stands;
  if (!isOwn) note("");
  const typed = await ask.text({
    message: "Describe its voice in a sentence or two",
    initial: isOwn ? stands : "",
    placeholder: "such as: a sleepy lighthouse keeper, gentle and short of words",
    wrong: (text) => {
      if (text.trim() === "") return "Type a sentence.";
      return text.trim().length > VOICE_CHARS_MAX ? "That is too long." : undefined;
    },
  });
  return typed.trim();
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
  const typed = await ask.text({
    message: "What is the bot called? (viewers speak to it by this name)",
    initial,
    placeholder: "such as Mark",
    wrong: (text) => {
      const meant = nameIn(text, base.personas);
      return meant.ok ? undefined : meant.why;
    },
  });
  const meant = nameIn(typed, base.personas);
  if (!meant.ok) return answers;
  const name = meant.value;
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
