import { readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { buildRequest } from "../../src/actions/execute.ts";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import type { HelixRequest } from "../stand-ins/helix-routes.ts";
import type { HelixServer } from "../stand-ins/helix-server.ts";
import { until } from "../stand-ins/until.ts";
import { BOB, CALL_MS, MOD, openRig, STREAMER } from "./rig.ts";

/** Commands, whatever the language of the channel. */
const COMMANDS = {
  announce: "@automark announce: raffle at nine",
  shoutout: "@automark shoutout carl",
  clip: "@automark clip",
  marker: "@automark marker: boss fight",
  poll: "@automark poll: more tea? | yes | no | later",
  warn: "@automark warn carl: spoilers again",
  delete: "@automark delete carl",
  timeout: "@automark timeout carl 60",
} as const;
type Executed = keyof typeof COMMANDS;
const EXECUTED = Object.keys(COMMANDS).filter((name): name is Executed => name in COMMANDS);

/** Runs on the streamer's own account, which may do everything. */
async function request(name: Executed): Promise<HelixRequest> {
  const rig = await openRig({ botId: STREAMER });
  rig.speak("34", "a line of carl's", "carl-1");
  expect(await rig.order(MOD, COMMANDS[name])).toMatchObject({ decision: "run", outcome: "done" });
  const [sent, ...more] = rig.acts();
  if (sent === undefined || more.length > 0) throw new Error("not exactly one request");
  return sent;
}

const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
});
const operation = z.object({
  parameters: z.array(parameter).default([]),
  requestBody: z
    .object({
      content: z.object({
        "application/json": z.object({ schema: z.object({ $ref: z.string() }) }),
      }),
    })
    .optional(),
  security: z.array(z.object({ twitch_auth: z.array(z.string()) })),
});
const reference = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation.or(z.unknown()))),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});
type Reference = z.output<typeof reference>;

function readReference(file: string | URL): Reference {
  return reference.parse(JSON.parse(readFileSync(file, "utf8")));
}
const EXTRACT = readReference(new URL("helix-reference.json", import.meta.url));

function operationOf({ paths }: Reference, path: string, method: string) {
  return operation.parse(paths[path]?.[method.toLowerCase()]);
}

function bodyOf({ components }: Reference, { requestBody }: z.output<typeof operation>): unknown {
  const schema = requestBody?.content["application/json"].schema.$ref.split("/").at(-1);
  return schema === undefined ? null : components.schemas[schema];
}

test.each(EXECUTED)("%s goes out as Twitch's reference has it", async (name) => {
  const sent = await request(name);
  const known = operationOf(EXTRACT, sent.path.replace("/mock", ""), sent.method);
  const query = known.parameters.filter((one) => one.in === "query");
  const names = query.map((one) => one.name);
  expect(Object.keys(sent.query).filter((key) => !names.includes(key))).toEqual([]);
  expect(query.filter((one) => one.required && !sent.query[one.name])).toEqual([]);
  expect(known.security.flatMap(({ twitch_auth: scopes }) => scopes)).toContain(
    ACTIONS[name].scope,
  );
  const schema = bodyOf(EXTRACT, known);
  if (schema === null) {
    expect(sent.body).toBeNull();
  } else {
    const strict = z.fromJSONSchema(Object(strictly(schema)));
    expect(strict.safeParse(sent.body)).toMatchObject({ success: true });
    const surprising = { ...Object(sent.body), surprise: 1 };
    expect(strict.safeParse(surprising)).toMatchObject({ success: false });
  }
});

/** The schema with nothing let through that it does not name. */
function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== "object" || schema === null) return schema;
  const { format: _, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, strictly(value)]),
  );
  return "properties" in rest ? { ...rest, additionalProperties: false } : rest;
}

test("a time-out without a duration would be a ban, and a deletion without an id would empty the chat: neither exists", () => {
  const ids = { streamerId: STREAMER, actorId: MOD };
  const bare = { targetId: BOB, messageId: null };
  for (const seconds of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    const call = { name: "timeout", args: { user: "bob", seconds: `${seconds}` } } as const;
    expect(buildRequest({ call, ...bare }, ids)).toBeNull();
  }
  const call = { name: "delete", args: { user: "bob" } } as const;
  expect(buildRequest({ call, ...bare }, ids)).toBeNull();
  expect(buildRequest({ call, targetId: BOB, messageId: "" }, ids)).toBeNull();
});

