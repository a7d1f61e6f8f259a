import { expect, test } from "vitest";
import { trailSchema } from "../../src/reply/trail.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, openHouse } from "../stand-ins/house.ts";

test.for([
  ["the channel's state", "channel_state", { fresh: false }],
  ["its notes", "semantic_notes", { fresh: true }],
  ["who is the same person", "identity_aliases", { fresh: true }],
] as const)(
  "an answer is given from the last snapshot where %s cannot be read",
  async ([, table, read]) => {
    const { db, model, say, ended, replies } = await openHouse(fastTime(20));
    const ask = async (userId: string) => {
      model.enqueue(geminiSays({ text: `yes, ${userId}` }));
      say({
        userId,
        login: `asker${userId}`,
        displayName: `Asker${userId}`,
        text: "@automark hm?",
      });
      const row = (await ended(replies().length + 1)).at(-1);
      expect(row).toMatchObject({ state: "sent" });
      return trailSchema.parse(JSON.parse(row?.trail ?? "")).prefix;
    };
    const before = await ask("6001");
    db.exec(`ALTER TABLE ${table} RENAME TO lost`);
    expect(await ask("6002")).toEqual({ ...before, ...read });
  },
);
