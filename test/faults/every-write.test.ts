import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/platform/database/open-database.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, openHouse } from "../stand-ins/house.ts";
import { BOT_ID, CHANNEL, MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

/** What SQLite says of a full disk, of one that fails, and of another program that writes. */
const CODES = ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_BUSY"] as const;
const KEPT = "I will remember that.";
const GONE = "Done: I forgot everything about you.";
/** How often as fast as real the town's time goes, so that Twitch's limits make nobody wait. */
const SPEED = 20;

interface Writes {
  /** Every statement that wrote since, each once. */
  readonly seen: Set<string>;
  /** The next time this very statement is run, it fails. */
  arm(source: string, code: string): void;
  /** Whether the failure happened. */
  disarm(): boolean;
}

type Runner = (this: Database.Statement, ...given: unknown[]) => unknown;

/** Stands between the program and every statement that writes, on all connections but `own`. */
function betweenWrites(own: Database.Database): Writes {
  const sample = openDatabase(":memory:");
  const prototype = Object.getPrototypeOf(sample.prepare("SELECT 1")) as Record<string, Runner>;
  sample.close();
  const seen = new Set<string>();
  let armed: { readonly source: string; readonly code: string } | null = null;
  for (const name of ["run", "get", "all"]) {
    const original = prototype[name] as Runner;
    prototype[name] = function (...given) {
      const isWrite = !this.readonly || this.source === "COMMIT";
      if (isWrite && this.database !== own) {
        seen.add(this.source);
        if (armed?.source === this.source) {
          const { code } = armed;
          armed = null;
          throw new Database.SqliteError("injected by the test", code);
        }
      }
      return original.apply(this, given);
    };
    onTestFinished(() => {
      prototype[name] = original;
    });
  }
  return {
    seen,
    arm: (source, code) => {
      armed = { source, code };
    },
    disarm: () => {
      const hasHappened = armed === null;
      armed = null;
      return hasHappened;
    },
  };
}

interface Round {
  readonly n: number;
  readonly keeper: string;
  readonly leaver: string;
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
  house.say({ text: `!remember I polish brass lantern ${n}`, ...keeper });
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
  house.say({ text: "!forgetme", ...leaver });
  await settled(house);
  return { n, keeper: keeper.userId, leaver: leaver.userId };
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
    house.model.enqueue(geminiSays({ text: `here ${n}` }));
    const login = `late${n}x${tries}`;
    house.say({
      text: `@automark there, ${n}?`,
      userId: `99${tries}${n}`,
      login,
      displayName: login,
    });
    await until(() => texts().includes(`here ${n}`), 1_500).catch(() => undefined);
  }
  expect(texts()).toContain(`here ${n}`);
}

/** What was wished is done, also where the answer came too late to be said. */
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
    () =>
      count("SELECT count(*) FROM semantic_notes WHERE subject_id = ?", round.keeper) > 0 &&
      count("SELECT count(*) FROM viewers WHERE user_id = ?", round.leaver) === 0,
  );
  const left = `SELECT count(*) FROM events WHERE text LIKE '%crimson kettle ${round.n}%' OR text LIKE '%violet gondola ${round.n} %'`;
  await soon(() => count(left) === 0);
}

test("whichever write fails, the bot answers again, keeps what it acknowledged, and logs no word of chat", async () => {
  const house = await openHouse({
    ...fastTime(SPEED),
    config: { actions: { classes: { memory: "live" } } },
  });
  house.irc.inject(
    `@badges=moderator/1;mod=1;user-id=${BOT_ID} :tmi.twitch.tv USERSTATE #${CHANNEL}`,
  );
  const writes = betweenWrites(house.db);
  await nothingLost(house, await play(house, 0));
  await answersAgain(house, 0);
  const sources = [...writes.seen];
  expect(sources.length).toBeGreaterThan(40);
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
  const said = house.said.map(({ text }) => text);
  expect(said.filter((text) => text === KEPT).length).toBeGreaterThan(10);
  expect(said.filter((text) => text === GONE).length).toBeGreaterThan(10);
  const log = house.logged.join("\n");
  expect(log).not.toMatch(/gondola|kettle|lantern \d|walnut|violet|crimson/);
  expect(log).not.toMatch(/keeper\d|leaver\d|asker\d|shy\d|rude\d|warden\d|late\d|"77\d{5}/);
  expect(log).not.toContain(TWITCH_TOKEN);
  expect(log).not.toContain(MODEL_KEY);
  const ended = await house.daemon.close();
  expect(ended).toEqual({ linesLost: 0 });
}, 300_000);
