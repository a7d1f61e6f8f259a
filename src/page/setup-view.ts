import { readFileSync } from "node:fs";
import { Hono } from "hono";
import {
  findProvider,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
  USUAL_PROVIDER,
} from "../catalogue/providers.ts";
import { SECRET_VARIABLES, withShellCommands } from "../config/environment.ts";
import { REPLY_MODES } from "../config/names.ts";
import { isLoopbackUrl } from "../config/schema.ts";
import { attempt, makeUsageFault } from "../errors.ts";
import { listOllamaModels } from "../models/open-model.ts";
import { examineBot, runChecks } from "../system/checks.ts";
import {
  ACCOUNTS,
  type Answers,
  ASKED_CLASSES,
  type AskedClass,
  isLoggedIn,
  listBotScopes,
  listStreamerScopes,
  planFiles,
} from "../system/setup-answers.ts";
import {
  describeCost,
  hasKey,
  hasKnownAddress,
  OLLAMA,
  PRESETS,
  readChannels,
  readClientId,
  readModel,
  readName,
  testModel,
} from "../system/setup-input.ts";
import { drawDocument, FLOWER_FILE, serveAssets } from "./layout.ts";
import { act, type Child, checkbox, drawWith, form, hint, html, input, textArea } from "./parts.ts";
import type { Site, Visit } from "./server.ts";
import {
  describeFault,
  SAMPLE_SPEAKER,
  type Setup,
  STEP_NAMES,
  type Step,
  type TakeForm,
} from "./setup.ts";
import { STYLE } from "./style.ts";

interface Screen {
  readonly heading: string;
  readonly lead?: Child;
  /** An address that the page checks until it leads to another step. */
  readonly waitsAt?: string;
  readonly shown: Child;
}

