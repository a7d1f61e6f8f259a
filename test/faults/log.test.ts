import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { geminiSays } from "../stand-ins/gemini-server.ts";
import { openHouse } from "../stand-ins/house.ts";
import { MODEL_KEY, TWITCH_TOKEN } from "../stand-ins/town.ts";
import { until } from "../stand-ins/until.ts";

/**
 * All that a line of the log is made of, as it stands in the source. Whoever adds to it says here that no word of chat,
 * no login, no id of a person, no key and no token can be in it.
 */
const FIELDS: ReadonlySet<string> = new Set([
  // Numbers.
  "count",
  "reply: id",
  "wishes: entries.length",
  "episode: episode.id",
  "events: events.length",
  "claims: check.summary.claims.length",
  "episodes: ids.length",
  "offered: entries.length",
  "failures",
  // One of a few words that stand in the source.
  "purpose",
  "outcome",
  "action: named",
  "decision: kind",
  "reason",
  "where",
  "kind: end.kind",
  "reason: end.reason",
  "reason: result.reason",
  "trigger: ticket.trigger",
  "state",
  "notice: kind",
  // A pseudonym.
  "who",
  // The name of an error's class, and a place in the source.
  "...describeBug(thrown)",
  "...describeBug(error)",
  "...describeBug(cause)",
  "error: nameOf(error)",
  "bug",
  "at",
  "...bug",
  // As the configuration names it.
  "model",
  "model: call.model",
  // Driven below.
  "detail",
]);

interface Call {
  readonly file: string;
  readonly fields: readonly string[];
  readonly message: string;
}

/** What stands between the parenthesis at `from` and the one that closes it. */
function argumentsAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return text.slice(from + 1, at);
  }
  return text.slice(from);
}

function callsIn(file: string): readonly Call[] {
  const text = readFileSync(file, "utf8");
  const heads = [
    ...text.matchAll(/\b(?<!clack\.)log(?:\.(?:debug|info|warn|error)|\[[^;]*?\])\(/g),
  ];
  return heads.map((head) => {
    const given = argumentsAt(text, head.index + head[0].length - 1);
    const end = given.lastIndexOf("}");
    const fields = given
      .slice(given.indexOf("{") + 1, end)
      .split(/,(?![^(]*\))/)
      .map((field) => field.trim())
      .filter((field) => field !== "");
    const message = given.slice(end + 1).replace(/^,|,\s*$/g, "");
    return { file, fields, message: message.trim() };
  });
}

const CALLS = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .flatMap((name) => callsIn(join("src", name)));

test("every line of the log is made of what was looked through: ids, counts, codes and pseudonyms", () => {
  expect(CALLS.length).toBeGreaterThan(20);
  const unknown = CALLS.flatMap(({ file, fields }) =>
    fields.filter((field) => !FIELDS.has(field)).map((field) => `${file}: ${field}`),
  );
  expect(unknown).toEqual([]);
  const used = new Set(CALLS.flatMap(({ fields }) => fields));
  expect([...FIELDS].filter((field) => !used.has(field))).toEqual([]);
});

test("what a line says stands in the source, word for word; only a notice brings its own", () => {
  const composed = CALLS.filter(({ message }) => !/^"[^"]*"$/.test(message));
  expect(composed.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    "src/platform/database/notices-store.ts: message",
  ]);
});

const SECRET = "the marble heron sleeps at noon";

test.each([400, 403, 404, 429, 500])(
  "a model's refusal (%i) that quotes the prompt, the key and the people puts none of it into the log",
  async (status) => {
    const house = await openHouse();
    const said = `${SECRET}; rosa 501; key=${MODEL_KEY}; Bearer ${TWITCH_TOKEN}`;
    const error = { code: status, status: said, message: said, details: [{ reason: said }] };
    for (let n = 0; n < 4; n += 1)
      house.model.enqueue({ kind: "answer", status, body: JSON.stringify({ error }) });
    house.say({ text: `@automark ${SECRET}?` });
    await until(() => house.logged.some((line) => line.includes("turn ended")));
    expectClean(house.logged);
  },
);

test("an answer that is no JSON, one that is cut off and one that is blocked put nothing into the log", async () => {
  const house = await openHouse();
  for (const body of [
    SECRET,
    `{"candidates":[{"content":"${SECRET}"`,
    `{"promptFeedback":{"blockReason":"${SECRET}"}}`,
  ]) {
    house.model.enqueue({ kind: "answer", status: 200, body });
    house.say({ text: `@automark ${SECRET}?` });
    const before = house.logged.length;
    await until(() => house.logged.slice(before).some((line) => line.includes("turn ended")));
  }
  expectClean(house.logged);
});

test("what Twitch refuses with its reasons in words puts nothing into the log", async () => {
  const house = await openHouse();
  house.irc.faults.refuseMessage = () => "msg_rejected";
  house.helix.failNext("/mock/chat/messages", { kind: "status", status: 403 }, 1);
  house.model.enqueue(geminiSays({ text: `${SECRET} indeed` }));
  house.say({ text: `@automark ${SECRET}?` });
  await house.ended(1);
  house.irc.inject(`@msg-id=${TWITCH_TOKEN} :tmi.twitch.tv NOTICE #lanternroom :${SECRET}`);
  house.irc.cutAll();
  await until(() => house.logged.some((line) => line.includes("connection ended")));
  expectClean(house.logged);
});

function expectClean(logged: readonly string[]): void {
  const log = logged.join("");
  expect(log).not.toContain("heron");
  expect(log).not.toMatch(/\brosa\b|"501"|\b501;/i);
  expect(log).not.toContain(MODEL_KEY);
  expect(log).not.toContain(TWITCH_TOKEN);
}
