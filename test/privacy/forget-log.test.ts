import { expect, test } from "vitest";
import { forgetLog, forgetStore } from "../../src/privacy/forget-store.ts";
import { NOW_MS, ROSA, remembered, THAD } from "./remembered.ts";

test("who is forgotten here is heard of already, and whom another process forgot just before is not overheard", () => {
  const { db, hash, forget } = remembered();
  const log = forgetLog(db);
  forget(THAD.userId);
  forget(ROSA.userId);
  log.heardOf([hash.person(ROSA.userId)]);
  expect([...log.reread()]).toEqual([hash.person(THAD.userId)]);
  expect([...log.reread()]).toEqual([]);
});

test("a viewer who came back and is forgotten again is noticed, whatever the clock says, also after a VACUUM", () => {
  const { db, hash, forget } = remembered();
  forget(THAD.userId);
  forget(ROSA.userId);
  const log = forgetLog(db);
  db.exec("VACUUM");
  db.prepare("INSERT INTO viewers VALUES (?, 'rosalindqq', 'RosalindQQ', 1, 1, 0)").run(
    ROSA.userId,
  );
  forgetStore(db, hash, () => NOW_MS - 86_400_000).forget(ROSA.userId);
  expect([...log.reread()]).toEqual([hash.person(ROSA.userId)]);
  expect([...log.reread()]).toEqual([]);
});
