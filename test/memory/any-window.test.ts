import fc from "fast-check";
import { expect, test } from "vitest";
import { findPeople } from "../../src/language/people.ts";
import { checkEntry } from "../../src/memory/check-sorted.ts";
import { Labels } from "../../src/memory/labels.ts";
import {
  extractSchema,
  type KnownNote,
  RELATIONS,
  type WaitingClaim,
} from "../../src/memory/note-prompt.ts";
import { type Claim, check, kept, type Spoken, windowOf } from "./summary-window.ts";

const NAMES = ["wanda", "otis", "pim"];
const WORDS = ["paints", "copper", "kettles", "rides", "midnight", "trains", "bakes", "lantern"];
const OTHERS = ["bridge", "harbour", "beetle", "velvet", "orchard", "pebble", "turnip", "comet"];

const words = (from: readonly string[]) =>
  fc.array(fc.constantFrom(...from), { minLength: 3, maxLength: 6 }).map((some) => some.join(" "));
const line = fc.tuple(fc.constantFrom(...NAMES), words([...WORDS, ...OTHERS]));
/** What a model may call a quote: words of one line, of two, turned round, or of nobody. */
const quote = fc.record({
  at: fc.nat(),
  from: fc.nat(2),
  turned: fc.constantFrom(false, false, false, true),
  add: fc.nat(2),
});
interface Quote {
  readonly at: number;
  readonly from: number;
  readonly turned: boolean;
  readonly add: number;
}
const claims = fc.array(
  fc.record({
    who: fc.nat(2),
    at: fc.nat(),
    quotes: fc.array(quote, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);

function quoteOf(chat: readonly Spoken[], { at, from, turned, add }: Quote): string {
  const said = (chat[at % chat.length]?.[1] ?? "").split(" ").slice(from);
  const strange = ["never", "said"].slice(0, add);
  return (turned ? [...said].reverse() : said).concat(strange).join(" ");
}

/** How many of the words stand in the line in this order: by every way to leave some out. */
function inOrder(wanted: readonly string[], held: readonly string[]): number {
  const [first, ...rest] = wanted;
  if (first === undefined) return 0;
  const at = held.indexOf(first);
  const without = inOrder(rest, held);
  return at < 0 ? without : Math.max(without, 1 + inOrder(rest, held.slice(at + 1)));
}

test("no claim is kept without a quote in a line of its own subject", () => {
  let [keptCount, refused] = [0, 0];
  fc.assert(
    fc.property(fc.array(line, { minLength: 3, maxLength: 8 }), claims, (chat, drafts) => {
      const { labels } = windowOf(chat);
      const written: Claim[] = drafts.map(({ who, at, quotes }) => {
        const subject = labels.assign(`id-${NAMES[who]}`);
        const statement = `${subject} ${chat[at % chat.length]?.[1]}`;
        return {
          subject,
          statement,
          how: "plainly",
          quotes: quotes.map((one) => quoteOf(chat, one)),
        };
      });
      const made = kept(check({ claims: written }, chat)).claims;
      for (const { subjectId, statement, eventIds } of made) {
        const own = chat.filter(([who]) => `id-${who}` === subjectId).map(([, text]) => text);
        const quotes = written
          .filter((one) => labels.toTokens(one.statement) === statement)
          .flatMap((one) => one.quotes.map((text) => text.split(" ")));
        const isProved = quotes.some((text) =>
          own.some((said) => inOrder(text, said.split(" ")) / text.length >= 0.75),
        );
        expect(isProved, JSON.stringify({ chat, written, statement })).toBe(true);
        const carriers = eventIds.map((id) => `id-${chat[id - 1_001]?.[0]}`);
        expect(new Set(carriers)).toEqual(new Set([subjectId]));
      }
      keptCount += made.length;
      refused += written.length - made.length;
    }),
    { numRuns: 600 },
  );
  expect(keptCount).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(100);
});

const PEOPLE = NAMES.map((name, at) => ({ userId: `${at + 1}`, login: name, displayName: name }));
const entry = fc.record({
  claims: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }),
  relation: fc.constantFrom(...RELATIONS),
  note: fc.constantFrom(null, 7, 8, 9),
  text: fc.oneof(words(WORDS), words([...WORDS, ...OTHERS]), fc.constant(undefined)),
});
const facts = fc.array(fc.tuple(fc.nat(1), words(WORDS)), { minLength: 3, maxLength: 3 });

test("no word stands in a note that is in none of its claims, nor in the note it adds to", () => {
  let joined = 0;
  fc.assert(
    fc.property(facts, facts, entry, (said, known, sorted) => {
      const claimed: WaitingClaim[] = said.map(([who, text], at) => ({
        ...{ episodeId: 1, n: at + 1, scope: "viewer", subjectId: PEOPLE[who]?.userId ?? "" },
        ...{ statement: `{u:${PEOPLE[who]?.userId}} ${text}`, proves: true, happensOn: null },
      }));
      const notes: KnownNote[] = known.map(([who, text], at) => ({
        ...{ id: 7 + at, scope: "viewer", subjectId: PEOPLE[who]?.userId ?? "" },
        fact: `{u:${PEOPLE[who]?.userId}} ${text}`,
        status: at % 2 === 1 ? "shadow" : "active",
      }));
      const labels = new Labels(PEOPLE, [], []);
      const [written] = extractSchema.parse({ notes: [sorted] }).notes;
      const none = new Set<number>();
      const context = { claims: claimed, known: notes, labels, taken: none, replaced: none };
      const candidate = written && checkEntry(written, context);
      if (candidate === undefined || typeof candidate === "string") return;
      const { fact, claims: refs, relation, noteId, subjectId } = candidate;
      const sources = [
        ...claimed.filter(({ n }) => refs.some((ref) => ref.n === n)).map((one) => one.statement),
        ...notes.filter(({ id }) => relation === "adds" && id === noteId).map((one) => one.fact),
      ];
      const held = new Set(sources.flatMap((text) => text.split(" ")));
      expect(fact.split(" ").filter((word) => !held.has(word))).toEqual([]);
      expect(new Set(findPeople(fact))).toEqual(new Set([subjectId]));
      joined += Number(fact !== claimed.find(({ n }) => n === refs[0]?.n)?.statement);
    }),
    { numRuns: 2_000 },
  );
  expect(joined).toBeGreaterThan(20);
});

test("a topic that names a viewer is left out, also one whose token is beyond the limit", () => {
  const labels = new Labels(PEOPLE, [], []);
  const claim: WaitingClaim = {
    ...{ episodeId: 1, n: 1, scope: "viewer", subjectId: "1", proves: true, happensOn: null },
    statement: "{u:1} paints kettles",
  };
  const topics = ["kettles", "P2", `${"x".repeat(36)} P2`];
  const [entry] = extractSchema.parse({ notes: [{ claims: [1], kind: "profile", topics }] }).notes;
  const none = new Set<number>();
  const context = { claims: [claim], known: [], labels, taken: none, replaced: none };
  expect(entry && checkEntry(entry, context)).toMatchObject({ topics: ["kettles"] });
});
