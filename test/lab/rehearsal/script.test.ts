import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CastMember } from "../../../src/lab/rehearsal/cast.ts";
import type { Beat } from "../../../src/lab/rehearsal/scene.ts";
import { writeScript } from "../../../src/lab/rehearsal/script.ts";

const HOUSE = { channel: "lanternlou", botName: "automark" };
const MINUTE_MS = 60_000;
const SEEDS = [1, 2, 7, 42, 1_234_567, -5];

const one = writeScript({ seed: 7, ...HOUSE });
const two = writeScript({ seed: 7, streams: 2, ...HOUSE });

describe("the same seed", () => {
  test("gives the same script, byte for byte", () => {
    expect(JSON.stringify(writeScript({ seed: 7, streams: 2, ...HOUSE }))).toBe(
      JSON.stringify(two),
    );
  });

  test("begins alike however many streams follow", () => {
    const first = two.filter(({ stream, kind }) => stream === 1 && kind !== "live");
    expect(textsOf(first).slice(0, 300)).toEqual(textsOf(one).slice(0, 300));
  });
});

test("another seed gives another script, also in its general talk", () => {
  const scripts = SEEDS.map((seed) => writeScript({ seed, ...HOUSE }));
  expect(new Set(scripts.map((script) => JSON.stringify(script))).size).toBe(SEEDS.length);
  const told = scripts.map((script) => new Set(textsOf(script)));
  const [first, second] = told;
  const shared = [...(first ?? [])].filter((text) => second?.has(text)).length;
  expect(shared / (first?.size ?? 1)).toBeLessThan(0.4);
});

describe.each(SEEDS)("with seed %i, two streams", (seed) => {
  const beats = writeScript({ seed, streams: 2, ...HOUSE });

  test("beats are numbered in order of time", () => {
    expect(beats.map(({ index }) => index)).toEqual(beats.map((_, at) => at));
    expect(beats.every(({ atMs }, at) => atMs >= (beats[at - 1]?.atMs ?? 0))).toBe(true);
    expect(beats.every(({ atMs }) => Number.isInteger(atMs))).toBe(true);
  });

  test("every kind of beat occurs in the first stream", () => {
    const kinds = new Set(beats.filter(({ stream }) => stream === 1).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      "action",
      "announcement",
      "ban",
      "cheer",
      "delete",
      "gift",
      "live",
      "message",
      "offline",
      "raid",
      "reply_to_bot",
      "sub",
      "timeout",
      "title",
    ]);
  });

  test("the bot is spoken to within five seconds, and in every manner", () => {
    const addressed = spokenToBot(beats);
    expect(addressed[0]?.atMs).toBeLessThan(5_000);
    expect(new Set(addressed.map((beat) => beat.addressed))).toEqual(
      new Set(["mention", "name", "reply", "command", "bare", "continuation"]),
    );
  });

  test("nobody but a spammer repeats a line more than three times", () => {
    const lines = beats.flatMap((beat) => {
      const isSpam = "person" in beat && beat.person.role === "spammer";
      const isBare = "addressed" in beat && beat.addressed === "bare";
      return isSpam || isBare ? [] : textsOf([beat]);
    });
    const often = [...countsOf(lines)].filter(([, count]) => count > 3);
    expect(often).toEqual([]);
  });
});

