import { formatLocalTime } from "../config/local-time.ts";
import { isLocked } from "../database/lock.ts";
import { count, formatDollars, formatPlural } from "../telemetry/figures.ts";
import { explainSilence } from "../telemetry/plain-names.ts";
import { readStatusNow, type StatusNow } from "../telemetry/status.ts";
import { drawWaitingActions } from "./actions-view.tsx";
import { type EventRow, type ReplyRow, readNotes } from "./browse-store.ts";
import { readBotState } from "./layout.tsx";
import { noteSubject } from "./memory-view.tsx";
import {
  askTwice,
  badge,
  bar,
  empty,
  Form,
  facts,
  hint,
  link,
  list,
  meta,
  more,
  part,
  Time,
  toPlainWord,
  viewerHref,
} from "./parts.tsx";
import type { PageData, Views } from "./route.ts";

const CHAT_SHOWN = 80;
const REPLIES_SHOWN = 40;
const LEARNED_SHOWN = 6;
const SWITCHES = [
  ["paused", "Paused", "Reads chat and sends nothing."],
  ["safeMode", "Actions off", "Answers, and does nothing else."],
  ["readOnly", "Learning off", "Uses what it knows, and learns nothing."],
] as const;

/** Chat with the bot's answers, the newest notes, waiting questions, and the cost of the day. */
export const NOW: Views = {
  "/": (data) => {
    const status = readStatusNow({ ...data, running: isLocked(data.config.dataDir) });
    const bot = readBotState(data);
    const [channel] = status.channels;
    const { title, category } = data.browse.liveState(status.channels.map((one) => one.channel));
    const about = [bot.about, title, category].filter((one) => one !== "");
    const shown = (
      <>
        {drawNotices(status)}
        {drawWaitingActions(data)}
        <div class="cols">
          {drawChat(data)}
          <div>
            {drawLearned(data)}
            {drawSpend(status, data.config.llm)}
            {drawSwitches(status, data.control)}
          </div>
        </div>
      </>
    );
    return {
      title: "Now",
      heading: [
        <span class={`dot ${bot.tone}`} />,
        ` ${bot.word}${channel === undefined ? "" : ` in #${channel.channel}`}`,
      ],
      lead: about.map((one, at) => <span>{at === 0 ? one : ` · ${one}`}</span>),
      live: ["chat", "replies", "actions", "notes"],
      shown,
    };
  },
};

/** Draws the newest chat, with each answer after the message that it answers. The list runs from the bottom up. */
function drawChat({ browse }: PageData) {
  const events = browse.chat({ limit: CHAT_SHOWN });
  const oldestMs = events.length < CHAT_SHOWN ? 0 : (events.at(-1)?.createdAtMs ?? 0);
  const replies = browse
    .replies({ state: "", limit: REPLIES_SHOWN })
    .items.filter(({ createdAtMs }) => createdAtMs >= oldestMs);
  const shown = [
    ...replies.map((reply) => ({ atMs: reply.createdAtMs, line: drawAnswer(reply) })),
    ...events.map((event) => ({ atMs: event.createdAtMs, line: drawMessage(event) })),
  ].toSorted((one, other) => other.atMs - one.atMs);
  if (shown.length === 0)
    return part(
      "Chat",
      empty(
        "No messages yet. Write in your chat, with the bot's name: your message and its answer show here.",
      ),
    );
  return part(
    "Chat",
    <ol class="chat sheet" tabindex={0} aria-label="Chat, newest first">
      {shown.map(({ line }) => line)}
    </ol>,
  );
}

function drawMessage({ id, kind, userId, viewer, text, amount }: EventRow) {
  const isBot = kind === "bot";
  const isMessage = isBot || kind === "message" || kind === "action";
  const name = viewer ?? (isBot ? "bot" : "someone");
  const moment = amount === null ? toPlainWord(kind) : `${toPlainWord(kind)} ${count(amount)}`;
  return (
    <li id={`line-${id}`} class={isBot ? "bot" : undefined}>
      {userId === null || isBot ? <b>{name}</b> : link(viewerHref(userId), name, "who plain")}{" "}
      {!isMessage && badge("blue", moment)} <span data-mortal="">{text}</span>
    </li>
  );
}

