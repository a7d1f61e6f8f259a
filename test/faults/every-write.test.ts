import { expect, test } from "vitest";
import { Fault } from "../../src/errors.ts";
import { makeRememberAnswer, SAID } from "../../src/privacy/command-answers.ts";
import { learningRig } from "../memory/learning-rig.ts";
import { CODES, failingWrites } from "../stand-ins/failing-writes.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, fastTime, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { BOT_ID, CHANNEL, MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const KEPT = "I will remember that.";
const FORGOTTEN = /I forgot everything|All I knew about you is gone/;
/** An answer takes its wordings in turn. */
const KEPT_WORDINGS = makeRememberAnswer({ kind: "done", as: "kept" });
/** How often as fast as real the town's time goes, so that Twitch's limits make nobody wait. */
const SPEED = 30;

interface Round {
  readonly n: number;
  readonly keeper: string;
  readonly leaver: string;
  /** Messages that asked to remember and to forget. */
  readonly keepId: string;
  readonly leaveId: string;
}

/** Everything that chat can make the bot write, by people whom only this round knows. */
async function play(house: House, n: number): Promise<Round> {
  const person = (role: number, name: string) => {
    const login = `${name}${n}q`;
    return { userId: `77${role}${1_000 + n}`, login, displayName: login };
  };
  const keeper = person(1, "keeper");
  const leaver = person(2, "leaver");
  const asker = person(3, "asker");
  const shy = person(4, "shy");
  const rude = person(5, "rude");
  const mod = { ...person(6, "warden"), badges: "moderator/1" };
  const keepId = house.say({ text: `!remember I polish brass lantern ${n}`, ...keeper });
  house.say({ text: `the violet gondola ${n} is mine`, ...leaver });
  house.model.enqueue(
    geminiSays({
      text: `noted ${n} [action remember fact="likes walnut ${n}" quote="I like walnut ${n}"] [action clip]`,
    }),
  );
  house.say({ text: `@automark I like walnut ${n}, keep that`, ...asker });
  const removed = house.say({ text: `the crimson kettle ${n} sings`, ...rude });
  house.say({ text: `a second crimson kettle ${n}`, ...rude });
  house.irc.inject([
    `@login=${rude.login};target-msg-id=${removed} :tmi.twitch.tv CLEARMSG #${CHANNEL} :the crimson kettle ${n} sings`,
    `@ban-duration=60;target-user-id=${rude.userId} :tmi.twitch.tv CLEARCHAT #${CHANNEL} :${rude.login}`,
  ]);
  house.say({ text: "!optout", ...shy });
  house.say({ text: "!optin", ...shy });
  house.say({ text: "!bot safe on", ...mod });
  house.say({ text: "!bot safe off", ...mod });
  const leaveId = house.say({ text: "!forgetme", ...leaver });
  await settled(house);
  return { n, keeper: keeper.userId, leaver: leaver.userId, keepId, leaveId };
}

/** Resolves once the daemon has taken in what was said, and its turns are over. */
async function settled(house: House): Promise<void> {
  const before = house.irc.pongs();
  house.irc.ping();
  await until(() => house.irc.pongs() > before);
}

/** Whether somebody new is answered; a moment in which nothing can be written may pass first. */
async function answersAgain(house: House, n: number): Promise<void> {
  const texts = () => house.said.map(({ text }) => text);
  for (let tries = 0; tries < 10 && !texts().includes(`here ${n}`); tries += 1) {
    house.model.drain();
    house.think(`here ${n}`);
    const login = `late${n}x${tries}`;
    house.say({
      text: `@automark there, ${n}?`,
      userId: `99${tries}${n}`,
      login,
      displayName: login,
    });
    await until(() => texts().includes(`here ${n}`), 2_500).catch(() => undefined);
  }
  expect(texts()).toContain(`here ${n}`);
}

