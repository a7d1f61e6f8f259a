import { expect, test } from "vitest";
import { normalise } from "../../src/chat/normalise.ts";
import { parseWireLine } from "../../src/twitch/wire.ts";
import { MOD, openRig, STREAMER, VIEWER } from "./rig.ts";

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