describe.each(SEEDS)("with seed %i, a line", (seed) => {
  const beats = writeScript({ seed, streams: 2, ...HOUSE });

  test("is one that Twitch would carry", () => {
    for (const text of textsOf(beats)) {
      expect(text.length).toBeLessThanOrEqual(500);
      expect(text).toBe(text.trim());
      expect(text).not.toMatch(/\p{Cc}|\p{Co}|undefined|\{[a-z]*\}|\{[^{}]*\|/u);
    }
    const silent = new Set(["sub", "title"]);
    const empty = beats.filter((beat) => "text" in beat && beat.text === "");
    expect(empty.every(({ kind }) => silent.has(kind))).toBe(true);
  });

  test("a reply and a deletion point at an earlier message of that stream", () => {
    for (const beat of beats) {
      const target = targetOf(beat);
      if (target === null) continue;
      const earlier = beats[target];
      expect(earlier?.index).toBeLessThan(beat.index);
      expect(earlier?.kind).toBe("message");
      expect(earlier?.stream).toBe(beat.stream);
    }
  });

  test("a threaded reply begins with the name of the one it answers", () => {
    const replies = beats.filter((beat) => beat.kind === "reply_to_bot" || isThreaded(beat));
    for (const beat of replies) {
      const parent = beats[targetOf(beat) ?? -1];
      const name = parent && "person" in parent ? parent.person.displayName : HOUSE.botName;
      expect(textsOf([beat])[0]).toMatch(new RegExp(`^@${name} `, "u"));
    }
    expect(replies.some(isThreaded)).toBe(true);
  });

  test("nobody talks while timed out, nor ever after a ban", () => {
    for (const beat of beats) {
      if (beat.kind !== "timeout" && beat.kind !== "ban") continue;
      const untilMs = beat.kind === "ban" ? Infinity : beat.atMs + beat.seconds * 1_000;
      const later = beats.slice(beat.index + 1).filter(({ atMs }) => atMs < untilMs);
      expect(later.filter((after) => isBy(beat.person, after))).toEqual([]);
    }
  });
});

describe("the raid", () => {
  const raid = one.find(({ kind }) => kind === "raid");
  const raidAtMs = raid?.atMs ?? 0;
  const wave = one.filter(({ atMs }) => atMs >= raidAtMs && atMs < raidAtMs + 2 * MINUTE_MS);

  test("comes about minute four with sixty people", () => {
    expect(raidAtMs / MINUTE_MS).toBeCloseTo(4, 1);
    const raiders = wave.flatMap((beat) => ("person" in beat ? [beat.person] : []));
    const ids = new Set(
      raiders.filter(({ role }) => role === "raider").map(({ userId }) => userId),
    );
    expect(ids.size).toBeGreaterThanOrEqual(58);
    expect(raid).toMatchObject({ viewers: 60 });
  });

  test("reaches 400 messages in a minute", () => {
    const busiest = Math.max(
      ...wave.map(({ atMs: fromMs }) => countBetween(one, fromMs, fromMs + MINUTE_MS)),
    );
    expect(busiest).toBeGreaterThan(395);
    expect(busiest).toBeLessThan(470);
  });
});

test("outside the raid a minute has 20 to 42 messages, but for the break", () => {
  const perMinute = [0, 1, 2, 3, 6, 8, 9, 11].map((at) =>
    countBetween(one, at * MINUTE_MS, (at + 1) * MINUTE_MS),
  );
  expect(Math.min(...perMinute)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...perMinute)).toBeLessThanOrEqual(42);
  expect(countBetween(one, 7 * MINUTE_MS, 8 * MINUTE_MS)).toBeLessThan(20);
});

test("somebody tries an injection within two minutes", () => {
  const early = one.filter(({ atMs }) => atMs < 2 * MINUTE_MS);
  const tries = textsOf(early.filter((beat) => "person" in beat && beat.person.role === "troll"));
  expect(tries.join("\n")).toMatch(/ignore all previous instructions/u);
  expect(tries.join("\n")).toMatch(/\[action timeout user=\S+ seconds=600 reason="requested"\]/u);
  expect(tries.join("\n")).toMatch(/you are now/u);
});

test("a text that is no template keeps its braces", () => {
  expect(textsOf(one).join("\n")).toContain("{u:100000001}");
  expect(textsOf(one).join("\n")).not.toContain("{streamer}");
});

test("the deleted secret is said once and deleted within seconds", () => {
  const deletion = one.find(({ kind }) => kind === "delete");
  const secret = one[deletion?.kind === "delete" ? deletion.target : -1];
  expect(secret).toMatchObject({ text: expect.stringContaining("code 4471") });
  expect((deletion?.atMs ?? 0) - (secret?.atMs ?? 0)).toBeLessThan(20_000);
  expect(textsOf(two).filter((text) => text.includes("4471"))).toHaveLength(1);
});

