import { expect, test } from "vitest";
import { BOB, MOD, openRig, STREAMER, VIEWER } from "../actions/rig.ts";

test("two clips in one instant", async () => {
  const rig = await openRig();
  const r = await Promise.all([
    rig.ask(VIEWER, "@automark clip that", "[action clip]"),
    rig.ask(BOB, "@automark clip that", "[action clip]"),
    rig.ask("34", "@automark clip that", "[action clip]"),
  ]);
  console.log(JSON.stringify(r), rig.acts().length);
  expect(rig.acts().length).toBe(1);
});
test("two timeouts of one in one instant", async () => {
  const rig = await openRig();
  const r = await Promise.all([
    rig.ask(MOD, "@automark timeout bob", "[action timeout user=bob seconds=60]"),
    rig.ask(STREAMER, "@automark timeout bob", "[action timeout user=bob seconds=60]"),
  ]);
  console.log(JSON.stringify(r), rig.acts().length);
  expect(rig.acts().length).toBe(1);
});
test("pause in between", async () => {
  const rig = await openRig();
  const p = rig.ask(VIEWER, "@automark clip that", "[action clip]");
  queueMicrotask(()=>queueMicrotask(()=>queueMicrotask(()=>rig.switches.set("paused", true, "x"))));
  console.log(JSON.stringify(await p), rig.acts().length);
});
