import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { actionReview } from "../actions/ledger-store.ts";
import { identityStore } from "../chat/viewer-store.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { memoryReportStore } from "../telemetry/report-store.ts";
import { readStatusNow } from "../telemetry/status.ts";
import { ActionsView, PolicyView } from "./actions-view.tsx";
import type { Held } from "./api.ts";
import {
  actionsQuery,
  explain,
  explainQuery,
  listActions,
  policyRows,
  statusParts,
} from "./control-routes.ts";
import { ExplainView } from "./explain-view.tsx";
import { Page, type PageGiven, pulseOf } from "./layout.tsx";
import type { Topic } from "./live-store.ts";
import { NotesView, NoteView } from "./memory-view.tsx";
import { listNotes, notesQuery, REVIEWED, reviewedSchema, showNote } from "./notes-routes.ts";
import { NowView } from "./now-view.tsx";
import { listViewers, showViewer, viewersQuery } from "./people-routes.ts";
import { EpisodeView, PeopleView, PersonView, StreamsView } from "./people-view.tsx";
import { periodOf, readStats, showEpisode, showReply, statsQuery } from "./record-routes.ts";
import { AnatomyView, RepliesView } from "./replies-view.tsx";
import { ReviewView, worthALook } from "./review-view.tsx";
import { type Flash, idIn, listQuery, type PageData } from "./route.ts";
import { changesIn, policyEffects, previewChange, settingsOf } from "./settings.ts";
import { SettingsView } from "./settings-view.tsx";
import { TelemetryFigures, TelemetryView } from "./telemetry-view.tsx";

const PACE_MINUTES = 30;
const NOW_REPLIES = 20;
const REVIEW_NOTES = 50;
const STREAM_EPISODES = 40;
const STREAMS_SHOWN = 10;
const HELD_SHOWN = 20;
/** Of a stream that is too long ago only so much is looked through. */
const DAY_MS = 86_400_000;

type Ask = Context<Held>;

/** The pages. Each reads what it shows, and draws it. */
export function viewRoutes(): Hono<Held> {
  const app = new Hono<Held>();
  const draw = (context: Ask, given: ViewGiven) =>
    drawPage(context, given, context.get("takeFlash")());
  nowRoutes(app, draw);
  memoryRoutes(app, draw);
  reviewRoutes(app, draw);
  steeringRoutes(app, draw);
  return app;
}

interface ViewGiven extends Pick<PageGiven, "title" | "at"> {
  readonly live: readonly Topic[];
  readonly view: Child;
}

type Draw = (context: Ask, given: ViewGiven) => Response | Promise<Response>;

function drawPage(context: Ask, { view, ...given }: ViewGiven, flash: Flash | null) {
  const data = context.get("data");
  const csrf = context.get("person")?.csrf ?? "";
  return context.html(
    <Page {...given} csrf={csrf} nowMs={data.nowMs} flash={flash} pulse={pulseOf(data)}>
      {view}
    </Page>,
  );
}

/** Says what is missing, in the look of every page. */
export function errorView(context: Ask, text: string, status: 400 | 404 | 500) {
  const data = context.get("data");
  const view = (
    <div class="head">
      <div>
        <h1>{text}</h1>
        <p class="lead">
          <a href="/">Back to now</a>
        </p>
      </div>
    </div>
  );
  context.status(status);
  try {
    return drawPage(context, { title: "Nothing", at: "/", live: [], view }, null);
  } catch {
    return data === undefined ? context.text(text, status) : context.text(text, 500);
  }
}

function heldOf({ db, nowMs }: PageData) {
  const held = actionReview(db, () => nowMs).list({ decision: "hold", limit: HELD_SHOWN });
  return held.filter(
    ({ waitsFor, expiresAtMs }) =>
      waitsFor === "streamer" && expiresAtMs !== null && expiresAtMs > nowMs,
  );
}