describe("people", () => {
  test("a dozen regulars talk, with newcomers, a moderator, a VIP, a lurker and a bot", () => {
    const talking = new Map(
      one.flatMap((beat) => ("person" in beat ? [[beat.person.userId, beat.person]] : [])),
    );
    const roles = countsOf([...talking.values()].map(({ role }) => role));
    expect(roles.get("regular")).toBeGreaterThanOrEqual(12);
    expect(roles.get("newcomer")).toBeGreaterThanOrEqual(3);
    for (const role of ["streamer", "moderator", "vip", "lurker", "bot", "spammer", "troll"]) {
      expect(roles.has(role)).toBe(true);
    }
  });

  test("have one user id each, and logins that Twitch allows", () => {
    const people = new Map<string, string>();
    for (const beat of one) {
      if (!("person" in beat)) continue;
      const { userId, login, displayName } = beat.person;
      expect(people.get(userId) ?? login).toBe(login);
      people.set(userId, login);
      expect(userId).toMatch(/^\d{9}$/u);
      expect(login).toMatch(/^[a-z0-9][a-z0-9_]{3,24}$/u);
      expect(displayName.toLowerCase()).toBe(login);
    }
    expect(new Set(people.values()).size).toBe(people.size);
  });
});

describe("two streams", () => {
  test("have an offline gap between, in which hardly anybody talks", () => {
    const ends = two.filter(({ kind }) => kind === "offline").map(({ atMs }) => atMs);
    const starts = two.filter(({ kind }) => kind === "live").map(({ atMs }) => atMs);
    expect(starts).toEqual([0, 14 * MINUTE_MS]);
    expect(ends).toEqual([12 * MINUTE_MS, 26 * MINUTE_MS]);
    expect(countBetween(two, 12 * MINUTE_MS + 1, 14 * MINUTE_MS)).toBe(3);
  });

  test("the second corrects what the first one taught", () => {
    const said = (stream: number) =>
      textsOf(two.filter((beat) => beat.stream === stream)).join("\n");
    expect(said(1)).toContain("i main goalie in hexball arena");
    expect(said(2)).toContain("i no longer play hexball arena");
    expect(said(1)).toContain("i'm silver 2");
    expect(said(2)).toContain("i'm gold 1 in gridlock rally");
    expect(said(1)).toContain("i live in bergen");
    expect(said(2)).toContain("i moved to utrecht");
  });
});

test("a script of any length begins live, ends offline and is spoken to in time", () => {
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: 0.1, max: 20, noNaN: true }), (seed, minutes) => {
      const beats = writeScript({ seed, minutes, ...HOUSE });
      expect(beats[0]?.kind).toBe("live");
      expect(beats.at(-1)?.kind).toBe("offline");
      expect(beats.at(-1)?.atMs).toBe(Math.round(Math.max(1, minutes) * MINUTE_MS));
      expect(spokenToBot(beats)[0]?.atMs).toBeLessThan(5_000);
    }),
    { numRuns: 25 },
  );
});

test("an hour goes on at the same pace without a line more than six times", () => {
  const hour = writeScript({ seed: 3, minutes: 60, ...HOUSE });
  const perMinute = countBetween(hour, 10 * MINUTE_MS, 58 * MINUTE_MS) / 48;
  expect(perMinute).toBeGreaterThan(20);
  expect(perMinute).toBeLessThan(35);
  const often = [...countsOf(textsOf(hour))].filter(([, count]) => count > 6);
  expect(often).toEqual([]);
});

test("the bot's name inside another word is not an address", () => {
  const decoys = SEEDS.flatMap((seed) => writeScript({ seed, streams: 3, ...HOUSE })).filter(
    (beat) => "addressed" in beat && /automark(?:ing|ites|ish|able)/u.test(beat.text),
  );
  expect(decoys.length).toBeGreaterThan(0);
  expect(decoys.every((beat) => "addressed" in beat && beat.addressed === null)).toBe(true);
});

function textsOf(beats: readonly Beat[]): string[] {
  return beats.flatMap((beat) => ("text" in beat && beat.text !== "" ? [beat.text] : []));
}

function spokenToBot(beats: readonly Beat[]) {
  return beats.flatMap((beat) => ("addressed" in beat && beat.addressed !== null ? [beat] : []));
}

function targetOf(beat: Beat): number | null {
  if (beat.kind === "delete") return beat.target;
  return beat.kind === "message" ? beat.replyTo : null;
}

function isThreaded(beat: Beat): boolean {
  return beat.kind === "message" && beat.replyTo !== null;
}

function isBy(person: CastMember, beat: Beat): boolean {
  return "text" in beat && "person" in beat && beat.person.userId === person.userId;
}

function countBetween(beats: readonly Beat[], fromMs: number, toMs: number): number {
  return beats.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).filter((beat) => "text" in beat)
    .length;
}

function countsOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
