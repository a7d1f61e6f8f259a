import {
  findProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
  USUAL_PROVIDER,
} from "../catalogue/providers.ts";
import { SECRET_VARIABLES } from "../config/environment.ts";
import { isLoopbackUrl } from "../config/urls.ts";
import { attempt } from "../errors.ts";
import { listOllamaModels } from "../models/open-model.ts";
import { hasAddress } from "../system/setup-input.ts";
import { describeCost, hasKey, OLLAMA, PRESETS } from "../system/setup-model.ts";
import { planFiles } from "../system/setup-plan.ts";
import { act, Form, input, PageContext, textArea } from "./parts.tsx";
import {
  describeFault,
  findLocalProblems,
  isDone,
  listSteps,
  type Setup,
  type Step,
} from "./setup.ts";
import { alert, buttons, radio, type Screen, Shell, setupHint, tick } from "./setup-parts.tsx";
import { drawTwitch } from "./setup-twitch-view.tsx";

const NAMES: Readonly<Record<Step, string>> = {
  channel: "Channel",
  twitch: "Twitch",
  model: "Model",
  voice: "Voice",
  start: "Silent or live",
  finish: "Finish",
};

const SCREENS: Readonly<Record<Step, (setup: Setup) => Screen | Promise<Screen>>> = {
  channel: drawChannel,
  twitch: drawTwitch,
  model: drawModel,
  voice: drawVoice,
  start: drawStart,
  finish: drawFinish,
};

/** Draws the page of a step. */
export async function SetupPage(given: { setup: Setup; step: Step; csrf: string }) {
  const { setup, step, csrf } = given;
  const { heading, lead, waitsAt, shown } = await SCREENS[step](setup);
  const { message } = setup;
  return (
    <PageContext.Provider value={{ csrf, nowMs: setup.now() }}>
      <Shell title={NAMES[step]} waitsAt={waitsAt}>
        <nav aria-label="Steps">
          <ol class="steps">
            {listSteps(setup).map((one) => (
              <li class={isDone(setup, one) ? "done" : undefined}>
                {isDone(setup, one) && one !== step ? (
                  <a href={`/setup/${one}`}>{NAMES[one]}</a>
                ) : (
                  <span aria-current={one === step ? "step" : undefined}>{NAMES[one]}</span>
                )}
              </li>
            ))}
          </ol>
        </nav>
        <main>
          <h1>{heading}</h1>
          {lead && <p class="lead">{lead}</p>}
          {message?.isWrong && alert(message.text)}
          {message?.isWrong === false && (
            <p class="word" role="status">
              {message.text}
            </p>
          )}
          {shown}
        </main>
      </Shell>
    </PageContext.Provider>
  );
}

/** Says that setup is over and the bot starts. The page goes on by itself if the bot has one. */
export function StartingPage({ hasPage }: { hasPage: boolean }) {
  return (
    // Without the script: its file is gone once the bot is shown.
    <Shell title="Starting" refresh={hasPage ? "1;url=/" : undefined}>
      <main>
        <h1>The bot is starting …</h1>
        <p class="lead">
          Your answers are saved.{" "}
          {hasPage
            ? "This page goes on by itself."
            : "Your configuration has no page for the bot (dashboard.port is false), so you can close this tab."}
        </p>
      </main>
    </Shell>
  );
}

async function drawChannel(setup: Setup): Promise<Screen> {
  const { answers, ground, refused } = setup;
  const field = {
    value: refused["channel"] ?? answers.channels.join(", "),
    placeholder: "its name, or its address",
    required: true,
    autofocus: true,
    spellcheck: false,
    autocapitalize: "none",
  };
  return {
    heading: "Which channel is the bot for?",
    lead: "Six short steps. Nothing is saved before the last one, and you can go back at any time.",
    shown: (
      <>
        {(await findLocalProblems(setup)).map(alert)}
        <Form to="post /setup/channel">
          {input("Your Twitch channel", "channel", field)}
          {!ground.isNew && setupHint(`Setup changes ${ground.file}, and keeps the rest of it.`)}
          {buttons("Continue")}
        </Form>
      </>
    ),
  };
}

const OLLAMA_MS_MAX = 700;

