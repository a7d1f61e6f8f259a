import { localTime } from "../config/local-time.ts";
import { isLocked } from "../database/lock.ts";
import { count, dollars } from "../telemetry/figures.ts";
import { readStatusNow, type StatusNow } from "../telemetry/status.ts";
import { heldActions } from "./actions-view.tsx";
import { replyList } from "./answers-view.tsx";
import { bar, PaceChart } from "./charts.tsx";
import { badge, Form, facts, input, lines, more, Part, plain, TryForm, When } from "./parts.tsx";
import { operatorContext, type PageData, type Views } from "./route.ts";

const PACE_MINUTES = 30;
const REPLIES_SHOWN = 20;
const NO_REPLIES = "Nobody has spoken to the bot yet. Its answers appear here.";
const LIVE_WORDS = { true: "live", false: "offline", null: "not known whether it is live" };
const SWITCHES = [
  ["paused", "Paused", "Sends nothing, but still listens."],
  ["safeMode", "Safe mode", "Talks, and refuses every action."],
  ["readOnly", "Memory read-only", "Remembers what it knows, and learns nothing."],
] as const;

/** The channel, the switches and the last answers, live. */
export const NOW: Views = {
  "/": (data) => {
    const running = isLocked(data.config.dataDir);
    const status = readStatusNow({ ...operatorContext(data), running });
    const [channel] = status.channels;
    const lead = status.channels.map((one) => (
      <span class="line">
        {one.title === "" && channel === one ? "" : `#${one.channel} · `}
        {LIVE_WORDS[String(one.isLive) as keyof typeof LIVE_WORDS]}
        {one.category === "" ? "" : ` · ${one.category}`}
      </span>
    ));
    return {
      title: "Now",
      heading: channel === undefined ? "No channel yet" : channel.title || `#${channel.channel}`,
      lead,
      live: ["replies", "actions", "pace"],
      shown: <NowView data={data} status={status} />,
    };
  },
};

function NowView({ data, status }: { data: PageData; status: StatusNow }) {
  const { browse, nowMs, config } = data;
  const pace = browse.linesPerMinute(nowMs, PACE_MINUTES);
  const question = { required: true, maxlength: 500, rows: 2 };
  return (
    <>
      <h2 class="unseen">Switches</h2>
      <div class="switches">
        {SWITCHES.map(([name, label, about]) => {
          const isOn = status.switches[name];
          return (
            <Form id={`switch-${name}`} to="put /api/switches" fields={{ [name]: String(!isOn) }}>
              <button type="submit" class="switch" role="switch" aria-checked={String(isOn)}>
                <b>{label}</b>
                <small>{about}</small>
                <i aria-hidden="true" />
              </button>
            </Form>
          );
        })}
      </div>
      <div class="cols">
        <div>
          {heldActions(data)}
          <Part title="Answers">
            {replyList(browse.replies({ state: "", limit: REPLIES_SHOWN }).items, NO_REPLIES)}
            {more("/replies", "All answers")}
          </Part>
        </div>
        <div>
          <section>
            <PaceChart lines={pace} pace={status.channels[0]?.pace ?? null} />
          </section>
          <Part title="Try it">
            <TryForm>
              {lines("What would you answer to …", "question", "", question)}
              {input("Asked by", "viewer", {
                maxlength: 60,
                placeholder: "a stranger, or a login",
              })}
              <div>
                <button type="submit">Try</button>
              </div>
            </TryForm>
            <p class="small soft">
              It costs as much as an answer. Nothing is sent to chat or stored.
            </p>
          </Part>
          <Model status={status} caps={config.llm.caps} />
          <Notices status={status} />
        </div>
      </div>
    </>
  );
}

type Caps = PageData["config"]["llm"]["caps"];

function Model({ status, caps }: { status: StatusNow; caps: Caps }) {
  const { daemon, spend } = status;
  const failed = Object.entries(spend.failuresLastDay);
  const used = [
    ["Calls, 1 h", spend.callsLastHour, caps.callsPerHour],
    ["Calls, 24 h", spend.callsLastDay, caps.callsPerDay],
    ["Tokens, 24 h", spend.tokensLastDay, caps.tokensPerDay],
    ["Dollars, 24 h", spend.dollarsLastDay ?? 0, caps.dollarsPerDay],
  ] as const;
  return (
    <Part title="Model">
      <p>
        <b>{daemon?.model ?? "none"}</b> <span class="soft">by {daemon?.provider ?? "nobody"}</span>
      </p>
      {failed.length > 0 && (
        <p class="small">
          {failed.map(([code, n]) => (
            <>{badge("failed", `${count(n)} × ${plain(code)}`)} </>
          ))}
          <span class="soft">in 24 h</span>
        </p>
      )}
      {facts(
        used.flatMap(([label, value, cap]) =>
          cap === null
            ? []
            : [[label, [`${count(value)} of ${count(cap)}`, bar(cap <= 0 ? 0 : value / cap)]]],
        ),
      )}
      <p class="small soft">
        {spend.dollarsLastDay === null
          ? "No price is known for this model."
          : `${dollars(spend.dollarsLastDay)} in 24 hours.`}
      </p>
    </Part>
  );
}

function Notices({ status: { notices, pastNotices } }: { status: StatusNow }) {
  if (notices.length + pastNotices.length === 0) return null;
  return (
    <Part title="Notices">
      {notices.map(({ severity, message, firstAtMs }) => (
        <div class={`notice ${severity}`}>
          {message} <span class="soft small">since {localTime(firstAtMs)}</span>
        </div>
      ))}
      {pastNotices.length > 0 && (
        <details>
          <summary class="soft small">Over, of the last week: {pastNotices.length}</summary>
          {pastNotices.map(({ message, clearedAtMs }) => (
            <p class="soft small">
              {message} (until <When ms={clearedAtMs} />)
            </p>
          ))}
        </details>
      )}
    </Part>
  );
}
