import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalise } from "../../src/chat/normalise.ts";
import { parseWireLine } from "../../src/twitch/wire.ts";
import { CONTEXT, line, notice, read, spoken } from "./wire-lines.ts";

describe("messages", () => {
  test("a message is who said what, when, and where", () => {
    expect(spoken("the lava level again?")).toEqual({
      kind: "message",
      channel: "den",
      person: {
        userId: "42",
        login: "wren",
        displayName: "Wren",
        roles: { broadcaster: false, moderator: false, vip: false, subscriber: false },
      },
      messageId: "m-1",
      parent: null,
      text: "the lava level again?",
      amount: null,
      sentAtMs: 1_760_000_000_123,
      isBotItself: false,
      isKnownBot: false,
      memorable: true,
    });
  });

  test("/me is an action, with and without its closing mark", () => {
    expect(spoken("\u0001ACTION waves a lantern\u0001")).toMatchObject({
      kind: "action",
      text: "waves a lantern",
    });
    expect(spoken("\u0001ACTION waves")).toMatchObject({ kind: "action", text: "waves" });
    expect(spoken("\u0001ACTION\u0001")).toMatchObject({
      kind: "action",
      text: "",
      memorable: false,
    });
  });

  test("bits make a cheer, also in a /me", () => {
    expect(spoken("Cheer50 for the run", { tags: { bits: "50" } })).toMatchObject({
      kind: "cheer",
      amount: 50,
    });
    expect(spoken("\u0001ACTION Cheer1\u0001", { tags: { bits: "1" } }).kind).toBe("cheer");
    expect(spoken("no bits", { tags: { bits: "many" } }).kind).toBe("message");
  });

  test("a user id of 1, a bit of 1 and a name of 0 stay what they are", () => {
    const { person, amount } = spoken("hm", {
      tags: { "user-id": "1", bits: "1", "display-name": "0" },
    });
    expect([person.userId, person.displayName, amount]).toEqual(["1", "0", 1]);
  });

  test("a reply names its parent and keeps its text as it was written", () => {
    const tags = {
      "reply-parent-msg-id": "p-9",
      "reply-parent-user-id": "43",
      "reply-parent-user-login": "tarn",
    };
    expect(spoken("@tarn not with that sword", { tags })).toMatchObject({
      parent: { messageId: "p-9", userId: "43" },
      text: "@tarn not with that sword",
    });
    expect(spoken("no reply at all").parent).toBeNull();
  });

  test("what cannot be seen is gone; what is left empty is no memory", () => {
    expect(spoken("same again \u{e0000}").text).toBe("same again");
    expect(spoken("\u{e0000}")).toMatchObject({ kind: "message", text: "", memorable: false });
    expect(spoken(null)).toMatchObject({ text: "", memorable: false });
  });

  test("a missing or odd timestamp is null", () => {
    for (const sent of ["", "soon", "-5", "12.5", "99999999999999999999"]) {
      expect(spoken("hi", { tags: { "tmi-sent-ts": sent } }).sentAtMs).toBeNull();
    }
  });
});

