import { z } from "zod";
import { accountStore } from "../chat/account-store.ts";
import { openLog } from "../log.ts";
import { policyChanges, policyOf } from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import { policySchema } from "../platform/config/memory-schema.ts";
import { isLocked } from "../platform/database/lock.ts";
import { switchStore } from "../platform/database/switches-store.ts";
import { backUp } from "../privacy/operator.ts";
import { readStatus } from "../telemetry/status.ts";
import { absent, type Desk, flag, type Route, route, timeMs } from "./desk.ts";
import { changesIn, previewChange, rollBack, saveChange, settingsOf } from "./settings.ts";

/** What runs, what is kept, what it costs. */
function showStatus({ db, nowMs, config }: Desk) {
  const running = isLocked(config.dataDir);
  return readStatus({ db, now: () => nowMs, log: openLog("silent"), running });
}

const switches = z.strictObject({
  paused: flag.optional(),
  safeMode: flag.optional(),
  readOnly: flag.optional(),
});
const SWITCH_ROWS = { paused: "paused", safeMode: "safe_mode", readOnly: "read_only" } as const;
const SWITCH_TOLD = {
  paused: ["The bot is silent.", "The bot speaks again."],
  safeMode: ["Safe mode is on: no action runs.", "Safe mode is off."],
  readOnly: ["Memory learns nothing now.", "Memory learns again."],
} as const;
const NAMES = ["paused", "safeMode", "readOnly"] as const;

const SWITCH_ROUTES: readonly Route[] = [
  route({
    method: "get",
    path: "/status",
    summary: "What runs, what is kept, what it costs",
    answer: z.looseObject({ running: z.boolean(), switches: z.looseObject({}) }),
    handle: (desk) => showStatus(desk),
  }),
  route({
    method: "put",
    path: "/switches",
    summary: "Pause the bot, take its actions away, or stop it learning",
    body: switches,
    answer: z.looseObject({ paused: z.boolean(), safeMode: z.boolean(), readOnly: z.boolean() }),
    handle: (desk, { body }) =>
      desk.change(({ db, now }) => {
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
  route({
    method: "post",
    path: "/try",
    summary: "What the bot would answer; nothing is sent, and nothing is kept",
    body: z.strictObject({
      question: z.string().trim().min(1).max(500),
      viewer: z.string().trim().max(60).default("").describe("Who would ask; nothing: a stranger."),
      channel: z.string().max(60).default(""),
      voice: z.string().trim().max(8_000).default("").describe("Another voice, to try it."),
    }),
    answer: z.strictObject({
      text: z.string().nullable(),
      reason: z.string().nullable(),
      trail: z.looseObject({}).nullable(),
    }),
    handle: async (desk, { body }) => {
      const channel = body.channel === "" ? (desk.config.channels[0] ?? "") : body.channel;
      if (!desk.config.channels.includes(channel)) throw absent("channel");
      const userId = body.viewer === "" ? null : accountStore(desk.db).named(body.viewer).userId;
      const voice = body.voice === "" ? null : body.voice;
      const tried = await desk.tryAnswer({ channel, question: body.question, userId, voice });
      return { ...tried, trail: tried.trail === null ? null : JSON.parse(tried.trail) };
    },
    told: ({ text, reason }) =>
      text === null
        ? { text: `It would say nothing: ${reason}.`, isWrong: true }
        : `It would say: ${text}`,
  }),
  route({
    method: "post",
    path: "/backup",
    summary: "Make a backup in the data folder, without a line of chat",
    answer: z.strictObject({ path: z.string() }),
    handle: (desk) => ({ path: desk.change(backUp) }),
    told: ({ path }) => `The backup is ${path}.`,
  }),
];

const change = z.looseObject({ key: z.string() });
const fields = z.record(z.string(), z.unknown());

const SETTING_ROUTES: readonly Route[] = [
  route({
    method: "get",
    path: "/settings",
    summary: "Every key that may change while the bot runs, with its bounds and what holds",
    answer: z.array(z.looseObject({ key: z.string() })),
    handle: ({ config }) => settingsOf(config),
  }),
  route({
    method: "patch",
    path: "/settings",
    summary: "Change keys of the configuration, by their dotted names",
    body: fields,
    answer: z.array(change),
    handle: (desk, { body }) => {
      const changes = changesIn(desk.config, body);
      return desk.change((work) => saveChange(desk.configFile, work, changes));
    },
    told: (changes) =>
      changes.length === 0
        ? "It says so already."
        : `Saved: ${changes.map(({ key }) => key).join(", ")}. The bot takes it over within a second.`,
  }),
  route({
    method: "post",
    path: "/settings/preview",
    summary: "What a change would change, without making it",
    body: fields,
    answer: z.array(change),
    handle: (desk, { body }) => previewChange(desk.configFile, changesIn(desk.config, body)),
  }),
];

const POLICY_ROUTES: readonly Route[] = [
  route({
    method: "get",
    path: "/policy",
    summary: "The policy of memory, as the bot holds it",
    answer: z.object({
      number: z.int().nullable(),
      policy: z.looseObject({}),
      changes: z.array(change),
    }),
    handle: ({ db, config, nowMs }) => {
      const [last] = policyHistory(db, () => nowMs).list(1);
      const policy = policyOf(config);
      const standard = { memory: policySchema.parse({}), personas: {} };
      return { number: last?.number ?? null, policy, changes: policyChanges(standard, policy) };
    },
  }),
  route({
    method: "put",
    path: "/policy",
    summary: "Change keys of memory's policy; what is left out stays as it is",
    body: z.looseObject({ memory: z.looseObject({}).optional() }),
    answer: z.array(change),
    handle: (desk, { body }) => {
      const memory = body.memory ?? body;
      return desk.change((work) => saveChange(desk.configFile, work, { memory }));
    },
    told: (changes) => `Saved: ${changes.map(({ key }) => key).join(", ") || "nothing changed"}.`,
  }),
  route({
    method: "get",
    path: "/policy/history",
    summary: "Every policy that was accepted, numbered, newest first",
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: z.object({
      items: z.array(z.looseObject({ number: z.int(), source: z.string(), createdAtMs: timeMs })),
    }),
    handle: (desk, { query }) => ({ items: policyRows(desk, query.limit) }),
  }),
  route({
    method: "post",
    path: "/policy/rollback",
    summary: "Bring an earlier policy back; that is a new row, too",
    body: z.strictObject({ number: z.coerce.number().int().min(1) }),
    answer: z.array(change),
    handle: (desk, { body }) => desk.change((work) => rollBack(desk.configFile, work, body.number)),
    told: (_, { body }) => `Policy ${body.number} is back.`,
  }),
];

/** Policies with what each changed. */
export function policyRows({ db, nowMs }: Desk, limit: number) {
  // One more than is shown: the last one shown is held against it.
  const rows = policyHistory(db, () => nowMs).list(limit + 1);
  return rows.slice(0, limit).map((row, n) => {
    const before = rows[n + 1];
    return {
      ...row,
      changes: before === undefined ? [] : policyChanges(before.policy, row.policy),
    };
  });
}

export const CONTROL_ROUTES: readonly Route[] = [
  ...SWITCH_ROUTES,
  ...SETTING_ROUTES,
  ...POLICY_ROUTES,
];
