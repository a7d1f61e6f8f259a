import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { enter, type House, openHouse, openTown } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

const ROSA = { userId: "501", login: "rosa", displayName: "Rosa" };
const LIO = { userId: "502", login: "lio_lamb", displayName: "Lio_Lamb" };

/** Says a line and gives what the bot answered to it. */
async function told(house: House, line: Parameters<House["say"]>[0]): Promise<string> {
  const before = house.said.length;
  house.say(line);
  await until(() => house.said.length > before);
  return house.said.at(-1)?.text ?? "";
}

test("a viewer has a fact kept, sees it, and has it forgotten for good, while the model is down", async () => {
  const house = await openHouse();
  expect(await told(house, { text: "!memory" })).toBe("I know nothing about you.");
  expect(await told(house, { ...LIO, text: "!remember I play the bass in a band" })).toBe(
    "I will remember that.",
  );
  const other = { userId: "503", login: "mika", displayName: "Mika" };
  expect(await told(house, { ...other, text: "!memory" })).toBe("I have no notes about you.");
  house.db.prepare("UPDATE semantic_notes SET confidence = 0.9").run();
  expect(await told(house, { ...LIO, text: "!forget football" })).toContain("nothing about that");
  expect(await told(house, { ...LIO, text: "!forget bass" })).toBe(
    "Forgotten, and I will not learn it again.",
  );
  expect(house.db.prepare("SELECT count(*) FROM semantic_notes").pluck().get()).toBe(0);
  expect(house.model.requests.length).toBe(0);
  const kept = house.db.prepare(
    "SELECT text FROM events WHERE text IS NOT NULL AND kind <> 'room_state'",
  );
  expect(kept.all()).toEqual([]);
});

test("!forgetme leaves nothing of a viewer in any table, and cooldowns hold all the same", async () => {
  const given = { config: { replies: { viewerCooldownSeconds: 600 } } };
  const town = await openTown(given);
  const house = await enter(town, given);
  house.model.enqueue(geminiSays({ text: "hello yourself" }));
  house.say({ ...ROSA, text: "@automark hello from the harbour" });
  await house.ended(1);
  house.say({ ...LIO, text: "rosa is funny, isn't @Rosa?" });
  expect(await told(house, { ...ROSA, text: "!forgetme" })).toBe(
    "Done: I forgot everything about you.",
  );
  const dump = everyText(house);
  for (const trace of ["501", "rosa", "Rosa", "harbour", "hello yourself"]) {
    expect(dump.filter((text) => text.includes(trace))).toEqual([]);
  }
  expect(dump.some((text) => text.includes("someone is funny"))).toBe(true);
  const refused = { state: "refused", reason: "viewer_cooldown" };
  house.say({ ...ROSA, text: "@automark hello again" });
  expect((await house.ended(2)).at(-1)).toMatchObject(refused);
  await house.close();
  const next = await enter(town, given);
  next.say({ ...ROSA, text: "@automark and hello once more" });
  expect((await next.ended(3)).at(-1)).toMatchObject(refused);
});

function everyText({ db }: House): string[] {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .pluck()
    .all();
  return tables.flatMap((table) =>
    db
      .prepare(`SELECT * FROM ${table}`)
      .raw()
      .all()
      .flatMap((row) => (Array.isArray(row) ? row.map((cell) => String(cell)) : [])),
  );
}
