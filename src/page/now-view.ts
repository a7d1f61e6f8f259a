import { type ChatRow, readChat } from "../chat/event-reads-store.ts";
import { formatLocalTime } from "../config/local-time.ts";
import type { ReplyView } from "../reply/reply-view-store.ts";
import { count, formatDollars, formatPlural } from "../telemetry/figures.ts";
import { explainSilence } from "../telemetry/plain-names.ts";
import type { StatusNow } from "../telemetry/status.ts";
import { drawWaitingActions } from "./answers-view.ts";
import { defineView, type PageData, type View } from "./api.ts";
import { readBotState } from "./layout.ts";
import { noteSubject } from "./memory-view.ts";
import {
  askTwice,
  badge,
  bar,
  columns,
  describeCode,
  empty,
  facts,
  faint,
  form,
  hint,
  html,
  link,
  list,
  meta,
  more,
  part,
  time,
  viewerHref,
} from "./parts.ts";

const CHAT_SHOWN = 80;
const REPLIES_SHOWN = 40;
const LEARNED_SHOWN = 6;
const NO_CHAT =
  "No messages yet. Write in your chat, with the bot's name: your message and its answer show here.";
const SWITCHES = [
  ["paused", "Paused", "Reads chat and sends nothing."],
  ["safeMode", "Actions off", "Answers, and does nothing else."],
  ["readOnly", "Learning off", "Uses what it knows, and learns nothing."],
] as const;

/** Chat with the bot's answers, the newest notes, waiting questions, and the cost of the day. */
export const NOW: readonly View[] = [
  defineView("/", {}, (data) => {
    const { status, tone, word, about } = readBotState(data);
    const channel = status.channels.find(({ isLive }) => isLive) ?? status.channels[0];
    const place = channel === undefined ? "" : ` in #${channel.channel}`;
    const lead = [about, channel?.title, channel?.category].filter((one) => one);
    return {
      title: "Now",
      heading: html`<span class="dot ${tone}"></span> ${word}${place}`,
      lead: lead.map((one, at) => html`<span>${at > 0 && " · "}${one}</span>`),
      live: ["chat", "replies", "actions", "notes"],
      shown: [
        drawNotices(status),
        drawWaitingActions(data),
        columns(part("Chat", drawChat(data)), [
          drawLearned(data),
          drawSpend(status, data.config.llm),
          drawSwitches(status, data.control),
        ]),
      ],
    };
  }),
];

/** Draws the newest chat, with each answer after the message that it answers. The list runs from the bottom up. */
function drawChat({ db, replies: answers }: PageData) {
  const events = readChat(db, CHAT_SHOWN);
  const oldestMs = events.length < CHAT_SHOWN ? 0 : (events.at(-1)?.createdAtMs ?? 0);
  const replies = answers
    .list({ state: "", limit: REPLIES_SHOWN })
    .items.filter(({ createdAtMs }) => createdAtMs >= oldestMs);
  const shown = [
    ...replies.map((reply) => ({ atMs: reply.createdAtMs, line: drawAnswer(reply) })),
    ...events.map((event) => ({ atMs: event.createdAtMs, line: drawMessage(event) })),
  ].toSorted((one, other) => other.atMs - one.atMs);
  if (shown.length === 0) return empty(NO_CHAT);
  return html`<ol class="chat sheet" tabindex="0" aria-label="Chat, newest first">
    ${shown.map(({ line }) => line)}</ol>`;
}

function drawMessage({ id, kind, userId, viewer, text, amount }: ChatRow) {
  const isBot = kind === "bot";
  const isMessage = isBot || kind === "message" || kind === "action";
  const name = viewer ?? (isBot ? "bot" : "someone");
  const isLinked = userId !== null && !isBot;
  const writer = isLinked ? link(viewerHref(userId), name, "who plain") : html`<b>${name}</b>`;
  const moment = amount === null ? describeCode(kind) : `${describeCode(kind)} ${count(amount)}`;
  return html`<li id="line-${id}" class="${isBot && "bot"}">${writer}
    ${!isMessage && badge("blue", moment)} <span data-mortal="">${text}</span></li>`;
}