function nowRoutes(app: Hono<Held>, draw: Draw): void {
  app.get("/", (context) => {
    const data = context.get("data");
    const { browse, nowMs, config } = data;
    const given = {
      status: readStatusNow(statusParts(data)),
      pace: browse.linesPerMinute(nowMs, PACE_MINUTES),
      replies: browse.replies(null, null, NOW_REPLIES).items,
      held: heldOf(data),
      caps: config.llm.caps,
    };
    const live = ["replies", "actions", "pace"] as const;
    return draw(context, { title: "Now", at: "/", live, view: <NowView {...given} /> });
  });
  app.get("/replies", (context) => {
    const { after, limit } = listQuery.parse(context.req.query());
    const state = context.req.query("state") ?? "";
    const asked = state === "" ? null : state;
    const { items, next } = context.get("data").browse.replies(asked, after ?? null, limit);
    const view = <RepliesView replies={items} state={state} next={next} />;
    return draw(context, { title: "Answers", at: "/", live: ["replies"], view });
  });
  app.get("/replies/:id", (context) => {
    const reply = showReply(context.get("data"), idIn(context.req.param()));
    const live = ["replies", "notes", "actions"] as const;
    return draw(context, {
      title: `Answer ${reply.id}`,
      at: "/",
      live,
      view: <AnatomyView reply={reply} />,
    });
  });
}

function memoryRoutes(app: Hono<Held>, draw: Draw): void {
  app.get("/memory", (context) => {
    const query = notesQuery.parse(context.req.query());
    const view = <NotesView notes={listNotes(context.get("data"), query)} query={query} />;
    return draw(context, { title: "Memory", at: "/memory", live: ["notes"], view });
  });
  app.get("/memory/notes/:id", (context) => {
    const data = context.get("data");
    const note = showNote(data, idIn(context.req.param()));
    const [row] = data.browse.notesOf([note.id]);
    const view = <NoteView note={note} subjectId={row?.subjectId ?? null} />;
    return draw(context, { title: `Note ${note.id}`, at: "/memory", live: ["notes"], view });
  });
  app.get("/memory/people", (context) => {
    const query = viewersQuery.parse(context.req.query());
    const view = <PeopleView people={listViewers(context.get("data"), query)} q={query.q} />;
    return draw(context, { title: "People", at: "/memory", live: [], view });
  });
  app.get("/memory/people/:id", async (context) => {
    const data = context.get("data");
    const userId = context.req.param("id");
    const isNamingWanted = context.req.query("named") !== undefined;
    const record = await showViewer(data, userId, isNamingWanted);
    const accounts = identityStore(data.db, () => data.nowMs).accountsOf(userId);
    const notes = accounts.flatMap(
      (subjectId) => data.browse.notes({ ...EVERY_NOTE, subjectId }).items,
    );
    const view = <PersonView userId={userId} record={record} notes={notes} />;
    return draw(context, { title: "A person", at: "/memory", live: ["notes"], view });
  });
  app.get("/memory/streams", (context) => {
    const { browse } = context.get("data");
    const { after } = listQuery.parse(context.req.query());
    const { items, next } = browse.streams(after ?? null, STREAMS_SHOWN);
    const streams = items.map((one) => ({
      ...one,
      episodes: browse.episodesOf(one.id, STREAM_EPISODES),
    }));
    const failed = browse.episodes(null, "failed", STREAM_EPISODES).items;
    const view = <StreamsView streams={{ items: streams, next }} failed={failed} />;
    return draw(context, { title: "Streams", at: "/memory", live: ["episodes"], view });
  });
  app.get("/memory/episodes/:id", (context) => {
    const data = context.get("data");
    const episode = showEpisode(data, idIn(context.req.param()));
    const view = <EpisodeView episode={episode} notes={data.browse.notesOfEpisode(episode.id)} />;
    return draw(context, {
      title: `Episode ${episode.id}`,
      at: "/memory",
      live: ["episodes", "notes"],
      view,
    });
  });
}

const EVERY_NOTE = {
  scope: null,
  status: "all",
  kind: null,
  channel: null,
  words: "",
  before: null,
  limit: 200,
} as const;

