import { localTime } from "../config/local-time.ts";
import { isLocked } from "../database/lock.ts";
import { count, dollars, plural } from "../telemetry/figures.ts";
import { whySilent } from "../telemetry/plain-names.ts";
import { readStatusNow, type StatusNow } from "../telemetry/status.ts";
import { heldActions } from "./actions-view.tsx";
import { type EventRow, notesIn, type ReplyRow } from "./browse-store.ts";
import { bar } from "./charts.tsx";
import { botState } from "./layout.tsx";
import { noteSubject } from "./memory-view.tsx";
import {
  badge,
  Confirm,
  Empty,
  Form,
  facts,
  list,
  more,
  Part,
  personHref,
  plain,
  When,
} from "./parts.tsx";
import { operatorContext, type PageData, type Views } from "./route.ts";

const CHAT_SHOWN = 80;
const REPLIES_SHOWN = 40;
const LEARNED_SHOWN = 6;
const SWITCHES = [
  ["paused", "Paused", "Reads chat and sends nothing."],
  ["safeMode", "Actions off", "Answers, and does nothing else."],
  ["readOnly", "Learning off", "Uses what it knows, and learns nothing."],
] as const;

/** Chat with the bot's answers in it, what it just learned, what waits, and what the day costs. */
export const NOW: Views = {
  "/": (data) => {
    const running = isLocked(data.config.dataDir);
    const status = readStatusNow({ ...operatorContext(data), running });
    const bot = botState(data);
    const [channel] = status.channels;
    const { title, category } = data.browse.liveState(status.channels.map((one) => one.channel));
    const about = [bot.about, title, category].filter((one) => one !== "");
    const lead = about.map((one, at) => <span>{at === 0 ? one : ` · ${one}`}</span>);
    return {
      title: "Now",
      heading: (
        <>
          <span class={`dot ${bot.tone}`} /> {bot.word}
          {channel === undefined ? "" : ` in #${channel.channel}`}
        </>
      ),
      lead,
      live: ["chat", "replies", "actions", "notes"],
      shown: <NowView data={data} status={status} />,
    };
  },
};

function NowView({ data, status }: { data: PageData; status: StatusNow }) {
  return (
    <>
      <Notices status={status} />
      {heldActions(data)}
      <div class="cols">
        <Chat data={data} />
        <div>
          <Part title="Just learned">
            {list(
              notesIn(data).newest(LEARNED_SHOWN),
              "Nothing yet. The bot learns a few minutes after viewers chat.",
              (note) => (
                <li>
                  <a class="plain" href={`/memory/notes/${note.id}`}>
                    {note.fact}
                  </a>
                  <div class="meta">
                    {noteSubject(note)}
                    <When ms={note.createdAtMs} />
                    {note.status !== "active" && badge(note.status)}
                  </div>
                </li>
              ),
              "list small",
            )}
            {more("/memory", "All it remembers")}
          </Part>
          <Spend status={status} caps={data.config.llm.caps} />
          <Switches status={status} control={data.control} />
        </div>
      </div>
    </>
  );
}

type Line = { readonly atMs: number } & (
  | { readonly of: "chat"; readonly event: EventRow }
  | { readonly of: "bot"; readonly reply: ReplyRow }
);

/** The newest chat, with each answer after what was said before it. The list is drawn from the bottom up. */
function Chat({ data: { browse } }: { data: PageData }) {
  const events = browse.chat(CHAT_SHOWN);
  const replies = browse.replies({ state: "", limit: REPLIES_SHOWN }).items;
  const all: Line[] = [
    ...events.map((event) => ({ of: "chat" as const, atMs: event.createdAtMs, event })),
    ...replies.map((reply) => ({ of: "bot" as const, atMs: reply.createdAtMs, reply })),
  ];
  const oldestMs = events.length < CHAT_SHOWN ? 0 : (events.at(-1)?.createdAtMs ?? 0);
  const shown = all
    .filter(({ atMs }) => atMs >= oldestMs)
    .toSorted((one, other) => other.atMs - one.atMs || (one.of === "bot" ? -1 : 1));
  return (
    <section>
      <h2>Chat</h2>
      {shown.length === 0 ? (
        <Empty>
          Nobody has written yet. What people write shows here for a day, with the bot's answers.
        </Empty>
      ) : (
        <ol class="chat sheet" tabindex={0} aria-label="Chat, newest first">
          {shown.map((line) =>
            line.of === "chat" ? <ChatLine event={line.event} /> : <BotLine reply={line.reply} />,
          )}
        </ol>
      )}
    </section>
  );
}

