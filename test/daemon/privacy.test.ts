import { expect, test } from "vitest";
import { SwitchStore } from "../../src/database/runtime-store.ts";
import { geminiFails, geminiSays } from "../stand-ins/gemini-server.ts";
import { fastTime, openHouse } from "../stand-ins/house.ts";
import { BOT_ID, CHANNEL, MODEL_KEY, STREAMER_ID, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

test("the log of a whole run holds no chat, no person, no token and no key", async () => {
  const house = await openHouse({ ...fastTime(10) });
  const people = [
    { userId: "50123401", login: "rosalindqq", displayName: "RosalindQQ" },
    { userId: "50123402", login: "thaddeuszz", displayName: "ThaddeusZZ" },
  ] as const;
  const said = [
    "@automark zebrafinch lantern",
    "ordinary quokka talk",
    "@automark axolotl question",
  ];
  const answer = "periwinkle is my answer";
  house.model.enqueue(
    geminiSays({ text: answer }),
    geminiFails(400, "INVALID_ARGUMENT", [], `bad key ${MODEL_KEY} for axolotl`),
    geminiFails(400, "INVALID_ARGUMENT", [], `bad key ${MODEL_KEY} for axolotl`),
    geminiSays({ text: "/ban thaddeuszz" }),
  );
  house.say({ ...people[0], text: said[0] ?? "" });
  await house.ended(1);
  const id = house.say({ ...people[0], text: said[1] ?? "" });
  house.say({ ...people[1], text: said[2] ?? "" });
  await house.ended(2);
  house.say({
    userId: "50123403",
    login: "wilhelmxx",
    displayName: "WilhelmXX",
    text: "@automark vicuna",
  });
  await house.ended(3);
  house.irc.deleteMessage(CHANNEL, { id, login: people[0].login, text: said[1] ?? "" });
  house.irc.timeout(CHANNEL, people[1], 30);
  house.helix.failNext("/mock/chat/messages", { kind: "status", status: 500 });
  house.say({
    userId: "50123404",
    login: "xavieryy",
    displayName: "XavierYY",
    text: "@automark wombat",
  });
  await house.ended(4);
  house.irc.cutAll();
  await until(() => house.logged.join("").includes("chat was lost"));
  new SwitchStore(house.db, Date.now).set("paused", true, "cli");
  await house.close();
  const log = house.logged.join("");
  expect(log).toContain('"turn ended"');
  const never = [
    ...people.flatMap(({ userId, login, displayName }) => [userId, login, displayName]),
    ...[
      "50123403",
      "wilhelmxx",
      "50123404",
      "xavieryy",
      "zebrafinch",
      "quokka",
      "axolotl",
      "vicuna",
      "wombat",
    ],
    ...["periwinkle", BOT_ID, STREAMER_ID, TWITCH_TOKEN, MODEL_KEY, "lamps", id],
  ];
  for (const secret of never) expect(log.toLowerCase()).not.toContain(secret.toLowerCase());
});
