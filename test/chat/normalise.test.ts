import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWindowFiller, normalise } from "../../src/chat/normalise.ts";
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

describe("notices", () => {
  test.each([
    ["sub", "sub", { "msg-param-cumulative-months": "1" }, 1],
    ["resub", "resub", { "msg-param-cumulative-months": "14" }, 14],
    ["subgift", "gift", { "msg-param-gift-months": "3" }, 3],
    ["anonsubgift", "gift", {}, null],
    ["submysterygift", "mystery_gift", { "msg-param-mass-gift-count": "20" }, 20],
    ["raid", "raid", { "msg-param-viewerCount": "87" }, 87],
    ["viewermilestone", "streak", { "msg-param-value": "10" }, 10],
  ])("%s is kept as %s", (id, kind, tags, amount) => {
    expect(notice(id, null, tags)).toMatchObject({ kind, amount, text: "", memorable: false });
  });

  test("what somebody wrote with a notice is their own words", () => {
    expect(notice("resub", "a year of lava levels")).toMatchObject({
      kind: "resub",
      text: "a year of lava levels",
      memorable: true,
    });
    expect(notice("announcement", "quiz in ten minutes").kind).toBe("announcement");
  });

  test("an unknown notice is kept for its words, and ignored without", () => {
    expect(notice("brandnewthing", "look what I got")).toMatchObject({
      kind: "notice",
      memorable: true,
    });
    expect(notice("brandnewthing", null)).toEqual({ kind: "ignored", reason: "unkept_notice" });
    expect(notice("constructor", null)).toEqual({ kind: "ignored", reason: "unkept_notice" });
    expect(notice("socialsharingbadge", "I got a badge")).toEqual({
      kind: "ignored",
      reason: "promotion",
    });
  });

  test("a message from another channel's shared chat is not this channel's", () => {
    const elsewhere = { kind: "ignored", reason: "shared_chat" };
    expect(read(line("hi", { tags: { "source-room-id": "78" } }))).toEqual(elsewhere);
    expect(read(line("hi", { tags: { "source-room-id": "77" } }))).toMatchObject({
      kind: "message",
    });
    const shared = { "source-room-id": "78", "source-msg-id": "raid" };
    expect(notice("sharedchatnotice", null, shared)).toEqual(elsewhere);
    const own = { "source-room-id": "77", "source-msg-id": "raid", "msg-param-viewerCount": "5" };
    expect(notice("sharedchatnotice", null, own)).toMatchObject({ kind: "raid", amount: 5 });
  });
});

