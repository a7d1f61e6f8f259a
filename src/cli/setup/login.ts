import type { Choice } from "./ask.ts";
import { logInByDevice } from "./device.ts";
import { keptLogin } from "./kept-login.ts";
import { missingChannels } from "./look-up.ts";
import {
  type Account,
  type Answers,
  botScopes,
  isEnough,
  isRightAccount,
  type Login,
  streamerScopes,
} from "./setup-answers.ts";
import type { Desk } from "./setup-service.ts";
import { askApplication, askChannel } from "./setup-twitch.ts";

/**
 * The client id of the application that the project has registered at Twitch, which setup takes without asking. Empty as
 * long as there is none: then every streamer registers one. docs/maintaining.md says how to get one.
 */
export const DEFAULT_CLIENT_ID: string = "";

/**
 * Asks for log-ins until there is one for each account that the answers need, and it may do what it should; with it,
 * asks Twitch whether the channels exist.
 */
export async function settleLogins(desk: Desk, before: Answers): Promise<Answers> {
  const { ask } = desk;
  let answers = before;
  for (;;) {
    while (answers.account !== "none" && !isSettled(answers))
      answers = await logInBot(desk, answers);
    const missing = await missingChannels(ask, answers);
    if (missing.length === 0) return await logInStreamer(desk, answers);
    ask.warn(...missing.map((channel) => `There is no channel called ${channel} on Twitch.`));
    answers = await askChannel(desk, answers);
  }
}

function isSettled(answers: Answers): boolean {
  const { bot, clientId } = answers;
  return (
    bot !== null &&
    isEnough(bot, clientId, botScopes(answers)) &&
    isRightAccount(answers, bot.login)
  );
}

async function logInBot(desk: Desk, answers: Answers): Promise<Answers> {
  const { ask } = desk;
  const { account, bot, channels, clientId } = answers;
  const scopes = botScopes(answers);
  if (bot !== null) {
    if (!isRightAccount(answers, bot.login)) return await askAboutAccount(desk, answers, bot);
    ask.say("What you chose needs more rights than this log-in has: log in once more.");
  }
  const kept = bot === null ? await keptLogin(desk, "bot", { clientId, scopes }) : null;
  if (kept !== null) return { ...answers, bot: kept };
  const own = {
    name: channels.join(" or "),
    advice: ["Open this address in your browser:"],
    opens: true,
  };
  const end = await logInByDevice(desk, {
    ...(account === "streamer" ? own : BOT),
    clientId,
    scopes,
    canSkip: false,
  });
  if (end.kind === "login") {
    desk.fresh.bot = end.login;
    return { ...answers, bot: end.login };
  }
  return end.kind === "application" ? await changeApplication(desk, answers) : answers;
}

const BOT = {
  // The usual window would log in the streamer.
  opens: false,
  name: "the bot's account, not as yourself",
  advice: [
    "Open this address in a private window of your browser (Ctrl-Shift-N in Chrome and Edge, Ctrl-Shift-P in Firefox), where you are not logged in as yourself:",
  ],
};

/** Another account than was meant: either that was the slip, or the answer before. */
async function askAboutAccount(desk: Desk, answers: Answers, bot: Login): Promise<Answers> {
  const { ask } = desk;
  const { login } = bot;
  const isOwn = answers.account === "bot";
  ask.warn(
    isOwn
      ? `${login} is your channel's own account, not one of the bot's.`
      : `${login} is not your channel's account (${answers.channels.join(", ")}).`,
  );
  const other: Account = isOwn ? "streamer" : "bot";
  const next = await ask.choose<"again" | "account" | "channel">({
    message: "Which is right?",
    choices: [
      { value: "again", label: isOwn ? "Log in again, as the bot" : "Log in again, as myself" },
      {
        value: "account",
        label: isOwn ? "The bot speaks by my own account" : `${login} is the bot's own account`,
      },
      ...(isOwn ? [] : [{ value: "channel", label: `My channel is ${login}` } as const]),
    ],
  });
  if (next === "account") return { ...answers, account: other };
  if (next === "channel") return { ...answers, channels: [login] };
  return { ...answers, bot: null };
}

async function changeApplication(desk: Desk, answers: Answers): Promise<Answers> {
  return await askApplication(desk, { ...answers, clientId: "", bot: null, streamer: null });
}

/** The streamer's own log-in, where something was chosen that Twitch lets nobody else do. */
async function logInStreamer(desk: Desk, before: Answers): Promise<Answers> {
  const { ask } = desk;
  const scopes = streamerScopes(before);
  if (scopes.length === 0) return { ...before, streamer: null };
  const { clientId, channels, streamer } = before;
  if (
    streamer !== null &&
    isEnough(streamer, clientId, scopes) &&
    channels.includes(streamer.login)
  )
    return before;
  const kept = await keptLogin(desk, "streamer", { clientId, scopes });
  if (kept !== null && channels.includes(kept.login)) return { ...before, streamer: kept };
  const next = await ask.choose<"log in" | "skip">({
    message: "Polls and markers Twitch lets only you make. Log in as yourself, too?",
    choices: STREAMER_CHOICES,
  });
  if (next === "skip") return { ...before, streamer: null };
  return await logInAsStreamer(desk, before);
}

const STREAMER_CHOICES: readonly Choice<"log in" | "skip">[] = [
  { value: "log in", label: "Log in", hint: "used for polls and markers, for nothing else" },
  { value: "skip", label: "Do without polls and markers" },
];

async function logInAsStreamer(desk: Desk, answers: Answers): Promise<Answers> {
  const { ask } = desk;
  const { clientId, channels } = answers;
  for (;;) {
    const end = await logInByDevice(desk, {
      name: `yourself (${channels.join(" or ")})`,
      advice: ["Open this address in your usual browser window:"],
      opens: true,
      clientId,
      scopes: streamerScopes(answers),
      canSkip: true,
    });
    if (end.kind === "skip") return { ...answers, streamer: null };
    if (end.kind === "application")
      return await settleLogins(desk, await changeApplication(desk, answers));
    if (channels.includes(end.login.login)) {
      desk.fresh.streamer = end.login;
      return { ...answers, streamer: end.login };
    }
    ask.warn(`${end.login.login} is not your channel's account (${channels.join(", ")}).`);
    const next = await ask.choose<"log in" | "skip">({
      message: "Log in as yourself?",
      choices: STREAMER_CHOICES,
    });
    if (next === "skip") return { ...answers, streamer: null };
  }
}
