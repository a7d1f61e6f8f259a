import type { GeneratedChat } from "../stand-ins/generated-chat.ts";
import { blocksOf } from "../stand-ins/prompt-blocks.ts";
import { randomFrom } from "../stand-ins/random.ts";
import type { ScriptedLlm } from "../stand-ins/scripted-llm.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";

const VIEWER_CLAIMS_MAX = 5;
const CLAIM_WORDS_MAX = 12;
/** Enough lines that two viewers are among their writers, as a claim about the channel needs. */
const CHANNEL_LINES = 6;
const STATED = { how: "plainly", on: null };
const KINDS = ["preference", "profile", "event", "state"];

/**
 * A model that remembers much: of a window a summary, five claims about its writers and one about the channel; of each
 * claim a note.
 */
export function rememberingStub(chat: GeneratedChat): ScriptedLlm {
  const random = randomFrom("scribe");
  const sentences = (words: number) =>
    Array.from({ length: 5 }, () => chat.sentence(Math.round(words / 5))).join(" ");
  const summarise = (transcript: readonly string[]) => {
    const lines = transcript.flatMap((line) => {
      const [, label = "", text = ""] = /^(P\d+)(?: \(known\))?: (.+)$/.exec(line) ?? [];
      return text === "" || /\(×\d+\)/.test(text) ? [] : [{ label, text }];
    });
    const longest = new Map<string, string>();
    for (const { label, text } of lines)
      if (text.length > (longest.get(label)?.length ?? 0)) longest.set(label, text);
    const ofViewers = random
      .shuffled([...longest])
      .slice(0, VIEWER_CLAIMS_MAX)
      .map(([label, text]) => ({
        subject: label,
        ...STATED,
        quotes: [text],
        // In another order: a claim rests on the words of a line and does not copy it.
        statement: `${label} often says ${random
          .shuffled(text.split(" "))
          .slice(0, CLAIM_WORDS_MAX)
          .join(" ")}`,
      }));
    const ofChannel = {
      subject: "channel",
      ...STATED,
      quotes: lines.slice(-CHANNEL_LINES).map(({ text }) => text),
      statement: chat.sentence(random.int(6, 10)),
    };
    const claims = [...ofViewers, ofChannel];
    return { topic: chat.words(4), summary: sentences(random.int(30, 60)), claims };
  };
  const extract = (claims: readonly string[]) => ({
    notes: claims.flatMap((line) => {
      const [, n, statement = ""] = /^\[(\d+)\] (?:P\d+|channel): (.+)$/.exec(line) ?? [];
      if (n === undefined) return [];
      return [
        {
          claims: [Number(n)],
          relation: "new",
          kind: random.pick(KINDS),
          confidence: 0.7,
          importance: "low",
          lifetime: "permanent",
          topics: statement.split(" ").slice(-2),
        },
      ];
    }),
  });
  return scriptedLlm(({ tail }) => {
    const blocks = blocksOf(tail);
    const [chatLines, claims] = [blocks.get("chat"), blocks.get("claims")];
    if (chatLines !== undefined) return JSON.stringify(summarise(chatLines));
    if (claims !== undefined) return JSON.stringify(extract(claims));
    return JSON.stringify({ recap: sentences(random.int(20, 40)) });
  });
}