describe("people", () => {
  test("roles come from the badges", () => {
    const roles = (badges: string, mod = "0") =>
      spoken("hi", { tags: { badges, mod } }).person.roles;
    const none = { broadcaster: false, moderator: false, vip: false, subscriber: false };
    expect(roles("")).toEqual(none);
    expect(roles("broadcaster/1,subscriber/0")).toEqual({
      ...none,
      broadcaster: true,
      subscriber: true,
    });
    expect(roles("moderator/1")).toEqual({ ...none, moderator: true });
    expect(roles("lead_moderator/1,founder/0")).toEqual({
      ...none,
      moderator: true,
      subscriber: true,
    });
    expect(roles("vip/1,premium/1")).toEqual({ ...none, vip: true });
    expect(roles("bits/100", "1")).toEqual({ ...none, moderator: true });
    expect(roles("not-a-moderator/1,sub-gifter/5,xvip/1")).toEqual(none);
  });

  test("a name in another script is kept, an empty one is the login", () => {
    expect(spoken("hi", { tags: { "display-name": "みどり" } }).person.displayName).toBe("みどり");
    expect(spoken("hi", { tags: { "display-name": "" } }).person.displayName).toBe("wren");
    expect(spoken("hi", { tags: { "display-name": "\u200b" } }).person.displayName).toBe("wren");
  });

  test("without a user id there is nobody to store", () => {
    const nobody = { kind: "ignored", reason: "no_identity" };
    expect(read(line("hi", { tags: { "user-id": "" } }))).toEqual(nobody);
    expect(read(":wren!wren@wren.tmi.twitch.tv PRIVMSG #den :hi")).toEqual(nobody);
    expect(read("@user-id=42 :tmi.twitch.tv PRIVMSG #den :hi")).toEqual(nobody);
  });

  test("the bot's own message is of kind bot, by id or by login, and never memory", () => {
    const own = { kind: "bot", isBotItself: true, memorable: false };
    expect(spoken("hello all", { tags: { "user-id": "900" } })).toMatchObject(own);
    expect(spoken("hello all", { login: "automark" })).toMatchObject(own);
    expect(notice("announcement", "hello all", { "user-id": "900" })).toMatchObject(own);
  });

  test("a known bot's message is stored, and never memory", () => {
    expect(spoken("follow the socials", { login: "nightbot" })).toMatchObject({
      kind: "message",
      isKnownBot: true,
      memorable: false,
    });
  });

  test("an anonymous cheer is nobody's memory", () => {
    const tags = { "user-id": "407665396", bits: "100" };
    expect(spoken("Cheer100 keep going", { tags, login: "ananonymouscheerer" }).memorable).toBe(
      false,
    );
  });
});

test("no line makes it throw", () => {
  const word = fc.oneof(
    fc.constantFrom(
      "PRIVMSG",
      "USERNOTICE",
      "CLEARCHAT",
      "CLEARMSG",
      "ROOMSTATE",
      "NOTICE",
      "JOIN",
    ),
    fc.string({ unit: "binary" }),
  );
  const key = fc.constantFrom(
    "user-id",
    "login",
    "msg-id",
    "badges",
    "bits",
    "target-user-id",
    "id",
  );
  fc.assert(
    fc.property(
      word,
      fc.string({ unit: "binary" }),
      fc.array(fc.oneof(fc.constant("#den"), fc.string({ unit: "binary" })), { maxLength: 3 }),
      fc.dictionary(fc.oneof(key, fc.string()), fc.string({ unit: "binary" })),
      (command, prefix, params, tags) => {
        expect(normalise({ command, prefix, params, tags }, CONTEXT)).toHaveProperty("kind");
      },
    ),
  );
});

const DATA = new URL("../../../shared/data/", import.meta.url);

test.skipIf(!existsSync(DATA)).each(["chat-sample.irc", "irc-variety.irc"])(
  "every line of %s is stored as what it is, or ignored on purpose",
  (file) => {
    const messages = readFileSync(new URL(file, DATA), "utf8")
      .split(/\r?\n/)
      .flatMap((wire) => (wire === "" ? [] : (parseWireLine(wire) ?? [])));
    const channels = new Set(
      messages.map(({ params }) => (params[0] ?? "").slice(1).toLowerCase()),
    );
    const expected: Readonly<Record<string, RegExp>> = {
      PRIVMSG: /^(message|action|cheer|ignored:(shared_chat|no_identity))$/,
      USERNOTICE:
        /^(sub|resub|gift|mystery_gift|raid|announcement|streak|notice|ignored:(shared_chat|promotion|unkept_notice))$/,
      CLEARCHAT: /^(timeout|ban|clear)$/,
      CLEARMSG: /^deletion$/,
      ROOMSTATE: /^(room|ignored:no_identity)$/,
      USERSTATE: /^ignored:other_command$/,
      GLOBALUSERSTATE: /^ignored:other_command$/,
      WHISPER: /^ignored:other_command$/,
    };
    expect(messages.length).toBeGreaterThan(200);
    for (const message of messages) {
      const event = normalise(message, { ...CONTEXT, channels });
      const what = event.kind === "ignored" ? `ignored:${event.reason}` : event.kind;
      expect(what, message.command).toMatch(expected[message.command] ?? /^nothing$/);
      if (message.command !== "PRIVMSG" || event.kind === "ignored") continue;
      expect(event).toMatchObject({ person: { userId: message.tags["user-id"] } });
    }
  },
);
