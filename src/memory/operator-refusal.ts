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
  role: [
    "it gives somebody a role or power",
    "roles come from Twitch alone; leave the title out of the note",
  ],
  instruction: [
    "it is an order, or speaks to somebody",
    `${STATEMENT}; how the bot behaves is for persona.voice in config.json`,
  ],
  sensitive: [
    "it is a private matter",
    "only the viewer may ask for such a thing to be remembered, with !remember",
  ],
  banned: ["it holds a banned word", "see replies.bannedWords in config.json"],
  inferred: ["it is a guess", STATEMENT],
  mood: ["it is a passing mood, or a guess", STATEMENT],
  opted_out: [
    "they opted out: nothing about them is kept",
    "only they can opt in again, with !optin",
  ],
  suppressed: ["they had this forgotten for good", "respect their wish"],
  kind_off: ["notes of this kind are switched off", POLICY],
  rejected_before: ["it was rejected before", "see `forgetmenot memory list --status rejected`"],
  weaker_source: ["a note of a stronger source says otherwise", "see `forgetmenot memory list`"],
  subject_rate: ["there were too many new notes about them", "wait for the next stream"],
  channel_rate: ["there were too many new notes in the last hour", "wait an hour"],
};

/** Why a fact that the streamer typed is not kept, and what helps. The fact itself stands in neither. */
export function operatorRefusal(reason: Reason): {
  readonly message: string;
  readonly mend: string;
} {
  const [wrong, mend] = TOLD[reason];
  return { message: `this is not kept: ${wrong}`, mend };
}
