// Pure: values in, values out.
/** Whose text goes: one message's, one person's in a channel, or everybody's in a channel. */
export type Removal =
  | { readonly by: "message"; readonly messageId: string }
  | {
      readonly by: "person";
      readonly channel: string;
      /** Null where only the login is known: then every holder of that login is meant. */
      readonly userId: string | null;
      readonly login: string;
    }
  | { readonly by: "channel"; readonly channel: string };

/** A removal that took place, and what it took, so that answers and windows in the making can be dropped. */
export interface RemovedText {
  readonly removal: Removal;
  /** Whose texts they were, where they were one person's and that is known. */
  readonly userId: string | null;
  /** The messages meant, known here or not. */
  readonly messageIds: readonly string[];
  readonly eventIds: readonly number[];
}

interface Removable {
  readonly channel: string;
  readonly userId: string | null;
  readonly login: string | null;
  readonly messageId: string | null;
}

/** Whether a removal means this event. */
export function isMeantBy(removal: Removal, event: Removable): boolean {
  switch (removal.by) {
    case "message":
      return event.messageId === removal.messageId;
    case "channel":
      return event.channel === removal.channel;
    case "person":
      return event.channel === removal.channel && isPerson(removal, event);
  }
}

function isPerson(removal: Extract<Removal, { by: "person" }>, event: Removable): boolean {
  if (removal.userId !== null) return event.userId === removal.userId;
  return event.login === removal.login;
}
