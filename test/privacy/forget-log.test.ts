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

test("whom another process forgets again is heard of again, whatever its clock says, also behind a VACUUM", () => {
  const { db, hash, forget } = remembered();
  forget(THAD.userId);
  forget(ROSA.userId);
  forgetStore(db, hash, () => NOW_MS + 60_000).finished([THAD.userId]);
  const log = forgetLog(db);
  db.exec("VACUUM");
  forgetStore(db, hash, () => NOW_MS - 86_400_000).finished([ROSA.userId]);
  expect([...log.reread()]).toEqual([hash.person(ROSA.userId)]);
  expect([...log.reread()]).toEqual([]);
});

test("whom this process forgets again and again is remembered by no row more", () => {
  const { db, hash } = remembered();
  const log = forgetLog(db);
  const { finished } = forgetStore(db, hash, () => NOW_MS);
  for (let round = 0; round < 3; round += 1) {
    finished([ROSA.userId]);
    log.heardOf([hash.person(ROSA.userId)]);
  }
  finished([THAD.userId]);
  expect([...log.reread()]).toEqual([hash.person(THAD.userId)]);
});
