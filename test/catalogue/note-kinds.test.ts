import { expect, test } from "vitest";
import { NOTE_KINDS, type NoteKindTraits } from "../../src/catalogue/note-kinds.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { makeFence } from "../../src/language/fence.ts";
import { CANDIDATE } from "../memory/judge.ts";
import { asking } from "../memory/recall/memories.ts";
import { copySource } from "./copied-source.ts";

const ENTRY = `  streak: {
    ...LASTING,
    label: "streak",
    hint: "what they keep up",
    question: "what do I keep up?",
    scaleDays: 3,
    lifeDays: 5,
    firstPlaces: 9,
  },`;
const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;

const load = copySource([], "note-kinds.ts", ENTRY);

test("one more entry reaches configuration, model, write policy and recall", async () => {
  const { toConfig }: typeof import("../../src/config/load.ts") = await load("src/config/load.ts");
  const prompt: typeof import("../../src/memory/note-prompt.ts") = await load(
    "src/memory/note-prompt.ts",
  );
  const { getNoteSettings: noteSettings }: typeof import("../../src/memory/note-settings.ts") =
    await load("src/memory/note-settings.ts");
  const { NoteWriter: Writer }: typeof import("../../src/memory/note-writer.ts") = await load(
    "src/memory/note-writer.ts",
  );
  const { RecallStore }: typeof import("../../src/memory/recall/recall-store.ts") = await load(
    "src/memory/recall/recall-store.ts",
  );
  const db = openDatabase(":memory:");
  const config = toConfig({ channel: "c", memory: { approvalKinds: ["profile"] } }, ".");
  expect(config.memory.kinds).toContain("streak");
  expect(prompt.writeExtractInstructions(makeFence("testmarker"))).toContain(
    "streak (what they keep up)",
  );
  expect(
    prompt.extractSchema.parse({ notes: [{ claims: [1], kind: "streak" }] }).notes,
  ).toMatchObject([{ kind: "streak" }]);

  const writer = new Writer({
    db,
    settings: (channel) => noteSettings(config, channel),
    readOnly: () => false,
    isBanned: () => false,
    suppressions: { isOptedOut: () => false, isSuppressed: () => false },
    now: () => NOW_MS,
  });
  const episodes = db.prepare(
    `INSERT INTO episodes (id, channel, kind, event_count, started_at, ended_at, created_at)
     VALUES (?, 'c', 'window', 1, 1, 1, 1)`,
  );
  const write = (episodeId: number, kind: string, fact: string) => {
    episodes.run(episodeId);
    const candidate = JSON.parse(
      JSON.stringify({ ...CANDIDATE, kind, fact: `{u:1} ${fact}`, claims: [{ episodeId, n: 1 }] }),
    );
    const origin = {
      channel: "c",
      model: "m",
      promptVersion: "v",
      freshNoteIds: new Set<number>(),
    };
    return writer.write(candidate, origin);
  };
  write(1, "preference", "likes tea");
  const { verdict } = write(2, "streak", "has run for forty days");
  expect(verdict).toMatchObject({ kind: "write", status: "active" });
  const expiry = db.prepare("SELECT expires_at FROM semantic_notes WHERE kind = 'streak'").pluck();
  expect(expiry.get()).toBe(NOW_MS + 5 * DAY_MS);

  const lore = (nowMs: number) =>
    new RecallStore(db).lore(asking("hello", { channel: "c", userId: "1", nowMs }));
  expect(lore(NOW_MS)[0]).toMatchObject({ kind: "streak", terms: { base: 0.8 } });
  const [aged] = lore(NOW_MS + 3 * DAY_MS);
  expect(aged?.terms.base).toBeCloseTo(0.4);
  db.close();
});

test("an entry type-checks only if it is complete", () => {
  const { hint: _, ...incomplete } = NOTE_KINDS.event;
  // @ts-expect-error: the hint for the model is missing.
  const kind: NoteKindTraits = incomplete;
  expect(kind).not.toHaveProperty("hint");
});
