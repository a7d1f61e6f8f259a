import { isLocked } from "../platform/database/lock.ts";
import { count, dollars } from "../telemetry/figures.ts";
import { readStatusNow, type StatusNow } from "../telemetry/status.ts";
import { PaceChart } from "./charts.tsx";
import { HeldActions } from "./ledger-view.tsx";
import { Badge, Form, Lines, List, More, Part, plain, TryForm, When } from "./parts.tsx";
import { ReplyItem } from "./replies-view.tsx";
import { operatorContext, type PageData } from "./route.ts";
import type { Views } from "./views.tsx";

const PACE_MINUTES = 30;
const REPLIES_SHOWN = 20;
const NO_REPLIES =
  "Nobody has spoken to the bot yet. What it says, or keeps to itself, appears here.";

/** What happens now: the channel, the switches, and the last answers as they come. */
export const NOW: Views = {
  "/": (data) => {
    const running = isLocked(data.config.dataDir);
    const status = readStatusNow({ ...operatorContext(data), running });
    const [channel] = status.channels;
    const lead = status.channels.map((one) => (
      <span class="line">
        {one.title === "" && channel === one ? "" : `#${one.channel} · `}
        {liveWord(one.isLive)}
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
  return (
    <>
      <h2 class="unseen">Switches</h2>
      <Switches switches={status.switches} />
      <div class="cols">
        <div>
          <HeldActions data={data} />
          <Part title="Answers">
            <List of={browse.replies({ state: "", limit: REPLIES_SHOWN }).items} none={NO_REPLIES}>
              {(reply) => <ReplyItem reply={reply} />}
            </List>
            <More href="/replies">All answers</More>
          </Part>
        </div>
        <div>
          <section>
            <PaceChart
              lines={browse.linesPerMinute(nowMs, PACE_MINUTES)}
              pace={status.channels[0]?.pace ?? null}
            />
          </section>
          <Part title="Try it">
            <TryForm>
              <Lines
                label="What would you answer to …"
                name="question"
                required
                maxlength={500}
                rows={2}
              />
              <div class="row between">
                <label>
                  <span class="unseen">Who asks: a login, or nobody the bot knows</span>
                  <input name="viewer" maxlength={60} placeholder="as a stranger, or a login" />
                </label>
                <button type="submit">Try</button>
              </div>
            </TryForm>
            <p class="small soft">
              It costs what an answer costs. Nothing is sent to chat, and nothing is kept.
            </p>
          </Part>
          <Part title="Model">
            <Model status={status} caps={config.llm.caps} />
          </Part>
          <Notices status={status} />
        </div>
      </div>
    </>
  );
}

function liveWord(isLive: boolean | null): string {
  if (isLive === null) return "not known whether it is live";
  return isLive ? "live" : "offline";
}

const SWITCHES = [
  ["paused", "Paused", "Falls silent at once, and goes on listening."],
  ["safeMode", "Safe mode", "Talks, and refuses every action."],
  ["readOnly", "Memory read-only", "Remembers what it knows, and learns nothing."],
] as const;

function Switches({ switches }: { switches: StatusNow["switches"] }) {
  return (
    <div class="switches">
      {SWITCHES.map(([name, label, about]) => (
        <Form
          id={`switch-${name}`}
          to="put /api/switches"
          fields={{ [name]: String(!switches[name]) }}
        >
          <button type="submit" class="switch" role="switch" aria-checked={String(switches[name])}>
            <b>{label}</b>
            <small>{about}</small>
            <i aria-hidden="true" />
          </button>
        </Form>
      ))}
    </div>
  );
}

function Model({
  status: { daemon, spend },
  caps,
}: {
  status: StatusNow;
  caps: PageData["config"]["llm"]["caps"];
}) {
  const failed = Object.entries(spend.failuresLastDay);
  return (
    <>
      <p>
        <b>{daemon?.model ?? "none"}</b> <span class="soft">by {daemon?.provider ?? "nobody"}</span>
      </p>
      {failed.length === 0 ? null : (
        <p class="small">
          {failed.map(([code, n]) => (
            <>
              <Badge code="failed">{`${count(n)} × ${plain(code)}`}</Badge>{" "}
            </>
          ))}
          <span class="soft">in 24 h</span>
        </p>
      )}
      <div class="spend">
        <Cap name="Calls, 1 h" value={spend.callsLastHour} of={caps.callsPerHour} />
        <Cap name="Calls, 24 h" value={spend.callsLastDay} of={caps.callsPerDay} />
        <Cap name="Tokens, 24 h" value={spend.tokensLastDay} of={caps.tokensPerDay} />
        {caps.dollarsPerDay === null ? null : (
          <Cap name="Dollars, 24 h" value={spend.dollarsLastDay ?? 0} of={caps.dollarsPerDay} />
        )}
      </div>
      <p class="small soft">
        {spend.dollarsLastDay === null
          ? "No price is known for this model."
          : `${dollars(spend.dollarsLastDay)} in 24 hours.`}
      </p>
    </>
  );
}

function Cap({ name, value, of }: { name: string; value: number; of: number }) {
  const share = of <= 0 ? 0 : value / of;
  const width = Math.round(Math.min(1, share) * 100);
  const label = `${name}: ${width} %`;
  return (
    <>
      <span>{name}</span>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
        <rect class="room" width="100" height="6" />
        <rect class={share > 0.8 ? "used much" : "used"} width={width} height="6" />
      </svg>
      <span class="num soft">{`${count(value)} of ${count(of)}`}</span>
    </>
  );
}

function Notices({ status: { notices, pastNotices } }: { status: StatusNow }) {
  if (notices.length + pastNotices.length === 0) return null;
  return (
    <Part title="To know">
      {notices.map(({ severity, message, lastAtMs }) => (
        <div class={`notice ${severity}`}>
          {message}{" "}
          <span class="soft small">
            <When ms={lastAtMs} />
          </span>
        </div>
      ))}
      {pastNotices.length === 0 ? null : (
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
