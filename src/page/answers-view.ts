import { ActionReview, type LedgerLine } from "../actions/ledger-store.ts";
import { type ChatRow, readPageChat } from "../chat/event-reads-store.ts";
import { formatLocalTime } from "../config/local-time.ts";
import type { ReplyAnatomy, ReplyView } from "../reply/reply-view-store.ts";
import { listUnshownEpisodes, type Trail } from "../reply/trail.ts";
import {
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatPlural,
} from "../telemetry/figures.ts";
import { explainSilence, getPlainName } from "../telemetry/plain-names.ts";
import type { StatusNow } from "../telemetry/status.ts";
import { defineView, type PageData, rowId, type View } from "./api.ts";
import { readBotState } from "./layout.ts";
import { noteSubject } from "./memory-view.ts";
import {
  act,
  askTwice,
  badge,
  bar,
  type Child,
  card,
  columns,
  describeCode,
  emptyText,
  facts,
  faint,
  foldAway,
  form,
  hint,
  html,
  input,
  link,
  list,
  meta,
  more,
  nextPage,
  part,
  search,
  selectField,
  time,
  viewerHref,
  withQuery,
} from "./parts.ts";
import { actionsQuery, repliesQuery, searchActions, showReply } from "./routes.ts";

type ShownReply = ReplyView & ReplyAnatomy;

const STATES = [
  ["/replies", "All"],
  ["/replies?state=sent", "Sent"],
  ["/replies?state=shadow", "Kept back in silent mode"],
  ["/replies?state=silent", "Said nothing"],
  ["/replies?state=refused", "Not answered"],
  ["/replies?state=unknown", "Perhaps not sent"],
] as const;
const NO_REPLIES =
  "None yet. Write to the bot in chat, with its name in the message: its answer shows here, with what it saw.";
const DECISIONS = [
  ["", "any"],
  ...["run", "refuse", "hold", "dry_run"].map((one) => [one, describeCode(one)] as const),
] as const;
const NO_ACTIONS =
  "The bot has had no requests for actions yet. You choose under Settings what it may do.";
const HELD_SHOWN = 20;
const FORGOTTEN = "a forgotten viewer";
const WAITED_FOR = { requester: "asked them", streamer: "asked you" } as const;

/** Answers, newest first; each with its prompt, the parts left out, and its cost; and requests for actions. */
export const ANSWERS: readonly View[] = [
  defineView("/replies", { query: repliesQuery }, (data, { query: asked }) => {
    const { state } = asked;
    const { items, next } = data.replies.list(asked);
    const tabs = { label: "State", at: withQuery("/replies", { state }), of: STATES };
    const shown = [drawReplies(items, NO_REPLIES), nextPage("/replies", { state }, next, "Older")];
    return { title: "Answers", tabs, live: ["replies"], shown };
  }),
  defineView("/replies/:id", { params: rowId }, (data, { params }) => {
    const reply = showReply(data, params.id);
    const { id, actions, viewer, channel, trigger } = reply;
    const wanted = list(actions, "", (one) => {
      const outcome = one.outcome && `, ${describeCode(one.outcome)}`;
      const toAction = link(`/actions#action-${one.id}`, "among the actions");
      return html`<li><b>${one.action}</b> ${badge(one.decision)}
        ${describeCode(one.reason)}${outcome} ${toAction}</li>`;
    });
    return {
      title: `Answer ${id}`,
      lead: `To ${viewer ?? "someone"} in #${channel}, by ${describeCode(trigger)}`,
      live: ["replies", "notes", "actions"],
      shown: [
        drawReplies([reply], "", "list sheet"),
        drawTrail(reply),
        actions.length > 0 && part("What it wanted to do", wanted),
      ],
    };
  }),
  defineView("/actions", { query: actionsQuery }, (data, { query: asked }) => {
    const { decision, reason, requester } = asked;
    const isFiltered = [decision, reason, requester].some((one) => one !== "");
    const field = { type: "search", value: requester, maxlength: 60, placeholder: "a login" };
    const shown = [
      drawWaitingActions(data),
      search(
        "/actions",
        selectField("Decision", "decision", decision, DECISIONS),
        input("Asked by", "requester", field),
      ),
      list(searchActions(data, asked), isFiltered ? "Nothing matches." : NO_ACTIONS, drawAction),
    ];
    const settings = link("/settings#actions", "What it may do");
    const lead = ["What the bot was asked to do. ", settings, " is a setting."];
    return { title: "Actions", lead, live: ["actions"], shown };
  }),
];

