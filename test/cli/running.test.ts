import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Db, openDatabase } from "../../src/database/open-database.ts";
import { builtProgram } from "../stand-ins/built-program.ts";
import { runCommand } from "../stand-ins/command.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openTown } from "../stand-ins/house.ts";
import { type Launch, type Running, startProgram } from "../stand-ins/program.ts";
import { CHANNEL, launchIn, type Town } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const main = builtProgram();

interface Scene {
  readonly town: Town;
  readonly launch: Launch;
  readonly daemon: Running;
  say(text: string, n: number): void;
}

async function scene(over: Readonly<Record<string, unknown>> = {}): Promise<Scene> {
  const town = await openTown();
  const launch = launchIn(town, main, over);
  const daemon = startProgram(launch, "run");
  onTestFinished(() => daemon.kill("SIGKILL"));
  await daemon.says("Joined");
  const say = (text: string, n: number) =>
    void town.irc.say(CHANNEL, {
      userId: String(500 + n),
      login: `v${n}`,
      displayName: `V${n}`,
      text,
    });
  return { town, launch, daemon, say };
}

/** Resolves once the bot has written down that its first answer was sent. Gives a connection to its database. */
async function firstSent({ town }: Scene): Promise<Db> {
  const db = openDatabase(join(town.dataDir, "forgetmenot.db"));
  onTestFinished(() => void db.close());
  const sent = db.prepare("SELECT 1 FROM replies WHERE state = 'sent'");
  await until(() => sent.get() !== undefined);
  return db;
}

/** In this process, which is not the bot's. */
async function output(launch: Launch, ...args: string[]): Promise<string> {
  const { exit, output: written, errors } = await runCommand(launch, ...args);
  expect(exit, errors).toBe(0);
  return written;
}

test("a bot that joined, asked Twitch and answered has never loaded the client behind `fetch`", async () => {
  const town = await openTown();
  const launch = launchIn(town, main);
  const tell = `process.on("exit", () => process.stderr.write(process.moduleLoadList.join()))`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tell)}`;
  const environment = { ...launch.environment, NODE_OPTIONS };
  const daemon = startProgram({ ...launch, environment }, "run");
  onTestFinished(() => daemon.kill("SIGKILL"));
  await daemon.says("Joined");
  town.model.enqueue(geminiSays({ text: "good evening" }));
  town.irc.say(CHANNEL, { userId: "501", login: "v1", displayName: "V1", text: "@automark hello" });
  await until(() => town.said.length === 1);
  expect(town.said).toMatchObject([{ via: "helix" }]);
  daemon.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
  expect(daemon.errors()).toContain("NativeModule http");
  expect(daemon.errors()).not.toContain("undici");
});

test.for(["start", "run"])("a usual %s prints nothing to standard error", async (command) => {
  const town = await openTown();
  const launch = launchIn(town, main);
  const daemon = startProgram(launch, command);
  onTestFinished(() => daemon.kill("SIGKILL"));
  await daemon.says("Joined");
  town.irc.say(CHANNEL, { userId: "501", login: "v1", displayName: "V1", text: "@automark hello" });
  await until(() => town.said.length === 1);
  expect((await runCommand(launch, "doctor")).errors).toBe("");
  daemon.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
  expect(daemon.errors()).toBe("");
});

test("SIGTERM ends the bot within 2 s, with every line on disk", async () => {
  const one = await scene({
    replies: { channelCooldownSeconds: 600, viewerCooldownSeconds: 0 },
  });
  const { town, daemon, say } = one;
  say("@automark hello", 1);
  const db = await firstSent(one);
  say("@automark this one waits for its turn", 2);
  for (let n = 1; n <= 300; n += 1) say(`line ${n}`, 3);
  town.irc.ping();
  await until(() => town.irc.pongs() === 1); // all of it arrived
  const askedAtMs = Date.now();
  daemon.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
  expect(Date.now() - askedAtMs).toBeLessThan(2_000);
  expect(db.prepare("SELECT count(*) FROM events WHERE text LIKE 'line %'").pluck().get()).toBe(
    300,
  );
  expect(db.prepare("SELECT state, reason FROM replies ORDER BY id").all()).toEqual([
    { state: "sent", reason: null },
    { state: "refused", reason: "closing" },
  ]);
});

test("SIGTERM ends a bot whose model hangs just as soon", async () => {
  const { town, daemon, say } = await scene();
  town.model.enqueue({ kind: "hang" });
  say("@automark hello", 1);
  await town.model.received(1);
  const askedAtMs = Date.now();
  daemon.kill("SIGTERM");
  expect(await daemon.ended).toBe(0);
  expect(Date.now() - askedAtMs).toBeLessThan(2_000);
});

test("status tells a person and a script how the bot is", async () => {
  const one = await scene();
  const { launch, daemon, say } = one;
  say("@automark hello", 1);
  await firstSent(one);
  await expect.poll(() => output(launch, "status"), { timeout: 10_000 }).toContain(" · live · ");
  const text = await output(launch, "status");
  expect(text).toMatch(/^bot +running as automark .* mode mentions · gemini /m);
  expect(text).toMatch(/^#lanternroom +joined · live · .*lamps$/m);
  expect(text).toMatch(/^replies 24 h +1 sent$/m);
  const json = JSON.parse(await output(launch, "status", "--json"));
  expect(json).toMatchObject({ running: true, replies: { byState: { sent: 1 } }, notices: [] });
  daemon.kill("SIGTERM");
  await daemon.ended;
  expect(await output(launch, "status")).toMatch(/^bot +not running; last seen /m);
});

test("pause silences a running bot at once, resume wakes it", async () => {
  const { town, launch, say } = await scene();
  town.model.enqueue(geminiSays({ text: "first" }), geminiSays({ text: "second" }));
  expect(await output(launch, "pause")).toMatch(
    /^paused: it says nothing until `forgetmenot resume`\n$/,
  );
  say("@automark while paused", 1);
  const db = openDatabase(join(town.dataDir, "forgetmenot.db"));
  onTestFinished(() => void db.close());
  const reasons = db.prepare("SELECT reason FROM replies").pluck();
  await until(() => reasons.all().length === 1);
  expect(reasons.all()).toEqual(["paused"]);
  expect(await output(launch, "resume")).toMatch(/^resumed\n$/);
  say("@automark now?", 2);
  await until(() => town.said.length === 1);
  expect(town.said[0]?.text).toBe("first");
});