type HelixFault = Parameters<HelixServer["failNext"]>[1];

const status = (code: number): HelixFault => ({ kind: "status", status: code });
test.each<[string, HelixFault, string, string]>([
  ["401", status(401), "failed", "unauthorised"],
  ["403", status(403), "failed", "forbidden"],
  ["404", status(404), "failed", "not_found"],
  ["409", status(409), "failed", "conflict"],
  ["400", status(400), "failed", "request"],
  ["429", { kind: "rate_limit", resetAtMs: 1_700_000_060_000 }, "failed", "rate_limited"],
  ["500", status(500), "unknown", "server"],
  ["503 after it acted", { kind: "status", status: 503, acted: true }, "unknown", "server"],
  ["a cut line", { kind: "cut", acted: true }, "unknown", "network"],
  ["silence", { kind: "hang", acted: true }, "unknown", "timeout"],
])(
  "%s ends in one logged outcome, one request and one notice",
  async (_name, fault, outcome, error) => {
    const rig = await openRig();
    rig.server.failNext("/mock/moderation/bans", fault);
    // The time limit passes once the request is there, however slow the machine is.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const asking = rig.order(MOD, "@automark timeout bob 5");
    await until(() => rig.acts().length === 1);
    if (fault.kind === "hang") vi.advanceTimersByTime(CALL_MS);
    expect(await asking).toMatchObject({ decision: "run", outcome });
    expect(rig.acts()).toHaveLength(1);
    expect(rig.review.list({ limit: 2 })).toMatchObject([{ outcome, error }]);
    const told = rig.notices.list().filter(({ cause }) => cause === "timeout");
    expect(told).toMatchObject([
      { count: 1, severity: "warning", message: expect.stringContaining(error) },
    ]);
    rig.clock.nowMs += 60_000;
    await rig.order(MOD, "@automark timeout bob 5");
    expect(rig.notices.list().filter(({ cause }) => cause === "timeout")).toEqual([]);
  },
);

test("a rate limit on one action does not hold back the others", async () => {
  const rig = await openRig();
  rig.server.failNext("/mock/clips", { kind: "rate_limit", resetAtMs: rig.clock.nowMs + 30_000 });
  expect(await rig.order(MOD, "@automark clip")).toMatchObject({ outcome: "failed" });
  expect(await rig.order(MOD, "@automark timeout bob 5")).toMatchObject({ outcome: "done" });
});

test("without its scope an action is neither offered nor run", async () => {
  const rig = await openRig({ scopes: ["clips:edit"] });
  expect(await rig.order(MOD, "@automark timeout bob 5")).toMatchObject({
    reason: "missing_scope",
  });
  const offered = rig.room.listOffered("den").map((line) => /^\[action ([a-z]+)/.exec(line)?.[1]);
  expect(offered).toEqual(["remember", "correct", "forget", "clip"]);
  expect(rig.acts()).toEqual([]);
});

test("a poll and a marker need the streamer's own log-in, and take it where there is one", async () => {
  const rig = await openRig();
  expect(await rig.order(MOD, COMMANDS.poll)).toMatchObject({ reason: "missing_scope" });
  const streamers = await openRig({ botId: STREAMER });
  expect(await streamers.order(MOD, COMMANDS.marker)).toMatchObject({ outcome: "done" });
  expect(rig.room.listOffered("den").join()).not.toContain("poll");
  expect(streamers.room.listOffered("den")).toHaveLength(11);
});

test("a class that is off, a denied action and safe mode are not offered", async () => {
  const rig = await openRig({ botId: STREAMER });
  const given = rig.policy.now;
  const offered = (change: object) => {
    rig.policy.now = { ...given, ...change };
    return rig.room.listOffered("den");
  };
  expect(offered({ safeMode: true })).toEqual([]);
  expect(offered({ denylist: { actions: ["clip"], targets: [] } })).toHaveLength(10);
  expect(
    offered({ classes: { memory: "off", chat: "off", stream: "dry_run", moderation: "off" } }),
  ).toHaveLength(3);
});