/** Draws a text of chat, if there is one. A page that has lost the bot hides it: the text may be deleted by then. */
function drawExpiring(cssClass: string, text: string | null) {
  return text && html`<p class="${cssClass}" data-expires="">${text}</p>`;
}

/** The streamer's own !good and !bad. */
const THUMBS = [
  ["good", "Good", "g"],
  ["bad", "Bad", "b"],
] as const;
/** States of replies that the bot wrote. */
const WRITTEN: readonly string[] = ["sent", "unknown", "shadow"];

/** Draws answers, sent or not, with the reason and the outcome. Written ones have buttons to judge them. */
export function drawReplies(replies: readonly ReplyView[], none: string, cssClass?: string) {
  const draw = (reply: ReplyView) => {
    const { id, viewer, userId, state, reason, text, question, outcomes } = reply;
    const unsaid = state === "silent" ? "It said nothing." : "The text has expired.";
    const body = [
      drawExpiring("asked", question),
      drawExpiring("quote", text),
      text === null && state !== "refused" && html`<p class="gone small">${unsaid}</p>`,
    ];
    const about = [
      link(viewerHref(userId), viewer ?? "someone", "who plain"),
      time(reply.createdAtMs),
      badge(state),
      reason && describeCode(explainSilence(reason)),
      ...outcomes.map((one) => badge(one, getPlainName(one))),
      link(`/replies/${id}`, "what it saw"),
    ];
    const thumbs = THUMBS.map(([verdict, label, key]) => {
      const name = outcomes.includes(verdict) ? `${label} ✓` : label;
      return act(`post /api/replies/${id}/verdict`, name, { fields: { verdict }, key });
    });
    return card(`reply-${id}`, body, about, WRITTEN.includes(state) && thumbs);
  };
  return list(replies, none, draw, cssClass);
}

const SUBJECTS = {
  channel: "about the channel",
  bit: "a running joke",
  lore: "about who asked",
} as const;

/** Draws what the model saw for a reply; a sentence if it saw nothing, or its record is damaged. */
function drawTrail(reply: ShownReply) {
  if (reply.trail.kind === "none")
    return emptyText("It ended before the model was called, so the model saw nothing.");
  if (reply.trail.kind === "damaged")
    return emptyText("The record of this answer is damaged and cannot be read.");
  const { trail } = reply.trail;
  const sections = Object.entries(trail.sections).filter(([, tokens]) => tokens > 0);
  const total = formatCount(sections.reduce((sum, [, tokens]) => sum + tokens, 0));
  const most = Math.max(...sections.map(([, tokens]) => tokens), 1);
  const notes = list(reply.facts, "There was no note.", (note) => {
    const [fact, button] = drawUsedNote(note, "w");
    const about = [
      note.isKept ? badge("blue", "it saw this") : "left out",
      SUBJECTS[note.about],
      `score ${note.score.toFixed(2)}`,
    ];
    return card(`weighed-${note.id}`, fact, about, button);
  });
  const leftOut = list(
    trail.ladder,
    "Nothing: everything fitted.",
    ({ section, from, to, savedTokens, droppedIds }) => {
      const saved = `${from} → ${to}, ${formatPlural(savedTokens, "token")} saved`;
      const ids = droppedIds.length > 0 && ` (${droppedIds.join(", ")})`;
      return html`<li>${getPlainName(section)}: ${saved}${ids}</li>`;
    },
    "list small",
  );
  const scenario = html`<p class="more"><a href="/api/replies/${reply.id}/scenario"
    download="reply-${reply.id}.json">Make a scenario for eval</a>
    <span class="small soft">It holds only notes, no word of chat.</span></p>`;
  return columns(part("Notes it could use", notes), [
    part(
      "What the model saw",
      hint(
        `About ${total} tokens, of ${formatCount(trail.limitTokens)} at most. A token is about four letters.`,
      ),
      facts(
        sections.map(([name, tokens]) => [
          getPlainName(name),
          [formatCount(tokens), bar(tokens / most)],
        ]),
      ),
    ),
    part("Left out to keep it short", leftOut),
    foldAway("numbers", "Numbers", [
      facts(listFigures(trail, reply)),
      trail.notes.candidates.length > 0 && scenario,
    ]),
  ]);
}

