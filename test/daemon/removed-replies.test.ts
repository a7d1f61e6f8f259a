import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { type House, openHouse } from "../stand-ins/house.ts";
import { BOT, CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

const WORDS = "the old mill by the weir";
const ROSA = { userId: "501", login: "rosa" };
const IRIS = { userId: "502", login: "iris", displayName: "Iris" };

/** Everything that the database holds of those words. */
function kept(house: House): number {
  house.daemon.status();
  const count = (table: string) =>
    Number(
      house.db.prepare(`SELECT count(*) FROM ${table} WHERE text LIKE '%${WORDS}%'`).pluck().get(),
    );
  return count("events") + count("replies");
}

async function houseThatRepeated(
  scopes?: readonly string[],
): Promise<{ house: House; id: string }> {
  const house = await openHouse(scopes === undefined ? {} : { scopes });
  house.model.enqueue(geminiSays({ text: `So you meet at ${WORDS}.` }));
  const id = house.say({ text: `@automark we meet at ${WORDS}` });
  await house.ended(1);
  await until(() => kept(house) === 3);
  return { house, id };
}

async function nextPromptLacksIt(house: House): Promise<void> {
  house.model.enqueue(geminiSays({ text: "Nothing of note." }));
  house.say({ ...IRIS, text: "@automark what was said before?" });
  await house.ended(2);
  expect(JSON.stringify(house.model.requests[1])).not.toContain(WORDS);
}

test.for([
  ["timeout", undefined],
  ["timeout", []],
  ["deletion", undefined],
  ["deletion", []],
  ["clear", undefined],
  ["clear", []],
] as const)("after a %s nothing of what the bot repeated is left", async ([act, scopes]) => {
  const { house, id } = await houseThatRepeated(scopes);
  if (act === "timeout") house.irc.timeout(CHANNEL, ROSA, 60);
  else if (act === "clear") house.irc.clear(CHANNEL);
  else house.irc.deleteMessage(CHANNEL, { id, login: "rosa", text: "" });
  await until(() => kept(house) === 0);
  await nextPromptLacksIt(house);
});

test.for(["helix", "irc"])("a deletion of what the bot said by %s takes it", async (via) => {
  const { house } = await houseThatRepeated(via === "helix" ? undefined : []);
  const [row] = house.replies();
  const id = row?.messageId ?? house.irc.received.at(-1)?.id ?? "";
  house.irc.deleteMessage(CHANNEL, { id, login: BOT, text: `@Rosa So you meet at ${WORDS}.` });
  await until(() => kept(house) === 1);
  expect(house.replies()[0]).toMatchObject({ state: "sent", text: null, messageId: id });
});

test("what another viewer was answered stays", async () => {
  const { house } = await houseThatRepeated();
  house.irc.timeout(CHANNEL, IRIS, 60);
  house.irc.say(CHANNEL, { ...IRIS, text: "back" });
  await until(
    () => house.db.prepare("SELECT 1 FROM events WHERE kind = 'timeout'").get() !== undefined,
  );
  expect(kept(house)).toBe(3);
});
