import { beforeAll, expect, test } from "vitest";
import { ACTIONS, type Action } from "../../src/catalogue/actions.ts";
import { ACTION_NAMES } from "../../src/config/names.ts";
import { LANGUAGES } from "../../src/language/languages.ts";
import { MOD, STREAMER, VIEWER } from "../actions/rig.ts";
import { copySource } from "./copied-source.ts";

/** One more action, as a contributor would add it. */
const SLOW = {
  class: "chat",
  target: "none",
  consent: "yes",
  question: { usual: "Let each viewer write once in {seconds} s, because of {reason}? {yes}" },
  syntax: " LENGTH[: TEXT]",
  args: {
    seconds: { kind: "seconds", usual: 60 },
    reason: { kind: "text", charsMax: 50, isNeeded: false },
  },
  to: "helix",
  scope: "moderator:manage:chat_settings",
  token: "bot",
  request: {
    method: "PATCH",
    path: "chat/settings",
    query: { broadcaster_id: "{streamer}", moderator_id: "{actor}" },
    body: { slow_mode: true, nested: { wait: "{seconds}", why: "{reason}" } },
  },
  result: "{id}",
  limits: {
    actionSeconds: 20,
    targetSeconds: 0,
    requesterSeconds: 0,
    perHour: 5,
    perStream: 9,
    secondsMin: 3,
    secondsMax: 120,
  },
  line: '[action slow seconds=30 reason="…"] (mods)',
  plural: "slow modes",
} satisfies Action;

const load = copySource(
  ["schema.sql", "test/actions", "test/chat", "test/stand-ins"],
  "actions.ts",
  `slow: ${JSON.stringify(SLOW)},`,
);
let rigs: typeof import("../actions/rig.ts");
beforeAll(async () => {
  rigs = await load("test/actions/rig.ts");
});

const openSlowRig = () =>
  rigs.openRig({
    routes: {
      "PATCH /mock/chat/settings": {
        scopes: [SLOW.scope],
        handle: () => ({ status: 200, body: { data: [{ id: "made-1" }] } }),
      },
    },
  });
type Rig = Awaited<ReturnType<typeof openSlowRig>>;
const sent = (rig: Rig) =>
  rig.acts().map(({ method, path, query, body }) => ({ method, path, query, body }));
const PATH = { method: "PATCH", path: "/mock/chat/settings" };
const QUERY = { broadcaster_id: STREAMER, moderator_id: "77" };

test("one entry is offered, asked with its words, and sent by its method to its path", async () => {
  const rig = await openSlowRig();
  expect(rig.room.listOffered("den")).toContain(SLOW.line);
  const words = "slow chat down, because of spoilers everywhere";
  const span = '[action slow seconds=900 reason="spoilers everywhere"]';
  expect(await rig.ask(MOD, words, span)).toMatchObject([{ reason: "needs_yes" }]);
  expect(rig.send()).toBe(
    "Let each viewer write once in 120 s, because of spoilers everywhere? Reply yes or write !yes (120 s is the longest allowed)",
  );
  expect(sent(rig)).toEqual([]);
  await rig.line(MOD, "!yes");
  const body = { slow_mode: true, nested: { wait: 120, why: "spoilers everywhere" } };
  expect(sent(rig)).toEqual([{ ...PATH, query: QUERY, body }]);
  expect(rig.review.list({ limit: 1 })).toMatchObject([
    { action: "slow", class: "chat", reason: "confirmed", outcome: "done", result: "made-1" },
  ]);
});

test("one entry has a command, limits, and the gate of its class", async () => {
  const rig = await openSlowRig();
  expect(await rig.order(MOD, "@automark slow 1m.")).toMatchObject({ outcome: "done" });
  const body = { slow_mode: true, nested: { wait: 60 } };
  expect(sent(rig)).toEqual([{ ...PATH, query: QUERY, body }]);
  expect(await rig.order(MOD, "@automark slow 30")).toMatchObject({ reason: "cooldown_action" });
  rig.clock.nowMs += 60_000;
  expect(await rig.order(VIEWER, "@automark slow 30")).toMatchObject({ reason: "not_allowed" });
  expect(await rig.order(MOD, "@automark slow it down to 30 please")).toMatchObject({
    decision: "hold",
  });
  rig.policy.now = { ...rig.policy.now, classes: { ...rig.policy.now.classes, chat: "off" } };
  expect(await rig.order(MOD, "@automark slow 30")).toMatchObject({ reason: "class_off" });
  expect(sent(rig)).toHaveLength(1);
});

test("an incomplete entry does not type-check", () => {
  const use = (action: Action): Action => action;
  const { request, line: _line, ...rest } = SLOW;
  const { method: _method, ...noMethod } = request;
  const { question: _question, ...noQuestion } = SLOW;
  const { scope: _scope, ...noScope } = SLOW;
  const { perHour: _perHour, ...noCap } = SLOW.limits;
  // @ts-expect-error the method is missing
  use({ ...SLOW, request: noMethod });
  // @ts-expect-error the line for the model is missing
  use({ ...rest, request });
  // @ts-expect-error an action that needs a yes has a question
  use(noQuestion);
  // @ts-expect-error the scope is missing
  use(noScope);
  // @ts-expect-error a cap is missing
  use({ ...SLOW, limits: noCap });
  // @ts-expect-error no such kind of argument
  use({ ...SLOW, args: { user: { kind: "login" } } });
  expect(use(SLOW)).toBe(SLOW);
});

test("each question is translated into every language, with the gaps of the English one", () => {
  const wrong: string[] = [];
  for (const { code, says } of LANGUAGES.filter((one) => one.code !== "en")) {
    const wanted = ACTION_NAMES.flatMap((name) => {
      const action = ACTIONS[name];
      const forms = action.consent === "yes" ? Object.entries(action.question) : [];
      return forms.map(([form, text]) => [form === "usual" ? name : `${name} ${form}`, text]);
    });
    const gapsOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join();
    for (const [key = "", english = ""] of wanted)
      if (gapsOf(says.asks[key] ?? "") !== gapsOf(english)) wrong.push(`${code} ${key}`);
    const known = wanted.map(([key]) => key);
    wrong.push(...Object.keys(says.asks).filter((key) => !known.includes(key)));
  }
  expect(wrong).toEqual([]);
});

test("a made-up argument never reaches a request", async () => {
  const rig = await openSlowRig();
  const span = '[action slow seconds=30 user="bob"]';
  expect(await rig.ask(MOD, "bob, slow", span)).toMatchObject([{ reason: "arguments" }]);
  expect(sent(rig)).toEqual([]);
});
