import { z } from "zod";
import { ActionReview } from "../actions/ledger-store.ts";
import { NOTE_KIND_NAMES, NOTE_KINDS, NOTE_SCOPES } from "../catalogue/note-kinds.ts";
import { listStreams } from "../chat/channel-store.ts";
import { AccountStore, IdentityStore, prepareNameRead } from "../chat/viewer-store.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import { isLocked } from "../database/lock.ts";
import { RuntimeStore, SwitchStore } from "../database/runtime-store.ts";
import { makeUsageFault } from "../errors.ts";
import { fillNames } from "../language/people.ts";
import { EpisodeReview } from "../memory/episode-texts-store.ts";
import type { NoteOperator } from "../memory/note-operator.ts";
import { IMPORTANCES, LIFETIMES } from "../memory/note-prompt.ts";
import { describeRemoved } from "../privacy/command-answers.ts";
import {
  backUp,
  exportText,
  forgetPerson,
  importText,
  makeViewerFile,
  openNoteOperator,
  recordOf,
} from "../privacy/operator.ts";
import { findBareWords } from "../privacy/texts-store.ts";
import { prepareOutcomeWrite, readAnatomy } from "../reply/reply-view-store.ts";
import { formatPlural } from "../telemetry/figures.ts";
import { choosePeriod, readReport } from "../telemetry/report-store.ts";
import { readStatus } from "../telemetry/status.ts";
import {
  defineRoute,
  findChannel,
  flag,
  getOr404,
  listQuery,
  makeChoice,
  ordinal,
  type PageData,
  type Route,
  rowId,
  shortText,
  viewerId,
} from "./api.ts";
import { SETTINGS_ROUTES } from "./settings.ts";

export const notesQuery = listQuery.extend({
  q: z.string().max(200).default("").describe("Words of the fact, a name, or a number."),
  scope: makeChoice(NOTE_SCOPES),
  status: makeChoice(["all", ...NOTE_STATUSES]).describe("Default: active, shadow and pending."),
  kind: makeChoice(NOTE_KIND_NAMES),
  viewer: shortText.describe("A login, or `id:` and a Twitch user id, with that person's aliases."),
  channel: shortText,
});

/** Returns a page of notes. Throws a Fault if no viewer has the login. */
export function searchNotes(data: PageData, query: z.output<typeof notesQuery>) {
  const { viewer } = query;
  const accounts = viewer === "" ? null : findAccounts(data, viewer);
  return data.notes.list({ ...query, accounts }, query);
}

/** The last row of a page of viewers: its sort key, user id and login. */
const VIEWER_PLACE = /^(\d+)\.([^.]+)\.(.*)$/u;

export const viewersQuery = listQuery.extend({
  q: shortText.describe("The first letters of the login."),
  channel: shortText.describe("Default: the first channel."),
  sort: z.enum(["seen", "notes"]).default("seen").describe("Last seen or most notes first."),
  only: z.enum(["all", "notes"]).default("all").describe("notes: only viewers with notes."),
  after: z.string().regex(VIEWER_PLACE).optional().describe("`next` of the page before."),
});

/**
 * Returns a page of the viewers seen in a channel: last seen or most notes first. A search (`q`) ignores `sort` and
 * `only`, and goes by login. Sorted by notes, a page skips viewers never seen there, so it may be short.
 */
