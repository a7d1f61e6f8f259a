// Pure: values in, values out.
import type { NoteSettings } from "./note-settings.ts";
import type { NoteStore } from "./note-store.ts";

/**
 * Gives a function that brings a channel's notes down to its caps, by the rule that a new note follows, and says how many
 * went. Only where the caps are new to it: every write keeps to them, so that there is nothing to look for in between.
 */
export function capKeeper(
  notes: Pick<NoteStore, "crowded" | "evict">,
  settings: (channel: string) => NoteSettings,
): (channel: string) => number {
  const kept = new Map<string, string>();
  return (channel) => {
    const { viewerNotesMax, channelNotesMax, persona } = settings(channel);
    const caps = JSON.stringify([viewerNotesMax, channelNotesMax, persona]);
    if (kept.get(channel) === caps) return 0;
    kept.set(channel, caps);
    const ofViewers = notes
      .crowded(channel, viewerNotesMax)
      .map((subjectId) => notes.evict({ channel, subjectId, persona }, viewerNotesMax).length);
    const ofChannel = notes.evict({ channel, subjectId: null, persona }, channelNotesMax).length;
    return ofViewers.reduce((sum, count) => sum + count, ofChannel);
  };
}
