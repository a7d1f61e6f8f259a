import { z } from "zod";
import { actionReview } from "../actions/ledger-store.ts";
import { accountStore } from "../chat/viewer-store.ts";
import { toConfig } from "../config/load.ts";
import { isLocked } from "../database/lock.ts";
import { switchStore } from "../database/runtime-store.ts";
import { policyChanges, policyOf, wholePolicy } from "../memory/memory-policy.ts";
import { policyHistory } from "../memory/memory-policy-store.ts";
import { backUp } from "../privacy/operator.ts";
import { readStatus } from "../telemetry/status.ts";
import {
  absent,
  channelIn,
  flag,
  idIn,
  listQuery,
  oneOf,
  operatorContext,
  ordinal,
  type PageData,
  type Route,
  route,
  shortText,
} from "./route.ts";
import { nameOf } from "./setting-names.ts";
import { changesIn, rollBack, saveChange, settingsOf } from "./settings.ts";

/** The row of each switch, and the messages when it is set on and off. */
const SWITCHES = {
  paused: ["paused", "The bot is silent.", "The bot answers again."],
  safeMode: ["safe_mode", "Safe mode is on: no action runs.", "Safe mode is off."],
  readOnly: ["read_only", "The bot learns nothing now.", "The bot learns again."],
} as const;
/** Decisions are counted for a week. */
const COUNTED_MS = 7 * 86_400_000;
const NAMES = ["paused", "safeMode", "readOnly"] as const;
const fields = z.record(z.string(), z.unknown());

