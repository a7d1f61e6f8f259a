import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { type House, openHouse } from "../stand-ins/house.ts";
import { until } from "../stand-ins/until.ts";

const GOES_ON = "a reply goes on though its row could not be written";

/** What no disk takes any more, as a trigger that refuses it. */
const REFUSALS = {
  "when it begins": "BEFORE INSERT ON replies",
  "just before it is sent": "BEFORE UPDATE OF state ON replies WHEN new.state = 'sending'",
  "when it ends": "BEFORE UPDATE OF state ON replies WHEN new.state = 'sent'",
  "at any time": "BEFORE UPDATE ON replies",
};

function refuse({ db }: House, when: string): void {
  db.exec(`CREATE TRIGGER no_room ${when} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
}

test.each(Object.entries(REFUSALS))(
  "a reply whose row cannot be written %s is given, once, and the log says so",
  async (_, when) => {
    const house = await openHouse();
    refuse(house, when);
    house.model.enqueue(geminiSays({ text: "the amber one, I think" }));
    house.say({ text: "@automark which lamp?" });
    await until(() => house.said.length === 1 && house.logged.join("").includes(GOES_ON));
    expect(house.said.map(({ text }) => text)).toEqual(["the amber one, I think"]);
    expect(house.logged.join("")).not.toMatch(/amber|which lamp|a turn failed/);
    house.db.exec("DROP TRIGGER no_room");
    house.model.enqueue(geminiSays({ text: "the blue one today" }));
    house.say({ text: "@automark and today?" });
    await until(() => house.replies().some(({ text }) => text === "the blue one today"));
    expect(house.said.map(({ text }) => text)).toEqual([
      "the amber one, I think",
      "the blue one today",
    ]);
  },
);

test("what a reply without a row proposes is not done", async () => {
  const house = await openHouse();
  refuse(house, REFUSALS["when it begins"]);
  house.model.enqueue(
    geminiSays({
      text: 'noted! [action remember fact="Rosa collects brass lamps" quote="I collect brass lamps"]',
    }),
  );
  house.say({ text: "@automark remember that I collect brass lamps" });
  await until(() => house.said.length === 1);
  expect(house.said[0]?.text).toBe("noted!");
  expect(house.db.prepare("SELECT count(*) FROM action_log").pluck().get()).toBe(0);
});
