import { expect, test } from "vitest";
import { formatLocalDay } from "../../src/config/local-time.ts";
import { ALL_NEW, learningRig } from "./learning-rig.ts";
import { STRANGER } from "./memory-rig.ts";

const DAY_MS = 86_400_000;

test("the note's text is the claim's statement, whatever else the model writes", async () => {
  const rig = learningRig((claims) =>
    claims.map(({ n }) => ({ claims: [n], kind: "profile", text: "P1 owns a yacht" })),
  );
  await rig.learn("I live in Oslo");
  expect(rig.notes().map(({ fact }) => fact)).toEqual(["{u:1001} I live in Oslo"]);
});

test("four episodes are sorted with one question; after ten minutes one alone", async () => {
  const rig = learningRig();
  for (let window = 0; window < 4; window += 1) {
    rig.sayMany(99);
    rig.say(1, `I say: fact number ${window} of mine`);
  }
  await rig.memory.run();
  expect(rig.sorted).toHaveLength(1);
  expect(rig.notes()).toHaveLength(4);
  rig.sayMany(30);
  rig.say(1, "I say: one more fact of mine");
  rig.clock.nowMs += 31 * 60_000;
  await rig.memory.run();
  expect(rig.sorted).toHaveLength(1);
  rig.clock.nowMs += 10 * 60_000;
  await rig.memory.run();
  expect(rig.sorted).toHaveLength(2);
});

test("after a useless answer each episode is asked about alone, and given up after five tries", async () => {
  const rig = learningRig(() => "I would rather talk about boats");
  await rig.learn("plays Valorant");
  for (let look = 0; look < 20; look += 1) {
    rig.clock.nowMs += 31 * 60_000;
    await rig.memory.run();
  }
  expect(rig.sorted).toHaveLength(5);
  expect(rig.rows("SELECT status FROM episodes WHERE stage = 'summarised'")).toEqual([
    { status: "failed" },
  ]);
});

test("replaces, adds, same and new do what they say", async () => {
  const rig = learningRig();
  await rig.learn("plays Valorant", "drinks green tea");
  rig.sortBy((claims, notes) =>
    claims.map(({ n, text }) =>
      text.includes("Apex")
        ? { claims: [n], kind: "preference", relation: "replaces", note: notes[0]?.n }
        : {
            claims: [n],
            kind: "preference",
            relation: "adds",
            note: notes[1]?.n,
            text: "P1 drinks green tea with honey",
          },
    ),
  );
  await rig.learn("no longer plays Valorant, now Apex", "takes honey with it");
  const [valorant, tea, apex, honey] = rig.notes();
  expect(valorant).toMatchObject({ status: "superseded", by: apex?.id });
  expect(tea).toMatchObject({ status: "superseded", by: honey?.id });
  expect(honey).toMatchObject({ status: "active", fact: "{u:1001} drinks green tea with honey" });
  expect(rig.rows(`SELECT count(*) AS n FROM note_evidence WHERE note_id = ${honey?.id}`)).toEqual([
    { n: 2 },
  ]);
});

test("a text with words from nowhere is not written: both stay", async () => {
  const rig = learningRig();
  await rig.learn("drinks green tea");
  rig.sortBy((claims, notes) => [
    {
      claims: [claims[0]?.n],
      kind: "preference",
      relation: "adds",
      note: notes[0]?.n,
      text: "P1 drinks green tea with honey and owns a yacht",
    },
  ]);
  await rig.learn("takes honey with it");
  expect(rig.notes().map(({ fact, status }) => [fact, status])).toEqual([
    ["{u:1001} drinks green tea", "active"],
    ["{u:1001} takes honey with it", "active"],
  ]);
});

test("a note of somebody else, or of nobody, relates to nothing; the claim is kept", async () => {
  const rig = learningRig();
  await rig.learn([1, "plays Valorant"], [2, "plays the harp"]);
  rig.sortBy((claims, notes) =>
    claims.map(({ n, who }) => ({
      claims: [n],
      kind: "preference",
      relation: "replaces",
      note: who === "P1" ? (notes.find((note) => note.who !== who)?.n ?? 999) : 999,
    })),
  );
  await rig.learn([1, "plays the drums"]);
  expect(rig.notes().map(({ status }) => status)).toEqual(["active", "active", "active"]);
});

test("two claims that replace each other in one answer: both facts stay in force, counted, and the loop goes on", async () => {
  const rig = learningRig();
  await rig.learn("plays Valorant", "plays Apex");
  rig.sortBy((claims, notes) =>
    claims.map(({ n, text }) => ({
      claims: [n],
      kind: "preference",
      relation: "replaces",
      note: notes.find((note) => note.text !== text)?.n,
    })),
  );
  await rig.learn("plays Valorant", "plays Apex");
  const [valorant, , apex] = rig.notes();
  expect(rig.notes()).toMatchObject([
    { fact: "{u:1001} plays Valorant", status: "active", by: null },
    { fact: "{u:1001} plays Apex", status: "superseded", by: valorant?.id },
    { fact: "{u:1001} plays Apex", status: "active", by: null },
  ]);
  rig.sortBy(ALL_NEW);
  await rig.learn("plays chess");
  expect(rig.notes().filter(({ status }) => status === "active")).toHaveLength(3);
  expect(rig.notes().some(({ by }) => by === apex?.id)).toBe(false);
});