/** Draws an answer, or why there was none. */
function drawAnswer({ id, viewer, state, reason, text }: ReplyRow) {
  const isAnswer = state !== "silent" && state !== "refused";
  const why = reason === null ? "nothing to say" : toPlainWord(explainSilence(reason));
  return (
    <li id={`answer-${id}`} class={isAnswer ? "bot" : "soft"}>
      {isAnswer ? <b>bot</b> : `No answer to ${viewer ?? "someone"}: ${why}.`}{" "}
      {state === "shadow" && badge("shadow", "not sent")}{" "}
      {isAnswer && text !== null && <span data-mortal="">{text}</span>}
      {isAnswer && text === null && (
        <span class="gone">{state === "thinking" ? "is thinking …" : "The text has expired."}</span>
      )}{" "}
      {link(`/replies/${id}`, "what it saw", "small")}
    </li>
  );
}

function drawLearned(data: PageData) {
  return part(
    "Just learned",
    list(
      readNotes(data).newest(LEARNED_SHOWN),
      "Nothing yet. The bot learns a few minutes after viewers chat.",
      (note) => (
        <li>
          {link(`/memory/notes/${note.id}`, note.fact, "plain")}
          {meta(
            noteSubject(note),
            <Time ms={note.createdAtMs} />,
            note.status !== "active" && badge(note.status),
          )}
        </li>
      ),
      "list small",
    ),
    more("/memory", "All it remembers"),
  );
}

function drawSpend({ spend }: StatusNow, { caps, model }: PageData["config"]["llm"]) {
  const rows = [
    ["Calls to the model", count, spend.callsLastDay, caps.callsPerDay],
    ["Tokens", count, spend.tokensLastDay, caps.tokensPerDay],
    [
      "Money",
      (sum: number) => (sum === 0 ? "$0" : formatDollars(sum)),
      spend.dollarsLastDay,
      caps.dollarsPerDay,
    ],
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
    ...failed.map(([code, n]) => hint(`${formatPlural(n, "call")} failed (${toPlainWord(code)}).`)),
  );
}

function drawSwitches({ switches }: StatusNow, { autostart, quit }: PageData["control"]) {
  const draw = (to: string, [name, label, about]: readonly string[], isOn: boolean) => (
    <Form id={`switch-${name}`} to={to} fields={{ [`${name}`]: `${!isOn}` }}>
      <button type="submit" class="switch" role="switch" aria-checked={`${isOn}`}>
        <b>{label}</b>
        <small>{about}</small>
        <i aria-hidden="true" />
      </button>
    </Form>
  );
  const start = ["isOn", "Start with the computer", "At each log-in, without a window."];
  return part(
    "Switches",
    SWITCHES.map((one) => draw("put /api/switches", one, switches[one[0]])),
    autostart && draw("put /api/autostart", start, autostart.isOn()),
    quit &&
      askTwice(
        "quit",
        "Quit …",
        "The bot leaves your chat and ends. Start ForgetMeNot again to bring it back.",
        ["post /api/quit", "Quit ForgetMeNot"],
      ),
  );
}

function drawNotices({ notices, pastNotices }: StatusNow) {
  if (notices.length + pastNotices.length === 0) return null;
  return (
    <section>
      <h2 class="unseen">Notices</h2>
      {notices.map(({ severity, message, firstAtMs }) => (
        <div class={`notice ${severity}`}>
          {message} <span class="soft small">since {formatLocalTime(firstAtMs)}</span>
        </div>
      ))}
      {pastNotices.length > 0 && (
        <details id="past-notices">
          <summary class="soft small">Over, of the last week: {pastNotices.length}</summary>
          {pastNotices.map(({ message, clearedAtMs }) =>
            hint(`${message} (until `, <Time ms={clearedAtMs} />, ")"),
          )}
        </details>
      )}
    </section>
  );
}
