import { expect, test } from "vitest";
import { type Command, CommandReader, type SaidLine } from "../../src/actions/direct-command.ts";
import { normalise } from "../../src/chat/normalise.ts";
import type { Person } from "../../src/chat/people.ts";
import { LANGUAGES } from "../../src/language/languages.ts";
import { parseWireLine } from "../../src/twitch/wire.ts";
import { PLAIN_COMMANDS } from "./command-corpora.ts";
import { MOD, openRig, READER, STREAMER, VIEWER } from "./rig.ts";

const person = (userId: string, login: string, displayName = login): Person => ({
  userId,
  login,
  displayName,
  roles: null,
});
const BOB = person("1", "bob", "Bob");
const CARL = person("2", "carl");
const PEOPLE = [BOB, CARL, person("3", "kinomi", "木の実"), person("4", "them")];

function read(text: string, repliesTo: SaidLine["repliesTo"] = null): Command | null {
  return READER.readCommand({ text, repliesTo }, () => PEOPLE);
}

function shown(command: Command | null): string | null {
  if (command === null) return null;
  const { title, choices, user, seconds, text, reason } = command.args;
  const said = [command.name, user, seconds, title, choices, text, reason];
  return said.filter((part) => part !== undefined).join(" ");
}

test.each(PLAIN_COMMANDS.map(([line, runs, repliesTo]) => ({ line, runs, repliesTo })))(
  "$line",
  ({ line, runs, repliesTo }) => {
    const parents = { bob: { isBot: false, person: BOB }, bot: { isBot: true, person: null } };
    const command = read(line, repliesTo === undefined ? null : parents[repliesTo]);
    expect([shown(command), command?.isExact]).toEqual([runs, true]);
  },
);

test.each([
  ["@automark mute bob:P lol", "timeout bob"],
  ["@automark timeout bob for 10m please", "timeout bob 600"],
  ["@automark warn, carl", "warn carl"],
  ["@automark announce raffle at nine", "announce raffle at nine"],
  ["@automark delete what @carl said", "delete carl"],
])("a line that begins like a command is read for a question: %s", (line, asks) => {
  expect([shown(read(line)), read(line)?.isExact]).toEqual([asks, false]);
});

test.each([
  "mute bob please",
  "@automark please mute bob",
  "@automark ban bob",
  "@automark unmute bob",
  "@automark clip of the day was carl's",
  "@automark marker of the boss",
  "@carl mute bob",
])("a line that does not begin with the bot and such an action is left to others: %s", (line) => {
  expect(read(line)).toBeNull();
});

test("only a deletion takes its target from the message that is replied to", () => {
  const toBob = { isBot: false, person: BOB };
  const isCommand = (text: string) => read(text, toBob)?.isExact;
  expect(read("@Bob @automark delete", toBob)).toMatchObject({ targetId: "1", isExact: true });
  expect(read("@Bob @automark delete @bob", toBob)).toMatchObject({ targetId: "1", isExact: true });
  expect(isCommand("@Bob @automark delete carl")).toBe(false);
  expect(isCommand("@Bob @automark timeout carl 60")).toBe(false);
  expect(isCommand("@Bob @automark timeout 60")).toBe(false);
  expect(read("hey @automark timeout bob 60", { isBot: true, person: null })).toBeNull();
  expect(isCommand("@Bob @automark shoutout")).toBe(false);
  expect(shown(read("@Bob @automark timeout 60", toBob))).toBe("timeout bob 60");
  expect(read("@automark timeout bob 60", { isBot: true, person: null })?.isExact).toBe(true);
  expect(read("@automark delete", { isBot: false, person: null })?.isExact).toBe(false);
});

test("somebody called like an everyday word, or a stranger, is named with an @", () => {
  expect(read("@automark timeout @them 60")).toMatchObject({ targetId: "4", isExact: true });
  expect(read("@automark timeout them 60")?.isExact).toBe(false);
  expect(read("@automark shoutout @rider_9")).toMatchObject({
    args: { user: "rider_9" },
    targetId: null,
    isExact: true,
  });
  expect(read("@automark shoutout rider_9")?.isExact).toBe(false);
});

