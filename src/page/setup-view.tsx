import {
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
  USUAL_PROVIDER,
} from "../catalogue/providers.ts";
import { SECRET_VARIABLES } from "../config/environment.ts";
import { attempt } from "../errors.ts";
import { listOllamaModels } from "../models/probe.ts";
import { hasAddress } from "../system/setup-input.ts";
import { costText, hasKey, OLLAMA, PRESETS } from "../system/setup-model.ts";
import { planFiles } from "../system/setup-plan.ts";
import { faultText, isDone, localProblems, type Setup, type Step, stepsOf } from "./setup.ts";
import { panelText } from "./setup-panel.ts";
import { Alert, Buttons, Radio, type Screen, Shell, StepForm } from "./setup-parts.tsx";
import { twitchScreen } from "./setup-twitch-view.tsx";

const NAMES: Readonly<Record<Step, string>> = {
  channel: "Channel",
  twitch: "Twitch",
  model: "Model",
  voice: "Voice",
  start: "Silent or live",
  finish: "Finish",
};
/** Draws the page of a step. */
export async function SetupPage(given: { setup: Setup; step: Step; csrf: string }) {
  const { setup, step, csrf } = given;
  const { heading, lead, waitsAt, shown } = await SCREENS[step](setup, csrf);
  const { word } = setup;
  const steps = stepsOf(setup);
  return (
    <Shell title={NAMES[step]} waitsAt={waitsAt}>
      <nav aria-label="Steps">
        <ol class="steps">
          {steps.map((one) => (
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
        {lead === undefined ? null : <p class="lead">{lead}</p>}
        {word === null ? null : (
          <p class={word.isWrong ? "word wrong" : "word"} role={word.isWrong ? "alert" : "status"}>
            {word.text}
          </p>
        )}
        {shown}
      </main>
    </Shell>
  );
}

/** Says that setup is over and the bot starts. The page goes on by itself if the bot has one. */
export function StartingPage({ hasPage }: { hasPage: boolean }) {
  return (
    // By a header of the page: its script may be gone once the bot is shown.
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

const SCREENS: Readonly<Record<Step, (setup: Setup, csrf: string) => Screen | Promise<Screen>>> = {
  channel: channelScreen,
  twitch: twitchScreen,
  model: modelScreen,
  voice: voiceScreen,
  start: startScreen,
  finish: finishScreen,
};

async function channelScreen(setup: Setup, csrf: string): Promise<Screen> {
  const { answers, ground, refused } = setup;
  const problems = await localProblems(setup);
  return {
    heading: "Which channel is the bot for?",
    lead: "Six short steps. Nothing is written before the last one, and you can go back at any time.",
    shown: (
      <>
        {problems.map((problem) => (
          <Alert>{problem}</Alert>
        ))}
        <StepForm to="channel" csrf={csrf}>
          <label>
            <span>Your Twitch channel</span>
            <input
              name="channel"
              value={refused["channel"] ?? answers.channels.join(", ")}
              placeholder="its name, or its address"
              required
              autofocus
              spellcheck={false}
              autocapitalize="none"
            />
          </label>
          {ground.isNew ? null : (
            <p class="hint">{`${ground.file} exists already: setup keeps what you do not change.`}</p>
          )}
          <Buttons>
            <button type="submit" class="first">
              Continue
            </button>
          </Buttons>
        </StepForm>
      </>
    ),
  };
}

async function modelScreen(setup: Setup, csrf: string): Promise<Screen> {
  const { answers, ground, refused, word } = setup;
  const wanted = refused["provider"] ?? answers.model.provider;
  const chosen = PROVIDER_NAMES.find((name) => name === wanted) ?? USUAL_PROVIDER;
  const listed = await listOllamaModels(
    hasAddress(chosen) ? OLLAMA : (answers.model.baseUrl ?? OLLAMA),
    AbortSignal.timeout(OLLAMA_MS_MAX),
  );
  return {
    heading: "Which model thinks?",
    lead: "It writes the answers and the summaries. Prompts hold pieces of chat.",
    shown: (
      <>
        <StepForm to="model" csrf={csrf} look="models">
          <fieldset class="choices">
            <legend class="unseen">Model</legend>
            {PROVIDER_NAMES.map((name) => {
              const { label, hint, usualModel } = PROVIDERS[name];
              return (
                <Radio
                  name="provider"
                  value={name}
                  label={label}
                  hint={usualModel === null ? hint : `${usualModel}, ${hint}`}
                  isChosen={chosen === name}
                />
              );
            })}
          </fieldset>
          {PROVIDER_NAMES.map((name) => (
            <ProviderFields setup={setup} name={name} listed={listed} />
          ))}
          <Buttons back="twitch">
            <button type="submit" class="first" data-busy="Asking the model …">
              Test and continue
            </button>
          </Buttons>
        </StepForm>
        {word?.isWrong === true &&
        (hasKey(answers, ground.secrets, chosen) || !PROVIDERS[chosen].key.isNeeded) ? (
          <StepForm to="model/anyway" csrf={csrf} look="inline">
            <button type="submit">Go on without an answer</button>
          </StepForm>
        ) : null}
      </>
    ),
  };
}

const OLLAMA_MS_MAX = 700;

function ProviderFields(given: { setup: Setup; name: ProviderName; listed: readonly string[] }) {
  const { setup, name, listed } = given;
  const { answers, ground, refused } = setup;
  const { key } = PROVIDERS[name];
  const isOwn = answers.model.provider === name;
  const isSaved = hasKey(answers, ground.secrets, name);
  const model = refused["model"] ?? (isOwn ? answers.model.model : (listed[0] ?? ""));
  const usual = { ...answers.model, provider: name, model: PROVIDERS[name].usualModel ?? "" };
  return (
    <div class={`only-${name}`}>
      {hasAddress(name) ? null : (
        <>
          <label>
            <span>Address of the server</span>
            <input
              name="baseUrl"
              value={refused["baseUrl"] ?? (isOwn ? answers.model.baseUrl : null) ?? OLLAMA}
              spellcheck={false}
            />
          </label>
          <label>
            <span>Model</span>
            <input
              name="model"
              value={model}
              list="models"
              placeholder="such as llama3.1:8b"
              spellcheck={false}
            />
            <datalist id="models">
              {listed.map((one) => (
                <option value={one} />
              ))}
            </datalist>
          </label>
        </>
      )}
      <label>
        <span>{key.isNeeded ? "Key" : "Key, if the server wants one"}</span>
        <input
          name={`key-${name}`}
          type="password"
          autocomplete="off"
          placeholder={isSaved ? "saved" : "paste it here"}
        />
      </label>
      {key.page === null ? null : (
        <p class="hint">
          <a href={key.page} target="_blank" rel="noreferrer">
            Get a key
          </a>
          . {key.advice}
        </p>
      )}
      {ground.environment[key.secret] === null ? null : (
        <p class="hint">{`The variable ${SECRET_VARIABLES[key.secret]} is set on this machine, and wins over a key that is saved.`}</p>
      )}
      {hasAddress(name) ? null : (
        <label class="tick">
          <input
            type="checkbox"
            name="allowInsecureHost"
            checked={answers.model.allowInsecureHost}
          />{" "}
          The server is another machine of mine, without encryption
        </label>
      )}
      <p class="cost">{costText(isOwn ? answers.model : usual, ground)}</p>
    </div>
  );
}

function voiceScreen({ answers, refused, sample }: Setup, csrf: string): Screen {
  const voice = refused["own"] ?? answers.voice;
  const preset =
    refused["preset"] ?? Object.entries(PRESETS).find(([, text]) => text === answers.voice)?.[0];
  const isHeard = sample?.voice === answers.voice && sample.name === answers.name;
  return {
    heading: "How does it talk?",
    shown: (
      <StepForm to="voice" csrf={csrf} look="voices">
        {sample === null || !isHeard ? null : (
          <div class="sample" role="status">
            <p>
              <b>{sample.speaker}</b> {sample.question}
            </p>
            <p>
              <b>{answers.name ?? "the bot"}</b>{" "}
              {sample.text ?? "(The model gave no sample. The voice is kept all the same.)"}
            </p>
          </div>
        )}
        <label>
          <span>Name in chat</span>
          <input
            name="name"
            value={refused["name"] ?? answers.name ?? ""}
            placeholder="such as Mark"
            required
            maxlength={40}
          />
        </label>
        <fieldset class="choices two">
          <legend>Voice</legend>
          {Object.entries(PRESETS).map(([label, text]) => (
            <Radio
              name="preset"
              value={label}
              label={label}
              hint={text}
              isChosen={preset === label}
            />
          ))}
          <Radio
            name="preset"
            value=""
            label="In my own words"
            hint="A sentence or two. It is part of every prompt."
            isChosen={preset === undefined || preset === ""}
          />
        </fieldset>
        <label class="own">
          <span>In your own words</span>
          <textarea name="own" rows={3} maxlength={8_000}>
            {voice}
          </textarea>
        </label>
        <Buttons back="model">
          <button type="submit" class="first">
            Continue
          </button>
          <button type="submit" name="then" value="hear" data-busy="Asking the model …">
            Hear a sample
          </button>
        </Buttons>
      </StepForm>
    ),
  };
}

function startScreen({ answers }: Setup, csrf: string): Screen {
  const isLive = answers.mode !== "shadow";
  return {
    heading: "Silent or live?",
    lead: "You can change this at any time on the page.",
    shown: (
      <StepForm to="start" csrf={csrf}>
        <div class="cards">
          <div class="card">
            <h2>Silent</h2>
            <p>
              It listens, remembers and thinks up answers. It sends none: you see them on this page.
            </p>
            <button type="submit" name="mode" value="shadow">
              Start silently
            </button>
          </div>
          <div class="card">
            <h2>Live</h2>
            <p>It answers viewers who speak to it while you are live.</p>
            <label class="tick">
              <input type="checkbox" name="whenOffline" checked={answers.whenOffline} /> Also while
              I am offline, to try it
            </label>
            <button
              type="submit"
              class="first"
              name="mode"
              value={isLive ? answers.mode : "mentions"}
            >
              Go live
            </button>
          </div>
        </div>
        <Buttons back="voice" />
      </StepForm>
    ),
  };
}

function finishScreen({ answers, ground }: Setup, csrf: string): Screen {
  const { value: plan, fault } = attempt(() => planFiles(ground, answers));
  const names = { name: answers.name ?? "the bot", isSilent: answers.account === "none" };
  return {
    heading: "Tell your viewers, then start",
    shown: (
      <>
        <label>
          <span>A text for your channel’s panel, if you like</span>
          <textarea id="panel" class="panel" rows={13} readonly>
            {panelText(names, answers.model)}
          </textarea>
        </label>
        <p>
          <button type="button" data-copy="#panel" hidden>
            Copy
          </button>
        </p>
        {fault === null ? null : <Alert>{faultText(fault)}</Alert>}
        {plan === null ? null : (
          <details>
            <summary>What is written</summary>
            <dl class="facts">
              {plan.changes.map(([key, value]) => (
                <>
                  <dt>
                    <code>{key}</code>
                  </dt>
                  <dd>{value}</dd>
                </>
              ))}
            </dl>
            <p class="hint">{`Into ${ground.file}. Log-ins and keys go into secrets.json in ${plan.after.dataDir}, which only you can read.`}</p>
          </details>
        )}
        {answers.classes.length > 0 && answers.account === "bot" ? (
          <p class="hint">{`Make it a moderator, for what it may do: in your chat, type /mod ${answers.bot?.login}`}</p>
        ) : null}
        <p class="hint">
          What you tell about yourself in chat, the bot may tell viewers. You can switch that off
          for each note.
        </p>
        <StepForm to="finish" csrf={csrf}>
          <Buttons back={answers.account === "none" ? "model" : "start"}>
            <button
              type="submit"
              class="first"
              disabled={plan === null}
              data-busy="Starting the bot …"
            >
              Save and start the bot
            </button>
          </Buttons>
        </StepForm>
      </>
    ),
  };
}