export function searchViewers(data: PageData, query: z.output<typeof viewersQuery>) {
  const { limit } = query;
  const found = findViewers(data, { ...query, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const counts = data.notes.countsAbout(shown.map(({ userId }) => userId));
  const items = shown.flatMap(({ viewer }) =>
    // A viewer with notes may never have been seen in the channel.
    viewer === undefined ? [] : [{ ...viewer, notes: counts.get(viewer.userId) ?? 0 }],
  );
  return {
    items,
    next: last ? `${last.key}.${last.userId}.${last.viewer?.login ?? ""}` : null,
  };
}

/** Finds viewers after `query.after`, each with the key of the order. `viewer` is undefined if never seen there. */
function findViewers(data: PageData, query: z.output<typeof viewersQuery>) {
  const { viewers, notes } = data;
  const { q, sort, only, limit } = query;
  const channel = query.channel || (data.config.channels[0] ?? "");
  const [, place, userId = "", login = ""] = VIEWER_PLACE.exec(query.after ?? "") ?? [];
  const key = Number(place ?? Number.MAX_SAFE_INTEGER);
  const start = q.replace(/^@/, "").toLowerCase();
  if (start !== "") {
    const found = viewers.byLogin(channel, start, { login, userId }, limit);
    return found.map((viewer) => ({ key: 0, userId: viewer.userId, viewer }));
  }
  if (sort === "notes") {
    const most = notes.mostAbout(channel, { count: key, userId }, limit);
    const ids = most.map((one) => one.userId);
    const byId = new Map(viewers.withIds(channel, ids).map((viewer) => [viewer.userId, viewer]));
    return most.map((one) => ({ ...one, key: one.count, viewer: byId.get(one.userId) }));
  }
  const ids = only === "notes" ? notes.noted(channel) : null;
  const found = viewers.lastSeen(channel, { atMs: key, userId }, limit, ids);
  return found.map((viewer) => ({ key: viewer.lastSeenAtMs, userId: viewer.userId, viewer }));
}

/**
 * Returns the record of a viewer, by all their accounts. It only counts messages and answers. With `isNamingWanted` it
 * has other sentences that name them. Throws a 404 for an unknown user id.
 */
export function showViewer(data: PageData, userId: string, isNamingWanted: boolean) {
  const record = recordOf(data, userId, isNamingWanted);
  const isKnown = record.accounts.some(({ login }) => login !== null);
  return getOr404(isKnown ? record : null, "viewer");
}

const REVIEWED = "page_reviewed";
const reviewedSchema = z.strictObject({ noteId: z.int() });

/** Returns the id of the newest note that the streamer has marked as seen; 0 if there is none. */
export function getLastReviewedNoteId({ db, now }: PageData): number {
  return new RuntimeStore(db, now).read(REVIEWED, reviewedSchema)?.value.noteId ?? 0;
}

const fact = z.string().trim().min(1);
const newNote = z.strictObject({
  fact,
  viewer: shortText.describe("The viewer that it is about; default: the channel."),
  scope: z.enum(["channel", "bit"]).default("channel"),
  kind: makeChoice(NOTE_KIND_NAMES).describe("Default: read from its words."),
  channel: shortText.describe("Default: the first channel."),
});
const noteChange = z.strictObject({
  fact: fact.optional().describe("The fact that replaces it."),
  pinned: flag.optional(),
  status: z
    .enum(["active", "rejected"])
    .optional()
    .describe("active approves it; rejected rejects it for good."),
  supersededBy: ordinal.optional().describe("The note that replaces it."),
  importance: makeChoice(IMPORTANCES),
  lifetime: makeChoice(LIFETIMES).describe("Its lifetime from now on."),
});
type NoteChange = z.output<typeof noteChange>;

const NOTE_ROUTES: readonly Route[] = [
  defineRoute("get /notes", "Notes, newest first", {
    input: { query: notesQuery },
    handle: (data, { query }) => searchNotes(data, query),
  }),
  defineRoute("get /notes/:id", "A note with its evidence", {
    input: { params: rowId },
    handle: ({ notes }, { params }) => getOr404(notes.note(params.id), "note"),
  }),
  defineRoute("post /notes", "Store a fact of the streamer", {
    input: { body: newNote },
    handle: (data, { body: { fact: words, viewer, scope, kind, channel: name } }) => {
      const channel = findChannel(data, name);
      const place = { viewer: viewer || undefined, scope, kind: kind || null, channel };
      return withNotes(data, (notes) => notes.addTyped(words, place));
    },
    flash: ({ id, isNew }) =>
      isNew ? `Stored as note ${id}.` : `Note ${id} says so already. It is confirmed.`,
  }),
  defineRoute("post /notes/facts", "Store one fact a line, each pinned", {
    input: { body: z.strictObject({ text: z.string(), channel: shortText }) },
    handle: (data, { body: { text, channel: name } }) => {
      const channel = findChannel(data, name);
      return withNotes(data, (notes) => notes.addLines(text, { channel }));
    },
    flash: ({ ids, refused }) => {
      const stored = `${formatPlural(ids.length, "fact")} stored.`;
      const lines = refused.map(({ line, why }) => `Line ${line}: ${why}.`);
      return { text: [stored, ...lines].join(" "), isWrong: lines.length > 0 };
    },
  }),
  defineRoute("post /notes/bulk", "Approve, reject, pin or forget several notes: all or none", {
    input: {
      body: z.strictObject({
        ids: z.union([z.array(ordinal).min(1), ordinal.transform((id) => [id])]),
        what: z.enum(["approve", "reject", "pin", "forget"]),
      }),
    },
    handle: (data, { body: { ids, what } }) => {
      withNotes(data, (notes) => (what === "pin" ? notes.pin(ids, true) : notes[what](ids)));
      return { count: ids.length };
    },
    flash: ({ count }, { body: { what } }) => `${formatPlural(count, "note")} ${DONE[what]}.`,
  }),
  defineRoute("post /bare-words", "Sentences with a word, to check for a forgotten login", {
    input: {
      body: z.strictObject({
        login: z
          .string()
          .trim()
          .regex(/^@?[\p{L}\p{N}_]{1,60}$/u),
      }),
    },
    handle: ({ db }, { body }) => {
      const nameOf = prepareNameRead(db);
      const found = findBareWords(db, body.login.replace("@", ""))
        .map((one) => ({ ...one, text: fillNames(one.text, nameOf) }))
        .toSorted((one, other) => one.of.localeCompare(other.of));
      const lines = found.map(({ of, id, text }) => `${of} ${id}: ${text}`);
      return { found, text: lines.join("\n") || "No note and no summary has this word." };
    },
    flash: ({ text }) => ({ text, isPersonal: true }),
  }),
  defineRoute("patch /notes/:id", "Edit, weigh, pin, approve, reject or replace a note", {
    input: { params: rowId, body: noteChange },
    handle: (data, { params, body }) =>
      withNotes(data, (notes) => changeNote(notes, params.id, body)),
    flash: (done, { params: { id }, body: { fact: text, pinned, status } }) => {
      if (pinned !== undefined) {
        const undo = { to: `patch /api/notes/${id}`, fields: { pinned: String(!pinned) } };
        return { text: `Note ${id} is ${pinned ? "pinned" : "no longer pinned"}.`, undo };
      }
      const undo = { to: `post /api/notes/${id}/undo` };
      if (text !== undefined) return { text: `Note ${done.id} replaces note ${id}.`, undo };
      if (status === "active") return { text: `Note ${id} is approved.`, undo };
      if (status === "rejected")
        return { text: `Note ${id} is rejected, and is not learned again.`, undo };
      return `Note ${id} is changed.`;
    },
  }),
  defineRoute("post /notes/:id/undo", "Undo the last decision about a note", {
    input: {
      params: rowId,
      body: z.strictObject({
        keep: flag.default(false).describe("Leave the note that had replaced it active, too."),
      }),
    },
    handle: (data, { params, body }) =>
      withNotes(data, (notes) => notes.undo(params.id, body.keep)),
    flash: ({ id, status }) => `Taken back: note ${id} is ${status}.`,
  }),
  defineRoute("delete /notes/:id", "Forget a note and every trace of its fact", {
    input: { params: rowId },
    handle: (data, { params }) => withNotes(data, (notes) => notes.forget([params.id])),
    flash: (_, { params }) => `Note ${params.id} is forgotten.`,
  }),
  defineRoute("post /notes/reviewed", "Mark every note up to this one as seen", {
    input: { body: z.strictObject({ noteId: z.coerce.number().int().min(0) }) },
    handle: (data, { body }) => {
      data.change(({ db, now }) => new RuntimeStore(db, now).write(REVIEWED, body));
      return body;
    },
    flash: () => "Done: only later notes count as new.",
  }),
];

const VIEWER_ROUTES: readonly Route[] = [
  defineRoute("get /viewers", "Viewers, last seen first", {
    input: { query: viewersQuery },
    handle: (data, { query }) => searchViewers(data, query),
  }),
  defineRoute("get /viewers/:id", "Everything stored about a person, by Twitch user id", {
    input: { params: viewerId },
    handle: (data, { params }) => showViewer(data, params.id, true),
  }),
  defineRoute("get /viewers/:id/export", "The same as a file for that person, without chat", {
    input: { params: viewerId },
    handle: (data, { params }) => makeViewerFile(data, params.id),
  }),
  defineRoute("delete /viewers/:id", "Forget everything about a person", {
    input: { params: viewerId },
    handle: (data, { params }) => {
      const { userIds: _, ...removed } = data.change((work) => forgetPerson(work, params.id));
      return removed;
    },
    flash: (removed) => ({
      text: `Everything about them is forgotten: ${describeRemoved(removed)}.`,
      goTo: "/memory",
    }),
  }),
  defineRoute("post /viewers/:id/merge", "Join two accounts of one person; the second leads", {
    input: { params: viewerId, body: z.strictObject({ into: z.string().trim().min(1).max(60) }) },
    handle: (data, { params, body }) => {
      const from = params.id;
      const into = new AccountStore(data.db).named(body.into).userId;
      if ([from, into].some((id) => recordOf(data, id, false).optedOut))
        throw makeUsageFault(
          "one of them opted out: nothing about them is stored or merged",
          "only they can opt in again, with !optin",
        );
      return {
        isMerged: data.change(({ db, now }) => new IdentityStore(db, now).merge(from, into)),
      };
    },
    flash: ({ isMerged }, { params }) => {
      if (!isMerged) return "These accounts were merged already.";
      const undo = { to: `post /api/viewers/${encodeURIComponent(params.id)}/separate` };
      return { text: "Two accounts, one person from now on.", undo };
    },
  }),
  defineRoute("post /viewers/:id/separate", "Undo a merge of this account; default: the latest", {
    input: {
      params: viewerId,
      body: z.strictObject({ from: shortText.describe("The other account.") }),
    },
    handle: (data, { params, body }) => {
      const named = body.from === "" ? null : new AccountStore(data.db).named(body.from).userId;
      const isSeparated = data.change(({ db, now }) => {
        const identities = new IdentityStore(db, now);
        const from = named ?? identities.mergedInto(params.id)[0];
        return from !== undefined && identities.separate(params.id, from);
      });
      return { isSeparated };
    },
    flash: ({ isSeparated }) => (isSeparated ? "Separated again." : "This account was not merged."),
  }),
];

const MEMORY_ROUTES: readonly Route[] = [
  ...NOTE_ROUTES,
  ...VIEWER_ROUTES,
  defineRoute("get /episodes", "Summaries of chat, newest first", {
    input: { query: listQuery.extend({ status: makeChoice(["pending", "done", "failed"]) }) },
    handle: ({ episodes }, { query }) => episodes.list(query),
  }),
  defineRoute("get /episodes/:id", "An episode with its people and claims", {
    input: { params: rowId },
    handle: ({ episodes }, { params }) => getOr404(episodes.episode(params.id), "episode"),
  }),
  defineRoute("post /episodes/:id/retry", "Try a failed or waiting episode again at once", {
    input: { params: rowId },
    handle: (data, { params }) => {
      return { isDue: data.change(({ db }) => new EpisodeReview(db).retry(params.id)) };
    },
    flash: ({ isDue }) =>
      isDue ? "It is tried again at once." : "There is nothing left to summarise.",
  }),
  defineRoute("get /streams", "Streams with their recaps, newest first", {
    input: { query: listQuery },
    handle: ({ db }, { query }) => listStreams(db, query),
  }),
  defineRoute("get /export", "All notes as an export file, or those about one person", {
    input: { query: z.object({ viewer: shortText.describe("A login, or `id:` and an id.") }) },
    handle: (data, { query: { viewer } }) => {
      const text = exportText(data, viewer === "" ? null : findAccounts(data, viewer));
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
  }),
  defineRoute("post /import", "Import notes from an export file; dryRun only shows the result", {
    input: {
      query: z.object({ dryRun: flag.default(false) }),
      body: z.looseObject({ content: z.looseObject({}) }),
    },
    handle: (data, { query: { dryRun }, body }) => {
      const file = JSON.stringify(body);
      return { isDryRun: dryRun, ...data.change((work) => importText(work, file, dryRun)) };
    },
  }),
];

const DONE = { approve: "approved", reject: "rejected", pin: "pinned", forget: "forgotten" };

/** Runs `work` on notes that it can change. */
function withNotes<T>(data: PageData, work: (notes: NoteOperator) => T): T {
  return data.change((opened) => work(openNoteOperator(opened)));
}

/** Returns the user ids of a viewer's accounts. Throws a Fault for an unknown `viewer`, a login or `id:` and an id. */
function findAccounts({ db, now }: PageData, viewer: string) {
  return new IdentityStore(db, now).accountsOf(new AccountStore(db).named(viewer).userId);
}

/**
 * Makes one change of a note; importance and lifetime together are one. Returns the id of the note that has the fact
 * now. Throws a Fault for no change or several.
 */
function changeNote(notes: NoteOperator, id: number, change: NoteChange): { readonly id: number } {
  const { fact: text, pinned, status, supersededBy } = change;
  const importance = change.importance || undefined;
  const lifetime = change.lifetime || undefined;
  const given = [text, pinned, status, supersededBy, importance ?? lifetime];
  if (given.filter((one) => one !== undefined).length !== 1)
    throw makeUsageFault(
      "a change is one of fact, pinned, status, supersededBy, and importance with lifetime",
      "send them one after the other",
    );
  if (text !== undefined) return notes.edit(id, text);
  if (supersededBy !== undefined) return notes.supersede(id, supersededBy);
  if (pinned !== undefined) return notes.pin([id], pinned)[0] ?? { id };
  if (status === "active") return notes.approve([id])[0] ?? { id };
  if (status === "rejected") return notes.reject([id])[0] ?? { id };
  notes.adjust(id, { importance, lifetime });
  return { id };
}

/** The row of each switch, and the messages when it is set on and off. */
const SWITCHES = [
  ["paused", "paused", "The bot is silent.", "The bot answers again."],
  ["safeMode", "safe_mode", "Safe mode is on: no action runs.", "Safe mode is off."],
  ["readOnly", "read_only", "The bot learns nothing now.", "The bot learns again."],
] as const;

/** Returns a reply with its trail, its cost and its notes as of now. Throws a 404 for an unknown id. */
export function showReply({ db, replies, config, nowMs }: PageData, id: number) {
  const row = getOr404(replies.reply(id), "reply");
  const anatomy = readAnatomy(db, { replyId: id, nowMs }, config.llm.prices);
  return { ...row, ...getOr404(anatomy, "reply") };
}

export const repliesQuery = listQuery.extend({ state: shortText });

export const statsQuery = z.object({
  session: shortText.describe("A stream's number, or `last`."),
  since: shortText.describe("24h, 7d, or a day."),
  channel: shortText,
});

/**
 * Returns the stream, or the time until now, that a query names; without one, the last stream, or the last day if there
 * was none. Throws a Fault for an impossible query.
 */
export function findPeriod({ db, nowMs }: PageData, query: z.output<typeof statsQuery>) {
  const { session, since, channel } = query;
  const wanted = { session: session || null, since: since || null, channel: channel || null };
  return choosePeriod(db, wanted, nowMs);
}

/** Decisions are counted for a week. */
const COUNTED_MS = 7 * 86_400_000;

export const actionsQuery = z.object({
  limit: ordinal.max(500).default(100),
  decision: makeChoice(["run", "refuse", "hold", "dry_run"]),
  reason: shortText,
  requester: shortText.describe("A login."),
});

export function searchActions({ db, now }: PageData, query: z.output<typeof actionsQuery>) {
  const { decision, reason, requester, limit } = query;
  const filters: { decision?: string; reason?: string; requester?: string } = {};
  if (decision !== "") filters.decision = decision;
  if (reason !== "") filters.reason = reason;
  if (requester !== "") filters.requester = requester;
  return new ActionReview(db, now).list({ ...filters, limit });
}

const BOT_ROUTES: readonly Route[] = [
  defineRoute("get /status", "The state of the bot, counts, and costs", {
    input: {},
    handle: (data) => readStatus({ ...data, running: isLocked(data.config.dataDir) }),
  }),
  defineRoute("put /switches", "Pause the bot, refuse its actions, or stop it learning", {
    input: { body: z.strictObject({ paused: flag, safeMode: flag, readOnly: flag }).partial() },
    handle: (data, { body }) =>
      data.change(({ db, now }) => {
        const store = new SwitchStore(db, now);
        for (const [name, row] of SWITCHES) {
          const isOn = body[name];
          if (isOn !== undefined) store.set(row, isOn, "page");
        }
        return store.read();
      }),
    flash: (_, { body }) => {
      const set = SWITCHES.filter(([name]) => body[name] !== undefined);
      return set.map(([name, , on, off]) => (body[name] ? on : off)).join(" ");
    },
  }),
  defineRoute("post /demo/end", "End the demo and open setup", {
    input: {},
    handle: ({ control }) => {
      getOr404(control.goLive, "demo")();
      return {};
    },
    flash: () => ({ text: "Setup is next.", goTo: "/" }),
  }),
  defineRoute("put /autostart", "Start the bot at each log-in, or not", {
    input: { body: z.strictObject({ isOn: flag }) },
    handle: async ({ control }, { body }) => {
      const autostart = getOr404(control.autostart, "start at log-in");
      await (body.isOn ? autostart.turnOn("later") : autostart.turnOff("later"));
      return body;
    },
    flash: ({ isOn }) =>
      isOn ? "The bot starts when you log in." : "The bot does not start by itself any more.",
  }),
  defineRoute("post /quit", "End the bot in order", {
    input: {},
    handle: ({ control }) => {
      // The answer leaves before the server closes.
      setImmediate(getOr404(control.quit, "bot to end"));
      return new Response("The bot has ended. You can close this tab.\n");
    },
  }),
  defineRoute("post /try", "The bot's answer to a question; nothing is sent or stored", {
    input: {
      body: z.strictObject({
        question: z.string().trim().min(1).max(500),
        viewer: shortText.describe("A login; default: an unknown viewer."),
        channel: shortText,
        voice: z.string().trim().max(8_000).default("").describe("Another voice, to try it."),
      }),
    },
    handle: async (data, { body }) => {
      const channel = findChannel(data, body.channel);
      const userId =
        body.viewer === "" ? null : new AccountStore(data.db).named(body.viewer).userId;
      const { question, voice } = body;
      const tried = await data.tryAnswer({ channel, question, userId, voice: voice || null });
      return { ...tried, trail: JSON.parse(tried.trail ?? "null") as object | null };
    },
    flash: ({ text, reason }) =>
      text === null
        ? { text: `It would not answer: ${reason}.`, isWrong: true }
        : { text: `It would say: ${text}`, isPersonal: true },
  }),
  defineRoute("post /backup", "Make a backup in the data folder, without chat", {
    input: {},
    handle: (data) => ({ path: data.change(backUp) }),
    flash: ({ path }) => `The backup is ${path}.`,
  }),
  defineRoute("get /actions", "Proposed actions with the decision about each, newest first", {
    input: { query: actionsQuery },
    handle: (data, { query }) => {
      const review = new ActionReview(data.db, data.now);
      const sinceMs = data.nowMs - COUNTED_MS;
      return {
        items: searchActions(data, query),
        byReason: review.countByReason(sinceMs),
        refusedByRequester: review.countRefusals(sinceMs),
      };
    },
  }),
  defineRoute("post /actions/:id/answer", "Answer a waiting proposal, which is judged once more", {
    input: { params: rowId, body: z.strictObject({ answer: z.enum(["approve", "refuse"]) }) },
    handle: (data, { params, body }) => {
      const isAnswered = data.change(({ db, now }) =>
        new ActionReview(db, now).answer(params.id, body.answer),
      );
      return getOr404(isAnswered ? body : null, "waiting proposal");
    },
    flash: ({ answer }) => (answer === "approve" ? "Approved." : "Refused."),
  }),
  defineRoute("get /replies", "Replies sent or not, with the reason, newest first", {
    input: { query: repliesQuery },
    handle: ({ replies }, { query }) => replies.list(query),
  }),
  defineRoute("get /replies/:id", "A reply with its prompt's sections, notes, cost and actions", {
    input: { params: rowId },
    handle: (data, { params }) => showReply(data, params.id),
  }),
  defineRoute("post /replies/:id/verdict", "Rate a reply, as !good and !bad do in chat", {
    input: { params: rowId, body: z.strictObject({ verdict: z.enum(["good", "bad"]) }) },
    handle: (data, { params, body }) => {
      const { id } = getOr404(data.replies.reply(params.id), "reply");
      const outcome = { replyId: id, kind: body.verdict };
      data.change(({ db, now }) => prepareOutcomeWrite(db)([outcome], now()));
      return body;
    },
    flash: ({ verdict }) => `Noted: that one was ${verdict}.`,
  }),
  defineRoute("get /replies/:id/scenario", "A scenario for `eval` from a reply, without chat", {
    input: { params: rowId },
    handle: (data, { params }) => makeScenario(data, params.id),
  }),
  defineRoute("get /stats", "The figures of `report --json`, of a stream or a time until now", {
    input: { query: statsQuery },
    handle: (data, { query }) => readReport(data.db, findPeriod(data, query), data.nowMs),
  }),
];

/**
 * Makes a scenario from the notes about viewers that were weighed for a reply. It asks the usual question of the best
 * note's kind; nothing without such notes. It holds no word of chat, and no name of the notes' subjects or requester.
 */
function makeScenario(data: PageData, replyId: number) {
  const { viewer, trail } = showReply(data, replyId);
  const candidates = trail.kind === "read" ? trail.trail.notes.candidates : [];
  const facts = candidates.flatMap(({ id }) => {
    const note = data.notes.note(id);
    if (note === null || note.about === null) return [];
    // A fact of a scenario is a sentence without its subject.
    const words = note.fact.replaceAll(note.about, "").replaceAll(viewer ?? note.about, "");
    const fact = words.trim().replace(/\s+/g, " ");
    return [{ id: `note-${id}`, about: "asker", session: 0, fact, note: { kind: note.kind } }];
  });
  const [best] = facts;
  const text = best && NOTE_KINDS[best.note.kind].question;
  return {
    name: `reply-${replyId}`,
    about: `The notes that were weighed for reply ${replyId}, and a question of their kind.`,
    channel: "achannel",
    notes: "given",
    people: [{ login: "asker", name: "Asker" }],
    sessions: [{ day: 0 }, { day: 1 }],
    facts,
    questions: best ? [{ by: "asker", text, needs: [best.id], sessions: [1] }] : [],
  };
}

export const ROUTES: readonly Route[] = [...MEMORY_ROUTES, ...BOT_ROUTES, ...SETTINGS_ROUTES];
