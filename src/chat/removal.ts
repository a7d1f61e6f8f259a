// Pure: values in, values out.
/** Texts to remove: one message's, one viewer's in a channel, or all in a channel. */
export type Removal =
  | { readonly by: "message"; readonly messageId: string }
  | {
      readonly by: "person";
      readonly channel: string;
      /** The viewer's id. Null means every viewer with the login. */
      readonly userId: string | null;
      readonly login: string;
    }
  | { readonly by: "channel"; readonly channel: string };

/** A removal with the removed messages, so that answers and windows in progress can be dropped. */
export interface RemovedText {
  readonly removal: Removal;
  /** The writer, if it was one viewer and is known. */
  readonly userId: string | null;
  /** The message ids that it names, stored or not. */
  readonly messageIds: readonly string[];
  readonly eventIds: readonly number[];
}

interface Removable {
  readonly channel: string;
  readonly userId: string | null;
  readonly login: string | null;
  readonly messageId: string | null;
}

/** Returns true if a removal concerns this event. */
export function concernsEvent(removal: Removal, event: Removable): boolean {
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
