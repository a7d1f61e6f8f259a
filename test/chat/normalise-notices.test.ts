import { describe, expect, test } from "vitest";
import { line, notice, read } from "./wire-lines.ts";

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
