import { z } from "zod";
import { CATALOGUE } from "../actions/catalogue.ts";
import { actionReview } from "../actions/ledger-store.ts";
import { accountStore } from "../chat/viewer-store.ts";
import { policyChanges, policyOf, wholePolicy } from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import { toConfig } from "../platform/config/load.ts";
import { ACTION_NAMES } from "../platform/config/names.ts";
import { isLocked } from "../platform/database/lock.ts";
import { switchStore } from "../platform/database/runtime-store.ts";
import { readStatus } from "../telemetry/status.ts";
import {
  absent,
  channelIn,
  flag,
  idIn,
  listQuery,
  oneOf,
  operator,
  operatorContext,
  ordinal,
  type PageData,
  type Route,
  route,
  shortText,
  timeMs,
} from "./route.ts";
import { changesIn, previewChange, rollBack, saveChange, settingsOf } from "./settings.ts";

const SWITCH_ROWS = { paused: "paused", safeMode: "safe_mode", readOnly: "read_only" } as const;
const SWITCH_TOLD = {
  paused: ["The bot is silent.", "The bot speaks again."],
  safeMode: ["Safe mode is on: no action runs.", "Safe mode is off."],
  readOnly: ["Memory learns nothing now.", "Memory learns again."],
} as const;
const NAMES = ["paused", "safeMode", "readOnly"] as const;

const change = z.looseObject({ key: z.string() });
const fields = z.record(z.string(), z.unknown());

export const actionsQuery = z.object({
  limit: ordinal.max(500).default(100),
  decision: oneOf(["run", "refuse", "hold", "dry_run"]),
  reason: shortText,
  requester: shortText.describe("A login."),
});
export const explainQuery = z.object({
  action: z.enum(ACTION_NAMES).default("timeout"),
  about: shortText.describe("A login, or the number of a note."),
  text: z.string().trim().max(450).default("").describe("What it says: a text, a reason, a fact."),
  seconds: z
    .string()
    .trim()
    .regex(/^\d{0,6}$/)
    .default(""),
  as: z.enum(["viewer", "moderator", "streamer"]).default("moderator").describe("Who asks."),
  words: z.string().trim().max(500).default("").describe("What they wrote; nothing: a request."),
});

