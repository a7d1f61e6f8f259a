import { expect, test } from "vitest";
import type { JsonObject } from "../../src/config/json-tree.ts";
import { readStems } from "../../src/language/stems.ts";
import { trailSchema } from "../../src/reply/trail.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, openHouse } from "../stand-ins/house.ts";
import { addRow } from "../stand-ins/rows.ts";
import { CHANNEL } from "../stand-ins/town.ts";

/** Whoever asks is another person each time, of whom the same two things are known. */
async function openLibrary(memory: JsonObject) {
  const house = await openHouse({ ...fastTime(20), watched: true, config: { memory } });
  const { db, model } = house;
  let asked = 0;
  return {
    /** Saves the configuration with other keys of memory, and waits until the daemon has taken it over. */
    save: (changes: JsonObject) => house.reload({ memory: changes }),
    /** Which notes were candidates for the next reply, best first: what each is about, and its terms. */
    ask: async (text: string) => {
      asked += 1;
      const userId = `${6_000 + asked}`;
      const bees = 2 * asked;
      addNote(bees, userId, { fact: "keeps a hive of bees", topics: "bees", confidence: 0.6 });
      addNote(bees + 1, userId, { fact: "won a cup", topics: "chess", confidence: 1 });
      model.drain();
      model.enqueue(geminiSays({ text: `answer number ${asked}` }));
      const login = `asker${asked}`;
      house.say({ userId, login, displayName: login, text });
      const row = (await house.ended(asked)).at(-1);
      const { candidates } = trailSchema.parse(JSON.parse(row?.trail ?? "")).notes;
      return candidates.map(({ id, terms }) => ({ about: id === bees ? "bees" : "chess", terms }));
    },
  };

  function addNote(id: number, userId: string, note: NoteGiven): void {
    addRow(db, "semantic_notes", {
      ...{ ...note, id, channel: CHANNEL, subject_id: userId, importance: 0.1, kind: "preference" },
      words: readStems(`${note.fact} ${note.topics}`).join(" "),
      last_confirmed_at: Date.now() + DAY_MS + id * 1_000, // the newest note comes first
    });
  }
}

interface NoteGiven {
  readonly fact: string;
  readonly topics: string;
  readonly confidence: number;
}

/** Ahead of the daemon's clock, which runs fast: so that no note ages while the test runs. */
const DAY_MS = 86_400_000;

test("another topics mode holds from the next reply after it is saved", async () => {
  const { save, ask } = await openLibrary({});
  const abouts = async () => (await ask("@automark are the bees awake?")).map(({ about }) => about);
  expect(await abouts()).toEqual(["chess", "bees"]);
  await save({ topics: "strict" });
  expect(await abouts()).toEqual(["bees"]);
  await save({ topics: "add" });
  expect(await abouts()).toEqual(["chess", "bees"]);
});

test("the trail lists a note's terms in order: base, importance, words, topics", async () => {
  const { ask } = await openLibrary({});
  const [, bees] = await ask("@automark are the bees awake?");
  const [base, importance, lexical = 0, topic] = bees?.terms ?? [];
  expect([base, importance, topic]).toEqual([0.6, 0.1, 0.3]);
  // One word that was said is in one of two notes: half of the weight.
  expect(lexical).toBeCloseTo(5, 0);
});
