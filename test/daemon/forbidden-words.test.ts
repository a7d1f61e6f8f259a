import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, type House, openHouse } from "../stand-ins/house.ts";
import { systemPrompt } from "../stand-ins/prompt-seen.ts";
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
  const notes = [sorted, { ...sorted, claims: [2] }];
  house.think(JSON.stringify(written), JSON.stringify({ notes }));
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

  house.think(`What a ${SLUR} of a boss.`);
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

/** What the model says, and what becomes of it: the reason why nothing is sent, or what is said instead. */
interface Case {
  readonly name: string;
  readonly says: string | ((house: House) => string) | undefined;
  readonly reason?: string;
  readonly said?: RegExp;
}

const PAD = "The lamps hum along the shelf and nobody can agree which one began it. ";

/** `reply/guard.test.ts` has the other rules. */
const CASES: readonly Case[] = [
  { name: "nothing", says: undefined, reason: "model_empty" },
  { name: "an empty text", says: "", reason: "model_empty" },
  { name: "100 kB", says: PAD.repeat(1_400), said: /^The lamps hum .{50,}$/ },
  { name: "a ban", says: "/ban bob", reason: "guard_command" },
  {
    name: "a second line that is a command",
    says: "All fine.\r\n/ban bob",
    said: /^All fine\. \/ban bob$/,
  },
  { name: "its own system prompt", says: systemPrompt, reason: "guard_system_prompt" },
  {
    name: "a sentence of it",
    says: (house) => `sure: ${/Invent nothing.*/.exec(systemPrompt(house))?.[0]}`,
    reason: "guard_system_prompt",
  },
  { name: "its fence", says: (house) => `${fenceOf(house)} chat`, reason: "guard_marker" },
  {
    name: "an action that it may not take",
    says: 'Bye. [action timeout user=bob seconds=600 reason="x"]',
    said: /^Bye\.$/,
  },
];

function fenceOf(house: House): string {
  return /~[0-9a-f]{12}~/.exec(systemPrompt(house))?.[0] ?? "";
}

test.for(CASES)("a model that says $name does no harm", async ({ says, reason, said }) => {
  const house = await openHouse({ ...fastTime(20) });
  await warmUp(house);
  const text = typeof says === "function" ? says(house) : says;
  if (typeof says === "function") expect(text?.length).toBeGreaterThan(10);
  house.model.enqueue(geminiSays(text === undefined ? {} : { text }), geminiSays({}));
  house.say({ text: "@automark which lamp today?", userId: "502", login: "iris" });
  const row = (await house.ended(2))[1];
  expect(row?.reason ?? null).toBe(reason ?? null);
  const answers = house.said.slice(1).map((sent) => sent.text);
  expect(answers).toHaveLength(said === undefined ? 0 : 1);
  if (said !== undefined) expect(answers[0]).toMatch(said);
  for (const answer of answers) expect(answer.length).toBeLessThanOrEqual(450);
  const { counters } = house.daemon.status();
  if (reason !== undefined) expect(counters[`reply.${reason}`]).toBe(1);
  if (reason?.startsWith("guard_")) expect(counters[reason.replace("guard_", "guard.")]).toBe(1);
});

/** One harmless exchange, after which the prompt is known. */
async function warmUp(house: House): Promise<void> {
  house.think("hello there");
  house.say({ text: "@automark hello", userId: "501" });
  await house.ended(1);
  await until(() => house.said.length === 1);
}
