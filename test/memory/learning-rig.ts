import { setImmediate as macrotask } from "node:timers/promises";
import { openDatabase } from "../../src/database/open-database.ts";
import type { LlmRequest } from "../../src/models/model-port.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";
import { memoryRig, summaryJson } from "./memory-rig.ts";

/** A claim or a note as a question about notes shows it. */
export interface Listed {
  readonly n: number;
  readonly who: string;
  readonly text: string;
}

/** What a test has the model write about each question. */
export type Sorter = (claims: readonly Listed[], notes: readonly Listed[]) => unknown;

export interface NoteRow {
  readonly id: number;
  readonly who: string | null;
  readonly fact: string;
  readonly status: string;
  readonly by: number | null;
  readonly confidence: number;
  readonly expires: number | null;
  readonly lifetime: string | null;
  readonly property: string | null;
  readonly value: string | null;
}

const NOTES = `SELECT id, subject_id AS who, fact, status, superseded_by AS "by", confidence, expires_at AS expires,
  lifetime, property, property_value AS value FROM semantic_notes ORDER BY id`;
const SAYING = /^(P\d+)(?: \(known\))?: I say: (.*)$/gm;
const JOKE = /^(?:P\d+(?: \(known\))?|STREAMER|\d+ people): We say: (.*)$/gm;
const SILENCE_MS = 31 * 60_000;

/** Every claim is new, and a preference. */
export const ALL_NEW: Sorter = (claims) =>
  claims.map(({ n }) => ({ claims: [n], relation: "new", kind: "preference" }));

/**
 * A memory whose model makes a claim of each line "I say: …" of a window, a joke of each text of lines "We say: …", and
 * sorts as the test says.
 */
export function learningRig(sort: Sorter = ALL_NEW, breathe: () => Promise<void> = macrotask) {
  let sorter = sort;
  const sorted: LlmRequest[] = [];
  const llm = scriptedLlm((request) => {
    if (request.purpose === "extract") {
      sorted.push(request);
      const answer = sorter(listed(request.tail, "claims"), listed(request.tail, "notes"));
      return typeof answer === "string" ? answer : JSON.stringify({ notes: answer });
    }
    const claims = [...request.tail.matchAll(SAYING)].map(([, label = "", said = ""]) => ({
      subject: label,
      statement: `${label} ${said}`,
      quotes: [`I say: ${said}`],
    }));
    const jokes = new Set([...request.tail.matchAll(JOKE)].map(([, said = ""]) => said));
    const bits = [...jokes].map((said) => ({
      ...{ subject: "bit", statement: said },
      quotes: [`We say: ${said}`],
    }));
    return summaryJson([...claims, ...bits]);
  });
  const rig = memoryRig(llm, openDatabase(":memory:"), { notes: true, breathe });
  const settle = async (): Promise<void> => {
    rig.clock.nowMs += SILENCE_MS;
    await rig.memory.run();
    rig.clock.nowMs += SILENCE_MS;
    await rig.memory.run();
  };
  return {
    ...rig,
    /** Questions about notes. */
    sorted,
    sortBy(next: Sorter): void {
      sorter = next;
    },
    /** A window in which sailors say these things of themselves, and the notes made of it. */
    async learn(...facts: readonly (string | readonly [person: number, fact: string])[]) {
      rig.sayMany(25);
      for (const fact of facts) {
        const [person, said] = typeof fact === "string" ? ([1, fact] as const) : fact;
        rig.say(person, `I say: ${said}`);
      }
      await settle();
    },
    /** A window in which these sailors make a joke, and the note made of it. */
    async joke(text: string, people: readonly number[]) {
      rig.sayMany(25);
      for (const person of people) rig.say(person, `We say: ${text}`);
      await settle();
    },
    notes: () => rig.rows<NoteRow>(NOTES),
    count: (name: string) => rig.counters.read(name)[name] ?? 0,
  };
}

function listed(tail: string, block: "claims" | "notes"): Listed[] {
  const part = tail.split(/^~\S+~? ?/m).find((text) => text.startsWith(block)) ?? tail;
  return [...part.matchAll(/^\[(\d+)\] (\S+): (.*)$/gm)].map(([, n, who = "", text = ""]) => ({
    n: Number(n),
    who,
    text,
  }));
}