async function drawModel(setup: Setup): Promise<Screen> {
  const { answers, ground, refused, message } = setup;
  const wanted = refused["provider"] ?? answers.model.provider;
  const chosen = PROVIDER_NAMES.find((name) => name === wanted) ?? USUAL_PROVIDER;
  const listed = await listOllamaModels(
    hasAddress(chosen) ? OLLAMA : (answers.model.baseUrl ?? OLLAMA),
    AbortSignal.timeout(OLLAMA_MS_MAX),
  );
  const canGoOn = hasKey(answers, ground.secrets, chosen) || !PROVIDERS[chosen].key.isNeeded;
  return {
    heading: "Which model thinks?",
    lead: "It writes the answers and the summaries. Each question to it has a piece of chat in it.",
    shown: (
      <>
        <Form to="post /setup/model" look="models">
          <fieldset class="choices">
            <legend class="unseen">Model</legend>
            {PROVIDER_NAMES.map((name) => {
              const { label, hint, usualModel } = PROVIDERS[name];
              const about = usualModel === null ? hint : `${usualModel}, ${hint}`;
              return radio(["provider", name], chosen === name, label, about);
            })}
          </fieldset>
          {PROVIDER_NAMES.map((name) => (
            <ProviderFields setup={setup} name={name} listed={listed} />
          ))}
          {buttons("Test and continue", { back: "twitch", busy: "Asking the model …" })}
        </Form>
        {message?.isWrong && canGoOn && act("post /setup/model/anyway", "Go on without an answer")}
      </>
    ),
  };
}

function ProviderFields(given: { setup: Setup; name: ProviderName; listed: readonly string[] }) {
  const { setup, name, listed } = given;
  const { answers, ground, refused } = setup;
  const { key, usualModel } = PROVIDERS[name];
  const isOwn = answers.model.provider === name;
  const model = refused["model"] ?? (isOwn ? answers.model.model : (listed[0] ?? ""));
  const address = refused["baseUrl"] ?? (isOwn ? answers.model.baseUrl : null) ?? OLLAMA;
  const usual = { ...answers.model, provider: name, model: usualModel ?? "" };
  const isSaved = hasKey(answers, ground.secrets, name);
  const example = "such as llama3.1:8b";
  const isServer = !hasAddress(name);
  return (
    <div class={`only-${name}`}>
      {isServer && (
        <>
          {input("Address of the server", "baseUrl", { value: address, spellcheck: false })}
          {input("Model", "model", {
            ...{ value: model, list: "models", placeholder: example, spellcheck: false },
          })}
          <datalist id="models">
            {listed.map((one) => (
              <option value={one} />
            ))}
          </datalist>
        </>
      )}
      {input(key.isNeeded ? "Key" : "Key, if the server wants one", `key-${name}`, {
        type: "password",
        autocomplete: "off",
        placeholder: isSaved ? "saved" : "paste it here",
      })}
      {key.page !== null &&
        setupHint(
          <a href={key.page} target="_blank" rel="noreferrer">
            Get a key
          </a>,
          `. ${key.advice}`,
        )}
      {ground.environment[key.secret] !== null &&
        setupHint(
          `The variable ${SECRET_VARIABLES[key.secret]} is set on this machine. The bot uses it instead of a saved key.`,
        )}
      {isServer &&
        tick(
          "allowInsecureHost",
          answers.model.allowInsecureHost,
          "The server is another machine of mine, without encryption",
        )}
      <p class="cost">{describeCost(isOwn ? answers.model : usual, ground)}</p>
    </div>
  );
}