/** What the bot acknowledged is stored, and what a moderator removed is gone. */
async function nothingLost(house: House, round: Round): Promise<void> {
  const soon = (condition: () => boolean) => until(condition, 8_000);
  const count = (sql: string, ...given: readonly unknown[]) =>
    Number(
      house.db
        .prepare(sql)
        .pluck()
        .get(...given),
    );
  await soon(
    () => count(`SELECT count(*) FROM events WHERE text LIKE '%crimson kettle ${round.n}%'`) === 0,
  );
  const answer = (id: string) => house.said.find(({ replyTo }) => replyTo === id)?.text ?? "";
  if (KEPT_WORDINGS.some((wording) => answer(round.keepId).endsWith(wording))) {
    expect(count("SELECT count(*) FROM semantic_notes WHERE subject_id = ?", round.keeper)).toBe(1);
  }
  if (FORGOTTEN.test(answer(round.leaveId))) {
    expect(count("SELECT count(*) FROM viewers WHERE user_id = ?", round.leaver)).toBe(0);
    const own = `SELECT count(*) FROM events WHERE text LIKE '%violet gondola ${round.n} %'`;
    expect(count(own)).toBe(0);
  }
}

test("whichever write fails, the bot answers again, keeps what it acknowledged, and logs no word of chat", async () => {
  const house = await openHouse({
    ...fastTime(SPEED),
    config: { actions: { classes: { memory: "live" } } },
  });
  house.irc.inject(
    `@badges=moderator/1;mod=1;user-id=${BOT_ID} :tmi.twitch.tv USERSTATE #${CHANNEL}`,
  );
  const writes = failingWrites(() => house.db);
  await nothingLost(house, await play(house, 0));
  await answersAgain(house, 0);
  const sources = [...writes.seen];
  expect(sources.length).toBeGreaterThanOrEqual(40);
  const failed: string[] = [];
  for (const [index, source] of sources.entries()) {
    const code = CODES[index % CODES.length] ?? CODES[0];
    writes.arm(source, code);
    const told = (thrown: unknown): never => {
      throw new Error(`${code} in: ${source}\n${house.logged.slice(-12).join("")}`, {
        cause: thrown,
      });
    };
    const round = await play(house, index + 1);
    await answersAgain(house, index + 1).catch(told);
    if (writes.disarm()) failed.push(source);
    await nothingLost(house, round).catch(told);
  }
  expect(failed.length).toBeGreaterThan(sources.length * 0.8);
  const said = (wordings: readonly string[]) =>
    house.said.filter(({ text }) => wordings.some((wording) => text.endsWith(wording)));
  expect(said(KEPT_WORDINGS).length).toBeGreaterThan(5);
  const forgotten = house.said.filter(({ text }) => FORGOTTEN.test(text));
  expect(forgotten.length).toBeGreaterThan(5);
  const log = house.logged.join("\n");
  expect(log).not.toMatch(/gondola|kettle|lantern \d|walnut|violet|crimson/);
  expect(log).not.toMatch(/keeper\d|leaver\d|asker\d|shy\d|rude\d|warden\d|late\d|"77\d{5}/);
  expect(log).not.toContain(TWITCH_TOKEN);
  expect(log).not.toContain(MODEL_KEY);
  const ended = await house.daemon.close();
  expect(ended).toEqual({ linesLost: 0 });
}, 300_000);

test.each(["SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR_WRITE"])(
  "while nothing can be written (%s) it answers, says what fixes it, and asks viewers to try again",
  async (code) => {
    const house = await openHouse(fastTime(SPEED));
    const writes = failingWrites(() => house.db);
    writes.armAll(code);
    house.say({ text: "!remember I polish brass lanterns", userId: "8801", login: "keeper" });
    house.say({ text: "a line that waits", userId: "8802", login: "talker" });
    await answersAgain(house, 1);
    const told = () => house.logged.filter((line) => line.includes('"notice":"database"'));
    await until(() => told().length > 0);
    expect(told()[0]).toMatch(/Free some space|Make .* writable|Check that the disk/);
    expect(house.said.map(({ text }) => text)).toContain(SAID.later[0]);
    expect(house.said.map(({ text }) => text)).not.toContain(KEPT);
    expect(writes.disarm()).toBe(true);
    house.say({ text: "!remember I polish brass lamps", userId: "8803", login: "polisher" });
    await until(() => house.said.some(({ text }) => text === KEPT), 8_000);
    const count = (sql: string) => Number(house.db.prepare(sql).pluck().get());
    await until(() => count("SELECT count(*) FROM events WHERE text = 'a line that waits'") === 1);
    expect(count("SELECT count(*) FROM semantic_notes WHERE subject_id = '8801'")).toBe(0);
    expect(count("SELECT count(*) FROM semantic_notes WHERE subject_id = '8803'")).toBe(1);
    await until(() => house.daemon.status().notices.every(({ kind }) => kind !== "database"));
  },
  60_000,
);

/** What was made of the chat: each event is in one episode, and each note has the words of its claim. */
function learned({ rows, notes }: ReturnType<typeof learningRig>) {
  return {
    uncovered: rows("SELECT id FROM events WHERE memorable = 1 AND episode_id IS NULL"),
    episodes: rows(
      `SELECT kind, event_count, stage, status, summary,
         (SELECT count(*) FROM events WHERE episode_id = e.id) AS events,
         (SELECT count(*) FROM episode_claims WHERE episode_id = e.id) AS claims FROM episodes e`,
    ),
    notes: notes().map(({ who, fact, status }) => ({ who, fact, status })),
  };
}

test("whichever write of the compaction fails, its next looks make the same of the chat, once", async () => {
  const facts = ["I live in Oslo", [2, "I repair old radios"]] as const;
  const well = learningRig();
  const writes = failingWrites();
  await well.learn(...facts);
  const expected = learned(well);
  expect(expected).toMatchObject({ uncovered: [], notes: [{ status: "active" }, {}] });
  const sources = [...writes.seen];
  expect(sources.length).toBeGreaterThan(15);
  let failures = 0;
  for (const [index, source] of sources.entries()) {
    const rig = learningRig();
    writes.arm(source, CODES[index % CODES.length] ?? CODES[0]);
    await rig.learn(...facts).catch(() => undefined);
    if (writes.disarm()) failures += 1;
    for (let look = 0; look < 4; look += 1) {
      rig.clock.nowMs += 31 * 60_000;
      await rig.memory.run();
    }
    expect(learned(rig), source).toEqual(expected);
  }
  expect(failures).toBeGreaterThan(sources.length * 0.7);
}, 120_000);

test("whichever write of a start fails, it starts all the same or says what fixes it, and loses nothing", async () => {
  const town = await openTown(fastTime(SPEED));
  const first = await enter(town);
  first.say({ text: "!remember I polish brass lanterns", userId: "8801", login: "keeper" });
  await until(() => first.said.some(({ text }) => text === KEPT));
  await first.close();
  const writes = failingWrites();
  await enter(town).then(({ close }) => close());
  const sources = [...writes.seen];
  expect(sources.length).toBeGreaterThan(10);
  let failures = 0;
  for (const [index, source] of sources.entries()) {
    writes.arm(source, CODES[index % CODES.length] ?? CODES[0]);
    const started = await enter(town).catch((thrown: unknown) => thrown);
    if (writes.disarm()) failures += 1;
    if (started instanceof Error) {
      if (!(started instanceof Fault)) throw started;
      expect((started as Fault).fix, source).not.toBe("");
    }
    const house = started instanceof Error ? await enter(town) : (started as House);
    await answersAgain(house, 500 + index);
    const kept = house.db.prepare("SELECT subject_id FROM semantic_notes").pluck();
    expect(kept.all(), source).toEqual(["8801"]);
    await house.close();
  }
  expect(failures).toBeGreaterThan(sources.length * 0.7);
}, 240_000);
