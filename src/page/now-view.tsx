import { count, dollars } from "../telemetry/figures.ts";
import type { StatusNow } from "../telemetry/status.ts";
import { HeldActions, type LedgerLine } from "./actions-view.tsx";
import type { ReplyRow } from "./browse-store.ts";
import { Pace } from "./charts.tsx";
import { Badge, Empty, Hidden, More, plain, useAround, When } from "./parts.tsx";
import { ReplyList } from "./replies-view.tsx";

export interface NowGiven {
  readonly status: StatusNow;
  /** Lines of people in each of the last minutes. */
  readonly pace: readonly number[];
  readonly replies: readonly ReplyRow[];
  readonly held: readonly LedgerLine[];
  readonly caps: {
    readonly callsPerHour: number;
    readonly callsPerDay: number;
    readonly tokensPerDay: number;
    readonly dollarsPerDay: number | null;
  };
}

/** What happens now: the channel, the switches, and the last answers as they come. */
export function NowView({ status, pace, replies, held, caps }: NowGiven) {
  const [channel] = status.channels;
  return (
    <>
      <div class="head">
        <div>
          <h1>
            {channel === undefined ? "No channel yet" : channel.title || `#${channel.channel}`}
          </h1>
          {status.channels.map((one) => (
            <p class="lead">
              {one.title === "" && channel === one ? "" : `#${one.channel} · `}
              {liveWord(one.isLive)}
              {one.category === "" ? "" : ` · ${one.category}`}
            </p>
          ))}
        </div>
      </div>
      <h2 class="unseen">Switches</h2>
      <Switches switches={status.switches} />
      <div class="cols">
        <div>
          {held.length === 0 ? null : <HeldActions held={held} />}
          <section>
            <h2>Answers</h2>
            {replies.length === 0 ? (
              <Empty>
                Nobody has spoken to the bot yet. What it says, or keeps to itself, appears here.
              </Empty>
            ) : (
              <ReplyList replies={replies} />
            )}
            {replies.length === 0 ? null : <More href="/replies">All answers</More>}
          </section>
        </div>
        <div>
          <section>
            <Pace lines={pace} pace={channel?.pace ?? null} />
          </section>
          <section>
            <h2>Try it</h2>
            <Composer />
          </section>
          <section>
            <h2>Model</h2>
            <Model status={status} caps={caps} />
          </section>
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
        <form method="post" action="/api/switches">
          <Hidden fields={{ _method: "put", [name]: String(!switches[name]) }} />
          <button type="submit" class="switch" role="switch" aria-checked={String(switches[name])}>
            <b>{label}</b>
            <small>{about}</small>
            <i aria-hidden="true" />
          </button>
        </form>
      ))}
    </div>
  );
}

function Composer() {
  const { csrf } = useAround();
  return (
    <form data-try="" class="fields">
      <input type="hidden" name="_csrf" value={csrf} />
      <label>
        <span>What would you answer to …</span>
        <textarea name="question" required maxlength={500} rows={2} />
      </label>
      <div class="row between">
        <label>
          <span class="unseen">Who asks: a login, or nobody the bot knows</span>
          <input name="viewer" maxlength={60} placeholder="as a stranger, or a login" />
        </label>
        <button type="submit">Try</button>
      </div>
      <p id="tried" class="quote" data-tried="" role="status" />
      <p class="small soft">
        It costs what an answer costs. Nothing is sent to chat, and nothing is kept.
      </p>
    </form>
  );
}

function Model({ status: { daemon, spend }, caps }: Pick<NowGiven, "status" | "caps">) {
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
  return (
    <>
      <span>{name}</span>
      <Used name={name} share={of <= 0 ? 0 : value / of} />
      <span class="num soft">{`${count(value)} of ${count(of)}`}</span>
    </>
  );
}

/** How much of a cap is used. */
function Used({ name, share }: { name: string; share: number }) {
  const width = Math.round(Math.min(1, share) * 100);
  return (
    <svg
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${name}: ${width} %`}
    >
      <rect class="room" width="100" height="6" />
      <rect class={share > 0.8 ? "used much" : "used"} width={width} height="6" />
    </svg>
  );
}

function Notices({ status: { notices, pastNotices } }: { status: StatusNow }) {
  if (notices.length + pastNotices.length === 0) return null;
  return (
    <section>
      <h2>To know</h2>
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
    </section>
  );
}
