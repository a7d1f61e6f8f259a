import { z } from "zod";
import { ActionReview } from "../actions/ledger-store.ts";
import { NOTE_KIND_LIST, NOTE_KINDS } from "../catalogue/note-kinds.ts";
import { openAccountStore } from "../chat/viewer-store.ts";
import { isLocked } from "../database/lock.ts";
import { SwitchStore } from "../database/runtime-store.ts";
import { backUp } from "../privacy/operator.ts";
import { prepareOutcomeWrite, readAnatomy } from "../reply/reply-view-store.ts";
import { choosePeriod, readReport } from "../telemetry/report-store.ts";
import { readStatus } from "../telemetry/status.ts";
import {
  defineRoute,
  findChannel,
  flag,
  listQuery,
  makeAbsent,
  makeChoice,
  ordinal,
  type PageData,
  type Route,
  rowId,
  shortText,
} from "./api.ts";

/** The row of each switch, and the messages when it is set on and off. */
const SWITCHES = {
  paused: ["paused", "The bot is silent.", "The bot answers again."],
  safeMode: ["safe_mode", "Safe mode is on: no action runs.", "Safe mode is off."],
  readOnly: ["read_only", "The bot learns nothing now.", "The bot learns again."],
} as const;
const SWITCH_NAMES = ["paused", "safeMode", "readOnly"] as const;
/** Decisions are counted for a week. */
const COUNTED_MS = 7 * 86_400_000;

/** Returns a reply with its trail, its cost and its notes as of now. Throws a 404 for an unknown id. */
export function showReply({ db, replies, config, nowMs }: PageData, id: number) {
  const row = replies.reply(id);
  const anatomy = readAnatomy(db, { replyId: id, nowMs }, config.llm.prices);
  if (row === null || anatomy === null) throw makeAbsent("reply");
  return { ...row, ...anatomy };
}

export const repliesQuery = listQuery.extend({ state: shortText });

export const statsQuery = z.object({
  session: shortText.describe("A stream's number, or `last`."),
  since: shortText.describe("24h, 7d, or a day."),
  channel: shortText,
});

/** Returns the stream, or the time until now, that a query names. */
export function findPeriod({ db, nowMs }: PageData, query: z.output<typeof statsQuery>) {
  const { session, since, channel } = query;
  const asked = { session: session || null, since: since || null, channel: channel || null };
  return choosePeriod(db, asked, nowMs);
}

export const actionsQuery = z.object({
  limit: ordinal.max(500).default(100),
  decision: makeChoice(["run", "refuse", "hold", "dry_run"]),
  reason: shortText,
  requester: shortText.describe("A login."),
});

/** Returns the newest lines of the ledger. */
export function listActions({ db, now }: PageData, query: z.output<typeof actionsQuery>) {
  const filters = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  return new ActionReview(db, now).list({ ...filters, limit: query.limit });
}

