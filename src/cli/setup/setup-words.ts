import type { Config } from "../../config/load.ts";
import { castProblems } from "../../config/personas.ts";
import { configSchema } from "../../config/schema.ts";
import { isSafeBaseUrl } from "../../config/urls.ts";
import { LANGUAGES } from "../../language/languages.ts";
import type { DeviceFailure } from "../../twitch/device-login.ts";
import type { Meant } from "./ask.ts";

const CHANNEL_ADDRESS = /^(?:https?:\/\/)?(?:www\.|m\.)?twitch\.tv\/(?:popout\/|moderator\/)?/i;
/** Twitch's are 30 long. */
const CLIENT_ID = /^[a-z0-9]{20,40}$/i;
const CHAT_WORDS = "bot chat game gg hello hey lol mod no stream what yes you".split(" ");
const COMMON_WORDS: ReadonlySet<string> = new Set([
  ...CHAT_WORDS,
  ...LANGUAGES.flatMap(({ stopWords }) => stopWords),
]);
/** Of a script with letters: in others, a name of two characters is none that stands everywhere. */
const SHORT_WORD = /^[\p{sc=Latn}\p{sc=Cyrl}\p{N}]{1,2}$/u;
const KEY = /^[\x21-\x7e]+$/;

/** Logins of channels from a name, `#name`, `@name`, an address of Twitch's, or several of them. */
export function channelsIn(typed: string): Meant<readonly string[]> {
  const names = typed
    .split(/[\s,;]+/)
    .map((word) => word.replace(CHANNEL_ADDRESS, "").replace(/[/?].*$/, ""))
    .map((name) => name.replace(/^[#@]/, ""))
    .filter((name) => name !== "");
  if (names.length === 0) return { ok: false, why: "Type the name of your channel." };
  const parsed = configSchema.shape.channel.safeParse(names);
  if (parsed.success) return { ok: true, value: [...new Set([parsed.data].flat())] };
  return {
    ok: false,
    why: "That is no channel name: 1 to 25 letters, digits or underscores, such as lanternroom.",
  };
}

/** The id of an application. */
export function clientIdIn(typed: string): Meant<string> {
  const value = typed.trim();
  if (CLIENT_ID.test(value)) return { ok: true, value };
  return { ok: false, why: "That is no Client ID: it is some 30 letters and digits in a row." };
}

/** A name for the bot, which none of the other personas has. */
export function nameIn(typed: string, personas: Config["personas"]): Meant<string> {
  const name = typed.trim().replace(/^@\s*/, "");
  if (!configSchema.shape.persona.safeParse({ name }).success)
    return { ok: false, why: "A name has 1 to 40 characters, such as Mark." };
  const others = personas.map((other) => ({ name: other.name, channels: [] }));
  if (castProblems({ channel: [], persona: { name }, personas: others }).length > 0)
    return { ok: false, why: "Another persona is called that already." };
  return { ok: true, value: name };
}

/** Whether chat says this word all the time, and means nobody by it. */
export function isSaidOften(name: string): boolean {
  return SHORT_WORD.test(name) || COMMON_WORDS.has(name.toLowerCase());
}

/** A key to a model; it never stands in what is wrong with it. */
export function keyIn(typed: string): Meant<string> {
  const value = typed.trim();
  if (value === "") return { ok: false, why: "Paste the key here." };
  if (KEY.test(value)) return { ok: true, value };
  return { ok: false, why: "A key has no spaces and no accents: copy it once more." };
}

/** The address of a model server; `insecure` is one that needs the person's consent. */
export function addressIn(
  typed: string,
): Meant<{ readonly url: string; readonly insecure: boolean }> {
  const url = typed
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "");
  if (isSafeBaseUrl(url, false)) return { ok: true, value: { url, insecure: false } };
  if (isSafeBaseUrl(url, true)) return { ok: true, value: { url, insecure: true } };
  return { ok: false, why: "That is no address: such as http://127.0.0.1:11434/v1" };
}

/** A sentence or a name, whole: `missing` says what to type. */
export function sentenceIn(missing: string, charsMax = Number.POSITIVE_INFINITY) {
  return (typed: string): Meant<string> => {
    const value = typed.trim();
    if (value === "") return { ok: false, why: missing };
    return value.length > charsMax ? { ok: false, why: "That is too long." } : { ok: true, value };
  };
}

/** Why a log-in at Twitch did not come about, as the person is told it. */
export function loginTrouble(failure: DeviceFailure): string {
  return LOGIN_TROUBLES[failure];
}

const LOGIN_TROUBLES: Readonly<Record<DeviceFailure, string>> = {
  client_refused: "Twitch knows no application with this Client ID.",
  refused: "Twitch did not take the request. Most often the Client ID is not right.",
  denied: "The log-in was turned down on Twitch's page.",
  expired: "The code ran out before it was used.",
  unreachable: "Twitch does not answer. Is this machine online?",
  aborted: "The log-in was stopped.",
};
