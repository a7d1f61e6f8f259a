import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACTIONS } from "../../src/catalogue/actions.ts";
import { runProgram } from "../../src/cli/program.ts";
import { isJsonObject, type JsonObject, mergeJson } from "../../src/config/json-tree.ts";
import { PolicyHistory } from "../../src/memory/memory-policy-store.ts";
import { trailSchema } from "../../src/reply/trail.ts";
import { addNote, DAY_MS } from "../memory/recall/memories.ts";
import { quietTerminal } from "../stand-ins/command.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, type HouseGiven, openHouse } from "../stand-ins/house.ts";
import { systemPrompt } from "../stand-ins/prompt-seen.ts";
import { addRow } from "../stand-ins/rows.ts";
import { CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const MODERATOR = { userId: "900", login: "orla", displayName: "Orla", badges: "moderator/1" };

interface Manor extends House {
  /** The message of a notice; null where there is none of the kind. */
  notice(key: string): string | null;
  /** Somebody asks, the model answers; the row that came of it. */
  ask(text: string, answer?: string): Promise<ReturnType<House["replies"]>[number] | undefined>;
}

async function openManor(given: HouseGiven = {}): Promise<Manor> {
  const house = await openHouse({ ...fastTime(20), ...given, watched: true });
  const { daemon, model } = house;
  let places = 200;
  let asked = 0;
  return {
    ...house,
    reload: (changes) => {
      places += 1; // what needs a restart alone is not taken over
      return house.reload(mergedWith(changes, { memory: { caps: { channelNotes: places } } }));
    },
    notice: (key) => {
      const [kind, cause = ""] = key.split(":");
      const { notices } = daemon.status();
      return notices.find((one) => one.kind === kind && one.cause === cause)?.message ?? null;
    },
    ask: async (text, answer = `answer number ${asked}`) => {
      model.drain();
      model.enqueue(geminiSays({ text: answer }));
      asked += 1;
      const login = `asker${asked}`;
      house.say({ userId: `${6_000 + asked}`, login, displayName: login, text });
      return (await house.ended(house.replies().length + 1)).at(-1);
    },
  };
}

function mergedWith(one: JsonObject, other: JsonObject): JsonObject {
  const merged = mergeJson(one, other);
  return isJsonObject(merged) ? merged : {};
}

test("how and to what it answers changes while it runs", async () => {
  const { reload, ask, say, said, replies } = await openManor();
  expect(await ask("!ask one?")).toMatchObject({ state: "sent" });
  await reload({
    replies: { command: "!hey", bannedWords: ["flumph"] },
    bot: { aliases: ["wick"], knownBots: ["tickerbot"] },
  });
  expect(await ask("!hey two?")).toMatchObject({ state: "sent" });
  expect(await ask("wick, three?")).toMatchObject({ state: "sent" });
  expect(await ask("@automark four?", "a flumph indeed")).toMatchObject({
    state: "silent",
    reason: "guard_banned",
  });
  const before = replies().length;
  say({ userId: "77", login: "tickerbot", displayName: "tickerbot", text: "@automark hello" });
  say({ text: "!ask does the old one still work?" });
  say({ ...MODERATOR, text: "!bot pause" });
  await until(() => said.at(-1)?.text.startsWith("Paused") ?? false);
  expect(replies()).toHaveLength(before);
});

test("cooldowns and the mode change while it runs", async () => {
  const { reload, say, ended, ask } = await openManor();
  await reload({ replies: { viewerCooldownSeconds: 3_600 } });
  say({ text: "@automark one?" });
  await ended(1);
  say({ text: "@automark two?" });
  expect((await ended(2))[1]).toMatchObject({ state: "refused", reason: "viewer_cooldown" });
  await reload({ mode: "shadow" });
  expect(await ask("@automark three?", "silently")).toMatchObject({ state: "shadow" });
});

test("who speaks, what is offered and how large the prompt is changes while it runs", async () => {
  const manor = await openManor({ scopes: ["user:write:chat", "clips:edit"] });
  await manor.ask("@automark one?");
  expect(systemPrompt(manor)).toContain("You are automark,");
  expect(systemPrompt(manor)).not.toContain(ACTIONS.clip.line);
  await manor.reload({
    persona: { name: "Wick", voice: "In riddles." },
    actions: { classes: { stream: "live" } },
    prompt: { budgetTokens: 3_100 },
  });
  const row = await manor.ask("wick, two?");
  expect(systemPrompt(manor)).toContain("You are Wick,");
  expect(systemPrompt(manor)).toContain("In riddles.");
  expect(systemPrompt(manor)).toContain(ACTIONS.clip.line);
  expect(trailSchema.parse(JSON.parse(row?.trail ?? "")).budgetTokens).toBe(3_100);
});

test("which notes the prefix shows follows the policy while it runs", async () => {
  const manor = await openManor();
  const note = { channel: CHANNEL, kind: "profile" };
  for (const n of [1, 2, 3, 4, 5]) {
    addNote(manor.db, { ...note, fact: `kettle ${n} is haunted`, confidence: 0.7, pinned: true });
  }
  addNote(manor.db, { ...note, fact: "the crab is called Otto" });
  manor.db.exec(`UPDATE semantic_notes SET last_confirmed_at = ${Date.now() - 30 * DAY_MS}`);
  await manor.ask("@automark one?");
  expect(systemPrompt(manor)).toContain("is haunted");
  expect(systemPrompt(manor)).not.toContain("called Otto");
  await manor.reload({ memory: { recall: { readFloor: 0.75 } } });
  await manor.ask("@automark three?");
  expect(systemPrompt(manor)).not.toContain("is haunted");
});

test("a persona of the channel applies, by name too, and can be removed", async () => {
  const manor = await openManor();
  const vesper = { name: "Vesper", voice: "Grand.", channels: [CHANNEL], memory: "persona" };
  await manor.reload({ personas: [vesper] });
  addRow(manor.db, "semantic_notes", {
    ...{ channel: CHANNEL, scope: "channel", persona: "Vesper", fact: "the chandelier is new" },
    ...{ created_at: Date.now(), last_confirmed_at: Date.now() },
  });
  expect(await manor.ask("vesper, one?")).toMatchObject({ state: "sent" });
  expect(systemPrompt(manor)).toContain("You are Vesper,");
  expect(systemPrompt(manor)).toContain("the chandelier is new");
  await manor.reload({ personas: [] });
  await manor.ask("@automark two?");
  expect(systemPrompt(manor)).toContain("You are automark,");
  expect(systemPrompt(manor)).not.toContain("the chandelier is new");
});

test("the model, and what it may cost, changes while it runs", async () => {
  const { reload, ask, model } = await openManor();
  await reload({ llm: { model: "gemini-another" } });
  await ask("@automark one?");
  expect(model.requests.at(-1)?.path).toContain("gemini-another");
  await reload({ llm: { caps: { callsPerHour: 0 } } });
  expect(await ask("@automark two?")).toMatchObject({ reason: "model_cap" });
});

test("each policy that is taken over is a row, and so is the one at the start", async () => {
  const { reload, ask, db } = await openManor();
  await reload({ memory: { mode: "manual" } });
  await reload({ persona: { voice: "Curt." } });
  await ask("!ask are you there?");
  const rows = new PolicyHistory(db, Date.now).list(10);
  expect(rows.map(({ number, source }) => [number, source])).toEqual([
    [3, "reload"],
    [2, "reload"],
    [1, "start"],
  ]);
  expect(rows[1]?.policy).toMatchObject({
    memory: { mode: "manual", caps: { channelNotes: 201 } },
  });
});

test("a key that a command sets is applied, and is one row", async () => {
  const { reload, configFile, db, takenOver } = await openManor();
  const exit = await runProgram(
    ["memory", "policy", "set", "mode=manual", "-c", configFile],
    quietTerminal().terminal,
  );
  expect(exit).toBe(0);
  await until(() => takenOver() === 1);
  await reload({});
  expect(new PolicyHistory(db, Date.now).list(10).map(({ source }) => source)).toEqual([
    "reload",
    "cli set",
    "start",
  ]);
});

test("a key that needs a restart stays, with a notice until the file is as before", async () => {
  const { reload, ask, notice, model, configFile } = await openManor();
  const before = readFileSync(configFile, "utf8");
  await reload({
    channel: [CHANNEL, "elsewhere"],
    bot: { login: "somebodyelse" },
    dataDir: "./other",
    twitch: { clientId: "another" },
    dashboard: { port: 4_999 },
    llm: { provider: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", model: "llama" },
    replies: { command: "!hey" },
  });
  await until(() => notice("configuration:restart") !== null);
  for (const key of [
    "channel",
    "bot.login",
    "dataDir",
    "twitch.clientId",
    "dashboard.port",
    "llm.provider",
    "llm.baseUrl",
    "llm.model",
  ]) {
    expect(notice("configuration:restart")).toContain(key);
  }
  expect(notice("configuration:restart")).not.toContain("replies");
  expect(await ask("!hey there?")).toMatchObject({ state: "sent" });
  expect(model.requests.at(-1)?.path).toContain("gemini");
  writeFileSync(configFile, before);
  await until(() => notice("configuration:restart") === null);
});

test.each([
  ["is broken", '{ "channel": "x", ', "is not valid JSON"],
  ["is no configuration", '{ "channel": "x", "mod": "shadow" }', "did you mean mode?"],
  [
    "a start would refuse",
    JSON.stringify({ channel: "x", bot: { login: "a" }, persona: { voice: "so ".repeat(2_500) } }),
    "prompt.budgetTokens",
  ],
])("a file that %s changes nothing, with a notice until it is fixed", async (_, text, wrong) => {
  const { ask, notice, reload, configFile } = await openManor({
    config: { prompt: { budgetTokens: 2_500 } },
  });
  const good = readFileSync(configFile, "utf8");
  writeFileSync(configFile, text);
  await until(() => notice("configuration") !== null);
  expect(notice("configuration")).toContain(wrong);
  expect(notice("configuration")).not.toContain("\n");
  expect(await ask("!ask are you there?")).toMatchObject({ state: "sent" });
  writeFileSync(configFile, good);
  await until(() => notice("configuration") === null);
  await reload({ replies: { command: "!hey" } });
  expect(await ask("!hey there?")).toMatchObject({ state: "sent" });
});

test("a removed file changes nothing, with a notice", async () => {
  const { ask, notice, configFile } = await openManor();
  rmSync(configFile);
  await until(() => notice("configuration") !== null);
  expect(notice("configuration")).toContain("cannot be read");
  expect(await ask("!ask are you there?")).toMatchObject({ state: "sent" });
});