/** Draws an answer, or why there was none. */
function drawAnswer({ id, viewer, state, reason, text }: ReplyView) {
  const saw = link(`/replies/${id}`, "what it saw", "small");
  if (state === "silent" || state === "refused") {
    const why = reason === null ? "nothing to say" : describeCode(explainSilence(reason));
    return html`<li id="answer-${id}" class="soft">No answer to ${viewer ?? "someone"}: ${why}. ${saw}</li>`;
  }
  const unsaid = state === "thinking" ? "is thinking …" : "The text has expired.";
  return html`<li id="answer-${id}" class="bot"><b>bot</b>
    ${state === "shadow" && badge("shadow", "not sent")}
    ${text === null ? html`<span class="gone">${unsaid}</span>` : html`<span data-mortal="">${text}</span>`}
    ${saw}</li>`;
}

function drawLearned({ notes }: PageData) {
  const learned = list(
    notes.newest(LEARNED_SHOWN),
    "Nothing yet. The bot learns a few minutes after viewers chat.",
    (note) => {
      const { id, status, createdAtMs } = note;
      const state = status !== "active" && badge(status);
      return html`<li>${link(`/memory/notes/${id}`, note.fact, "plain")}
        ${meta(noteSubject(note), time(createdAtMs), state)}</li>`;
    },
    "list small",
  );
  return part("Just learned", learned, more("/memory", "All it remembers"));
}

function drawSpend({ spend }: StatusNow, { caps, model }: PageData["config"]["llm"]) {
  const writeDollars = (sum: number) => (sum === 0 ? "$0" : formatDollars(sum));
  const rows = [
    ["Calls to the model", count, spend.callsLastDay, caps.callsPerDay],
    ["Tokens", count, spend.tokensLastDay, caps.tokensPerDay],
    ["Money", writeDollars, spend.dollarsLastDay, caps.dollarsPerDay],
  ] as const;
  const isUnpriced = spend.dollarsLastDay === null && spend.callsLastDay > 0;
  const failed = Object.entries(spend.failuresLastDay);
  return part(
    "Spent in 24 hours",
    facts(
      rows.map(([label, write, value, cap]) => {
        if (cap === null || value === null) return [label, write(value ?? 0)];
        return [label, [`${write(value)} of ${write(cap)}`, bar(cap <= 0 ? 0 : value / cap)]];
      }),
    ),
    hint(model, isUnpriced && ", price not known"),
    failed.map(([code, n]) => hint(`${formatPlural(n, "call")} failed (${describeCode(code)}).`)),
  );
}

function drawSwitches({ switches }: StatusNow, { autostart, quit }: PageData["control"]) {
  const draw = (to: string, [name, label, about]: readonly string[], isOn: boolean) =>
    form(
      to,
      { id: `switch-${name}`, fields: { [`${name}`]: `${!isOn}` } },
      html`<button type="submit" class="switch" role="switch" aria-checked="${`${isOn}`}">
        <b>${label}</b><small>${about}</small><i aria-hidden="true"></i></button>`,
    );
  const start = ["isOn", "Start with the computer", "At each log-in, without a window."];
  const end = "The bot leaves your chat and ends. Start ForgetMeNot again to bring it back.";
  return part(
    "Switches",
    SWITCHES.map((one) => draw("put /api/switches", one, switches[one[0]])),
    autostart && draw("put /api/autostart", start, autostart.isOn()),
    quit && askTwice("quit", "Quit …", end, ["post /api/quit", "Quit ForgetMeNot"]),
  );
}

function drawNotices({ notices, pastNotices }: StatusNow) {
  if (notices.length + pastNotices.length === 0) return null;
  const past = pastNotices.map(({ message, clearedAtMs }) =>
    hint(`${message} (until `, time(clearedAtMs), ")"),
  );
  return html`<section><h2 class="unseen">Notices</h2>
    ${notices.map(
      ({ severity, message, firstAtMs }) =>
        html`<div class="notice ${severity}">${message} ${faint("since ", formatLocalTime(firstAtMs))}</div>`,
    )}
    ${
      past.length > 0 &&
      html`<details id="past-notices">
      <summary class="soft small">Over, of the last week: ${past.length}</summary>${past}</details>`
    }</section>`;
}
