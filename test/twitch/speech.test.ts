import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NoticeBoard } from "../../src/database/notices-store.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { openLog } from "../../src/log.ts";
import { Speech } from "../../src/twitch/speech.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function keeper() {
  const db = openDatabase(join(temporaryFolder(), "forgetmenot.db"));
  onTestFinished(() => void db.close());
  const notices = new NoticeBoard(db, () => 1, openLog("silent"));
  return { notices, speech: new Speech({ now: () => 1, notices, botLogin: "automark" }) };
}

test("a connection that is lost five times does not shut the channel", () => {
  const { speech, notices } = keeper();
  for (let times = 0; times < 5; times += 1) {
    speech.learn("lanternroom", { kind: "failed", reason: "not_connected" });
  }
  expect(speech.isShut("lanternroom")).toBe(false);
  expect(notices.list().map(({ cause }) => cause)).toEqual(["refused"]);
  speech.learn("lanternroom", { kind: "sent", messageId: null, via: "irc" });
  expect(notices.list()).toEqual([]);
});

test("what Twitch refused three times in a row shuts that channel, and no other", () => {
  const { speech } = keeper();
  for (let times = 0; times < 3; times += 1) {
    speech.learn("lanternroom", { kind: "refused", reason: "msg_banned" });
  }
  expect(speech.isShut("lanternroom")).toBe(true);
  expect(speech.isShut("another")).toBe(false);
});

test("when one channel works again, the notice names the other one", () => {
  const { speech, notices } = keeper();
  speech.learn("lanternroom", { kind: "refused", reason: "msg_subsonly" });
  speech.learn("another", { kind: "refused", reason: "msg_banned" });
  speech.learn("another", { kind: "sent", messageId: null, via: "irc" });
  expect(notices.list()[0]?.message).toContain("#lanternroom (msg_subsonly)");
  speech.learn("lanternroom", { kind: "sent", messageId: null, via: "irc" });
  expect(notices.list()).toEqual([]);
});

test("the notice about slow mode names the fix", () => {
  const { speech, notices } = keeper();
  speech.learn("lanternroom", { kind: "refused", reason: "msg_slowmode" });
  expect(notices.list()[0]?.message).toContain("/mod automark");
});