function listFigures(trail: Trail, reply: ShownReply): readonly (readonly [string, Child])[] {
  const countText = (value: number | null) => (value === null ? "not counted" : formatCount(value));
  const { latencyMs, dollars } = reply;
  const { model, finish, guard } = trail;
  return [
    ["Model", `${model ?? "none"}${finish === null ? "" : `, ${describeCode(finish)}`}`],
    ["Tokens in, estimated", formatCount(trail.estimatedTokens)],
    ["Tokens in, counted", countText(trail.promptTokens)],
    ["of them cached", countText(trail.cachedTokens)],
    ["Tokens out", countText(trail.outputTokens)],
    ["Cost", formatDollars(dollars)],
    ["Time in the model", latencyMs === null ? "not asked" : formatMilliseconds(latencyMs)],
    ["Pace of chat", trail.pace],
    ["Summaries left out", listUnshownEpisodes(trail).join(", ") || "none"],
    ["Removed from the answer", guard.removed.map(describeCode).join(", ") || "nothing"],
    ["Stopped by", guard.rule === null ? "nothing" : describeCode(guard.rule)],
  ];
}

/**
 * Returns two drawn parts of a note in a prompt: its fact, and a button that rejects it, pressed by `key`. If it is not
 * active, its status replaces the button. If it was deleted, they are a sentence and null.
 */
export function drawUsedNote({ id, fact, status }: ShownReply["facts"][number], key?: string) {
  if (fact === null) return [html`<p class="gone">This note is gone.</p>`, null] as const;
  const shown = html`<p class="fact">${link(`/memory/notes/${id}`, fact)}</p>`;
  if (status !== "active") return [shown, badge(status ?? "")] as const;
  const reject = { fields: { status: "rejected" }, cssClass: "quiet", key } as const;
  return [shown, act(`patch /api/notes/${id}`, "This note was wrong", reject)] as const;
}

const YES_AND_NO = [
  ["Do it", { fields: { answer: "approve" }, key: "y", cssClass: "first" }],
  ["Do not", { fields: { answer: "refuse" }, key: "n" }],
] as const;

/**
 * Draws the waiting actions as questions with a countdown; null if there are none. The streamer's have buttons;
 * a viewer answers in chat.
 */
function drawWaitingActions({ db, now, nowMs }: PageData) {
  const held = new ActionReview(db, now)
    .list({ decision: "hold", limit: HELD_SHOWN })
    .filter(({ expiresAtMs }) => Number(expiresAtMs) > nowMs);
  if (held.length === 0) return null;
  const draw = (line: LedgerLine) => {
    const buttons =
      line.waitsFor === "streamer" &&
      YES_AND_NO.map(([label, how]) => act(`post /api/actions/${line.id}/answer`, label, how));
    return html`<li id="held-${line.id}" data-item="" tabindex="-1">
      ${drawExpiring("fact", formatQuestion(line))}<div class="acts">${buttons}
      <span class="num soft small" data-until="${line.expiresAtMs}">…</span></div></li>`;
  };
  return part("Waiting for an answer", list(held, "", draw, "list sheet"));
}

/** Words a waiting action as a question, such as `rosa asks: timeout bob for 60 s?`. */
function formatQuestion({ requesterLogin, targetLogin, waitsFor, action, argsJson }: LedgerLine) {
  const words = [describeCode(action)];
  if (targetLogin !== null) words.push(targetLogin);
  for (const [name, value] of readArguments(argsJson)) {
    if (name === "seconds") words.push(`for ${value} s`);
    else if (name !== "user") words.push(`“${value}”`);
  }
  const requester = requesterLogin ?? FORGOTTEN;
  return waitsFor === "streamer"
    ? `${requester} asks: ${words.join(" ")}?`
    : `The bot asked ${requester} for a yes: ${words.join(" ")}?`;
}

function drawAction(line: LedgerLine) {
  const { requesterLogin, targetLogin, result, endedAs, outcome, error, waitsFor } = line;
  const args = readArguments(line.argsJson).map(([name, value]) => `${name}: ${value}`);
  const made = result?.startsWith("https://") ? link(result, result) : result;
  const about = [`, asked by ${requesterLogin ?? FORGOTTEN}`, result && [", made ", made]];
  const target = targetLogin && ` for ${targetLogin}`;
  const body = html`<p><b>${line.action}</b>${target}<span class="soft">${about}</span></p>
    ${drawExpiring("small soft", args.join(" · "))}`;
  return card(`action-${line.id}`, body, [
    badge(line.decision),
    describeCode(line.reason) !== describeCode(line.decision) && describeCode(line.reason),
    waitsFor && WAITED_FOR[waitsFor],
    endedAs && endedAs !== line.reason && badge(endedAs),
    outcome && badge(outcome),
    error && describeCode(error),
    time(line.createdAtMs),
  ]);
}

/** Returns the arguments of a proposal by name; none for null, which they become after 24 hours. */
function readArguments(json: string | null): [name: string, value: string][] {
  return Object.entries<string>(JSON.parse(json ?? "{}"));
}

