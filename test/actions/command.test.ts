import { expect, test } from "vitest";
import { type Command, commandReader, type SaidLine } from "../../src/actions/command.ts";
import { namedIn, type Person } from "../../src/actions/resolve.ts";
import { LANGUAGES } from "../../src/language/languages.ts";
import { NO, saidLength, YES } from "../../src/language/said-words.ts";
import { INNOCENT } from "./innocent-lines.ts";
import { COMMANDS, MODERATORS_TALK, NEAR_COMMANDS, REQUESTS } from "./moderators-talk.ts";
import { TALK_ELSEWHERE } from "./talk-elsewhere.ts";

const person = (userId: string, login: string, displayName = login): Person => ({
  userId,
  login,
  displayName,
  roles: null,
});
const BOB = person("1", "bob", "Bob");
const CARL = person("2", "carl");
const PEOPLE = [
  BOB,
  CARL,
  person("3", "kinomi", "木の実"),
  person("4", "yes"),
  person("5", "out"),
  person("6", "subs"),
  person("7", "alerts"),
  person("8", "them"),
  person("9", "nobody"),
  person("10", "streamer"),
];
const reader = commandReader({ login: "automark", names: ["automark", "Mark"], words: {} });

function read(text: string, repliesTo: SaidLine["repliesTo"] = null): Command | null {
  return reader.command({ text, repliesTo }, () => PEOPLE);
}

function shown(command: Command | null): string | null {
  if (command === null) return null;
  const { title, choices, user, seconds, text, reason } = command.args;
  const said = [command.name, user, seconds, title, choices, text, reason];
  return said.filter((part) => part !== undefined).join(" ");
}

test.each(COMMANDS)("%s", (line, runs) => {
  expect(shown(read(line))).toBe(runs);
});

test.each(NEAR_COMMANDS)("no command: %s", (line) => {
  expect(read(line)).toBeNull();
});

test("nothing that moderators say about people is a command, said to the bot or not", () => {
  const wrong = [...INNOCENT, ...MODERATORS_TALK, ...TALK_ELSEWHERE].filter(
    (line) => read(line) !== null || read(`@automark ${line}`) !== null,
  );
  expect(wrong).toEqual([]);
});

test("a natural request that is a command is the command that was asked for", () => {
  const wrong = REQUESTS.filter(({ line, action, login, seconds }) => {
    const command = read(line);
    if (command === null) return false;
    const { name, args } = command;
    return (
      name !== action || args["user"] !== login || Number(args["seconds"] ?? 0) !== (seconds ?? 0)
    );
  });
  expect(wrong).toEqual([]);
});

test("of a natural request the length is read, or none", () => {
  const wrong = REQUESTS.filter(({ line, seconds }) => saidLength([line]) !== (seconds ?? null));
  expect(wrong.map(({ line }) => line)).toEqual([]);
});

test("a reply says whom it is about; a name and another's message is no command", () => {
  const toBob = { isBot: false, person: BOB };
  expect(shown(read("@Bob @automark timeout 60", toBob))).toBe("timeout bob 60");
  expect(read("@automark delete this message", toBob)).toMatchObject({
    targetId: "1",
    isByReply: true,
  });
  expect(shown(read("@bob @automark timeout bob", toBob))).toBe("timeout bob");
  expect(read("@automark timeout carl", toBob)).toBeNull();
  expect(read("@automark timeout him", toBob)).toBeNull();
  expect(read("timeout 60", toBob)).toBeNull();
  expect(read("@automark timeout", { isBot: false, person: null })).toBeNull();
  expect(shown(read("timeout bob", { isBot: true, person: null }))).toBe("timeout bob");
  expect(read("timeout", { isBot: true, person: null })).toBeNull();
});

test("somebody called like a word of an order is meant only where one reading is left", () => {
  expect(shown(read("@automark timeout yes 60"))).toBe("timeout yes 60");
  expect(shown(read("@automark time out bob"))).toBe("timeout bob");
  expect(shown(read("@automark time out @out"))).toBe("timeout out");
  expect(shown(read("@automark @木の実をタイムアウトして"))).toBe("timeout kinomi");
});

test.each(["subs", "alerts", "streamer"])("%s are somebody only with an @", (word) => {
  expect(read(`@automark shoutout ${word}`)).toBeNull();
  expect(read(`@automark shoutout to ${word}`)).toBeNull();
  expect(shown(read(`@automark shoutout @${word}`))).toBe(`shoutout ${word}`);
  expect(namedIn([`a shoutout to ${word}`], PEOPLE).size).toBe(0);
  expect(namedIn([`a shoutout to @${word}`], PEOPLE).size).toBe(1);
});

test("somebody called like a pronoun is commanded about with an @, and may be asked about without", () => {
  expect(read("@automark timeout them")).toBeNull();
  expect(read("@automark timeout nobody")).toBeNull();
  expect(shown(read("@automark timeout @them 60"))).toBe("timeout them 60");
  expect(namedIn(["them has to go"], PEOPLE).size).toBe(1);
});

test.each([
  ["bobs last line", "1"],
  ["was @Bob's message that bad", "1"],
  ["ucisz boba", "1"],
  ["carlowi", "2"],
  ["bobको", "1"],
  ["لbob", "1"],
  ["anna bobille jäähy", "1"],
  ["bobsled", null],
  ["bo", null],
])("who is named in: %s", (line, userId) => {
  expect([...namedIn([line], PEOPLE)]).toEqual(userId === null ? [] : [userId]);
});