export const CONTROL_ROUTES: readonly Route[] = [
  route("get /status", "What runs, what is kept, what it costs", {
    answer: z.looseObject({ running: z.boolean(), switches: z.looseObject({}) }),
    handle: (data) =>
      readStatus({ ...operatorContext(data), running: isLocked(data.config.dataDir) }),
  }),
  route("put /switches", "Pause the bot, take its actions away, or stop it learning", {
    body: z.strictObject({ paused: flag, safeMode: flag, readOnly: flag }).partial(),
    answer: z.looseObject({ paused: z.boolean(), safeMode: z.boolean(), readOnly: z.boolean() }),
    handle: (data, { body }) =>
      data.change(({ db, now }) => {
        const store = switchStore(db, now);
        for (const name of NAMES) {
          const on = body[name];
          if (on !== undefined) store.set(SWITCH_ROWS[name], on, "page");
        }
        return store.read();
      }),
    told: (_, { body }) =>
      NAMES.flatMap((name) =>
        body[name] === undefined ? [] : [SWITCH_TOLD[name][body[name] ? 0 : 1]],
      ).join(" "),
  }),
  route("post /try", "What the bot would answer; nothing is sent, and nothing is kept", {
    body: z.strictObject({
      question: z.string().trim().min(1).max(500),
      viewer: shortText.describe("Who would ask; nothing: a stranger."),
      channel: shortText,
      voice: z.string().trim().max(8_000).default("").describe("Another voice, to try it."),
    }),
    answer: z.strictObject({
      text: z.string().nullable(),
      reason: z.string().nullable(),
      trail: z.looseObject({}).nullable(),
    }),
    handle: async (data, { body }) => {
      const channel = channelIn(data, body.channel);
      const userId = body.viewer === "" ? null : accountStore(data.db).named(body.viewer).userId;
      const { question, voice } = body;
      const tried = await data.tryAnswer({ channel, question, userId, voice: voice || null });
      return { ...tried, trail: JSON.parse(tried.trail ?? "null") };
    },
    told: ({ text, reason }) =>
      text === null
        ? { text: `It would say nothing: ${reason}.`, isWrong: true }
        : `It would say: ${text}`,
  }),
  route("post /backup", "Make a backup in the data folder, without a line of chat", {
    answer: z.strictObject({ path: z.string() }),
    handle: async (data) => ({ path: data.change((await operator()).backUp) }),
    told: ({ path }) => `The backup is ${path}.`,
  }),
  route(
    "get /settings",
    "Every key that may change while the bot runs, with its bounds and what holds",
    {
      answer: z.array(z.looseObject({ key: z.string() })),
      handle: ({ config }) => settingsOf(config),
    },
  ),
  route("patch /settings", "Change keys of the configuration, by their dotted names", {
    body: fields,
    answer: z.array(change),
    handle: (data, { body }) => {
      const changes = changesIn(data.config, body);
      return data.change((work) => saveChange(data.configFile, work, changes));
    },
    told: (changes) =>
      changes.length === 0
        ? "It says so already."
        : `Saved: ${changes.map(({ key }) => key).join(", ")}. The bot takes it over within a second.`,
  }),
  route("post /settings/preview", "What a change would change, without making it", {
    body: fields,
    answer: z.array(change),
    handle: (data, { body }) => previewChange(data.configFile, changesIn(data.config, body)),
  }),
  route("get /policy", "The policy of memory and actions, as the bot holds it", {
    answer: z.object({
      number: z.int().nullable(),
      policy: z.looseObject({}),
      changes: z.array(change),
    }),
    handle: ({ db, config, nowMs }) => {
      const [last] = policyHistory(db, () => nowMs).list(1);
      const policy = policyOf(config);
      const standard = policyOf(toConfig({ channel: "x" }, "."));
      return { number: last?.number ?? null, policy, changes: policyChanges(standard, policy) };
    },
  }),
  route("put /policy", "Change keys of the policy; what is left out stays as it is", {
    body: z.strictObject({
      memory: z.looseObject({}).optional(),
      actions: z.looseObject({}).optional(),
    }),
    answer: z.array(change),
    handle: (data, { body }) => data.change((work) => saveChange(data.configFile, work, body)),
    told: (changes) => `Saved: ${changes.map(({ key }) => key).join(", ") || "nothing changed"}.`,
  }),
  route("get /policy/history", "Every policy that was accepted, numbered, newest first", {
    query: listQuery.pick({ limit: true }),
    answer: z.object({
      items: z.array(z.looseObject({ number: z.int(), source: z.string(), createdAtMs: timeMs })),
    }),
    handle: (data, { query }) => ({ items: policyRows(data, query.limit) }),
  }),
  route("post /policy/rollback", "Bring an earlier policy back; that is a new row, too", {
    body: z.strictObject({ number: ordinal }),
    answer: z.array(change),
    handle: (data, { body }) => data.change((work) => rollBack(data.configFile, work, body.number)),
    told: (_, { body }) => `Policy ${body.number} is back.`,
  }),
  route(
    "get /actions/explain",
    "What would happen if somebody asked for an action, rule by rule; nothing is sent",
    {
      query: explainQuery,
      answer: z.looseObject({
        decision: z.looseObject({ kind: z.string(), reason: z.string() }),
        rules: z.array(z.looseObject({ rule: z.string(), verdict: z.string() })),
        question: z.string().nullable(),
      }),
      handle: (data, { query }) => explain(data, query),
    },
  ),
  route("get /actions", "What was proposed and what was decided about it, newest first", {
    query: actionsQuery,
    answer: z.object({
      items: z.array(z.looseObject({ id: z.int(), action: z.string(), decision: z.string() })),
      byReason: z.array(z.looseObject({})),
      refusedByRequester: z.array(z.looseObject({})),
    }),
    handle: (data, { query }) => listActions(data, query),
  }),
  route(
    "post /actions/:id/answer",
    "Answer a proposal that waits for the streamer; the bot judges it once more",
    {
      body: z.strictObject({ answer: z.enum(["approve", "refuse"]) }),
      answer: z.strictObject({ answer: z.string() }),
      handle: (data, { params, body }) => {
        const isTaken = data.change(({ db, now }) =>
          actionReview(db, now).answer(idIn(params), body.answer),
        );
        if (!isTaken) throw absent("proposal that waits");
        return body;
      },
      told: ({ answer }) => (answer === "approve" ? "Approved." : "Refused."),
    },
  ),
];

/** Policies with what each changed, and what would change if it were brought back. */
export function policyRows({ db, nowMs, config }: PageData, limit: number) {
  const policy = policyOf(config);
  const rows = policyHistory(db, () => nowMs).list(limit);
  return rows.map((row) => ({
    ...row,
    back: policyChanges(policy, wholePolicy(row.policy, policy)),
  }));
}

const DAY_MS = 86_400_000;
const COUNTED_DAYS = 7;

/** The ledger's latest lines, and what was decided in the last week. */
export function listActions({ db, nowMs }: PageData, query: z.output<typeof actionsQuery>) {
  const review = actionReview(db, () => nowMs);
  const sinceMs = nowMs - COUNTED_DAYS * DAY_MS;
  const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  return {
    items: review.list({ ...asked, limit: query.limit }),
    byReason: review.countsByReason(sinceMs),
    refusedByRequester: review.refusedByRequester(sinceMs),
  };
}

/** What would happen if somebody asked for an action; nothing is sent or written. */
export async function explain({ config, db }: PageData, query: z.output<typeof explainQuery>) {
  const { as, words } = query;
  const { explainAction } = await import("../reply/explain-action.ts");
  return explainAction(spanOf(query), { as, ...(words && { words }) }, config, db);
}

/** The line that the model would write. */
function spanOf({ action, about, text, seconds, words }: z.output<typeof explainQuery>): string {
  const { target, texts, consent } = CATALOGUE[action];
  const isNote = action === "correct" || action === "forget";
  const args = {
    note: isNote ? about : "",
    user: target === "none" ? "" : about,
    [Object.keys(texts)[0] ?? "topic"]: text,
    seconds,
    quote: consent === "quote" ? words : "",
  };
  const written = Object.entries(args).flatMap(([key, value]) =>
    value === "" ? [] : [`${key}="${value.replaceAll(/["\\]/g, "\\$&")}"`],
  );
  return `[action ${[action, ...written].join(" ")}]`;
}
