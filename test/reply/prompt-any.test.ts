import fc from "fast-check";
import { expect, test } from "vitest";
import { EventReads } from "../../src/chat/event-reads-store.ts";
import { IdentityStore } from "../../src/chat/viewer-store.ts";
import { toConfig } from "../../src/config/load.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { makeFence } from "../../src/language/fence.ts";
import { RecallStore } from "../../src/memory/recall/recall-store.ts";
import { createPrefixSnapshots, type SnapshotTaken } from "../../src/memory/recall/snapshot.ts";
import { type AssembleInput, assemblePrompt } from "../../src/reply/assemble.ts";
import type { Persona } from "../../src/reply/prompt/sections.ts";
import { type ReadParts, readTail } from "../../src/reply/read.ts";
import { readTrail } from "../../src/reply/trail.ts";
import {
  addChannel,
  addEpisode,
  addNote,
  NOW_MS,
  type NoteSeed,
} from "../memory/recall/memories.ts";
import { makeTicket } from "./queue-rig.ts";

const FENCE = makeFence("0123456789ab");
const HEADERS =
  /^~0123456789ab~ (?:channel|channel notes|earlier in this channel|now|speaker|what you know about this channel that may fit the message|your conversation with .*|what you remember about .*|.*'s own last messages|chat|your own last replies: .*|current message|your one-line answer as .*)$/;
const UNTRIMMED = 1_000_000;

/** What a person may write, and a model may have noted: with everything in it that means something in a prompt. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        FENCE.marker,
        FENCE.marker.slice(1, -1),
        "\n",
        "\u2028",
        "[id:1]",
        "[action clip]",
        "{u:7}",
        "{u:404}",
        "bees",
        "猫の名前",
        "собака",
      ),
      fc.string({ unit: "grapheme", maxLength: 20 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(" "));

const note = fc.record({
  scope: fc.constantFrom("viewer", "channel", "bit"),
  owner: fc.constantFrom("7", "8", "9"),
  kind: fc.constantFrom("profile", "constraint", "preference", "event"),
  fact: hostile,
  topics: hostile,
  confidence: fc.constantFrom(0.3, 0.5, 0.9),
  ageDays: fc.integer({ min: -10, max: 400 }),
});

const room = fc.record({
  notes: fc.array(note, { maxLength: 30 }),
  episodes: fc.array(hostile, { maxLength: 6 }),
  lines: fc.array(hostile, { maxLength: 8 }),
  message: hostile,
  name: hostile,
  pace: fc.constantFrom("quiet", "normal", "busy", "raid"),
  /** Of the tokens that all of it takes. */
  budgetShare: fc.oneof(
    fc.double({ min: 0.3, max: 1, noNaN: true }),
    fc.double({ min: 0.85, max: 1, noNaN: true }),
  ),
  correction: fc.double({ min: 0.7, max: 1.6, noNaN: true }),
  laterMs: fc.integer({ min: 0, max: 40 * 86_400_000 }),
  isStrict: fc.boolean(),
});

test("of any memory, the trimmed prefix is a run of the snapshot's bytes, nobody else's notes stand in it, and no text opens a block", () => {
  const cut = { prefix: 0, tail: 0 };
  fc.assert(
    fc.property(room, (made) => {
      const { full, trimmed, allowed } = promptsOf(made);
      expect(full.prompt.prefix.startsWith(trimmed.prompt.prefix)).toBe(true);
      cut.prefix += Number(trimmed.prompt.prefix.length < full.prompt.prefix.length);
      cut.tail += Number(trimmed.prompt.tail.length < full.prompt.tail.length);
      for (const { prompt, trail } of [full, trimmed]) {
        const text = prompt.prefix + prompt.tail;
        for (const id of trail.ids["related"] ?? []) expect(allowed.channel).toContain(id);
        for (const id of trail.ids["channelNotes"] ?? []) expect(allowed.channel).toContain(id);
        for (const id of trail.ids["lore"] ?? []) expect(allowed.speaker).toContain(id);
        const marked = text.split("\n").filter((line) => line.includes("0123456789ab"));
        // The rules name the marker once: they say what it means.
        expect(marked.filter((line) => !HEADERS.test(line))).toHaveLength(1);
        expect(marked.every((line) => line.split("0123456789ab").length === 2)).toBe(true);
        const read = readTrail(JSON.stringify(trail));
        expect(read).toEqual({ kind: "read", trail });
      }
    }),
    { numRuns: 60 },
  );
  expect(cut.prefix).toBeGreaterThan(8);
  expect(cut.tail).toBeGreaterThan(8);
});

