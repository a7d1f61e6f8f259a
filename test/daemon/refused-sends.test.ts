import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openLog } from "../../src/log.ts";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { type House, openHouse } from "../stand-ins/house.ts";
import { BOT, CHANNEL } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

test("a dropped answer has Twitch's code as its reason, and one notice", async () => {
  const house = await openHouse({ scopes: [] });
  await botSaysElsewhere(house, "The amber one.");
  house.model.enqueue(geminiSays({ text: "The amber one." }));
  house.say({ text: "@automark which lamp?" });
  const [row] = await house.ended(1);
  expect(house.irc.received.at(-1)).toMatchObject({ dropped: "msg_duplicate" });
  expect(row).toMatchObject({ state: "silent", reason: "send_msg_duplicate", text: null });
  expect(refusals(house)).toMatchObject([{ severity: "warning", count: 1 }]);
  house.model.enqueue(geminiSays({ text: "The blue one." }));
  house.say({ text: "@automark and today?", userId: "502", login: "iris" });
  const [, next] = await house.ended(2);
  expect(next).toMatchObject({ state: "sent" });
  expect(refusals(house)).toEqual([]);
});

/** The same account says something from another program: Twitch will drop it a second time. */
async function botSaysElsewhere({ irc }: House, text: string): Promise<void> {
  const socket = new WebSocket(irc.url);
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  socket.send(`PASS oauth:other\r\nNICK ${BOT}\r\nPRIVMSG #${CHANNEL} :${text}\r\n`);
  await until(() => irc.received.length === 1);
  socket.close();
}

function refusals({ db }: House) {
  const board = new NoticeBoard(
    db,
    () => 0,
    openLog("error", () => undefined),
  );
  return board.list().filter(({ cause }) => cause === "refused");
}
