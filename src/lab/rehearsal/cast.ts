import { hashOf } from "./random.ts";

type Role =
  | "streamer"
  | "moderator"
  | "vip"
  | "regular"
  | "newcomer"
  | "lurker"
  | "bot"
  | "spammer"
  | "troll"
  | "raider";

/** Somebody in the simulated channel, as Twitch would show them at one moment. */
export interface Person {
  /** Twitch user id, digits only. Never changes, whatever happens to the names. */
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly role: Role;
  /** Months subscribed; 0 is not subscribed. */
  readonly subscribedMonths: number;
  /** `#RRGGBB`. */
  readonly color: string;
}

export type Cast = Readonly<Record<PersonKey, Person>>;
export type PersonKey = "streamer" | keyof typeof PEOPLE;

/** Who goes by another name from the second stream on. */
const RENAMED_LAMP = "LampwickLives";

/** Display name, role, months subscribed. */
const PEOPLE = {
  orla: ["OrlaKeepsOrder", "moderator", 31],
  papaya: ["PapayaProphet", "vip", 24],
  tove: ["tinhatTove", "regular", 19],
  brent: ["MossyBrent", "regular", 12],
  quill: ["quillwyrm", "regular", 27],
  gus: ["GridlockGus", "regular", 8],
  nell: ["nimbus_nell", "regular", 14],
  lag: ["SirLaghalot", "regular", 5],
  pancake: ["pancakeparadox", "regular", 9],
  otter: ["velvet_otter", "regular", 16],
  dusk: ["DuskRotary", "regular", 0],
  byte: ["bytegoblin", "regular", 22],
  haldor: ["HaldorTheMild", "regular", 6],
  kumquat: ["cosmic_kumquat", "regular", 3],
  lamp: ["lampwick_99", "regular", 2],
  pasha: ["gribnik_pasha", "regular", 4],
  mikan: ["mikan_toast", "regular", 7],
  tortuga: ["TortugaVeloz", "regular", 0],
  wobble: ["wobblewub", "regular", 1],
  finn: ["firsttimefinn", "newcomer", 0],
  pia: ["paperplane_pia", "newcomer", 0],
  zed: ["Zed_Marmalade", "newcomer", 0],
  juniper: ["juniperjot", "newcomer", 0],
  kettle: ["quietkettle", "lurker", 0],
  ticker: ["tickerbot", "bot", 0],
  spam: ["cheap_viewz_4u", "spammer", 0],
  bandit: ["promptbandit", "troll", 0],
  // With a capital i for the l: looks like the moderator in most fonts.
  impostor: ["OrIaKeepsOrder", "troll", 0],
  captain: ["CaptainCroissant", "raider", 0],
  crumb: ["crumbsergeant", "raider", 0],
  brioche: ["BriocheBandolier", "raider", 0],
} as const satisfies Record<string, readonly [string, Role, number]>;

/** Everybody with a name of their own, the streamer first. */
export const CAST_KEYS = ["streamer", ...(Object.keys(PEOPLE) as (keyof typeof PEOPLE)[])] as const;

const COLORS = [
  "#FF6F61",
  "#2E8B57",
  "#1E90FF",
  "#DAA520",
  "#9370DB",
  "#D2691E",
  "#5F9EA0",
  "#FF69B4",
  "#8A2BE2",
  "#00B894",
] as const;

const USER_ID_MIN = 100_000_000;
const USER_ID_SPAN = 800_000_000;

/**
 * Everybody with a name of their own, as they are in that stream (the first is 1): one of them is renamed
 * before the second. The streamer's login is the channel's.
 */
export function gatherCast(channel: string, stream: number): Cast {
  const named = Object.entries(PEOPLE).map(([key, [name, role, months]]) => {
    const displayName = key === "lamp" && stream > 1 ? RENAMED_LAMP : name;
    return [key, person(key, { displayName, role, subscribedMonths: months })];
  });
  const streamer = person("streamer", {
    displayName: channel,
    role: "streamer",
    subscribedMonths: 0,
  });
  return { streamer, ...Object.fromEntries(named) };
}

/** A person whose user id and colour follow from `key` alone. The login is the display name in lower case. */
export function person(
  key: string,
  who: Pick<Person, "displayName" | "role" | "subscribedMonths">,
): Person {
  const hash = hashOf(key);
  return {
    userId: String(USER_ID_MIN + (hash % USER_ID_SPAN)),
    login: who.displayName.toLowerCase(),
    color: COLORS[hash % COLORS.length] ?? COLORS[0],
    ...who,
  };
}
