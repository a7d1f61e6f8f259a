// Pure: values in, values out.
import type { Config } from "../platform/config/load.ts";
import type { MemoryPolicy } from "../platform/config/memory-schema.ts";
import { personaFor } from "../platform/config/personas.ts";
import type { KindDays } from "./lifetimes.ts";
import type { WriteSettings } from "./write-policy.ts";

export interface NoteSettings extends WriteSettings {
  readonly kindDays: KindDays;
  readonly viewerNotesMax: number;
  readonly channelNotesMax: number;
  /** Whose notes are written: a persona's own, or everybody's where it is null. */
  readonly persona: string | null;
}

/** What the configuration, or another policy in its place, says about notes in a channel. */
export function noteSettings(
  config: Pick<Config, "bot" | "memory" | "persona" | "personas">,
  channel: string,
  policy: MemoryPolicy = config.memory,
): NoteSettings {
  const { mode, scopes, kinds, approvalKinds, kindDays, caps } = policy;
  return {
    mode,
    scopes,
    kinds,
    approvalKinds,
    kindDays,
    perViewerStreamMax: caps.perViewerAndStream,
    perChannelStreamMax: caps.perChannelAndStream,
    perBitStreamMax: caps.perBitAndStream,
    viewerNotesMax: caps.viewerNotes,
    channelNotesMax: caps.channelNotes,
    persona: personaFor(config, channel).memoryScope,
  };
}