const CHAT_SHOWN = 80;
const REPLIES_SHOWN = 40;
const LEARNED_SHOWN = 6;
const NO_CHAT =
  "No messages yet. Write in your chat, with the bot's name: your message and its answer show here.";

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

/** Draws the newest messages and answers, newest first: the style puts the first one at the bottom. */
function drawChat({ db, replies }: PageData) {
  const answers = replies.list({ state: "", limit: REPLIES_SHOWN }).items;
  const messages = readPageChat(db, CHAT_SHOWN);
  if (answers.length + messages.length === 0) return emptyText(NO_CHAT);
  const lines = [
    ...answers.map((reply) => ({ atMs: reply.createdAtMs, drawn: drawAnswer(reply) })),
    ...messages.map((event) => ({ atMs: event.createdAtMs, drawn: drawMessage(event) })),
  ].toSorted((one, other) => other.atMs - one.atMs);
  return html`<ol class="chat sheet" tabindex="0" aria-label="Chat, newest first">
    ${lines.map(({ drawn }) => drawn)}</ol>`;
}

function drawMessage({ id, kind, userId, viewer, text, amount }: ChatRow) {
  const said = html`<span data-expires="">${text}</span>`;
  if (kind === "bot")
    return html`<li id="line-${id}" class="bot"><b>${viewer ?? "bot"}</b> ${said}</li>`;
  const name = viewer ?? "someone";
  const writer =
    userId === null ? html`<b>${name}</b>` : link(viewerHref(userId), name, "who plain");
  const moment =
    amount === null ? describeCode(kind) : `${describeCode(kind)} ${formatCount(amount)}`;
  const isMoment = kind !== "message" && kind !== "action";
  return html`<li id="line-${id}">${writer} ${isMoment && badge("blue", moment)} ${said}</li>`;
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
    ${text === null ? html`<span class="gone">${unsaid}</span>` : html`<span data-expires="">${text}</span>`}
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
  const { callsLastDay, tokensLastDay, dollarsLastDay, failuresLastDay } = spend;
  const isUnpriced = dollarsLastDay === null && callsLastDay > 0;
  return part(
    "Spent in 24 hours",
    facts([
      ["Calls to the model", drawSum(callsLastDay, caps.callsPerDay, formatCount)],
      ["Tokens", drawSum(tokensLastDay, caps.tokensPerDay, formatCount)],
      ["Money", drawSum(dollarsLastDay ?? 0, caps.dollarsPerDay, formatDollars)],
    ]),
    hint(model, isUnpriced && ", price not known"),
    Object.entries(failuresLastDay).map(([code, n]) =>
      hint(`${formatPlural(n, "call")} failed (${describeCode(code)}).`),
    ),
  );
}

/** Draws a sum, its cap, and a bar of its share, which is full for a cap of 0. */
function drawSum(sum: number, cap: number, format: (value: number) => string) {
  return [`${format(sum)} of ${format(cap)}`, bar(cap === 0 ? 1 : sum / cap)];
}

function drawSwitches({ switches }: StatusNow, { autostart, quit }: PageData["control"]) {
  const { paused, safeMode, readOnly } = switches;
  const to = "put /api/switches";
  const end = "The bot leaves your chat and ends. Start ForgetMeNot again to bring it back.";
  return part(
    "Switches",
    drawSwitch(to, "paused", paused, ["Paused", "Reads chat and sends nothing."]),
    drawSwitch(to, "safeMode", safeMode, ["Actions off", "Answers, and does nothing else."]),
    drawSwitch(to, "readOnly", readOnly, [
      "Learning off",
      "Uses what it knows, and learns nothing.",
    ]),
    autostart &&
      drawSwitch("put /api/autostart", "isOn", autostart.isOn(), [
        "Start with the computer",
        "At each log-in, without a window.",
      ]),
    quit && askTwice("quit", "Quit …", end, ["post /api/quit", "Quit ForgetMeNot"]),
  );
}

/** Draws a switch, which sends the opposite of its state as `name`. `to` is a method and an address. */
function drawSwitch(
  to: string,
  name: string,
  isOn: boolean,
  [label, about]: readonly [label: string, about: string],
) {
  return form(
    to,
    { id: `switch-${name}`, fields: { [name]: String(!isOn) } },
    html`<button type="submit" class="switch" role="switch" aria-checked="${String(isOn)}">
      <b>${label}</b><small>${about}</small><i aria-hidden="true"></i></button>`,
  );
}

/** Draws the notices, and last week's that are over; null if there are none. */
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
