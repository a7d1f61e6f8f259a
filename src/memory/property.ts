// Pure: values in, values out.
import type { Property } from "./check-sorted.ts";
import { isDenied, valueKey } from "./fact-key.ts";
import type { PropertyName } from "./note-prompt.ts";

/** A person has one of these at a time. */
export const ONE_AT_A_TIME: ReadonlySet<string> = new Set<PropertyName>([
  "name",
  "pronouns",
  "home",
  "birthday",
  "rank",
]);
/** How a viewer wants to be called is theirs to say, though it tells the bot how to speak. */
export const HOW_TO_CALL: ReadonlySet<PropertyName> = new Set(["name", "pronouns"]);

interface Owned {
  readonly fact: string;
  readonly property: Property | null;
}

/** Whether both are known and say different values. */
export function hasOtherValue(one: Property | null, other: Property | null): boolean {
  return one !== null && other !== null && valueKey(one.value) !== valueKey(other.value);
}

/** Whether two are of one name and, where they have one, of one game. */
export function isSameProperty(one: Property, other: Property): boolean {
  return one.name === other.name && valueKey(one.game ?? "") === valueKey(other.game ?? "");
}

/** Whether two notes say different things of what somebody has one of at a time. */
export function isRival(one: Owned, other: Owned): boolean {
  if (one.property === null || other.property === null) return false;
  return (
    ONE_AT_A_TIME.has(one.property.name) &&
    isSameProperty(one.property, other.property) &&
    hasOtherValue(one.property, other.property) &&
    !isDenied(one.fact) &&
    !isDenied(other.fact)
  );
}

/** A property as three columns have it. */
export interface PropertyRow {
  readonly property: PropertyName | null;
  readonly propertyValue: string | null;
  readonly propertyGame: string | null;
}

export function toProperty({
  property,
  propertyValue,
  propertyGame,
}: PropertyRow): Property | null {
  if (property === null || propertyValue === null) return null;
  return { name: property, value: propertyValue, game: propertyGame };
}

export function propertyRow(property: Property | null): PropertyRow {
  return {
    property: property?.name ?? null,
    propertyValue: property?.value ?? null,
    propertyGame: property?.game ?? null,
  };
}
