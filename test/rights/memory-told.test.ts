import fc from "fast-check";
import { expect, test } from "vitest";
import { memorySchema } from "../../src/config/memory-schema.ts";
import { openDatabase } from "../../src/db/open.ts";
import { identityStore } from "../../src/events/identity-store.ts";
import { recallStore } from "../../src/recall/store.ts";

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const WORDS = "lamp boat crab kelp drum harp".split(" ");
const STATUSES = "active active active shadow pending rejected superseded stale expired".split(" ");

const note = fc.record({
  channel: fc.constantFrom("pierroom", "pierroom", "otherroom"),
  subject: fc.constantFrom("1", "1", "2", "3", null),
  persona: fc.constantFrom(null, null, "gull", "heron"),
  status: fc.constantFrom(...STATUSES),
  kind: fc.constantFrom("profile", "preference", "event", "constraint", "state"),
  confidence: fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  importance: fc.constantFrom(0, 0.1, 0.2),
  ageDays: fc.integer({ min: 0, max: 400 }),
  expiresInDays: fc.option(fc.integer({ min: -5, max: 50 })),
  word: fc.constantFrom(...WORDS),
  topic: fc.constantFrom("", ...WORDS),
});
type Note = typeof note extends fc.Arbitrary<infer T> ? T : never;

/** What `!memory` reads, and what a reply reads, over the same rows. */
function rooms(db: ReturnType<typeof openDatabase>, persona: string | null, isStrict: boolean) {
  const settings = memorySchema.parse({ topics: isStrict ? "strict" : "add" });
  const parts = {
    personaOf: () => persona,
    accountsOf: identityStore(db, () => NOW_MS).accountsOf,
  };
  const asked = (limit: number, text: string) => ({
    ...{ channel: "pierroom", userId: "1", nowMs: NOW_MS, limit },
    conversation: { message: { id: null, text }, recent: [], category: "", others: [] },
  });
  const told = recallStore(db, { ...parts, settings: () => ({ ...settings, topics: "add" }) });
  const shown = recallStore(db, { ...parts, settings: () => settings });
  const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
  return {
    told: () => ids(told.lore(asked(1_000, ""))),
    shown: (text: string) => ids(shown.lore(asked(10, text))),
  };
}
