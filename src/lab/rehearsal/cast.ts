import { z } from "zod";
import data from "./data/cast.json" with { type: "json" };
import { hashOf, idFor } from "./random.ts";

const role = z.enum([
  "streamer",
  "moderator",
  "vip",
  "regular",
  "newcomer",
  "lurker",
  "bot",
  "spammer",
  "troll",
  "raider",
]);

const { colors, people } = z
  .strictObject({
    colors: z.array(z.string()).min(1),
    people: z.record(
      z.string(),
      z.strictObject({
        /** The display name; the login is the same in lower case. */
        name: z.string(),
        /** From the second stream on. */
        laterName: z.string().optional(),
        role,
        /** Months subscribed. */
        months: z.int(),
        /** May say any of the general lines. */
        chats: z.boolean().default(false),
      }),
    ),
  })
  .parse(data);

/** Somebody in the simulated channel, as Twitch would show them at one moment. */
export interface CastMember {
  /** Twitch user id, digits only. Never changes, whatever happens to the names. */
  readonly userId: string;
  readonly login: string;
  readonly displayName: string;
  readonly role: z.output<typeof role>;
  /** Months subscribed; 0 is not subscribed. */
  readonly subscribedMonths: number;
  /** `#RRGGBB`. */
  readonly color: string;
}

export type Cast = Readonly<Record<PersonKey, CastMember>>;
type NamedKey = keyof typeof data.people;
type PersonKey = "streamer" | NamedKey;

/** Everybody with a name of their own, the streamer first. */
export const CAST_KEYS = ["streamer", ...(Object.keys(people) as NamedKey[])] as const;
/** Those who may say any of the general lines. */
export const CHATTERS = (Object.keys(people) as NamedKey[]).filter((key) => people[key]?.chats);

/**
 * Everybody with a name of their own, as they are in that stream (the first is 1): one of them is renamed
 * before the second. The streamer's login is the channel's.
 */
export function gatherCast(channel: string, stream: number): Cast {
  const named = Object.entries(people).map(([key, { name, laterName, role, months }]) => {
    const displayName = (stream > 1 ? laterName : undefined) ?? name;
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
  who: Pick<CastMember, "displayName" | "role" | "subscribedMonths">,
): CastMember {
  const hash = hashOf(key);
  return {
    userId: idFor(key),
    login: who.displayName.toLowerCase(),
    color: colors[hash % colors.length] ?? "",
    ...who,
  };
}