export const actionsQuery = z.object({
  limit: ordinal.max(500).default(100),
  decision: oneOf(["run", "refuse", "hold", "dry_run"]),
  reason: shortText,
  requester: shortText.describe("A login."),
});
export const CONTROL_ROUTES: readonly Route[] = [
  route("get /status", "What runs, what is stored and what it costs", {
    handle: (data) =>
      readStatus({ ...operatorContext(data), running: isLocked(data.config.dataDir) }),
  }),
  route("put /switches", "Pause the bot, refuse its actions, or stop it learning", {
    body: z.strictObject({ paused: flag, safeMode: flag, readOnly: flag }).partial(),
    handle: (data, { body }) =>
      data.change(({ db, now }) => {
        const store = switchStore(db, now);
        for (const name of NAMES) {
          const on = body[name];
          if (on !== undefined) store.set(SWITCHES[name][0], on, "page");
        }
        return store.read();
      }),
    flash: (_, { body }) =>
      NAMES.flatMap((name) =>
        body[name] === undefined ? [] : [SWITCHES[name][body[name] ? 1 : 2]],
      ).join(" "),
  }),
  route("post /demo/end", "End the demo and open setup", {
    handle: ({ control: { goLive } }) => {
      if (goLive === undefined) throw absent("demo");
      goLive();
      return {};
    },
    flash: () => ({ text: "Setup is next.", goTo: "/" }),
  }),
  route("put /autostart", "Start the bot at each log-in, or not", {
    body: z.strictObject({ isOn: flag }),
    handle: async ({ control: { autostart } }, { body }) => {
      if (autostart === undefined) throw absent("start at log-in");
      await (body.isOn ? autostart.turnOn("later") : autostart.turnOff("later"));
      return body;
    },
    flash: ({ isOn }) =>
      isOn ? "The bot starts when you log in." : "The bot does not start by itself any more.",
  }),
  route("post /quit", "End the bot in order", {
    handle: ({ control: { quit } }) => {
      if (quit === undefined) throw absent("bot to end");
      // The answer leaves before the server closes.
      setImmediate(quit);
      return new Response("The bot has ended. You can close this tab.\n");
    },
  }),
  route("post /try", "What the bot would answer; nothing is sent or stored", {
    body: z.strictObject({
      question: z.string().trim().min(1).max(500),
      viewer: shortText.describe("Who would ask; nothing: a stranger."),
      channel: shortText,
      voice: z.string().trim().max(8_000).default("").describe("Another voice, to try it."),
    }),
    handle: async (data, { body }) => {
      const channel = channelIn(data, body.channel);
      const userId = body.viewer === "" ? null : accountStore(data.db).named(body.viewer).userId;
      const { question, voice } = body;
      const tried = await data.tryAnswer({ channel, question, userId, voice: voice || null });
      return { ...tried, trail: JSON.parse(tried.trail ?? "null") as object | null };
    },
    flash: ({ text, reason }) =>
      text === null
        ? { text: `It would say nothing: ${reason}.`, isWrong: true }
        : `It would say: ${text}`,
  }),
  route("post /backup", "Make a backup in the data folder, without chat", {
    handle: (data) => ({ path: data.change(backUp) }),
    flash: ({ path }) => `The backup is ${path}.`,
  }),
  route("get /settings", "Every key that may change while the bot runs, with bounds and value", {
    handle: ({ config }) => settingsOf(config),
  }),
  route("patch /settings", "Change keys of the configuration, by their dotted names", {
    body: fields,
    handle: (data, { body }) => {
      const changes = changesIn(data.config, body);
      return data.change((work) => saveChange(data.configFile, work, changes));
    },
    flash: (changes, { body }) => {
      // The button of the banner.
      if (Object.keys(body).length === 1 && changes[0]?.key === "mode")
        return "The bot talks from now on.";
      return changes.length === 0
        ? "Nothing changed."
        : `Saved: ${changes.map(({ key }) => nameOf(key)).join(", ")}. The bot applies it within a second.`;
    },
  }),
  route("get /policy", "The policy of memory and actions, as the bot holds it", {
    handle: ({ db, config, nowMs }) => {
      const [last] = policyHistory(db, () => nowMs).list(1);
      const policy = policyOf(config);
      const standard = policyOf(toConfig({ channel: "x" }, "."));
      return { number: last?.number ?? null, policy, changes: policyChanges(standard, policy) };
    },
  }),
  route("put /policy", "Change keys of the policy; the others stay", {
    body: z.strictObject({
      memory: z.looseObject({}).optional(),
      actions: z.looseObject({}).optional(),
    }),
    handle: (data, { body }) => data.change((work) => saveChange(data.configFile, work, body)),
    flash: (changes) => `Saved: ${changes.map(({ key }) => key).join(", ") || "nothing changed"}.`,
  }),
  route("get /policy/history", "Every policy that was accepted, numbered, newest first", {
    query: listQuery.pick({ limit: true }),
    handle: (data, { query }) => ({ items: policyRows(data, query.limit) }),
  }),
  route("post /policy/rollback", "Bring an earlier policy back, as a new row", {
    body: z.strictObject({ number: ordinal }),
    handle: (data, { body }) => data.change((work) => rollBack(data.configFile, work, body.number)),
    flash: (_, { body }) => `The settings of number ${body.number} are back.`,
  }),
  route("get /actions", "Proposed actions with the decision about each, newest first", {
    query: actionsQuery,
    handle: (data, { query }) => {
      const review = actionReview(data.db, () => data.nowMs);
      const sinceMs = data.nowMs - COUNTED_MS;
      return {
        items: listActions(data, query),
        byReason: review.countsByReason(sinceMs),
        refusedByRequester: review.refusedByRequester(sinceMs),
      };
    },
  }),
  route("post /actions/:id/answer", "Answer a waiting proposal; the bot judges it once more", {
    body: z.strictObject({ answer: z.enum(["approve", "refuse"]) }),
    handle: (data, { params, body }) => {
      const isTaken = data.change(({ db, now }) =>
        actionReview(db, now).answer(idIn(params), body.answer),
      );
      if (!isTaken) throw absent("proposal that waits");
      return body;
    },
    flash: ({ answer }) => (answer === "approve" ? "Approved." : "Refused."),
  }),
];

/** Policies with what each changed, and what would change if it became active again. */
export function policyRows({ db, nowMs, config }: PageData, limit: number) {
  const policy = policyOf(config);
  const rows = policyHistory(db, () => nowMs).list(limit);
  return rows.map((row) => ({
    ...row,
    back: policyChanges(policy, wholePolicy(row.policy, policy)),
  }));
}

/** The ledger's latest lines. */
export function listActions({ db, nowMs }: PageData, query: z.output<typeof actionsQuery>) {
  const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  return actionReview(db, () => nowMs).list({ ...asked, limit: query.limit });
}
