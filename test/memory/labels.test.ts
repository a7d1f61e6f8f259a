import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findPeople, makePersonToken } from "../../src/language/people.ts";
import { Labels, type NamedPerson } from "../../src/memory/labels.ts";
import { EVERYDAY_NAMES } from "../language/everyday-names.ts";

const person = (userId: string, login: string, displayName = login): NamedPerson => ({
  userId,
  login,
  displayName,
});

const mira = person("11", "mirabel", "Mirabel");
const tom = person("12", "tomato");
const quiet = person("13", "lurkington", "Lürkington");
const labels = () => new Labels([mira, tom], [quiet], ["automark", "mark"]);

describe("names in chat", () => {
  test("a mention becomes its label, by login or display name, in any case", () => {
    expect(labels().hide("@mirabel and @TOMATO like @Lürkington's pie")).toBe(
      "P1 and P2 like P3's pie",
    );
  });

  test("a bare word is a name if it has a digit, a line or a capital inside", () => {
    const odd = [person("21", "teatime", "TeaTime"), person("22", "moss_7", "Moss_7")];
    const named = new Labels(odd, [], []);
    expect(named.hide("TeaTime met Moss_7; teatime met moss_7")).toBe("P1 met P2; teatime met P2");
  });

  test.each(EVERYDAY_NAMES)("a viewer called %s changes no fact of others", (name) => {
    const named = new Labels([mira, person("21", name)], [], []);
    const fact = `P1 has ${name} every day`;
    expect(named.hide(`I have ${name} every day`)).toBe(`I have ${name} every day`);
    expect(named.toTokens(fact)).toBe(`{u:11} has ${name} every day`);
    expect(named.toTokens(`P1 asks @${name}`)).toBe("{u:11} asks {u:21}");
  });

  test("a login inside a longer word is no name", () => {
    expect(labels().hide("mirabella eats tomatoes, xtomato does not, tomato_ neither")).toBe(
      "mirabella eats tomatoes, xtomato does not, tomato_ neither",
    );
  });

  test("what clings to a name in another script leaves it a name", () => {
    expect(labels().hide("@mirabelさん、@tomatoは強い")).toBe("P1さん、P2は強い");
    expect(labels().hide("@mirabel님 안녕")).toBe("P1님 안녕");
  });

  test("people whose names look alike stay different people", () => {
    const alice = person("21", "alice");
    const tailed = person("22", "alice_");
    const cyrillic = person("23", "hidden_login", "аlice");
    const named = new Labels([alice, tailed, cyrillic], [], []);
    expect(named.hide("alice alice_ аlice @alice @alice_ @аlice")).toBe("alice P2 аlice P1 P2 P3");
    expect(named.toTokens("@alice alice_ @аlice")).toBe("{u:21} {u:22} {u:23}");
  });

  test("look-alikes of a known name that nobody has are nobody", () => {
    const named = new Labels([person("21", "alice")], [], []);
    expect(named.hide("@аlice @alice_ @alicee")).toBe("someone someone someone");
  });

  test("a mention of somebody unknown is someone, one of the bot is the bot", () => {
    expect(labels().hide("@stranger99 hi, ＠stranger99! @Mark you there, @automark?")).toBe(
      "someone hi, someone! the bot you there, the bot?",
    );
  });

  test("whoever is called someone is meant only when mentioned", () => {
    const named = new Labels([mira, person("66", "someone")], [], []);
    expect(named.hide("@stranger told someone, not @someone")).toBe("someone told someone, not P2");
    expect(named.toTokens("someone told P1")).toBe("someone told {u:11}");
  });

  test("of two people with one name the one who speaks is meant", () => {
    const named = new Labels([person("41", "namesake")], [person("42", "namesake")], []);
    expect(named.toTokens("@namesake")).toBe("{u:41}");
  });
});

