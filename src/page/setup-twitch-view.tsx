import {
  type Answers,
  ASKED_CLASSES,
  type AskedClass,
  isLoggedIn,
} from "../system/setup-answers.ts";
import { act, Form, input } from "./parts.tsx";
import { needsStreamer, type Setup } from "./setup.ts";
import { alert, buttons, radio, type Screen, setupHint, tick } from "./setup-parts.tsx";

const CONSOLE = "https://dev.twitch.tv/console/apps/create";

/** Draws the step of the log-in on Twitch, in its current state. */
export function drawTwitch(setup: Setup): Screen {
  const { answers, logins } = setup;
  const progress = logins.progress();
  if (progress.kind === "waiting") return drawCode(answers, progress);
  if (isLoggedIn(answers)) return answers.bot ? drawLoggedIn(setup) : drawChoice(setup);
  return answers.bot === null ? drawChoice(setup) : drawWrongAccount(answers);
}

const ACCOUNT_CHOICES = [
  ["bot", "An account of its own", "A second Twitch account that you made for it. The usual way."],
  ["streamer", "My own account", "Its messages appear under your name."],
  ["none", "No account", "It only listens and remembers, and says nothing."],
] as const;

const CLASS_NAMES: Readonly<Record<AskedClass, string>> = {
  chat: "Announcements and shoutouts",
  stream: "Clips, markers and polls",
  moderation: "Warnings, deleting a message, timeouts (never bans)",
};

function drawChoice({ answers, ground, logins, refused }: Setup): Screen {
  const progress = logins.progress();
  const isDefault = ground.base.twitch.clientId === "" && answers.clientId !== "";
  const clientId = refused["clientId"] ?? answers.clientId;
  const account = refused["account"] ?? answers.account;
  const field = { value: clientId, placeholder: "30 letters and digits", spellcheck: false };
  return {
    heading: "Who speaks in chat?",
    shown: (
      <>
        {alert(progress.kind === "failed" ? progress.why : null)}
        <Form to="post /setup/twitch/choose" look="accounts">
          <fieldset class="choices">
            <legend class="unseen">Account</legend>
            {ACCOUNT_CHOICES.map(([value, label, about]) =>
              radio(["account", value], account === value, label, about),
            )}
          </fieldset>
          <div class="needs-account">
            {isDefault ? (
              <input type="hidden" name="clientId" value={clientId} />
            ) : (
              <>
                {input("Client ID of your Twitch application", "clientId", field)}
                <ApplicationHelp isOpen={clientId === ""} />
              </>
            )}
            <details>
              <summary>Let it do more than talk</summary>
              {setupHint("It asks you on this page before each of these. You can leave them off.")}
              {ASKED_CLASSES.map((name) =>
                tick(name, answers.classes.includes(name), CLASS_NAMES[name]),
              )}
            </details>
          </div>
          {buttons("Continue", { back: "channel", busy: "Asking Twitch …" })}
        </Form>
      </>
    ),
  };
}

function ApplicationHelp({ isOpen }: { isOpen: boolean }) {
  return (
    <details open={isOpen}>
      <summary>How to get one (three minutes, free)</summary>
      <ol class="howto">
        <li>
          Open{" "}
          <a href={CONSOLE} target="_blank" rel="noreferrer">
            Twitch’s console
          </a>{" "}
          and log in with an account that has two-factor authentication.
        </li>
        <li>
          Name: any name that is free. OAuth Redirect URL: <code>http://localhost</code>. Category:{" "}
          <b>Chat Bot</b>. Client Type: <b>Public</b>.
        </li>
        <li>
          Press <b>Create</b>, then <b>Manage</b>, and copy the Client ID. It is no secret.
        </li>
      </ol>
    </details>
  );
}

function drawCode(
  answers: Answers,
  { address, userCode, whose }: { address: string; userCode: string; whose: "bot" | "streamer" },
): Screen {
  const isBot = whose === "bot";
  const isOwn = !isBot || answers.account === "streamer";
  return {
    heading: isOwn ? "Log in as yourself" : "Log in as the bot",
    lead: isOwn
      ? "Open Twitch, check that it shows the same code, and allow it."
      : "Open the link in a private window, and log in there as the bot, not as yourself. Check that Twitch shows the same code.",
    waitsAt: "/setup/twitch/wait",
    shown: (
      <>
        <p class="code">
          <span class="unseen">Code: </span>
          {userCode}
        </p>
        <p class="centred">
          <a class="button first" href={address} target="_blank" rel="noreferrer">
            Open Twitch
          </a>
        </p>
        <p class="hint centred">{address}</p>
        <p class="hint centred" role="status">
          Waiting for your log-in. This page goes on by itself.
        </p>
        {isBot
          ? act("post /setup/twitch/again", "Back")
          : act("post /setup/twitch/go-on", "Do without")}
      </>
    ),
  };
}

function drawLoggedIn(setup: Setup): Screen {
  const isMissing = needsStreamer(setup);
  const progress = setup.logins.progress();
  return {
    heading: `Logged in as ${setup.answers.bot?.login}`,
    lead: isMissing
      ? "Polls and markers need your own log-in too: Twitch lets only the streamer make them."
      : "Twitch accepts the log-in.",
    shown: (
      <>
        {alert(progress.kind === "failed" ? progress.why : null)}
        <div class="buttons">
          {isMissing && act("post /setup/twitch/streamer", "Log in as yourself", { look: "first" })}
          {isMissing
            ? act("post /setup/twitch/go-on", "Do without polls and markers")
            : act("post /setup/twitch/go-on", "Continue", { look: "first" })}
          {act("post /setup/twitch/again", "Change")}
          <a href="/setup/channel">Back</a>
        </div>
      </>
    ),
  };
}

function drawWrongAccount({ account, bot, channels }: Answers): Screen {
  const login = bot?.login ?? "";
  const wantsBot = account === "bot";
  const again = "post /setup/twitch/again";
  if (channels.includes(login) !== wantsBot)
    return {
      heading: `Logged in as ${login}`,
      lead: "What you chose needs more rights than this log-in has.",
      shown: act(again, "Log in again", { look: "first" }),
    };
  const own = "post /setup/twitch/account";
  return {
    heading: `Is ${login} right?`,
    lead: wantsBot
      ? `You logged in as ${login}, which is your channel’s own account, not the bot’s.`
      : `You logged in as ${login}, which is not your channel’s account (${channels.join(", ")}).`,
    shown: (
      <div class="stack">
        {act(again, `No: log in as ${wantsBot ? "the bot" : "myself"}`, { look: "first" })}
        {act(own, wantsBot ? "Yes: the bot uses my own account" : `Yes: ${login} is the bot’s`)}
        {!wantsBot && act("post /setup/twitch/channel", `Yes: ${login} is my channel`)}
      </div>
    ),
  };
}
