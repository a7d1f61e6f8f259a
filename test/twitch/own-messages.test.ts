import { expect, test } from "vitest";
import { OwnMessages, type SendResult } from "../../src/twitch/delivery.ts";

const MESSAGE = { channel: "den", text: "Amber suits the shelf.", replyTo: null };
const sent = (messageId: string | null) => ({ kind: "sent", messageId }) as const;

function rig() {
  const clock = { nowMs: 1_700_000_000_000 };
  const waits: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => void waits.push(resolve));
  return { clock, waits, own: new OwnMessages(() => clock.nowMs, wait) };
}

test("a message with an id that we sent is ours, and another one of the account is not", async () => {
  const { own } = rig();
  await own.track(MESSAGE, () => sent("id-1"));
  expect(own.isOwn("id-1", "anything")).toBe(true);
  expect(own.isOwn("id-2", MESSAGE.text)).toBe(false);
  expect(own.settled()).toBeNull();
});

test("without an id the text counts, for a minute", async () => {
  const { own, clock } = rig();
  await own.track(MESSAGE, () => sent(null));
  expect(own.isOwn("id-1", `@wren ${MESSAGE.text}`)).toBe(true);
  expect(own.isOwn("id-1", "I typed this")).toBe(false);
  clock.nowMs += 60_001;
  await own.track({ ...MESSAGE, text: "another" }, () => sent(null));
  expect(own.isOwn("id-1", MESSAGE.text)).toBe(false);
});

test("a message that did not arrive is not ours", async () => {
  const { own } = rig();
  await own.track(MESSAGE, () => ({ kind: "failed", reason: "network" }));
  expect(own.isOwn("id-1", MESSAGE.text)).toBe(false);
});

test("while a send has no id yet, others wait for it, or for five seconds", async () => {
  const { own, waits } = rig();
  let answer: (result: SendResult) => void = () => undefined;
  const sending = own.track(MESSAGE, () => new Promise((end) => (answer = end)));
  const settled = own.settled();
  expect(settled).not.toBeNull();
  answer(sent("id-1"));
  await sending;
  await settled;
  expect(own.isOwn("id-1", "")).toBe(true);
  void own.track(MESSAGE, () => new Promise(() => undefined));
  const late = own.settled();
  waits.at(-1)?.();
  await late;
});
