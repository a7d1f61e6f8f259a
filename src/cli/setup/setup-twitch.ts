import type { ReplyMode } from "../../config/names.ts";
import { typed } from "../command-line.ts";
import type { Choices } from "./ask.ts";
import type { Answers, AskedClass, LoginKind } from "./setup-answers.ts";
import type { SetupState } from "./setup-state.ts";
import { channelsIn, clientIdIn } from "./setup-words.ts";

/** Asks for the channel; several, parted by commas, will do. */
export async function askChannel({ ask }: SetupState, answers: Answers): Promise<Answers> {
  const channels = await ask.text({
    message: "What is your Twitch channel? (its name, or its address)",
    initial: answers.channels.join(", "),
    placeholder: "such as lanternroom",
    read: channelsIn,
  });
  return { ...answers, channels };
}

/** Asks whose account speaks. */
export async function askAccount({ ask, base }: SetupState, answers: Answers): Promise<Answers> {
  const account = await ask.choose<LoginKind>({
    message: "Who speaks in chat?",
    choices: {
      bot: ["An account of the bot's own", "a second account that you made for it; the usual way"],
      streamer: [
        "My own account",
        "what it says stands under your name, and it answers who writes that",
      ],
      none: ["Nobody: it only listens for now", "needs no account"],
    },
    initial: answers.account,
  });
  if (account === "bot" && base.bot.login === null)
    ask.say(
      "If the bot has no account yet, make one now, in a private window of your browser:",
      "   https://www.twitch.tv/signup",
    );
  if (account === answers.account) return answers;
  return { ...answers, account, bot: null, streamer: null };
}

const CONSOLE = "https://dev.twitch.tv/console/apps/create";

/** Has the application registered that Twitch wants of every program, and asks for its client id. */
export async function askApplication(state: SetupState, answers: Answers): Promise<Answers> {
  const { ask, open } = state;
  if (answers.clientId !== "") {
    const next = await ask.choose({
      message: `Your Twitch application: ${answers.clientId}`,
      choices: { keep: "Keep it", other: "Use another one" },
    });
    if (next === "keep") return answers;
  }
  ask.say(
    "Twitch lets a program in only by an application that somebody registered. Yours takes a few minutes and costs nothing. No secret is needed.",
    "",
    `1. Open   ${CONSOLE}`,
    "   Log in with any Twitch account of yours that has two-factor authentication on (in Twitch's settings, under Security).",
    "2. Fill in",
    "     Name                 anything that is free, such as mychannel-memory",
    "     OAuth Redirect URLs  http://localhost",
    "     Category             Chat Bot",
    "     Client Type          Public     (not Confidential)",
    "3. Press Create, then Manage, and copy the Client ID.",
    "   It is no secret. Leave the client secret alone.",
  );
  open(CONSOLE);
  const clientId = await ask.text({
    message: "Paste the Client ID",
    placeholder: "30 letters and digits",
    read: clientIdIn,
  });
  if (clientId === answers.clientId) return answers;
  return { ...answers, clientId, bot: null, streamer: null };
}

const CLASS_CHOICES: Choices<AskedClass> = {
  chat: "Announcements and shoutouts",
  stream: "Clips, stream markers and polls",
  moderation: "Warnings, deleting a message, time-outs (never bans)",
};

/** Asks what the bot may do besides talking. */
export async function askClasses(state: SetupState, answers: Answers): Promise<Answers> {
  const { ask, base, file } = state;
  ask.say(
    "Besides talking, the bot can do a few things when somebody asks for them. What you switch on here waits for your yes each time; without it, it lapses. You can leave all of this off, and run setup again later.",
  );
  const classes = await ask.chooseSome({
    message: "What may it do? (none is fine: just press Enter)",
    choices: CLASS_CHOICES,
    chosen: answers.classes,
  });
  const waiting = classes.filter((name) => ["off", "approve"].includes(base.actions.classes[name]));
  if (waiting.length > 0)
    ask.say(
      `You say yes within ${base.actions.approvalSeconds} seconds, in a second terminal window:`,
      `   ${typed("actions list", file)}`,
      "        what waits, with its number",
      `   ${typed("actions approve 12", file)}`,
      "        yes to number 12",
      'To have something happen at once, set it to "live" in the configuration, under actions.classes.',
    );
  return { ...answers, classes };
}

/** Asks whether the bot speaks at once. */
export async function askMode(state: SetupState, answers: Answers): Promise<Answers> {
  const { ask, isNew, base } = state;
  const isAmbient = !isNew && base.mode === "ambient";
  const start = await ask.choose<ReplyMode | "now">({
    message: "How does it begin?",
    choices: {
      shadow: "Silently (recommended): it thinks up answers, and sends none",
      mentions: "Answer at once, when somebody speaks to it while you are live",
      now: [
        "Try it now: answer at once, though you are offline",
        "replies.whenOffline; run setup again to have it answer while you are live only",
      ],
      ...(isAmbient && { ambient: "As now: answer, and join in unasked now and then" }),
    },
    initial: answers.mode === "mentions" && answers.whenOffline ? "now" : answers.mode,
  });
  if (start === "now") return { ...answers, mode: "mentions", whenOffline: true };
  if (start === "mentions") return { ...answers, mode: start, whenOffline: false };
  return { ...answers, mode: start };
}