describe("the room", () => {
  test("CLEARCHAT is a timeout, a ban or a clear", () => {
    const at = "tmi-sent-ts=7";
    expect(
      read(`@ban-duration=600;target-user-id=42;${at} :tmi.twitch.tv CLEARCHAT #den :wren`),
    ).toEqual({
      kind: "timeout",
      channel: "den",
      userId: "42",
      login: "wren",
      seconds: 600,
      sentAtMs: 7,
    });
    expect(read("@target-user-id=42 :tmi.twitch.tv CLEARCHAT #den :wren")).toMatchObject({
      kind: "ban",
      seconds: null,
    });
    expect(read("@ban-duration=1 :tmi.twitch.tv CLEARCHAT #den :Wren")).toMatchObject({
      kind: "timeout",
      userId: null,
      login: "wren",
      seconds: 1,
    });
    expect(read(`@room-id=77;${at} :tmi.twitch.tv CLEARCHAT #den`)).toEqual({
      kind: "clear",
      channel: "den",
      sentAtMs: 7,
    });
  });

  test("CLEARMSG is a deletion of the message that it names", () => {
    expect(read("@login=wren;target-msg-id=m-1 :tmi.twitch.tv CLEARMSG #den :rude")).toEqual({
      kind: "deletion",
      channel: "den",
      messageId: "m-1",
      sentAtMs: null,
    });
    expect(read("@login=wren :tmi.twitch.tv CLEARMSG #den :rude")).toEqual({
      kind: "ignored",
      reason: "no_target",
    });
  });

  test("ROOMSTATE names the streamer's user id", () => {
    expect(read("@room-id=77;slow=30;subs-only=0;x=1 :tmi.twitch.tv ROOMSTATE #den")).toEqual({
      kind: "room",
      channel: "den",
      roomId: "77",
    });
  });

  test.each([
    ["@user-id=42 :wren!wren@wren.tmi.twitch.tv WHISPER automark :psst", "other_command"],
    [":wren!wren@wren.tmi.twitch.tv PRIVMSG #attic :hi", "other_channel"],
    [":tmi.twitch.tv CLEARCHAT #attic", "other_channel"],
    [":wren!wren@wren.tmi.twitch.tv JOIN #den", "other_command"],
    [":wren!wren@wren.tmi.twitch.tv PART #den", "other_command"],
    [":tmi.twitch.tv 001 automark :Welcome", "other_command"],
    ["PING :tmi.twitch.tv", "other_command"],
    [":tmi.twitch.tv RECONNECT", "other_command"],
    ["@user-id=900 :tmi.twitch.tv GLOBALUSERSTATE", "other_command"],
    ["@mod=1 :tmi.twitch.tv USERSTATE #den", "other_command"],
    [":tmi.twitch.tv HOSTTARGET #den :attic 3", "other_command"],
    ["@msg-id=msg_duplicate :tmi.twitch.tv NOTICE #den :twice", "other_command"],
    [":tmi.twitch.tv NOTICE * :Login authentication failed", "other_command"],
    [":tmi.twitch.tv NEWTHING #den :x", "other_command"],
    [":tmi.twitch.tv constructor #den :x", "other_command"],
  ])("%s is ignored as %s", (wire, reason) => {
    expect(read(wire)).toEqual({ kind: "ignored", reason });
  });
});

/** `Kappa Kappa` and what Twitch says of it. */
const KAPPAS = "25:0-4,6-10";

test.each([
  ["Kappa Kappa", KAPPAS],
  ["@ben Kappa", "25:5-9"],
  ["Kappa 🔥 Kappa!", "25:0-4,8-12"],
  ["🔥🔥🔥", undefined],
  ["???", undefined],
  ["monkaS", undefined],
  ["peepoHappy catJAM", undefined],
  ["KEKW KEKW KEKW", undefined],
  ["!uptime", undefined],
  ["!so @ben", undefined],
])("%s fills no window", (line, emotes) => {
  expect(isWindowFiller(line, emotes)).toBe(true);
});

test.each([
  ["Kappa i moved to Oslo", "25:0-4"],
  ["Kappa Kappa", undefined],
  ["Kappa Kappa", "25:0-4"],
  ["LETS GO", undefined],
  ["YES", undefined],
  ["no no no", undefined],
  ["McDonalds", undefined],
  ["PS5 PS4", undefined],
  ["2", undefined],
  ["草", undefined],
  ["@ben", undefined],
  ["! what a save", undefined],
  ["", undefined],
])("%s fills one (emotes at %s)", (line, emotes) => {
  expect(isWindowFiller(line, emotes)).toBe(false);
});

test("places are counted in characters as people see them, and from behind /me", () => {
  expect(isWindowFiller("🔥 Kappa", "25:2-6")).toBe(true);
  const action = spoken("\u0001ACTION Kappa\u0001", { tags: { emotes: "25:0-4" } });
  expect(action).toMatchObject({ memorable: true, fillsNoWindow: true });
  expect(spoken("a word Kappa", { tags: { emotes: "25:7-11" } }).fillsNoWindow).toBeUndefined();
});

test("a tag that is no list of places changes nothing", () => {
  for (const emotes of ["", "x", "25:9-0", "25:9999-99999", "-", "25:0-4/", ":::"]) {
    expect(isWindowFiller("hello there", emotes)).toBe(false);
  }
});