export const BOT_ROUTES: readonly Route[] = [
  defineRoute("get /status", "The state of the bot, counts, and costs", {
    input: {},
    handle: (data) => readStatus({ ...data, running: isLocked(data.config.dataDir) }),
  }),
  defineRoute("put /switches", "Pause the bot, refuse its actions, or stop it learning", {
    input: { body: z.strictObject({ paused: flag, safeMode: flag, readOnly: flag }).partial() },
    handle: (data, { body }) =>
      data.change(({ db, now }) => {
        const store = new SwitchStore(db, now);
        for (const name of SWITCH_NAMES) {
          const on = body[name];
          if (on !== undefined) store.set(SWITCHES[name][0], on, "page");
        }
        return store.read();
      }),
    flash: (_, { body }) =>
      SWITCH_NAMES.filter((name) => body[name] !== undefined)
        .map((name) => SWITCHES[name][body[name] ? 1 : 2])
        .join(" "),
  }),
  defineRoute("post /demo/end", "End the demo and open setup", {
    input: {},
    handle: ({ control: { goLive } }) => {
      if (goLive === undefined) throw makeAbsent("demo");
      goLive();
      return {};
    },
    flash: () => ({ text: "Setup is next.", goTo: "/" }),
  }),
  defineRoute("put /autostart", "Start the bot at each log-in, or not", {
    input: { body: z.strictObject({ isOn: flag }) },
    handle: async ({ control: { autostart } }, { body }) => {
      if (autostart === undefined) throw makeAbsent("start at log-in");
      await (body.isOn ? autostart.turnOn("later") : autostart.turnOff("later"));
      return body;
    },
    flash: ({ isOn }) =>
      isOn ? "The bot starts when you log in." : "The bot does not start by itself any more.",
  }),
  defineRoute("post /quit", "End the bot in order", {
    input: {},
    handle: ({ control: { quit } }) => {
      if (quit === undefined) throw makeAbsent("bot to end");
      // The answer leaves before the server closes.
      setImmediate(quit);
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
        body.viewer === "" ? null : openAccountStore(data.db).named(body.viewer).userId;
      const { question, voice } = body;
      const tried = await data.tryAnswer({ channel, question, userId, voice: voice || null });
      return { ...tried, trail: JSON.parse(tried.trail ?? "null") as object | null };
    },
    flash: ({ text, reason }) =>
      text === null
        ? { text: `It would not answer: ${reason}.`, isWrong: true }
        : { text: `It would say: ${text}`, isMortal: true },
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
        items: listActions(data, query),
        byReason: review.countsByReason(sinceMs),
        refusedByRequester: review.refusedByRequester(sinceMs),
      };
    },
  }),
  defineRoute("post /actions/:id/answer", "Answer a waiting proposal, which is judged once more", {
    input: { params: rowId, body: z.strictObject({ answer: z.enum(["approve", "refuse"]) }) },
    handle: (data, { params, body }) => {
      const { answer } = body;
      if (!data.change(({ db, now }) => new ActionReview(db, now).answer(params.id, answer)))
        throw makeAbsent("waiting proposal");
      return body;
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
      const replyId = params.id;
      if (data.replies.reply(replyId) === null) throw makeAbsent("reply");
      data.change(({ db, now }) =>
        prepareOutcomeWrite(db)([{ replyId, kind: body.verdict }], now()),
      );
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

const FACTS_MAX = 40;

/**
 * Makes a scenario from the notes that were weighed for a reply. Its question is of the kind of the best note. It holds
 * notes and codes alone, no word of chat and no name.
 */
function makeScenario(data: PageData, replyId: number) {
  const { viewer, trail } = showReply(data, replyId);
  const candidates = trail.kind === "read" ? trail.trail.notes.candidates : [];
  const facts = candidates.slice(0, FACTS_MAX).flatMap(({ id }) => {
    const note = data.notes.note(id);
    if (note === null || note.about === null) return [];
    // A fact of a scenario is a sentence without its subject.
    let fact = note.fact;
    for (const name of [note.about, viewer ?? ""])
      if (name !== "") fact = fact.replaceAll(name, "").trim();
    fact = fact.replace(/\s+/g, " ");
    return [{ id: `note-${id}`, about: "asker", session: 0, fact, note: { kind: note.kind } }];
  });
  const [best] = facts;
  const [, kind = NOTE_KINDS.profile] =
    NOTE_KIND_LIST.find(([name]) => name === best?.note.kind) ?? [];
  return {
    name: `reply-${replyId}`,
    about: `The notes that were weighed for reply ${replyId}, and a question of their kind.`,
    channel: "achannel",
    notes: "given",
    people: [{ login: "asker", name: "Asker" }],
    sessions: [{ day: 0 }, { day: 1 }],
    facts,
    questions: best ? [{ by: "asker", text: kind.question, needs: [best.id], sessions: [1] }] : [],
  };
}