function drawVoice({ answers, refused, sample }: Setup): Screen {
  const preset =
    refused["preset"] ?? Object.entries(PRESETS).find(([, text]) => text === answers.voice)?.[0];
  const isHeard = sample?.voice === answers.voice && sample.name === answers.name;
  const name = { value: refused["name"] ?? answers.name ?? "", required: true, maxlength: 40 };
  const own = refused["own"] ?? answers.voice;
  const isOwn = preset === undefined || preset === "";
  return {
    heading: "How does it talk?",
    shown: (
      <Form to="post /setup/voice" look="voices">
        {isHeard && (
          <div class="sample" role="status">
            <p>
              <b>{sample.speaker}</b> {sample.question}
            </p>
            <p>
              <b>{answers.name ?? "the bot"}</b>{" "}
              {sample.text ?? "(The model gave no sample. You can go on all the same.)"}
            </p>
          </div>
        )}
        {input("Name in chat", "name", { ...name, placeholder: "such as Mark" })}
        <fieldset class="choices two">
          <legend>Voice</legend>
          {Object.entries(PRESETS).map(([label, text]) =>
            radio(["preset", label], preset === label, label, text),
          )}
          {radio(
            ["preset", ""],
            isOwn,
            "In my own words",
            "A sentence or two. The bot reads it before each answer.",
          )}
        </fieldset>
        <div class="own">
          {textArea("In your own words", "own", own, { rows: 3, maxlength: 8_000 })}
        </div>
        {buttons("Continue", {
          back: "model",
          others: (
            <button type="submit" name="then" value="hear" data-busy="Asking the model …">
              Hear a sample
            </button>
          ),
        })}
      </Form>
    ),
  };
}

function drawStart({ answers }: Setup): Screen {
  const live = answers.mode === "shadow" ? "mentions" : answers.mode;
  return {
    heading: "Silent or live?",
    lead: "You can change this at any time on the page.",
    shown: (
      <Form to="post /setup/start">
        <div class="cards">
          <div class="card">
            <h2>Silent</h2>
            <p>It listens, remembers and writes answers. Only you see them, on this page.</p>
            <button type="submit" name="mode" value="shadow">
              Start silently
            </button>
          </div>
          <div class="card">
            <h2>Live</h2>
            <p>It answers viewers who speak to it while you are live.</p>
            {tick("whenOffline", answers.whenOffline, "Also while I am offline, to try it")}
            <button type="submit" class="first" name="mode" value={live}>
              Go live
            </button>
          </div>
        </div>
        <a href="/setup/voice">Back</a>
      </Form>
    ),
  };
}

function drawFinish({ answers, ground }: Setup): Screen {
  const { value: plan, fault } = attempt(() => planFiles(ground, answers));
  const isSilent = answers.account === "none";
  const panel = { id: "panel", class: "panel", rows: 13, readonly: true };
  return {
    heading: "Tell your viewers, then start",
    shown: (
      <>
        {textArea(
          "A text for your channel’s panel, if you like",
          "panel",
          writePanelText(answers),
          panel,
        )}
        <p>
          <button type="button" data-copy="#panel" hidden>
            Copy
          </button>
        </p>
        {alert(fault && describeFault(fault))}
        {plan &&
          setupHint(
            `Your answers are saved in ${ground.file}. Log-ins and keys are saved in secrets.json in ${plan.after.dataDir}, which only you can read.`,
          )}
        {answers.classes.length > 0 &&
          answers.account === "bot" &&
          setupHint(
            `To let it do more than talk, make it a moderator: type /mod ${answers.bot?.login} in your chat.`,
          )}
        {setupHint(
          "The bot may tell viewers what you say about yourself in chat. You can switch that off for each note.",
        )}
        <Form to="post /setup/finish">
          <div class="buttons">
            <button type="submit" class="first" disabled={!plan} data-busy="Starting the bot …">
              Save and start the bot
            </button>
            <a href={`/setup/${isSilent ? "model" : "start"}`}>Back</a>
          </div>
        </Form>
      </>
    ),
  };
}

/** Returns a text for the channel's panel on Twitch: what the bot remembers, for how long, and how to be forgotten. */
function writePanelText({ account, model, name }: Setup["answers"]): string {
  const company = findProvider(model.provider);
  const where = company === null || company.address === null ? "on a server" : company.label;
  const isOwnMachine = model.baseUrl !== null && isLoopbackUrl(model.baseUrl);
  return [
    account === "none"
      ? "This channel has a bot with a memory. It only listens."
      : `${name ?? "the bot"} is a chat bot with a memory.`,
    "It remembers what viewers say about themselves, and running jokes, from one stream to the next. It keeps no chat log: messages are deleted after 24 hours at the latest.",
    "Moods are kept for a week, events and jokes for a month, likes for three months, and who you are until you change it.",
    `A language model ${isOwnMachine ? "on my own computer" : `(${where})`} reads recent chat for that.`,
    "!memory shows what is stored about you.",
    "!forgetme deletes all of it.",
    "!optout keeps you out of its memory.",
  ].join("\n");
}
