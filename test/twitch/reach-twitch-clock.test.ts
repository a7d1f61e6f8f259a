import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { useHelixStandIn } from "../../src/config/environment.ts";
import { readTwitchClock } from "../../src/twitch/reach-twitch.ts";

const TOLD_AT_MS = Date.UTC(2026, 4, 1, 20);
const NEVER = new AbortController().signal;

/** A log-in server that gives this date, or none. */
async function openServer(date: string | null): Promise<void> {
  const server = createServer((_request, response) => {
    response.sendDate = false;
    response.writeHead(401, date === null ? {} : { date });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => void server.close());
  useHelixStandIn((server.address() as AddressInfo).port);
}

/** A clock that shows these, one after the other. */
function clockOf(...times: number[]): () => number {
  return () => times.shift() ?? Number.NaN;
}

test("half the round trip and half a second lie between the clocks", async () => {
  await openServer(new Date(TOLD_AT_MS).toUTCString());
  const clock = clockOf(TOLD_AT_MS + 60_000, TOLD_AT_MS + 60_400);
  expect(await readTwitchClock(clock, NEVER)).toEqual({
    kind: "measured",
    aheadMs: 59_700,
  });
});

test.each([null, "", "tomorrow"])("a date that is none tells nothing: %j", async (date) => {
  await openServer(date);
  expect(await readTwitchClock(Date.now, NEVER)).toEqual({ kind: "unreachable" });
});

test("an aborted signal ends it", async () => {
  await openServer(null);
  expect(await readTwitchClock(Date.now, AbortSignal.abort())).toEqual({ kind: "unreachable" });
});