interface StepPage {
  readonly name: string;
  /** Reads data that only this page shows; `draw` gets it as `found`. */
  readonly read?: (setup: Setup) => Promise<readonly string[]>;
  /** Draws the page. `found` is empty for a page without `read`. */
  readonly draw: (setup: Setup, found: readonly string[]) => Screen;
  /** Its forms, by the end of their address. A thrown Fault is shown by the step. */
  readonly forms: Readonly<Record<string, TakeForm>>;
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
const OLLAMA_MS_MAX = 700;
const NO_SAMPLE = "(The model gave no sample. You can go on all the same.)";
const GET_CLIENT_ID = html`<summary>How to get one (three minutes, free)</summary><ol class="howto">
    <li>Open <a href="https://dev.twitch.tv/console/apps/create" target="_blank" rel="noreferrer">Twitch’s console</a>
      and log in with an account that has two-factor authentication.</li>
    <li>Name: any name that is free. OAuth Redirect URL: <code>http://localhost</code>.
      Category: <b>Chat Bot</b>. Client Type: <b>Public</b>.</li>
    <li>Press <b>Create</b>, then <b>Manage</b>, and copy the Client ID. It is no secret.</li></ol>`;

/** The page and the forms of each step. Their order is in setup.ts. */
const STEPS: Readonly<Record<Step, StepPage>> = {
  channel: {
    name: "Channel",
    read: async ({ ground }) => {
      const problems: string[] = [];
      const bot = examineBot(ground.base, new AbortController().signal);
      for await (const findings of runChecks(bot, ["node", "folder", "disk"]))
        for (const { found, mend } of findings)
          if (mend !== null) problems.push(withShellCommands(`${found}: ${mend}.`));
      return problems;
    },
    draw: ({ answers, ground, refused }, problems) => {
      const field = {
        value: refused["channel"] ?? answers.channels.join(", "),
        placeholder: "its name, or its address",
        required: true,
        autofocus: true,
        spellcheck: "false",
        autocapitalize: "none",
      };
      return {
        heading: "Which channel is the bot for?",
        lead: "Six short steps. Nothing is saved before the last one, and you can go back at any time.",
        shown: [
          problems.map(alert),
          form("post /setup/channel", {}, [
            input("Your Twitch channel", "channel", field),
            answers.bot === null && hint("Setup checks the name after the log-in on Twitch."),
            !ground.isNew && hint(`Setup changes ${ground.file}, and keeps the rest of it.`),
            buttons("Continue"),
          ]),
        ],
      };
    },
    forms: {
      "": (setup, { channel = "" }) => {
        setup.answers.channels = readChannels(channel);
        const isLoginPassed = setup.isDone("twitch");
        // A log-in that is there says at once whether the channel exists.
        setup.pass("channel");
        return setup.leaveTwitch(isLoginPassed);
      },
    },
  },
  twitch: {
    name: "Twitch",
    draw: (setup) => {
      const { answers, logins } = setup;
      const progress = logins.progress();
      if (progress.kind === "waiting")
        return drawCode(answers, progress.address, progress.userCode, progress.whose === "bot");
      if (answers.bot === null) return drawChoice(setup);
      return isLoggedIn(answers) ? drawLogin(setup) : drawUnfitLogin(answers);
    },
    forms: {
      choose: async (setup, fields) => {
        const { answers, logins } = setup;
        const account = ACCOUNTS.find((one) => one === fields["account"]) ?? answers.account;
        logins.cancel();
        if (account === "none") {
          Object.assign(answers, { account, mode: "shadow", bot: null, streamer: null });
          return setup.pass("twitch");
        }
        const clientId = readClientId(fields["clientId"] ?? answers.clientId);
        const classes = ASKED_CLASSES.filter((one) => fields[one] === "on");
        Object.assign(answers, { account, classes, clientId, bot: null, streamer: null });
        await logins.start("bot", clientId, listBotScopes(answers));
        return "twitch";
      },
      streamer: async ({ answers, logins }): Promise<Step> => {
        await logins.start("streamer", answers.clientId, listStreamerScopes(answers));
        return "twitch";
      },
      again: ({ answers, logins }) => {
        logins.cancel();
        Object.assign(answers, { bot: null, streamer: null });
        return "twitch";
      },
      account: (setup) => {
        const { answers } = setup;
        answers.account = answers.account === "bot" ? "streamer" : "bot";
        if (answers.bot !== null) setup.takeNameOf(answers.bot);
        return setup.leaveTwitch();
      },
      channel: (setup) => {
        const { answers } = setup;
        if (answers.bot !== null) answers.channels = [answers.bot.login];
        return setup.leaveTwitch();
      },
      "go-on": (setup) => {
        setup.logins.cancel();
        return setup.leaveTwitch(true);
      },
    },
  },
  model: {
    name: "Model",
    read: async (setup) => {
      const { baseUrl } = setup.answers.model;
      const address = hasKnownAddress(findChosenProvider(setup)) ? OLLAMA : (baseUrl ?? OLLAMA);
      return await listOllamaModels(address, AbortSignal.timeout(OLLAMA_MS_MAX));
    },
    draw: (setup, listed) => {
      const { answers, ground, message } = setup;
      const chosen = findChosenProvider(setup);
      const canGoOn = hasKey(answers, ground.secrets, chosen) || !PROVIDERS[chosen].key.isNeeded;
      const providers = PROVIDER_NAMES.map((name) => {
        const { label, hint: about, usualModel } = PROVIDERS[name];
        const full = usualModel === null ? about : `${usualModel}, ${about}`;
        return radio("provider", chosen, [name, label, full]);
      });
      return {
        heading: "Which model thinks?",
        lead: "It writes the answers and the summaries. Every request sends it recent chat.",
        shown: [
          form("post /setup/model", { cssClass: "models" }, [
            html`<fieldset class="choices"><legend class="unseen">Model</legend>${providers}</fieldset>`,
            PROVIDER_NAMES.map((name) => drawProviderFields(setup, name, listed)),
            buttons("Test and continue", { back: "twitch", busy: "Asking the model …" }),
          ]),
          message?.isWrong && canGoOn && act("post /setup/model/anyway", "Go on without an answer"),
        ],
      };
    },
    forms: {
      "": async (setup, fields) => {
        const { answers, ground, now } = setup;
        Object.assign(answers, readModel(fields, answers, ground.secrets));
        setup.reopen("model");
        const text = await testModel(answers, ground, now);
        setup.message = { text, isWrong: false };
        const next = setup.pass("model");
        if (next === "voice") await setup.hearSample();
        return next;
      },
      anyway: (setup) => setup.pass("model"),
    },
  },
  voice: {
    name: "Voice",
    draw: ({ answers, refused, sample }) => {
      const known = Object.entries(PRESETS).find(([, text]) => text === answers.voice)?.[0];
      const preset = refused["preset"] ?? known ?? "";
      const isHeard = sample?.voice === answers.voice && sample.name === answers.name;
      const name = { value: refused["name"] ?? answers.name ?? "", required: true, maxlength: 40 };
      const own = refused["own"] ?? answers.voice;
      const voices = Object.entries(PRESETS).map(([label, text]) =>
        radio("preset", preset, [label, label, text]),
      );
      return {
        heading: "How does it talk?",
        shown: form("post /setup/voice", { cssClass: "voices" }, [
          isHeard &&
            html`<div class="note-card" role="status"><p><b>${SAMPLE_SPEAKER}</b> ${sample.question}</p>
            <p><b>${answers.name ?? "the bot"}</b> ${sample.text ?? NO_SAMPLE}</p></div>`,
          input("Name in chat", "name", { ...name, placeholder: "such as Mark" }),
          html`<fieldset class="choices two"><legend>Voice</legend>${voices}
          ${radio("preset", preset, ["", "In my own words", "The bot reads it before each answer."])}</fieldset>
          <div class="own">${textArea("In your own words", "own", own, { rows: 3, maxlength: 8_000 })}</div>`,
          buttons("Continue", {
            back: "model",
            others: html`<button type="submit" name="then" value="hear" data-busy="Asking the model …">
            Hear a sample</button>`,
          }),
        ]),
      };
    },
    forms: {
      "": async (setup, fields) => {
        const name = readName(fields["name"] ?? "");
        const own = (fields["own"] ?? "").trim().replaceAll("\r\n", "\n");
        const voice = PRESETS[fields["preset"] ?? ""] ?? own;
        if (voice === "") {
          const fix = "describe it in a sentence, or choose one of the list";
          throw makeUsageFault("There is no voice yet", fix);
        }
        Object.assign(setup.answers, { name, voice });
        if (fields["then"] !== "hear") return setup.pass("voice");
        await setup.hearSample();
        return "voice";
      },
    },
  },
  start: {
    name: "Silent or live",
    draw: ({ answers }) => {
      const live = answers.mode === "shadow" ? "mentions" : answers.mode;
      return {
        heading: "Silent or live?",
        lead: "You can change this at any time on the page.",
        shown: form("post /setup/start", {}, [
          html`<div class="cards">
          <div class="sheet"><h2>Silent</h2>
            <p>It listens, remembers and writes answers. Only you see them, on this page.</p>
            <button type="submit" name="mode" value="shadow">Start silently</button></div>
          <div class="sheet"><h2>Live</h2><p>It answers viewers who speak to it while you are live.</p>
            ${checkbox("Also while I am offline, to try it", "whenOffline", { checked: answers.whenOffline })}
            <button type="submit" class="first" name="mode" value="${live}">Go live</button></div></div>
          <a href="/setup/voice">Back</a>`,
        ]),
      };
    },
    forms: {
      "": (setup, fields) => {
        const { answers } = setup;
        answers.mode = REPLY_MODES.find((one) => one === fields["mode"]) ?? "shadow";
        if (answers.mode !== "shadow") answers.whenOffline = fields["whenOffline"] === "on";
        return setup.pass("start");
      },
    },
  },
  finish: {
    name: "Finish",
    draw: ({ answers, ground }) => {
      const { value: plan, fault } = attempt(() => planFiles(ground, answers));
      const isSilent = answers.account === "none";
      const panel = { id: "panel", rows: 13, readonly: true };
      const text = writePanelText(answers);
      const links = answers.channels.map(
        (channel) =>
          html` <a href="https://www.twitch.tv/${channel}" target="_blank" rel="noreferrer">twitch.tv/${channel}</a>`,
      );
      const hints = [
        isSilent &&
          html`Nobody checked the channel’s name, because there is no log-in. Open it, and see whether it is right:${links}`,
        plan &&
          `Your answers are saved in ${ground.file}. Log-ins and keys are saved in secrets.json in ${plan.after.dataDir}, which only you can read.`,
        answers.classes.length > 0 &&
          answers.account === "bot" &&
          `To let it do more than talk, make it a moderator: type /mod ${answers.bot?.login} in your chat.`,
        "The bot may tell viewers what you say about yourself in chat. You can switch that off for each note.",
      ].filter(Boolean);
      return {
        heading: "Tell your viewers, then start",
        shown: [
          textArea("A text for your channel’s panel, if you like", "panel", text, panel),
          html`<p><button type="button" data-copy="#panel" hidden>Copy</button></p>`,
          alert(fault && describeFault(fault)),
          hints.map((one) => hint(one)),
          form("post /setup/finish", {}, [
            html`<div class="acts">
            <button type="submit" class="first" data-busy="Starting the bot …"${!plan && " disabled"}>
              Save and start the bot</button>
            <a href="/setup/${isSilent ? "model" : "start"}">Back</a></div>`,
          ]),
        ],
      };
    },
    forms: {
      "": (setup) => {
        setup.write();
        return "finish";
      },
    },
  },
};

function drawChoice({ answers, asksClientId, logins, refused }: Setup): Screen {
  const progress = logins.progress();
  const clientId = refused["clientId"] ?? answers.clientId;
  const account = refused["account"] ?? answers.account;
  const field = { value: clientId, placeholder: "30 letters and digits", spellcheck: "false" };
  const accounts = ACCOUNT_CHOICES.map((choice) => radio("account", account, choice));
  const classes = ASKED_CLASSES.map((name) =>
    checkbox(CLASS_NAMES[name], name, { checked: answers.classes.includes(name) }),
  );
  const application = asksClientId && [
    input("Client ID of your Twitch application", "clientId", field),
    html`<details${clientId === "" && html` open`}>${GET_CLIENT_ID}</details>`,
  ];
  return {
    heading: "Who speaks in chat?",
    shown: [
      alert(progress.kind === "failed" ? progress.why : null),
      form("post /setup/twitch/choose", { cssClass: "accounts" }, [
        html`<fieldset class="choices"><legend class="unseen">Account</legend>${accounts}</fieldset>
          <div class="needs-account">${application}<details><summary>Let it do more than talk</summary>
            ${hint("It asks you on this page before each of these. You can leave them off.")}
            ${classes}</details></div>`,
        buttons("Continue", { back: "channel", busy: "Asking Twitch …" }),
      ]),
    ],
  };
}

/** Draws the code to confirm at Twitch, for the bot's log-in or (not `isBot`) the streamer's. */
function drawCode(answers: Answers, address: string, userCode: string, isBot: boolean): Screen {
  const isOwn = !isBot || answers.account === "streamer";
  return {
    heading: isOwn ? "Log in as yourself" : "Log in as the bot",
    lead: isOwn
      ? "Open Twitch, check that it shows the same code, and allow it."
      : "Open the link in a private window, and log in there as the bot, not as yourself. Check that Twitch shows the same code.",
    waitsAt: "/setup/twitch/wait",
    shown: [
      html`<p class="code"><span class="unseen">Code: </span>${userCode}</p>
        <p class="centred">
          <a class="button first" href="${address}" target="_blank" rel="noreferrer">Open Twitch</a></p>
        <p class="small soft centred">${address}</p>
        <p class="hint centred" role="status">Waiting for your log-in. This page goes on by itself.</p>`,
      isBot
        ? act("post /setup/twitch/again", "Back")
        : act("post /setup/twitch/go-on", "Do without"),
    ],
  };
}

function drawLogin(setup: Setup): Screen {
  const isMissing = setup.needsStreamer();
  const progress = setup.logins.progress();
  return {
    heading: `Logged in as ${setup.answers.bot?.login}`,
    lead: isMissing
      ? "Polls and markers need your own log-in too: Twitch lets only the streamer make them."
      : "Twitch accepts the log-in.",
    shown: [
      alert(progress.kind === "failed" ? progress.why : null),
      html`<div class="acts">
        ${isMissing && act("post /setup/twitch/streamer", "Log in as yourself", { cssClass: "first" })}
        ${isMissing && act("post /setup/twitch/go-on", "Do without polls and markers")}
        ${!isMissing && act("post /setup/twitch/go-on", "Continue", { cssClass: "first" })}
        ${act("post /setup/twitch/again", "Change")} <a href="/setup/channel">Back</a></div>`,
    ],
  };
}

/** Asks whether the log-in has the right account. If it has, says that its rights are too few. */
function drawUnfitLogin({ account, bot, channels }: Answers): Screen {
  const login = bot?.login ?? "";
  const wantsBot = account === "bot";
  const again = "post /setup/twitch/again";
  if (channels.includes(login) !== wantsBot)
    return {
      heading: `Logged in as ${login}`,
      lead: "What you chose needs more rights than this log-in has.",
      shown: act(again, "Log in again", { cssClass: "first" }),
    };
  const own = "post /setup/twitch/account";
  return {
    heading: `Is ${login} right?`,
    lead: wantsBot
      ? `You logged in as ${login}, which is your channel’s own account, not the bot’s.`
      : `You logged in as ${login}, which is not your channel’s account (${channels.join(", ")}).`,
    shown: html`<div class="acts">
      ${act(again, `No: log in as ${wantsBot ? "the bot" : "myself"}`, { cssClass: "first" })}
      ${act(own, wantsBot ? "Yes: the bot uses my own account" : `Yes: ${login} is the bot’s`)}
      ${!wantsBot && act("post /setup/twitch/channel", `Yes: ${login} is my channel`)}</div>`,
  };
}

/** Returns the provider in a refused form, else that of the answers; the usual one if the form's is unknown. */
function findChosenProvider({ answers, refused }: Setup): ProviderName {
  const wanted = refused["provider"] ?? answers.model.provider;
  return PROVIDER_NAMES.find((name) => name === wanted) ?? USUAL_PROVIDER;
}

/** Draws the fields that show if the provider `name` is chosen. `listed`: the models that an Ollama server has. */
function drawProviderFields(setup: Setup, name: ProviderName, listed: readonly string[]) {
  const { answers, ground, refused } = setup;
  const { key, usualModel } = PROVIDERS[name];
  const isOwn = answers.model.provider === name;
  const model = refused["model"] ?? (isOwn ? answers.model.model : (listed[0] ?? ""));
  const address = refused["baseUrl"] ?? (isOwn ? answers.model.baseUrl : null) ?? OLLAMA;
  const usual = { ...answers.model, provider: name, model: usualModel ?? "" };
  const placeholder = hasKey(answers, ground.secrets, name) ? "saved" : "paste it here";
  const example = { placeholder: "such as llama3.1:8b", spellcheck: "false" };
  const models = listed.map((one) => html`<option value="${one}"></option>`);
  const server = [
    input("Address of the server", "baseUrl", { value: address, spellcheck: "false" }),
    input("Model", "model", { value: model, list: "models", ...example }),
    html`<datalist id="models">${models}</datalist>`,
  ];
  const label = key.isNeeded ? "Key" : "Key, if the server wants one";
  const link = html`<a href="${key.page}" target="_blank" rel="noreferrer">Get a key</a>`;
  const variable = `The variable ${SECRET_VARIABLES[key.secret]} is set on this machine. The bot uses it instead of a saved key.`;
  const remote = "The server is another machine of mine, without encryption";
  const isServer = !hasKnownAddress(name);
  return html`<div class="only-${name}">
    ${isServer && server}
    ${input(label, `key-${name}`, { type: "password", autocomplete: "off", placeholder })}
    ${key.page !== null && hint(html`${link}. ${key.advice}`)}
    ${ground.environment[key.secret] !== null && hint(variable)}
    ${isServer && checkbox(remote, "allowInsecureHost", { checked: answers.model.allowInsecureHost })}
    <p class="sheet small">${describeCost(isOwn ? answers.model : usual, ground)}</p></div>`;
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

/** The main button of a form, other ones, and a link to the step `back`. `busy` is its text while the form is sent. */
function buttons(
  label: string,
  { back, busy, others }: { back?: Step; busy?: string; others?: Child } = {},
) {
  return html`<div class="acts"><button type="submit" class="first" data-busy="${busy}">${label}</button>
    ${others} ${back && html`<a href="/setup/${back}">Back</a>`}</div>`;
}

function radio(name: string, chosen: string | undefined, [value, label, about]: readonly string[]) {
  const checked = value === chosen && html` checked`;
  return html`<label class="choice"><input type="radio" name="${name}" value="${value}"${checked}>
    <span><b>${label}</b><small>${about}</small></span></label>`;
}

/** Draws a problem with its fix; nothing for null. */
function alert(text: string | null) {
  return text !== null && html`<p class="flash wrong" role="alert">${text}</p>`;
}

/**
 * The site of a setup: a page for each step, and an address for each form. Once setup is written, every page says that
 * the bot starts.
 */
export function openSetupSite(setup: Setup): Site {
  const app = new Hono<{ Bindings: Visit }>();
  const script = readFileSync(new URL("./browser/setup.js", import.meta.url), "utf8");
  serveAssets(app, {
    "/assets/style.css": ["text/css", STYLE],
    "/assets/setup.js": ["text/javascript", script],
    "/assets/flower.svg": ["image/svg+xml", FLOWER_FILE],
  });
  app.get("*", async (context, next) => {
    if (!setup.isWritten) return next();
    const hasPage = setup.ground.base.dashboard.port !== false;
    const text = hasPage
      ? "This page goes on by itself."
      : "Your configuration has no page for the bot (dashboard.port is false), so you can close this tab.";
    // Not by the script, whose address the bot's page does not have.
    const refresh = hasPage && html`<meta http-equiv="refresh" content="1;url=/">`;
    const main = html`<main><h1>The bot is starting …</h1><p class="lead">Your answers are saved. ${text}</p></main>`;
    return context.html(drawShell("Starting", main, undefined, refresh));
  });
  app.get("/setup/twitch/wait", async (context) =>
    context.redirect(`/setup/${await setup.leaveAfterLogin()}`, 303),
  );
  app.get("/setup/:step", async (context) => {
    const wanted = context.req.param("step");
    const step = setup.findReachable(wanted);
    if (step !== wanted) return context.redirect(`/setup/${step}`, 303);
    if (step === "twitch") await setup.takeStoredLogins();
    const page = await drawStep(setup, step, context.env.person?.csrf ?? "");
    // A message is for the next page that the user sees, not for a check of the page that waits.
    if (!context.env.isRedrawn) setup.message = null;
    return context.html(page);
  });
  app.post("/setup/:step/:form?", async (context) => {
    const { step: wanted, form: name = "" } = context.req.param();
    const step = STEP_NAMES.find((one) => one === wanted);
    const take = step && new Map(Object.entries(STEPS[step].forms)).get(name);
    if (step === undefined || take === undefined) return context.notFound();
    const fields = Object.fromEntries(new URLSearchParams(await context.req.text()));
    const next = await setup.submit(step, take, fields);
    return context.redirect(setup.isWritten ? "/" : `/setup/${next}`, 303);
  });
  // Addresses of the demo or the bot lead here while setup is open.
  app.notFound((context) => context.redirect(`/setup/${setup.findReachable("finish")}`, 303));
  return { answer: async (request, visit) => app.fetch(request, visit) };
}

/** Draws the page of a step, with the message. May wait for data that only this page shows. */
async function drawStep(setup: Setup, step: Step, csrf: string): Promise<string> {
  const { name, read, draw } = STEPS[step];
  const found = (await read?.(setup)) ?? [];
  const steps = setup.listSteps().map((one) => {
    const label = STEPS[one].name;
    if (one === step) return html`<li><span aria-current="step">${label}</span></li>`;
    if (!setup.isDone(one)) return html`<li><span>${label}</span></li>`;
    return html`<li class="done"><a href="/setup/${one}">${label}</a></li>`;
  });
  const { message } = setup;
  return drawWith({ csrf, nowMs: setup.now() }, () => {
    const { heading, lead, waitsAt, shown } = draw(setup, found);
    const main = html`<nav aria-label="Steps"><ol class="steps">${steps}</ol></nav>
      <main><h1>${heading}</h1>${lead && html`<p class="lead">${lead}</p>`}
      ${message?.isWrong && alert(message.text)}
      ${message?.isWrong === false && html`<p class="flash" role="status">${message.text}</p>`}
      ${shown}</main>`;
    return drawShell(name, main, waitsAt);
  });
}

/** Draws a whole page of setup. Its script loads `waitsAt` each second, and opens it once it is another page. */
function drawShell(title: string, main: Child, waitsAt?: string, head?: Child) {
  const script = html`<script type="module" src="/assets/setup.js"></script>${head}`;
  return drawDocument(
    `${title} · Set up ForgetMeNot`,
    script,
    html`<body class="setup"${waitsAt && html` data-waits-at="${waitsAt}"`}>
  <header><img src="/assets/flower.svg" alt="" width="26" height="26"><b>ForgetMeNot</b> <span>setup</span></header>
  ${main}
</body>`,
  );
}