function reviewRoutes(app: Hono<Held>, draw: Draw): void {
  app.get("/review", (context) => {
    const data = context.get("data");
    const { browse, db, nowMs, config } = data;
    const session = Number(context.req.query("session") ?? Number.NaN);
    const before = Number.isSafeInteger(session) ? session + 1 : null;
    const [stream] = browse.streams(before, 1).items;
    const fromMs = stream?.startedAtMs ?? nowMs - DAY_MS;
    const toMs = stream?.endedAtMs ?? nowMs;
    const replies = browse.repliesBetween(fromMs, toMs);
    const corrections = actionReview(db, () => nowMs).list({ decision: "run", limit: 200 });
    const corrected = new Set(
      corrections
        .filter(({ action }) => action === "correct")
        .flatMap(({ id }) => browse.replyOfAction(id) ?? []),
    );
    const reviewed =
      runtimeStore(db, () => nowMs).read(REVIEWED, reviewedSchema)?.value.noteId ?? 0;
    const channels = stream === undefined ? config.channels : [stream.channel];
    const given = {
      stream: stream ?? null,
      memory: memoryReportStore(db).changes({ channels, fromMs, toMs }),
      sent: replies.filter(({ state }) => state === "sent").length,
      worth: worthALook(replies, corrected),
      waiting: browse.waiting(REVIEW_NOTES),
      fresh: browse.newSince(reviewed, fromMs, REVIEW_NOTES),
      newestNoteId: browse.newestNoteId(),
    };
    const live = ["notes", "replies", "episodes"] as const;
    return draw(context, { title: "Review", at: "/review", live, view: <ReviewView {...given} /> });
  });
  app.get("/telemetry", (context) => {
    const data = context.get("data");
    const query = statsQuery.parse(context.req.query());
    const streams = data.browse.streams(null, 50).items;
    const view = <TelemetryView period={periodOf(data, query)} streams={streams} query={query} />;
    return draw(context, { title: "Telemetry", at: "/telemetry", live: [], view });
  });
  app.get("/telemetry/figures", async (context) => {
    const data = context.get("data");
    const report = await readStats(data, statsQuery.parse(context.req.query()));
    const { bestNotes, worstNotes } = report.outcomes;
    const notes = data.browse.notesOf([...bestNotes, ...worstNotes].map(({ noteId }) => noteId));
    const view = <TelemetryFigures report={report} notes={notes} />;
    return draw(context, { title: "Telemetry", at: "/telemetry", live: [], view });
  });
}

function steeringRoutes(app: Hono<Held>, draw: Draw): void {
  app.get("/actions", (context) => {
    const data = context.get("data");
    const query = actionsQuery.parse(context.req.query());
    const view = (
      <ActionsView ledger={listActions(data, query)} held={heldOf(data)} query={query} />
    );
    return draw(context, { title: "Actions", at: "/actions", live: ["actions"], view });
  });
  app.get("/actions/explain", async (context) => {
    const asked = context.req.query();
    const query = explainQuery.parse(asked);
    const isAsked = asked["action"] !== undefined;
    const explained = isAsked ? await explain(context.get("data"), query) : null;
    const view = <ExplainView query={query} explained={explained} />;
    return draw(context, { title: "What if", at: "/actions", live: [], view });
  });
  app.get("/actions/policy", (context) => {
    const data = context.get("data");
    const settings = settingsOf(data.config);
    const asked = fieldsIn(context, new Set(settings.map(({ key }) => key)));
    const preview = Object.keys(asked).length === 0 ? null : previewOf(data, asked);
    const given = {
      settings,
      canSave: data.configFile !== null,
      rows: policyRows(data, 20),
      preview,
    };
    return draw(context, {
      title: "Policy",
      at: "/actions",
      live: [],
      view: <PolicyView {...given} />,
    });
  });
  app.get("/settings", (context) => {
    const { config, configFile } = context.get("data");
    const { dataDir } = config;
    const given = { settings: settingsOf(config), canSave: configFile !== null, dataDir };
    return draw(context, {
      title: "Settings",
      at: "/settings",
      live: [],
      view: <SettingsView {...given} />,
    });
  });
}

/** What a form asks for, one value or several a key. */
function fieldsIn(context: Ask, known: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const all = Object.entries(context.req.queries()).filter(([key]) => known.has(key));
  return Object.fromEntries(
    all.map(([key, values]) => [key, values.length === 1 ? values[0] : values]),
  );
}

/** Only what differs goes on to be saved. */
function previewOf(data: PageData, asked: Readonly<Record<string, unknown>>) {
  const changes = previewChange(data.configFile, changesIn(data.config, asked));
  const keys = new Set(changes.map(({ key }) => key));
  const fields = Object.fromEntries(
    Object.entries(asked)
      .filter(([key]) => keys.has(key))
      .map(([key, value]) => [key, Array.isArray(value) ? value.join("\n") : String(value)]),
  );
  return { changes, fields, effects: policyEffects(data, changes) };
}
