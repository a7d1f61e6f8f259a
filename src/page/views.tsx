import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { actionReview } from "../actions/action-review-store.ts";
import { identityStore } from "../chat/identity-store.ts";
import { runtimeStore } from "../platform/database/runtime-store.ts";
import { memoryReportStore } from "../telemetry/memory-store.ts";
import { ActionsView } from "./actions-view.tsx";
import { AnatomyView, RepliesView } from "./anatomy-view.tsx";
import type { Held } from "./api.ts";
import { policyRows } from "./control-routes.ts";
import { type Desk, type Flash, idIn, listQuery } from "./desk.ts";
import { Page, type PageGiven } from "./layout.tsx";
import type { Topic } from "./live.ts";
import { NotesView, NoteView } from "./memory-view.tsx";
import { listNotes, notesQuery, REVIEWED, reviewedSchema, showNote } from "./notes-routes.ts";
import { NowView } from "./now-view.tsx";
import { listViewers, showViewer, viewersQuery } from "./people-routes.ts";
import { EpisodeView, PeopleView, PersonView, StreamsView } from "./people-view.tsx";
import { policyEffects } from "./policy-effects.ts";
import { PolicyView } from "./policy-view.tsx";
import { pulseOf, statusNow } from "./pulse.ts";
import {
  actionsQuery,
  listActions,
  readStats,
  showEpisode,
  showReply,
  statsQuery,
} from "./record-routes.ts";
import { ReviewView, worthALook } from "./review-view.tsx";
import { changesIn, previewChange, settingsOf } from "./settings.ts";
import { SettingsView } from "./settings-view.tsx";
import { TelemetryView } from "./telemetry-view.tsx";

const PACE_MINUTES = 30;
const NOW_REPLIES = 20;
const REVIEW_NOTES = 50;
const STREAM_EPISODES = 40;
const STREAMS_SHOWN = 10;
const HELD_SHOWN = 20;
/** Of a stream that is too long ago only so much is looked through. */
const DAY_MS = 86_400_000;

type Ask = Context<Held>;
type TakeFlash = (context: Ask) => Flash | null;

/** The pages. Each reads what it shows, and draws it. */
export function viewRoutes(takeFlash: TakeFlash): Hono<Held> {
  const app = new Hono<Held>();
  const draw = (context: Ask, given: ViewGiven) => drawPage(context, given, takeFlash(context));
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
  const desk = context.get("desk");
  const csrf = context.get("person")?.csrf ?? "";
  return context.html(
    <Page {...given} csrf={csrf} nowMs={desk.nowMs} flash={flash} pulse={pulseOf(desk)}>
      {view}
    </Page>,
  );
}

/** Says what is missing, in the look of every page. */
export function errorView(context: Ask, text: string, status: 400 | 404 | 500) {
  const desk = context.get("desk");
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
    return desk === undefined ? context.text(text, status) : context.text(text, 500);
  }
}

function heldOf({ db, nowMs }: Desk) {
  const held = actionReview(db, () => nowMs).list({ decision: "hold", limit: HELD_SHOWN });
  return held.filter(
    ({ waitsFor, expiresAtMs }) =>
      waitsFor === "streamer" && expiresAtMs !== null && expiresAtMs > nowMs,
  );
}