test("the streamer's own words name actions too", () => {
  const own = new CommandReader({ names: ["automark"], words: { timeout: ["Penalty Box"] } });
  const line = { text: "@automark penalty box bob 60", repliesTo: null };
  const command = own.readCommand(line, () => PEOPLE);
  expect([shown(command), command?.isExact]).toEqual(["timeout bob 60", true]);
  expect(read(line.text)).toBeNull();
});

test.each([
  ["no", "no"],
  ["nein.", "no"],
  ["👎", "no"],
  ["maybe", null],
  ["yes no", null],
  ["", null],
])("in reply to a question %s is %s", (text, answer) => {
  expect(READER.readAnswer(text, true)).toBe(answer);
});

test("a word that is yes in one language and no in another is neither", () => {
  const no = new Set(LANGUAGES.flatMap((one) => one.no));
  const both = LANGUAGES.flatMap(({ yes }) => yes).filter((word) => no.has(word));
  expect(both.filter((word) => READER.readAnswer(word, true) !== null)).toEqual([]);
  expect(READER.readAnswer("!no", false)).toBe("no");
});

const CONTEXT = {
  channels: new Set(["den"]),
  botUserId: "77",
  botLogin: "automark",
  knownBots: new Set(["nightbot"]),
};
const COMMAND = "@automark timeout bob 60";

function wire(login: string, tags: string, text = COMMAND, channel = "den"): string {
  const all = `id=line-${login};room-id=${STREAMER};${tags}`;
  return `@${all} :${login}!${login}@${login}.tmi.twitch.tv PRIVMSG #${channel} :${text}`;
}

/** Lines that a moderator's sword, a name or a notice makes look like a moderator's command. */
const FORGED = [
  wire("wren", `user-id=${VIEWER};display-name=moderator/1;badges=`),
  wire("wren", `user-id=${VIEWER};badges=notmoderator/1,broadcaster-x/1,vip/1`),
  wire("wren", `user-id=${VIEWER};badges=vip/1;badge-info=moderator/1`),
  wire("wren", `user-id=${VIEWER};display-name=x\\:mod=1\\:badges=moderator/1`),
  wire("wren", `user-id=${VIEWER};mod=01;user-type=mod`),
  wire("teastream", `user-id=${VIEWER};display-name=TeaStream;badges=subscriber/3`),
  wire("moss", "badges=moderator/1;mod=1"),
  wire("moss", `user-id=${MOD};badges=moderator/1;source-room-id=99;source-badges=moderator/1`),
  wire("moss", `user-id=${MOD};badges=moderator/1`, COMMAND, "attic"),
  wire("moss", `user-id=${MOD};badges=moderator/1`, `\u0001ACTION ${COMMAND}\u0001`),
  wire("moss", `user-id=${MOD};badges=moderator/1;bits=1`),
  wire("helper", `user-id=${MOD};badges=moderator/1,bot-badge/1`),
  wire("nightbot", `user-id=${MOD};badges=moderator/1`),
  wire("automark", "user-id=77;badges=moderator/1"),
  wire("moss", `user-id=${MOD};badges=moderator/1;msg-id=resub`).replace("PRIVMSG", "USERNOTICE"),
  wire("moss", `user-id=${MOD};badges=moderator/1;msg-id=announcement`).replace(
    "PRIVMSG",
    "USERNOTICE",
  ),
];

test("only a moderator's own message is a moderator's command, whatever its tags say", async () => {
  const rig = await openRig();
  const say = async (line: string): Promise<void> => {
    const message = parseWireLine(line);
    const event = message && normalise(message, CONTEXT);
    if (event === null || !("person" in event)) return;
    await rig.line(event.person.userId, event.text, event);
  };
  for (const line of FORGED) {
    rig.clock.nowMs += 61_000;
    await say(line);
    expect([line, rig.acts()]).toEqual([line, []]);
  }
  await say(wire("moss", `user-id=${MOD};badges=moderator/1`));
  expect(rig.acts()).toHaveLength(1);
});