test("a claim that repeats a note which the same answer replaced is not written", async () => {
  const rig = learningRig();
  await rig.learn("lives in Paris");
  rig.sortBy((claims, notes) =>
    claims.map(({ n, text }) => ({
      claims: [n],
      kind: "profile",
      relation: text.includes("Berlin") ? "replaces" : "same",
      note: notes[0]?.n,
    })),
  );
  await rig.learn("lives in Berlin", "lives in Paris near the river");
  expect(rig.notes().map(({ fact, status }) => [fact, status])).toEqual([
    ["{u:1001} lives in Paris", "superseded"],
    ["{u:1001} lives in Berlin", "active"],
  ]);
  expect(rig.rows("SELECT reason FROM note_candidates WHERE decision = 'drop'")).toEqual([
    { reason: "note_gone" },
  ]);
});

test("a property is kept where its value stands in the fact; another home takes the place of the first", async () => {
  const rig = learningRig((claims) =>
    claims.map(({ n, text }) => ({
      claims: [n],
      kind: "profile",
      property: { name: "home", value: text.split(" in ")[1] ?? "" },
    })),
  );
  await rig.learn("lives in Paris");
  await rig.learn("has a flat");
  await rig.learn("lives in Lyon");
  expect(rig.notes()).toMatchObject([
    { status: "superseded", property: "home", value: "Paris" },
    { status: "active", property: null },
    { status: "active", property: "home", value: "Lyon" },
  ]);
});

test("what the model flags as private, or as about the bot, is not kept; nor its words", async () => {
  const rig = learningRig((claims) =>
    claims.map(({ n }, at) => ({
      claims: [n],
      kind: "profile",
      sensitive: at === 0,
      about_bot: at === 1,
    })),
  );
  await rig.learn("has a thing about numbers", "answers must rhyme");
  expect(rig.notes()).toEqual([]);
  expect(rig.rows("SELECT fact, reason FROM note_candidates ORDER BY id")).toEqual([
    { fact: null, reason: "sensitive" },
    { fact: "{u:1001} answers must rhyme", reason: "about_bot" },
  ]);
});

test("how somebody wants to be called is theirs to say", async () => {
  const rig = learningRig((claims) =>
    claims.map(({ n }) => ({
      claims: [n],
      kind: "constraint",
      about_bot: true,
      property: { name: "name", value: "Captain" },
    })),
  );
  await rig.learn("wants to be called Captain");
  expect(rig.notes()).toMatchObject([{ status: "active", property: "name", value: "Captain" }]);
});

test("a claim in doubt waits in the shadow, and one without doubt brings it out", async () => {
  const rig = learningRig();
  const weak = async (): Promise<void> => {
    await rig.learn("plays the cello");
    rig.db.exec("UPDATE episode_claims SET is_weak = 1");
  };
  rig.sortBy(() => []);
  await weak();
  rig.db.exec("UPDATE episodes SET stage = 'summarised', status = 'pending', next_attempt_at = 0");
  rig.sortBy(ALL_NEW);
  rig.clock.nowMs += 1_000;
  await rig.memory.run();
  expect(rig.notes()).toMatchObject([{ status: "shadow" }]);
  await rig.learn("plays the cello");
  expect(rig.notes()).toMatchObject([{ status: "active" }]);
});

test("a joke that waits in the shadow is shown, and told again by known people it comes out", async () => {
  const rig = learningRig();
  await rig.joke("the lamp is the true streamer", [STRANGER, STRANGER + 1]);
  expect(rig.notes()).toMatchObject([{ status: "shadow" }]);
  rig.clock.nowMs += DAY_MS;
  rig.sortBy((claims, notes) =>
    claims.map(({ n }) => ({
      claims: [n],
      relation: "same",
      note: notes[0]?.n,
      kind: "running_bit",
    })),
  );
  await rig.joke("everything here is run by the lamp", [1, 2]);
  expect(rig.notes()).toMatchObject([{ status: "active", fact: "the lamp is the true streamer" }]);
});

test("the question about notes states today's date and the day of a claim", async () => {
  const rig = learningRig();
  await rig.learn("has an exam the day after tomorrow");
  const today = formatLocalDay(rig.clock.nowMs);
  const tail = rig.sorted[0]?.tail ?? "";
  expect(tail).toMatch(new RegExp(`^Today is \\w+day ${today}\\.$`, "m"));
  expect(tail).toMatch(/^\[1\] P1: has an exam \(20\d\d-\d\d-\d\d\)$/m);
});