function nowRoutes(app: Hono<Held>, draw: Draw): void {
  app.get("/", (context) => {
    const desk = context.get("desk");
    const { browse, nowMs, config } = desk;
    const given = {
      status: statusNow(desk),
      pace: browse.linesPerMinute(nowMs, PACE_MINUTES),
      replies: browse.replies(null, null, NOW_REPLIES).items,
      held: heldOf(desk),
      caps: config.llm.caps,
    };
    const live = ["replies", "actions"] as const;
    return draw(context, { title: "Now", at: "/", live, view: <NowView {...given} /> });
  });
  app.get("/replies", (context) => {
    const { after, limit } = listQuery.parse(context.req.query());
    const state = context.req.query("state") ?? "";
    const asked = state === "" ? null : state;
    const { items, next } = context.get("desk").browse.replies(asked, after ?? null, limit);
    const view = <RepliesView replies={items} state={state} next={next} />;
    return draw(context, { title: "Answers", at: "/", live: ["replies"], view });
  });
  app.get("/replies/:id", (context) => {
    const reply = showReply(context.get("desk"), idIn(context.req.param()));
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
    const view = <NotesView notes={listNotes(context.get("desk"), query)} query={query} />;
    return draw(context, { title: "Memory", at: "/memory", live: ["notes"], view });
  });
  app.get("/memory/notes/:id", (context) => {
    const desk = context.get("desk");
    const note = showNote(desk, idIn(context.req.param()));
    const [row] = desk.browse.notesOf([note.id]);
    const view = <NoteView note={note} subjectId={row?.subjectId ?? null} />;
    return draw(context, { title: `Note ${note.id}`, at: "/memory", live: ["notes"], view });
  });
  app.get("/memory/people", (context) => {
    const query = viewersQuery.parse(context.req.query());
    const view = <PeopleView people={listViewers(context.get("desk"), query)} q={query.q} />;
    return draw(context, { title: "People", at: "/memory", live: [], view });
  });
  app.get("/memory/people/:id", (context) => {
    const desk = context.get("desk");
    const userId = context.req.param("id");
    const isNamingWanted = context.req.query("named") !== undefined;
    const record = showViewer(desk, userId, isNamingWanted);
    const accounts = identityStore(desk.db, () => desk.nowMs).accountsOf(userId);
    const notes = accounts.flatMap(
      (subjectId) => desk.browse.notes({ ...EVERY_NOTE, subjectId }).items,
    );
    const view = <PersonView userId={userId} record={record} notes={notes} />;
    return draw(context, { title: "A person", at: "/memory", live: ["notes"], view });
  });
  app.get("/memory/streams", (context) => {
    const { browse } = context.get("desk");
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
    const desk = context.get("desk");
    const episode = showEpisode(desk, idIn(context.req.param()));
    const view = <EpisodeView episode={episode} notes={desk.browse.notesOfEpisode(episode.id)} />;
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
    const desk = context.get("desk");
    const { browse, db, nowMs, config } = desk;
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
      memory: memoryReportStore(db).changes({ channels, fromMs, toMs: nowMs }),
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
    const desk = context.get("desk");
    const query = statsQuery.parse(context.req.query());
    const report = readStats(desk, query);
    const { bestNotes, worstNotes } = report.outcomes;
    const notes = desk.browse.notesOf([...bestNotes, ...worstNotes].map(({ noteId }) => noteId));
    const streams = desk.browse.streams(null, 50).items;
    const view = <TelemetryView report={report} streams={streams} query={query} notes={notes} />;
    return draw(context, { title: "Telemetry", at: "/telemetry", live: [], view });
  });
}

function steeringRoutes(app: Hono<Held>, draw: Draw): void {
  app.get("/actions", (context) => {
    const desk = context.get("desk");
    const query = actionsQuery.parse(context.req.query());
    const view = (
      <ActionsView ledger={listActions(desk, query)} held={heldOf(desk)} query={query} />
    );
    return draw(context, { title: "Actions", at: "/actions", live: ["actions"], view });
  });
  app.get("/actions/policy", (context) => {
    const desk = context.get("desk");
    const settings = settingsOf(desk.config);
    const asked = fieldsIn(context, new Set(settings.map(({ key }) => key)));
    const preview = Object.keys(asked).length === 0 ? null : previewOf(desk, asked);
    const given = {
      settings,
      canSave: desk.configFile !== null,
      rows: policyRows(desk, 20),
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
    const { config, configFile } = context.get("desk");
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
function previewOf(desk: Desk, asked: Readonly<Record<string, unknown>>) {
  const changes = previewChange(desk.configFile, changesIn(desk.config, asked));
  const keys = new Set(changes.map(({ key }) => key));
  const fields = Object.fromEntries(
    Object.entries(asked)
      .filter(([key]) => keys.has(key))
      .map(([key, value]) => [key, Array.isArray(value) ? value.join("\n") : String(value)]),
  );
  return { changes, fields, effects: policyEffects(desk, changes) };
}
