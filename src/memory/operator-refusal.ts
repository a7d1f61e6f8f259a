// Pure: values in, values out.
import type { Verdict } from "./write-policy.ts";

type Reason = Extract<Verdict, { kind: "drop" }>["reason"];

const STATEMENT = "write it as a statement in the third person, such as: plays the bass";
const POLICY = "see memory in config.json";

const TOLD: Readonly<Record<Reason, readonly [wrong: string, mend: string]>> = {
  read_only: ["memory is read-only", "`forgetmenot memory readonly off` ends it"],
  scope_off: ["notes of this scope are switched off", POLICY],
  low_confidence: ["it is too unsure", STATEMENT],
  not_one_line: ["it has more than one line", "write one line"],
  too_long: ["it is longer than 200 characters", "write two notes"],
  url: ["it holds a link", "leave the link out"],
  action: ["it holds what looks like a command or an action", STATEMENT],
  marker: ["it holds marks of a prompt, such as a heading or braces", STATEMENT],
  instruction: [
    "it tells the bot how to speak or act, or gives somebody a role or power",
    `${STATEMENT}; how the bot behaves is for persona.voice in config.json`,
  ],
  about_bot: ["it is about how the bot behaves", "see persona.voice in config.json"],
  sensitive: [
    "it is a private matter",
    "only the viewer may ask for such a thing to be remembered, with !remember",
  ],
  banned: ["it holds a banned word", "see replies.bannedWords in config.json"],
  opted_out: [
    "they opted out: nothing about them is kept",
    "only they can opt in again, with !optin",
  ],
  suppressed: ["they had this forgotten for good", "respect their wish"],
  kind_off: ["notes of this kind are switched off", POLICY],
  rejected_before: ["it was rejected before", "see `forgetmenot memory list --status rejected`"],
  weaker_source: ["a note of a stronger source says otherwise", "see `forgetmenot memory list`"],
  replaces_itself: ["a note says exactly that already", "nothing needs to be done"],
  no_room: [
    "every place is taken by what was pinned or asked for",
    "unpin or forget one, or raise memory.caps in config.json",
  ],
  subject_rate: ["there were too many new notes about them", "wait for the next stream"],
  channel_rate: ["there were too many new notes about the channel", "wait for the next stream"],
  bit_rate: ["there were too many new jokes", "wait for the next stream"],
};

/** Why a fact that the streamer typed is not kept, and what helps. The fact itself stands in neither. */
export function operatorRefusal(reason: Reason): {
  readonly message: string;
  readonly mend: string;
} {
  const [wrong, mend] = TOLD[reason];
  return { message: `this is not kept: ${wrong}`, mend };
}
