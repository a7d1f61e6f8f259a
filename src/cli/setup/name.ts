import { displayNameOf } from "./look-up.ts";
import type { Answers } from "./setup-answers.ts";
import type { Desk } from "./setup-service.ts";
import { isSaidOften, nameIn } from "./setup-words.ts";

/** Asks what the bot is called in chat. Other personas keep their names. */
export async function askName(desk: Desk, answers: Answers): Promise<Answers> {
  const { ask, base } = desk;
  const initial = answers.name ?? (await firstName(desk, answers));
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
async function firstName({ ask, base, isNew }: Desk, { account, bot }: Answers): Promise<string> {
  if (!isNew) return base.persona.name;
  if (account !== "bot" || bot === null) return "";
  return await displayNameOf(ask, bot);
}