test.each([
  ["mirę na pół godziny do kąta", "8"],
  ["miry nie słuchajcie", "8"],
  ["дмитрия на полчаса в угол", "9"],
  ["дмитрию хватит", "9"],
])("a name in another case is that name: %s", (line, userId) => {
  const people = [person("8", "mira"), person("9", "dmitri", "Дмитрий")];
  expect([...namedIn([line], people)]).toEqual([userId]);
});

test.each([
  ["half an hour", 1_800],
  ["a five-minute break", 300],
  ["5 minutes and 30 seconds", 330],
  ["fünf minuten und dreißig sekunden", 330],
  ["forty-five seconds", 45],
  ["treinta y cinco segundos", 35],
  ["quatre-vingt-dix secondes", 90],
  ["二十五秒", 25],
  ["십오분", 900],
  ["٣٠ ثانية", 30],
  ["४५ सेकंड", 45],
  ["دقيقتين", 120],
  ["put bob on one minute", 60],
  ["十五分", 900],
  ["禁言bob十分钟", 600],
  // "Very", "enough" and "this person": not a length for certain.
  ["bob十分吵", null],
  ["もう十分、carlをミュートして", null],
  ["이분 타임아웃", null],
  ["a hundred seconds", 100],
  ["three hundred seconds", null],
  ["one hundred and twenty seconds", null],
  ["ciento veinte segundos", null],
  ["dwie i pół minuty", null],
  ["three quarters of an hour", 2_700],
  ["half of an hour", 1_800],
  ["two minutes and a half", null],
  ["deux minutes et demie", null],
  ["2 с половиной минуты", null],
  ["साढ़े पाँच मिनट", null],
  ["2分半", null],
  ["دقيقتين ونصف", null],
  ["une minute trente", null],
  ["bob 5 min 30 please", null],
  ["10 minutes, 3 strikes already", 600],
  ["for 5-10 minutes", 600],
  ["замуть его на час", 3600],
  ["заглуши bob на хвилину", 60],
  ["wycisz go na godzinę", 3600],
  ["tysta bob i 30 sekunder", 30],
  ["κάνε timeout τον bob για 5 λεπτά", 300],
  ["cấm chat bob 5 phút giúp mình", 300],
  ["tolong timeout bob 5 menit", 300],
  ["kérlek adj bobnak 2 perc timeoutot", 120],
  ["תן ל-bob 5 דקות שקט", 300],
  ["laita bob jäähylle 2 minuutiksi", 120],
  ["timeout bob 60 วินาที", 60],
  ["10 20 minutes", null],
  ["5 minutes, no, 2 minutes", null],
])("said length of: %s", (line, seconds) => {
  expect(saidLength([line])).toBe(seconds);
});

test("who was never here can be shouted out by their login, and nothing else", () => {
  expect(read("@automark so @rider_9")).toMatchObject({
    args: { user: "rider_9" },
    targetId: null,
  });
  expect(shown(read("@automark !so rider_9"))).toBe("shoutout rider_9");
  expect(read("@automark shoutout rider_9")).toBeNull();
  expect(read("@automark timeout @rider_9")).toBeNull();
});

test("the streamer's own words name actions too", () => {
  const own = commandReader({
    login: "automark",
    names: ["automark"],
    words: { timeout: ["to the penalty box"] },
  });
  const line = { text: "@automark bob to the penalty box 60", repliesTo: null };
  expect(shown(own.command(line, () => PEOPLE))).toBe("timeout bob 60");
  expect(read(line.text)).toBeNull();
});

test.each([
  ["!yes", "yes"],
  ["!YES", "yes"],
  ["!ja", "yes"],
  ["@automark yes please", "yes"],
  ["@automark yes thanks", "yes"],
  ["yes @automark!", "yes"],
  ["automark 👍", "yes"],
  ["mark, да", "yes"],
  ["@automark はい", "yes"],
  ["!no", "no"],
  ["@automark nein danke", "no"],
  ["@automark 不要", "no"],
  ["@automark jaaa!", "yes"],
  ["!Yesss", "yes"],
  ["@automark 👍🏿👍🏿", "yes"],
  ["automark kk", "yes"],
  ["@automark forget it", "no"],
  ["@automark oui mais non", null],
  ["@automark да нет", null],
  ["@automark yes or no", null],
  ["@automark not now yes", null],
  ["@automark nooo", "no"],
  ["@automark já", null],
  ["yes", null],
  ["👍", null],
  ["! yes", null],
  ["@automark", null],
  ["@automark @yes", null],
  ["@automark yes?", null],
  ["@automark yes but not him", null],
  ["@automark yes no", null],
  ["@automark yes Kappa", null],
  [`!${"yes ".repeat(60)}but not him`, null],
  ["!yesterday", null],
  ["!いいです", null],
  ["@carl yes", null],
])("answer: %s is %s", (line, answer) => {
  expect(reader.answer(line, false)).toBe(answer);
});

test("in reply to the question a bare yes or no is enough", () => {
  expect(reader.answer("yes", true)).toBe("yes");
  expect(reader.answer("@automark nope", true)).toBe("no");
  expect(reader.answer("yes, but for an hour", true)).toBeNull();
});

test("a word that is yes in one language and no in another is neither", () => {
  const yes = new Set(YES.map((one) => one.join(" ")));
  expect(NO.filter((one) => yes.has(one.join(" ")))).toEqual([]);
  for (const { code, yes: all, no } of LANGUAGES) {
    const neither = all.filter((word) => no.includes(word));
    expect([code, neither, all.length >= 15, no.length >= 10]).toEqual([code, [], true, true]);
  }
});
