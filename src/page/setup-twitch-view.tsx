import {
  type Answers,
  ASKED_CLASSES,
  type AskedClass,
  isLoggedIn,
} from "../system/setup-answers.ts";
import { needsStreamer, type Setup } from "./setup.ts";
import { Alert, Buttons, Radio, type Screen, StepForm } from "./setup-parts.tsx";

const CONSOLE = "https://dev.twitch.tv/console/apps/create";

/** The log-in on Twitch, in the state that it is in. */
export function twitchScreen(setup: Setup, csrf: string): Screen {
  const { answers, logins } = setup;
  const progress = logins.progress();
  if (progress.kind === "waiting") {
    const { address, userCode, whose } = progress;
    return codeScreen(answers, { address, userCode, isBot: whose === "bot" }, csrf);
  }
  if (isLoggedIn(answers) && answers.bot !== null) return loggedInScreen(setup, csrf);
  if (answers.bot !== null) return wrongAccountScreen(answers, csrf);
  return chooseScreen(setup, csrf);
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

function chooseScreen({ answers, ground, logins, refused }: Setup, csrf: string): Screen {
  const progress = logins.progress();
  const isDefault = ground.base.twitch.clientId === "" && answers.clientId !== "";
  const clientId = refused["clientId"] ?? answers.clientId;
  return {
    heading: "Who speaks in chat?",
    shown: (
      <>
        {progress.kind === "failed" ? <Alert>{progress.why}</Alert> : null}
        <StepForm to="twitch/choose" csrf={csrf} look="accounts">
          <fieldset class="choices">
            <legend class="unseen">Account</legend>
            {ACCOUNT_CHOICES.map(([value, label, hint]) => (
              <Radio
                name="account"
                value={value}
                label={label}
                hint={hint}
                isChosen={(refused["account"] ?? answers.account) === value}
              />
            ))}
          </fieldset>
          <div class="needs-account">
            {isDefault ? (
              <input type="hidden" name="clientId" value={clientId} />
            ) : (
              <>
                <label>
                  <span>Client ID of your Twitch application</span>
                  <input
                    name="clientId"
                    value={clientId}
                    placeholder="30 letters and digits"
                    spellcheck={false}
                  />
                </label>
                <ApplicationHelp isOpen={clientId === ""} />
              </>
            )}
            <details>
              <summary>Let it do more than talk</summary>
              <p class="hint">
                Each waits for your yes on this page. You can leave all of this off.
              </p>
              {ASKED_CLASSES.map((name) => (
                <label class="tick">
                  <input type="checkbox" name={name} checked={answers.classes.includes(name)} />{" "}
                  {CLASS_NAMES[name]}
                </label>
              ))}
            </details>
          </div>
          <Buttons back="channel">
            <button type="submit" class="first" data-busy="Asking Twitch …">
              Continue
            </button>
          </Buttons>
        </StepForm>
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
          Name: anything that is free. OAuth Redirect URL: <code>http://localhost</code>. Category:{" "}
          <b>Chat Bot</b>. Client Type: <b>Public</b>.
        </li>
        <li>
          Press <b>Create</b>, then <b>Manage</b>, and copy the Client ID. It is no secret.
        </li>
      </ol>
    </details>
  );
}

function codeScreen(
  answers: Answers,
  { address, userCode, isBot }: { address: string; userCode: string; isBot: boolean },
  csrf: string,
): Screen {
  const isOwn = !isBot || answers.account === "streamer";
  return {
    heading: isOwn ? "Log in as yourself" : "Log in as the bot",
    lead: isOwn
      ? "Open Twitch, check that the code is the same, and allow it."
      : "Open the link in a private window and log in there as the bot, not as yourself. Check that the code is the same.",
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
        <StepForm to={isBot ? "twitch/again" : "twitch/go-on"} csrf={csrf}>
          <Buttons>
            <button type="submit">{isBot ? "Back" : "Do without"}</button>
          </Buttons>
        </StepForm>
      </>
    ),
  };
}

function loggedInScreen(setup: Setup, csrf: string): Screen {
  const { answers } = setup;
  const login = answers.bot?.login ?? "";
  const isMissing = needsStreamer(setup);
  const progress = setup.logins.progress();
  return {
    heading: `Logged in as ${login}`,
    lead: isMissing
      ? "Polls and markers need your own log-in too: Twitch lets only the streamer make them."
      : "Twitch accepts the log-in.",
    shown: (
      <>
        {progress.kind === "failed" ? <Alert>{progress.why}</Alert> : null}
        {isMissing ? (
          <StepForm to="twitch/streamer" csrf={csrf}>
            <Buttons>
              <button type="submit" class="first">
                Log in as yourself
              </button>
            </Buttons>
          </StepForm>
        ) : null}
        <div class="buttons">
          <StepForm to="twitch/go-on" csrf={csrf} look="inline">
            <button type="submit" class={isMissing ? "" : "first"}>
              {isMissing ? "Do without polls and markers" : "Continue"}
            </button>
          </StepForm>
          <StepForm to="twitch/again" csrf={csrf} look="inline">
            <button type="submit">Change</button>
          </StepForm>
          <a href="/setup/channel">Back</a>
        </div>
      </>
    ),
  };
}

function wrongAccountScreen({ account, bot, channels }: Answers, csrf: string): Screen {
  const login = bot?.login ?? "";
  const wantsBot = account === "bot";
  const isOther = channels.includes(login) === wantsBot;
  const answer = (to: string, label: string, isFirst = false) => (
    <StepForm to={to} csrf={csrf}>
      <button type="submit" class={isFirst ? "first" : undefined}>
        {label}
      </button>
    </StepForm>
  );
  if (!isOther)
    return {
      heading: `Logged in as ${login}`,
      lead: "What you chose needs more rights than this log-in has.",
      shown: answer("twitch/again", "Log in again", true),
    };
  return {
    heading: `Is ${login} right?`,
    lead: wantsBot
      ? `You logged in as ${login}, which is your channel’s own account, not the bot’s.`
      : `You logged in as ${login}, which is not your channel’s account (${channels.join(", ")}).`,
    shown: (
      <div class="stack">
        {answer("twitch/again", wantsBot ? "No: log in as the bot" : "No: log in as myself", true)}
        {answer(
          "twitch/account",
          wantsBot ? "Yes: the bot uses my own account" : `Yes: ${login} is the bot’s account`,
        )}
        {wantsBot ? null : answer("twitch/channel", `Yes: ${login} is my channel`)}
      </div>
    ),
  };
}