test("where the speaker's notes cannot be read, the prompt has what was read last, or goes without, and the trail says so", () => {
  const { db, parts, recall, assemble } = open({});
  addNote(db, { id: 1, scope: "viewer", subjectId: "7" });
  const { snapshot } = createPrefixSnapshots(recall, () => NOW_MS)("here");
  const taken = { snapshot, fresh: true };
  const whole = readTail(parts, TICKET, snapshot);
  expect([whole.isLoreRead, whole.tail.lore]).toEqual([true, [expect.objectContaining({ id: 1 })]]);
  db.exec("ALTER TABLE semantic_notes RENAME TO gone");
  const without = readTail(parts, TICKET, snapshot);
  expect([without.isLoreRead, without.tail.lore]).toEqual([false, whole.tail.lore]);
  recall.dropLast();
  expect(readTail(parts, TICKET, snapshot).tail.lore).toEqual([]);
  const { trail } = assemble({ taken, ...without, messageKind: "mention", correction: 1 });
  expect(trail.loreRead).toBe(false);
});

test("a prefix follows what is offered, and stands as it was when that is offered again", () => {
  const offered: string[] = [];
  const { recall, promptOf } = open({ offered });
  const taken = createPrefixSnapshots(recall, () => NOW_MS)("here");
  const prefix = () => promptOf(taken).prompt.prefix;
  const without = prefix();
  offered.push("[action clip]: a clip of the last seconds");
  expect(prefix()).toContain("a clip of the last seconds");
  offered.pop();
  expect(prefix()).toBe(without);
});

test("a prefix follows who speaks: a new voice stands in it at once, and so does a new name", () => {
  const persona = { name: "Mark", voice: "Brief." };
  const { recall, promptOf } = open({ persona });
  const taken = createPrefixSnapshots(recall, () => NOW_MS)("here");
  const prompt = () => promptOf(taken).prompt;
  const before = prompt();
  persona.voice = "In riddles.";
  const riddling = prompt();
  expect(riddling.prefix).toContain("In riddles.");
  expect(riddling.prefixHash).not.toBe(before.prefixHash);
  persona.name = "Wick";
  expect(prompt().prefix).toContain("You are Wick,");
  Object.assign(persona, { name: "Mark", voice: "Brief." });
  expect(prompt().prefix).toBe(before.prefix);
});

test("the trail tells candidates that were not shown, too, and the ids of each section", () => {
  const { db, parts, recall, assemble } = open({});
  addNote(db, { id: 50 });
  addNote(db, { id: 51, scope: "bit" });
  for (let id = 1; id <= 20; id += 1) {
    addNote(db, { id, scope: "viewer", subjectId: "7", kind: `kind${id}`, fact: `fact ${id}` });
  }
  for (let n = 1; n <= 10; n += 1) addEpisode(db, { endedAtMs: n, summary: `part ${n}` });
  const taken = createPrefixSnapshots(recall, () => NOW_MS)("here");
  const read = readTail(parts, TICKET, taken.snapshot);
  const { trail } = assemble({ taken, ...read, messageKind: "mention", correction: 1 });
  expect(trail.ids["lore"]).toHaveLength(20);
  expect(trail.ids["channelNotes"]).toEqual([50, 51]);
  expect(trail.episodes).toEqual({
    kept: [10, 9, 8],
    dropped: [],
    candidates: [10, 9, 8, 7, 6, 5],
  });
  expect(trail.notes.candidates.slice(0, 2)).toMatchObject([
    { about: "bit" },
    { about: "channel" },
  ]);
  expect(trail.notes.candidates.map(({ id }) => id)).toEqual([
    51,
    50,
    ...read.candidates.slice(0, 15).map(({ id }) => id),
  ]);
  expect(trail.notes.candidates).toHaveLength(17);
  expect(trail.notes.kept).toHaveLength(22);
  for (const { score, terms } of trail.notes.candidates) {
    const [base = 0, importance = 0, lexical = 0, topic = 0] = terms ?? [];
    expect(base + importance + lexical + topic).toBeCloseTo(score, 3);
  }
});

