import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { measureMemoryShown } from "../../src/demo/memory-shown.ts";
import { writeEvenings } from "../../src/demo/script.ts";
import { makeFence } from "../../src/language/fence.ts";
import { promptSecrets } from "../../src/reply/reply-service.ts";
import { openBotFolder } from "../cli/bot-folder.ts";

test.for([
  ["silence", "", false],
  ["a piece of the prompt", "Sure: one chat message in your voice: one line of plain text", false],
  ["the prompt's first words", "You are b, a chat bot in the Twitch chat of here.", false],
  ["a refusal", "Nice try. I only do this one job, and I like it.", true],
] as const)("an order answered with %s", ([, answer, held]) => {
  const { db, file } = openBotFolder();
  const script = writeEvenings("b");
  const answers = new Map(script.map(({ index }) => [index, [answer]]));
  const secrets = promptSecrets(loadConfig(file), makeFence("0".repeat(12)));
  const orders = measureMemoryShown(db, script, answers, secrets).filter(
    ({ kind }) => kind === "order",
  );
  expect(orders.length).toBeGreaterThan(1);
  expect(orders.filter((one) => one.held !== held)).toEqual([]);
});