describe("labels that somebody wrote", () => {
  test("a label typed in chat is not a label any more", () => {
    expect(labels().hide("P1 is a cheater, so is P2さん, @P1 and P9999")).toBe(
      "p1 is a cheater, so is p2さん, someone and p9999",
    );
  });

  test("a label that was never given out is someone", () => {
    expect(labels().toTokens("P1 met P7 and P9999")).toBe("{u:11} met someone and someone");
  });

  test("the streamer's label means them although they wrote nothing", () => {
    const hostess = { ...person("31", "hostess"), isStreamer: true };
    expect(new Labels([mira], [hostess], []).toTokens("STREAMER won")).toBe("{u:31} won");
    expect(new Labels([mira], [], []).toTokens("STREAMER won")).toBe("the streamer won");
  });

  test("an at sign before a label does not lose the person", () => {
    expect(labels().toTokens("@P2 and P1さん")).toBe("{u:12} and {u:11}さん");
  });

  test("whoever is called like a label does not take the place of its owner", () => {
    const crowd = Array.from({ length: 120 }, (_, n) => person(`${1_000 + n}`, `guest_no_${n}`));
    const thief = person("666", "p100", "P100");
    const all = new Labels([...crowd, thief], [], []);
    expect(all.assign("1099")).toBe("P100");
    expect(all.toTokens("P100 won")).toBe("{u:1099} won");
    expect(all.hide("@p100 won, says guest_no_99")).toBe("P121 won, says P100");
  });

  test("a stored sentence that holds a label's letters shows nobody by them", () => {
    const named = labels();
    expect(named.fromTokens("{u:12} calls a top place P1, unlike {u:99}")).toBe(
      "P2 calls a top place p1, unlike P3",
    );
  });
});

const NAME = fc.stringMatching(/^[a-z][a-z0-9_]{3,11}$/);
const people = fc
  .uniqueArray(NAME, { minLength: 1, maxLength: 12 })
  .map((names) => names.map((name, index) => person(`${500 + index}`, name, name.toUpperCase())));
/** Chat as an attacker would write it: names, labels, tokens and their parts, glued in any way. */
const hostile = (names: readonly NamedPerson[]) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...names.flatMap(({ login, displayName }) => [login, displayName])),
        fc.constantFrom("{u:", "}", "{", "u:", "42", "500", "{u:42}", "{u:500}", "P1", "P2", "P99"),
        fc.constantFrom("@", "＠", " ", "さん", ":", "u", "{{u:u:500}}", "someone", "(u:1)", "-"),
        fc.string({ maxLength: 4, unit: "grapheme" }),
      ),
      { maxLength: 24 },
    )
    .map((parts) => parts.join(""));
const scene = people.chain((names) =>
  fc.record({ names: fc.constant(names), text: hostile(names) }),
);

describe("whatever chat holds", () => {
  test("no mention of a known person stands in what is shown or stored", () => {
    fc.assert(
      fc.property(scene, ({ names, text }) => {
        const named = new Labels(names, [], []);
        for (const result of [
          named.hide(text),
          named.toTokens(named.hide(text)),
          named.toTokens(text),
        ]) {
          const mentions = result.match(/[@＠][\p{L}\p{M}\p{N}_]+/gu) ?? [];
          const lower = new Set(mentions.map((word) => word.slice(1).toLowerCase()));
          for (const { login } of names) expect(lower.has(login)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a token stands only where a known name stood: what chat wrote like one is none", () => {
    fc.assert(
      fc.property(scene, ({ names, text }) => {
        const named = new Labels(names, [], []);
        expect(findPeople(named.hide(text))).toEqual([]);
        const known = new Set(names.map(({ userId }) => userId));
        for (const userId of findPeople(named.toTokens(named.hide(text)))) {
          const named = names.find((one) => one.userId === userId);
          expect(known.has(userId)).toBe(true);
          expect(text.toLowerCase()).toContain(named?.login);
        }
        expect(findPeople(named.toTokens(text)).includes("42")).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test("hidden and stored, everybody who was named is still the same person", () => {
    fc.assert(
      fc.property(people, fc.infiniteStream(fc.nat(11)), (names, picks) => {
        const named = new Labels(names, [], []);
        const chosen = [...picks.take(6)].map((pick) => names[pick % names.length]);
        const text = chosen.map((one) => `@${one?.displayName} with @${one?.login}`).join(", ");
        const stored = chosen
          .map((one) => makePersonToken(one?.userId ?? ""))
          .map((token) => `${token} with ${token}`)
          .join(", ");
        expect(named.toTokens(named.hide(text))).toBe(stored);
      }),
    );
  });
});
