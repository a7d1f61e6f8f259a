import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../stand-ins/command.ts";
import { geminiFails, geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, openHouse } from "../stand-ins/house.ts";
import { BOT_ID, CHANNEL, configFileOf, MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const ORLA = {
  userId: "50123499",
  login: "orlamod",
  displayName: "OrlaMod",
  badges: "moderator/1",
};
const ROSA = { userId: "50123401", login: "rosalindqq", displayName: "RosalindQQ" };
const OTTO = { userId: "50123402", login: "ottomarzz", displayName: "OttomarZZ" };

test("what came of an answer is in the report: a follow-up, a thumb, a deletion", async () => {
  const house = await openHouse();
  house.think("the left one, always");
  house.say({ ...ROSA, text: "@automark which door?" });
  await house.ended(1);
  const [reply] = house.replies();
  house.say({ ...ROSA, text: "haha thanks" });
  house.say({ ...ORLA, text: "!good" });
  const kinds = house.db.prepare("SELECT kind FROM reply_outcomes ORDER BY kind").pluck();
  await until(() => kinds.all().length === 2);
  expect(kinds.all()).toEqual(["good", "viewer_answered"]);
  house.irc.deleteMessage(CHANNEL, { id: reply?.messageId ?? "", login: "automark", text: "x" });
  await until(() => kinds.all().length === 3);
  const { output } = await reported(house, "--json");
  expect(JSON.parse(output)).toMatchObject({
    replies: { sent: 1 },
    outcomes: { known: 1, byKind: { good: 1, deleted: 1, viewer_answered: 1 } },
  });
  // The thumb was no question.
  expect(house.model.requests).toHaveLength(1);
});

test("no text of chat, no note and no key is reachable through report, explain, --json or the page", async () => {
  const house = await openHouse({ ...fastTime(10) });
  const said = ["zebrafinch lamplight", "quokka talk", "axolotl enquiry", "vicuna", "wombat sings"];
  house.model.enqueue(
    geminiSays({ text: 'periwinkle is my answer [action remember fact="keeps narwhals"]' }),
    geminiSays({ text: '/ban pangolin [action gibbon target="ocelot"]' }),
    geminiFails(400, "INVALID_ARGUMENT", [], `bad key ${MODEL_KEY} for capybara`),
    geminiFails(400, "INVALID_ARGUMENT", [], `bad key ${MODEL_KEY} for capybara`),
  );
  house.say({ ...ROSA, text: `@automark ${said[0]}` });
  await house.ended(1);
  house.say({ ...ROSA, text: `${said[1]} lol` });
  house.say({ ...OTTO, text: `@automark ${said[2]}` });
  await house.ended(2);
  house.say({ ...OTTO, text: `@automark ${said[3]}` });
  await house.ended(3);
  const id = house.say({ ...OTTO, text: said[4] ?? "" });
  remember(house);
  const outputs = await Promise.all([reported(house, "--details"), reported(house, "--json")]);
  const replies = house.replies().map(({ id }) => String(id));
  const explained = await Promise.all(
    replies.flatMap((reply) => [
      commanded(house, ["explain", reply]),
      commanded(house, ["explain", reply, "--json"]),
    ]),
  );
  const people = [ROSA, OTTO].flatMap(({ userId, login, displayName }) => [
    userId,
    login,
    displayName,
  ]);
  const never = [
    ...said.flatMap((text) => text.split(" ")).filter((word) => word.length > 5),
    ...["periwinkle", "narwhal", "pangolin", "gibbon", "ocelot", "capybara", "marmoset", "tapir"],
    ...["dugong", "manatee", "lamps", id, BOT_ID, MODEL_KEY, TWITCH_TOKEN],
  ];
  const expectNone = ({ output }: Reported, texts: readonly string[]): void => {
    expect(output.length).toBeGreaterThan(500);
    for (const text of texts) expect(output.toLowerCase()).not.toContain(text.toLowerCase());
  };
  // Whom a reply answers is told with the reply, to find it in chat; a report names nobody.
  for (const each of explained) expectNone(each, never);
  for (const each of outputs) expectNone(each, [...never, ...people]);
  expect(outputs[0]?.output).toContain("1 of 3 that were asked for");
});

/** Episodes, notes, candidates, titles and a recap, each with a word of its own. */
function remember({ db }: House): void {
  db.exec(`
    INSERT INTO episodes (channel, kind, event_count, started_at, ended_at, topic, summary, stage, status, created_at)
      VALUES ('${CHANNEL}', 'window', 30, 1, unixepoch() * 1000, 'marmoset', 'a tapir was seen', 'extracted', 'done', 1);
    INSERT INTO semantic_notes (channel, scope, subject_id, kind, fact, topics, words, confidence, status, source_kind,
        created_at, last_confirmed_at)
      VALUES ('${CHANNEL}', 'viewer', '${ROSA.userId}', 'profile', 'feeds a dugong', 'manatee', 'dugong', .8, 'active',
        'extracted', 1, 1);
    INSERT INTO note_evidence (note_id, episode_id, method, confidence, created_at)
      SELECT max(n.id), max(e.id), 'extracted', .8, 1 FROM semantic_notes n, episodes e;
    INSERT INTO note_candidates (episode_id, fact, decision, reason, created_at)
      SELECT max(id), 'feeds a dugong', 'write', 'new', 1 FROM episodes;
    UPDATE stream_sessions SET recap = 'the manatee came';`);
}

interface Reported {
  readonly exit: number;
  readonly output: string;
  readonly errors: string;
}

function reported(house: House, ...args: readonly string[]): Promise<Reported> {
  return commanded(house, ["report", ...args]);
}

async function commanded(house: House, args: readonly string[]): Promise<Reported> {
  const file = join(dirname(house.dataDir), "config.json");
  writeFileSync(file, JSON.stringify(configFileOf(house)));
  return runHere(...args, "--config", file);
}