function ChatLine({ event: { id, kind, userId, viewer, text, amount } }: { event: EventRow }) {
  const name = viewer ?? (kind === "bot" ? "bot" : "someone");
  const isSaid = kind === "message" || kind === "action" || kind === "bot";
  return (
    <li id={`line-${id}`} class={kind === "bot" ? "bot" : undefined}>
      {userId === null || kind === "bot" ? (
        <b>{name}</b>
      ) : (
        <a class="who plain" href={personHref(userId)}>
          {name}
        </a>
      )}{" "}
      {!isSaid && badge("blue", `${plain(kind)}${amount === null ? "" : ` ${count(amount)}`}`)}{" "}
      <span data-mortal="">{text}</span>
    </li>
  );
}

/** An answer, or why there was none. */
function BotLine({ reply: { id, viewer, state, reason, text } }: { reply: ReplyRow }) {
  const isAnswer = state !== "silent" && state !== "refused";
  const why = reason === null ? "nothing to say" : plain(whySilent(reason));
  return (
    <li id={`answer-${id}`} class={isAnswer ? "bot" : "soft"}>
      {isAnswer ? <b>bot</b> : `No answer to ${viewer ?? "someone"}: ${why}.`}{" "}
      {state === "shadow" && badge("shadow", "not sent")}{" "}
      {isAnswer && text !== null && <span data-mortal="">{text}</span>}
      {isAnswer && text === null && (
        <span class="gone">{state === "thinking" ? "is thinking …" : "The text has expired."}</span>
      )}{" "}
      <a class="small" href={`/replies/${id}`}>
        what it saw
      </a>
    </li>
  );
}

type Caps = PageData["config"]["llm"]["caps"];

function Spend({ status: { daemon, spend }, caps }: { status: StatusNow; caps: Caps }) {
  const failed = Object.entries(spend.failuresLastDay);
  const used = [
    ["Calls to the model", count, spend.callsLastDay, caps.callsPerDay],
    ["Tokens", count, spend.tokensLastDay, caps.tokensPerDay],
    ["Money", dollars, spend.dollarsLastDay, caps.dollarsPerDay],
  ] as const;
  return (
    <Part title="Spent in 24 hours">
      {facts(
        used.map(([label, write, value, cap]) => [
          label,
          cap === null || value === null
            ? write(value ?? 0)
            : [`${write(value)} of ${write(cap)}`, bar(cap <= 0 ? 0 : value / cap)],
        ]),
      )}
      <p class="small soft more">
        {daemon?.model ?? "No model"}
        {spend.dollarsLastDay === null && spend.callsLastDay > 0 ? ", price not known" : ""}
      </p>
      {failed.length > 0 && (
        <p class="small">
          {failed.map(([code, n]) => `${plural(n, "call")} failed (${plain(code)}). `)}
        </p>
      )}
    </Part>
  );
}

function Switches(given: { status: StatusNow; control: PageData["control"] }) {
  const { status, control } = given;
  const { autostart, quit } = control;
  return (
    <Part title="Switches">
      {SWITCHES.map(([name, label, about]) => (
        <Switch to="put /api/switches" {...{ name, label, about }} isOn={status.switches[name]} />
      ))}
      {autostart && (
        <Switch
          to="put /api/autostart"
          name="isOn"
          label="Start with the computer"
          about="At each log-in, without a window."
          isOn={autostart.isOn()}
        />
      )}
      {quit && (
        <Confirm id="quit" label="Quit …" to="post /api/quit" yes="Quit ForgetMeNot">
          The bot leaves your chat and ends. Start ForgetMeNot again to bring it back.
        </Confirm>
      )}
    </Part>
  );
}

function Switch(given: { to: string; name: string; label: string; about: string; isOn: boolean }) {
  const { to, name, label, about, isOn } = given;
  return (
    <Form id={`switch-${name}`} to={to} fields={{ [name]: String(!isOn) }}>
      <button type="submit" class="switch" role="switch" aria-checked={String(isOn)}>
        <b>{label}</b>
        <small>{about}</small>
        <i aria-hidden="true" />
      </button>
    </Form>
  );
}

function Notices({ status: { notices, pastNotices } }: { status: StatusNow }) {
  if (notices.length + pastNotices.length === 0) return null;
  return (
    <section>
      <h2 class="unseen">Notices</h2>
      {notices.map(({ severity, message, firstAtMs }) => (
        <div class={`notice ${severity}`}>
          {message} <span class="soft small">since {localTime(firstAtMs)}</span>
        </div>
      ))}
      {pastNotices.length > 0 && (
        <details id="past-notices">
          <summary class="soft small">Over, of the last week: {pastNotices.length}</summary>
          {pastNotices.map(({ message, clearedAtMs }) => (
            <p class="soft small">
              {message} (until <When ms={clearedAtMs} />)
            </p>
          ))}
        </details>
      )}
    </section>
  );
}
