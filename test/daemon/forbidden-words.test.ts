import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openHouse } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

/** Written apart, so that no reader stumbles over it. */
const SLUR = ["tran", "ny"].join("");
const ROSA = { userId: "770", login: "rosa", displayName: "Rosa" };
const LIO = { userId: "502", login: "lio_lamb", displayName: "Lio_Lamb" };

test("a slur in chat is not learned: no table but the day's chat holds it, no prompt but the window's, no answer", async () => {
  const house = await openHouse({
    config: {
      replies: { channelCooldownSeconds: 0, viewerCooldownSeconds: 0 },
      memory: { compactionSeconds: 1, noteSeconds: 0 },
    },
  });
  const claims = [
    { statement: `P1 calls the boss a ${SLUR}`, quotes: [`call my boss a ${SLUR}`] },
    { statement: "P1 plays the bass in a band", quotes: ["play the bass in a band"] },
  ].map((claim) => ({ ...claim, subject: "P1", how: "plainly" }));
  const summary = `P1 spoke of a ${SLUR}. Somebody asked about the second lighthouse.`;
  const written = { topic: "a boss and a band", summary, claims };
  const sorted = { claims: [1], kind: "profile", confidence: 0.9, topics: ["music"] };
  house.model.enqueue(
    geminiSays({ text: JSON.stringify(written) }),
    geminiSays({ text: JSON.stringify({ notes: [sorted, { ...sorted, claims: [2] }] }) }),
  );
  house.say({ ...ROSA, text: `today I call my boss a ${SLUR} and nobody minds` });
  house.say({ ...ROSA, text: "on mondays I play the bass in a band" });
  for (let n = 0; n < 23; n += 1) house.say({ ...ROSA, text: `is that lighthouse number ${n}` });
  const facts = house.db.prepare<[], string>("SELECT fact FROM semantic_notes").pluck();
  await until(() => facts.all().length > 0);
  expect(facts.all()).toEqual(["{u:770} plays the bass in a band"]);
  const kept = ["episodes", "episode_claims", "semantic_notes", "note_candidates", "replies"];
  for (const table of kept)
    expect(JSON.stringify(house.db.prepare(`SELECT * FROM ${table}`).all())).not.toContain(SLUR);
  house.say({ ...ROSA, text: "!memory" });
  await until(() => house.said.length === 1);
  expect(house.said[0]?.text).toContain("plays the bass in a band");
  expect(house.said[0]?.text).not.toContain(SLUR);
});

test("a slur is neither said, nor stored, nor repeated by !memory", async () => {
  const house = await openHouse({
    config: { replies: { channelCooldownSeconds: 0, viewerCooldownSeconds: 0 } },
  });
  const told = async (person: typeof LIO, text: string): Promise<string> => {
    const before = house.said.length;
    house.say({ ...person, text });
    await until(() => house.said.length > before);
    return house.said.at(-1)?.text ?? "";
  };
  const notes = house.db.prepare<[], string>("SELECT fact FROM semantic_notes").pluck();

  house.model.enqueue(geminiSays({ text: `What a ${SLUR} of a boss.` }));
  house.say({ ...LIO, text: "@automark how was the boss?" });
  expect(await house.ended(1)).toMatchObject([
    { state: "silent", reason: "guard_banned", text: null },
  ]);
  expect(house.said).toEqual([]);

  expect(await told(LIO, `!remember I call my boss a ${SLUR}`)).toBe(
    "There is a word in it that I do not say, so I do not keep it.",
  );
  expect(notes.all()).toEqual([]);

  expect(await told(ROSA, "!remember I play the bass in a band")).toBe("I will remember that.");
  house.db.prepare("UPDATE semantic_notes SET fact = ?").run(`{u:770} calls the boss a ${SLUR}`);
  const rememberedAtMs = house.now();
  // Two commands of one person within five seconds get one answer.
  await until(() => house.now() - rememberedAtMs > 5_000);
  expect(await told(ROSA, "!memory")).toBe(
    "I know 1 thing about you: #1 (not for chat; the streamer can show it)",
  );
  expect(house.said.some(({ text }) => text.toLowerCase().includes(SLUR))).toBe(false);
});
