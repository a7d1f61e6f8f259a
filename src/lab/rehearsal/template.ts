import type { Random } from "./random.ts";

/** Values for a template's slots: a list is drawn from, a text stands as it is. */
export type Slots = Readonly<Record<string, string | readonly string[]>>;

const INNERMOST_GROUP = /\{([^{}]*)\}/u;
const GROUPS_MAX = 60;
/** Private-use stand-ins for the braces of a group that is text. */
const OPEN = "\uE000";
const CLOSE = "\uE001";

/**
 * Fills a template: `{a|b|}` becomes one of its choices, `{boss}` what the slot of that name holds; choices may
 * hold slots, and slots templates. A group without a bar that is no slot is text, braces and all.
 */
export function fillTemplate(template: string, slots: Slots, random: Random): string {
  let text = template;
  for (let groups = 0; groups < GROUPS_MAX && INNERMOST_GROUP.test(text); groups += 1) {
    text = text.replace(INNERMOST_GROUP, (_, inside: string) => valueFor(inside, slots, random));
  }
  return text.replaceAll(OPEN, "{").replaceAll(CLOSE, "}").replace(/ {2,}/gu, " ").trim();
}

function valueFor(inside: string, slots: Slots, random: Random): string {
  if (inside.includes("|")) return random.pick(inside.split("|"));
  const value = Object.hasOwn(slots, inside) ? slots[inside] : undefined;
  if (value === undefined) return `${OPEN}${inside}${CLOSE}`;
  return typeof value === "string" ? value : random.pick(value);
}
