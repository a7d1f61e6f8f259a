import { expect, test } from "vitest";
import { FACT_PAIRS, type FactPair } from "../../src/lab/evaluation/fact-pairs.ts";
import { offlineModel } from "../../src/lab/offline/offline-model.ts";
import { writeScript } from "../../src/lab/rehearsal/long-script.ts";
import { makeFence } from "../../src/language/fence.ts";
import { checkCandidate } from "../../src/memory/check-candidate.ts";
import { labelPeople } from "../../src/memory/labels.ts";
import {
  extractInstructions,
  extractQuestion,
  extractSchema,
} from "../../src/memory/note-prompt.ts";
import { judge, NOTE } from "./judge.ts";
import { memoryRig } from "./memory-rig.ts";

const fence = makeFence("testmarker");
const ann = { userId: "1", login: "ann", displayName: "Ann" };
const VERDICTS = ["confirm", "supersede", "write", "drop"] as const;

/** What becomes of the second fact of a pair when the first is known: asked, checked and judged like an episode's. */
async function verdictOf({ known, fact }: FactPair): Promise<string> {
  const labels = labelPeople([ann], [], ["automark"]);
  const claims = [{ n: 1, scope: "viewer", subjectId: "1", statement: fact }] as const;
  const notes = [{ id: NOTE.id, scope: "viewer", subjectId: "1", fact: known }] as const;
  const tail = extractQuestion({ summary: "", claims, known: notes }, labels, fence);
  const answer = await offlineModel().ask({
    purpose: "extract",
    prefix: extractInstructions(fence),
    tail,
    schema: extractSchema,
    estimatedTokens: 1,
  });
  const raw = answer.ok ? answer.value?.notes[0] : undefined;
  if (raw === undefined) return "nothing";
  const check = checkCandidate(raw, { claims, known: notes, labels, source: "extracted" });
  if (check.kind === "drop") return check.reason;
  return judge(check.candidate, { known: [{ ...NOTE, fact: known }] }).kind;
}

test("with the offline model as the source of relations most conflicts supersede, and hardly one is merged", async () => {
  const verdicts = await Promise.all(
    FACT_PAIRS.map(async (pair) => ({ is: pair.is, verdict: await verdictOf(pair) })),
  );
  const share = (is: FactPair["is"], verdict: string): number => {
    const those = verdicts.filter((one) => one.is === is);
    return those.filter((one) => one.verdict === verdict).length / those.length;
  };
  const matrix = (["same", "conflict", "distinct"] as const).map((is) => [
    is,
    VERDICTS.map((verdict) => `${verdict} ${share(is, verdict).toFixed(2)}`).join(", "),
  ]);
  process.stdout.write(`with the offline model: ${JSON.stringify(matrix)}\n`);
  expect(FACT_PAIRS.length).toBeGreaterThanOrEqual(150);
  expect(share("conflict", "supersede")).toBeGreaterThanOrEqual(0.7);
  expect(share("conflict", "confirm")).toBeLessThanOrEqual(0.02);
  expect(share("same", "confirm")).toBeGreaterThanOrEqual(0.6);
});

/** Not from the rehearsal: rules that only knew its lines would find nothing here. */
const LINES: readonly (readonly [person: number, text: string])[] = [
  [1, "i live in Coimbra and the trams wake me up every day"],
  [2, "my dog is called Figaro, he snores through every boss"],
  [4, "i play Terra Nil on weekends when the kids are asleep"],
  [2, "i collect lighthouse postcards from charity shops"],
];

test("the offline model makes notes of lines that the rehearsal does not have, and corrects them", async () => {
  const rehearsed = [7, 1, 2].flatMap((seed) =>
    writeScript({ seed, streams: 2, channel: "a", botName: "automark" }),
  );
  const texts = new Set(rehearsed.flatMap((beat) => ("text" in beat ? [beat.text] : [])));
  expect(LINES.filter(([, text]) => texts.has(text))).toEqual([]);
  const rig = memoryRig(offlineModel(), undefined, { notes: true });
  const episode = async (lines: typeof LINES): Promise<void> => {
    for (const [person, text] of lines) rig.say(person, text);
    rig.sayMany(25);
    rig.clock.nowMs += 31 * 60_000;
    await rig.memory.run();
  };
  await episode(LINES);
  await episode([[1, "i moved to Évora last spring, it is quieter"]]);
  const facts = rig.rows<{ fact: string; status: string }>(
    "SELECT fact, status FROM semantic_notes WHERE scope = 'viewer' ORDER BY id",
  );
  const said = facts.map(({ fact, status }) => `${fact} ${status}`).join("\n");
  expect(said).toMatch(/\{u:1001\} lives in Coimbra.* superseded/);
  expect(said).toMatch(/\{u:1002\}'s dog is called Figaro active/);
  expect(said).toMatch(/\{u:1004\} plays Terra Nil.* active/);
  expect(said).toMatch(/\{u:1002\} collects lighthouse postcards.* active/);
  expect(said).toMatch(/\{u:1001\} moved to Évora.* active/);
});