const TICKET = makeTicket({ eventId: 900, atMs: NOW_MS });

type Made = typeof room extends fc.Arbitrary<infer T> ? T : never;

function promptsOf(made: Made) {
  const { db, parts, recall, assemble } = open(made);
  const ids = made.notes.map((seed, n) => {
    const subjectId = seed.scope === "viewer" ? seed.owner : null;
    addNote(db, { ...seed, id: n + 1, subjectId } as NoteSeed);
    return { id: n + 1, owner: subjectId };
  });
  for (const [n, summary] of made.episodes.entries()) addEpisode(db, { endedAtMs: n, summary });
  const taken = createPrefixSnapshots(recall, () => NOW_MS + made.laterMs)("here");
  const read = readTail(parts, { ...TICKET, question: made.message }, taken.snapshot);
  const input = { taken, ...read, messageKind: "mention", correction: made.correction };
  const full = assemble(input);
  const budget = Math.floor(full.trail.estimatedTokens * made.budgetShare);
  const trimmed = open({ ...made, budget }).assemble(input);
  db.close();
  const of = (owners: readonly (string | null)[]) =>
    ids.filter(({ owner }) => owners.includes(owner)).map(({ id }) => id);
  return { full, trimmed, allowed: { channel: of([null]), speaker: of(["7", "8"]) } };
}

function open(
  made: Partial<Made> & {
    readonly budget?: number;
    readonly loreTokens?: number;
    readonly offered?: readonly string[];
    readonly persona?: Persona;
  },
) {
  const { loreTokens = 800, offered = [], persona = { name: "Mark", voice: "Brief." } } = made;
  const {
    lines = [],
    name = "Ann",
    budget = UNTRIMMED,
    laterMs = 0,
    isStrict = false,
    pace = "normal",
  } = made;
  const db = openDatabase(":memory:");
  addChannel(db);
  const identities = new IdentityStore(db, () => NOW_MS);
  identities.merge("8", "7");
  const { memory } = toConfig(
    { channel: "here", memory: { topics: isStrict ? "strict" : "add", recall: { loreTokens } } },
    ".",
  );
  const recall = new RecallStore(db, { settings: () => memory, accountsOf: identities.accountsOf });
  const said = (userId: string, from: number) =>
    lines.map((text, n) => ({
      id: from + n,
      channel: "here",
      userId,
      login: null,
      displayName: name,
      messageId: null,
      text,
      createdAtMs: NOW_MS,
    }));
  const parts: ReadParts = {
    events: Object.assign(new EventReads(db), {
      latestChat: () => said("9", 500),
      latestOf: () => said("7", 600),
      latestOfBot: () => said("bot", 650),
    }),
    viewers: { get: () => null, inChannel: () => null },
    recall,
    replies: {
      recent: () => lines.map((text, id) => ({ id, text })),
      exchangesWith: () =>
        lines.slice(0, 2).map((text, n) => ({
          replyId: n + 1,
          text,
          atMs: NOW_MS,
          question: [{ id: 700 + n, text }],
          saidEventId: 750 + n,
        })),
      byMessage: () => null,
    },
    paceOf: () => pace,
    now: () => NOW_MS + laterMs,
  };
  const settings = { persona, fence: FENCE, budgetTokens: budget, offered };
  const assemble = (input: AssembleInput) => assemblePrompt(input, settings);
  const promptOf = (taken: SnapshotTaken) => {
    const read = readTail(parts, TICKET, taken.snapshot);
    return assemble({ taken, ...read, messageKind: "mention", correction: 1 });
  };
  return { db, parts, recall, assemble, promptOf };
}
