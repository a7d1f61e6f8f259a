import { expect, test } from "vitest";
import { forgetLog } from "../../src/privacy/forget-store.ts";
import { ROSA, remembered, THAD } from "./remembered.ts";

test("who is forgotten here is heard of already, and whom another process forgot just before is not overheard", () => {
  const { db, hash, forget } = remembered();
  const log = forgetLog(db);
  forget(THAD.userId);
  forget(ROSA.userId);
  log.heardOf([hash.person(ROSA.userId)]);
  expect([...log.reread()]).toEqual([hash.person(THAD.userId)]);
  expect([...log.reread()]).toEqual([]);
});
