import type { LlmRequest } from "../../src/models/model-port.ts";
import { blocksOf } from "./prompt-blocks.ts";
import { type ScriptedLlm, scriptedLlm } from "./scripted-llm.ts";

const TRANSCRIPT_LINE = /^(?:\[\d+\] )?(P\d+|STREAMER)[^:]*: (.*)$/u;
const SELF_CLAIM = /\bI (live in|play|collect|repair) ((?:the )?[\p{L}\d]+)/u;
const THIRD_PERSON: Readonly<Record<string, string>> = {
  "live in": "lives in",
  play: "plays",
  collect: "collects",
  repair: "repairs",
};
const NUMBERED_LINE = /^\[(\d+)\] (\S+): (.+)$/u;

/** A model for tests that need memory to fill: it keeps "I live in …", "I play …", and answers each mention differently. */
export function workingModel(): ScriptedLlm {
  let replies = 0;
  return scriptedLlm(({ schema, tail }: LlmRequest) => {
    if (schema !== undefined) return writeMemory(tail);
    replies += 1;
    return `The lantern keeper has no better answer than number ${replies} today`;
  });
}

/** Answers any of memory's questions as JSON: a summary of chat, notes from claims, or a recap. */
export function writeMemory(tail: string): string {
  const blocks = blocksOf(tail);
  const chat = blocks.get("chat");
  if (chat !== undefined) return JSON.stringify(summarise(chat));
  const claims = blocks.get("claims");
  if (claims !== undefined) return JSON.stringify(extract(claims, blocks.get("notes") ?? []));
  return JSON.stringify({ recap: "It was a quiet stream." });
}

function summarise(chat: readonly string[]) {
  const claims = chat.flatMap((line) => {
    const [, subject = "", text = ""] = TRANSCRIPT_LINE.exec(line) ?? [];
    const [quote, verb = "", what = ""] = SELF_CLAIM.exec(text) ?? [];
    if (quote === undefined) return [];
    const statement = `${subject} ${THIRD_PERSON[verb]} ${what}`;
    return [{ subject, statement, how: "plainly", on: null, quotes: [quote] }];
  });
  const firstOfEach = new Map(claims.map((claim) => [claim.statement, claim]));
  return {
    topic: "the evening",
    summary: "The viewers chatted with each other.",
    claims: [...firstOfEach.values()].slice(0, 20),
  };
}

function extract(claims: readonly string[], known: readonly string[]) {
  const read = (lines: readonly string[]) =>
    lines.flatMap((line) => {
      const [, n = "", subject = "", text = ""] = NUMBERED_LINE.exec(line) ?? [];
      return text === "" ? [] : [{ n: Number(n), about: `${subject} ${text}` }];
    });
  const notes = read(known);
  return {
    notes: read(claims).map(({ n, about }) => {
      const same = notes.find((note) => note.about === about);
      return {
        claims: [n],
        relation: same === undefined ? "new" : "same",
        note: same?.n ?? null,
        kind: "profile",
        confidence: 0.8,
        importance: "high",
        lifetime: "permanent",
      };
    }),
  };
}
