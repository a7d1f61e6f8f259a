// Pure: values in, values out.
/** Groups of actions that the streamer switches on and off together. */
export const ACTION_CLASSES = ["memory", "chat", "stream", "moderation"] as const;
type ActionClass = (typeof ACTION_CLASSES)[number];

/** An argument as the model writes it. `usual` names the bot's own words for a missing one. */
export type ActionArg =
  /** A viewer's name. Code finds the viewer by it; a request has the id. */
  | Readonly<{ kind: "user"; charsMax: number }>
  | Readonly<{ kind: "text"; charsMax: number; isNeeded: boolean; usual?: readonly ["warnReason"] }>
  /** The choices of a poll, separated by `|`. */
  | Readonly<{
      kind: "choices";
      charsMax: number;
      countMax: number;
      usual: readonly ["pollYes", "pollNo"];
    }>
  /** A length. `usual`: the length of a missing one, or the key under `actions` that has it. */
  | Readonly<{ kind: "seconds"; usual: number | "timeoutSeconds" }>
  /** The number of a note; the requester's exact words, as proof; or what models write and nothing uses. */
  | Readonly<{ kind: "note" | "quote" | "unused" }>;

/** Limits on the rate of an action, and on the length of its effect. */
export interface ActionLimits {
  /** Seconds between two runs of the action. */
  readonly actionSeconds: number;
  /** Seconds between two runs on one viewer. */
  readonly targetSeconds: number;
  /** Seconds between two runs for one requester. */
  readonly requesterSeconds: number;
  readonly perHour: number;
  readonly perStream: number;
  /** The shortest and the longest length; zero if the action has none. */
  readonly secondsMin: number;
  readonly secondsMax: number;
}

/** JSON with gaps. `{streamer}`, `{actor}`, `{target}` and `{message}` are ids; other gaps are arguments. */
type Template = string | number | boolean | { readonly [field: string]: Template };

/** The means of an action: a request to Helix, or one to memory. */
type Means =
  | {
      readonly to: "helix";
      readonly scope: string;
      readonly token: "bot" | "streamer";
      /**
       * Fields of the request. A field is left out only if its argument is optional and missing. If anything else is
       * missing, the request is not sent. A deletion without a message would empty the chat, and a timeout without a
       * length would be a ban.
       */
      readonly request: {
        readonly method: "DELETE" | "PATCH" | "POST" | "PUT";
        readonly path: string;
        readonly query?: Readonly<Record<string, string>>;
        readonly body?: { readonly [field: string]: Template };
      };
      /** The link to what Twitch made, with its `{id}`. Default: the id. */
      readonly result?: string;
    }
  | {
      readonly to: "memory";
      readonly scope: null;
      readonly token: "bot";
      readonly request: "remember" | "correct" | "forget";
    };

/** The consent to an action without a command: none, the requester's words as proof, or their yes. */
type Consent =
  | { readonly consent: "none" | "quote" }
  | {
      readonly consent: "yes";
      /**
       * The English question; `language/data` translates it under the action's name. `{user}`, `{yes}` and arguments are
       * filled in. The form `reply` is for the message that was replied to, another form for an argument of that name.
       */
      readonly question: { readonly usual: string; readonly [form: string]: string };
    };

export type Action = Consent &
  Means & {
    readonly class: ActionClass;
    /** The target: none, the named viewer, or that viewer's last message. */
    readonly target: "none" | "user" | "message";
    /** The rest of a command after the action's word: NAME, LENGTH, TEXT; brackets if it may be missing. Null: no command. */
    readonly syntax: string | null;
    /** Words for it in a command, besides its name. */
    readonly words?: readonly string[];
    /** A viewer's name has the key `user`, a length the key `seconds`. */
    readonly args: Readonly<Record<string, ActionArg>>;
    /** True if exactly one of the arguments is written. */
    readonly takesOneArg?: true;
    readonly limits: ActionLimits;
    /** The model's prompt line. */
    readonly line: string;
    /** The streamer's word for several of them. */
    readonly plural: string;
  };

const USER = { kind: "user", charsMax: 40 } as const;
const FACT = { kind: "text", charsMax: 280, isNeeded: true } as const;
const LIMITS = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 0,
  perHour: 60,
  perStream: 200,
  secondsMin: 0,
  secondsMax: 0,
};
const MEMORY = {
  class: "memory",
  target: "none",
  syntax: null,
  to: "memory",
  scope: null,
  token: "bot",
  limits: { ...LIMITS, requesterSeconds: 5, perHour: 240, perStream: 1_000 },
} as const;
const CHAT = { class: "chat", consent: "yes", to: "helix", token: "bot" } as const;
const STREAM = { class: "stream", target: "none", to: "helix" } as const;
const MODERATION = { class: "moderation", consent: "yes", to: "helix", token: "bot" } as const;
const MODERATOR = { broadcaster_id: "{streamer}", moderator_id: "{actor}" };

/**
 * Every action. A new action is an entry here: its prompt line, command, question, rules and request follow from it.
 * Twurple's own endpoints send undocumented fields, so the requests are here: https://dev.twitch.tv/docs/api/reference
 */
const TABLE = {
  remember: {
    ...MEMORY,
    consent: "quote",
    args: { fact: FACT, quote: { kind: "quote" } },
    request: "remember",
    line: '[action remember fact="…" quote="their words"]: what they tell of themselves, untranslated',
    plural: "remembering",
  },
  correct: {
    ...MEMORY,
    consent: "quote",
    args: { note: { kind: "note" }, fact: FACT, quote: { kind: "quote" } },
    request: "correct",
    line: '[action correct note=N fact="…" quote="…"]: a wrong note',
    plural: "correcting",
  },
  forget: {
    ...MEMORY,
    consent: "yes",
    question: {
      usual: "Forget this about you: {note} – {yes}",
      topic: "Forget all I know about you and this: {topic} – {yes}",
    },
    args: { note: { kind: "note" }, topic: { kind: "text", charsMax: 60, isNeeded: true } },
    takesOneArg: true,
    request: "forget",
    line: '[action forget note=N] or [action forget topic="…"]',
    plural: "forgetting",
  },
  announce: {
    ...CHAT,
    target: "none",
    question: { usual: "Announce this: {text} – {yes}" },
    syntax: ": TEXT",
    args: { text: { kind: "text", charsMax: 450, isNeeded: true } },
    scope: "moderator:manage:announcements",
    request: {
      method: "POST",
      path: "chat/announcements",
      query: MODERATOR,
      body: { message: "{text}" },
    },
    limits: { ...LIMITS, actionSeconds: 30, requesterSeconds: 30, perHour: 12, perStream: 40 },
    line: '[action announce text="…"] (mods)',
    plural: "announcements",
  },
  shoutout: {
    ...CHAT,
    target: "user",
    question: { usual: "Shout out {user}? {yes}" },
    syntax: " NAME",
    args: { user: USER },
    scope: "moderator:manage:shoutouts",
    request: {
      method: "POST",
      path: "chat/shoutouts",
      query: {
        from_broadcaster_id: "{streamer}",
        to_broadcaster_id: "{target}",
        moderator_id: "{actor}",
      },
    },
    // Twitch takes one in two minutes, and the same target once in an hour.
    limits: { ...LIMITS, actionSeconds: 120, targetSeconds: 3_600, perHour: 20, perStream: 60 },
    line: "[action shoutout user=LOGIN] (mods)",
    plural: "shoutouts",
  },
  clip: {
    ...STREAM,
    consent: "none",
    syntax: "",
    args: {},
    scope: "clips:edit",
    token: "bot",
    request: { method: "POST", path: "clips", query: { broadcaster_id: "{streamer}" } },
    result: "https://clips.twitch.tv/{id}",
    limits: { ...LIMITS, actionSeconds: 30, requesterSeconds: 60, perHour: 20, perStream: 60 },
    line: "[action clip]",
    plural: "clips",
  },
  marker: {
    ...STREAM,
    consent: "none",
    syntax: "[: TEXT]",
    args: { text: { kind: "text", charsMax: 140, isNeeded: false } },
    scope: "channel:manage:broadcast",
    token: "streamer",
    request: {
      method: "POST",
      path: "streams/markers",
      body: { user_id: "{streamer}", description: "{text}" },
    },
    limits: { ...LIMITS, actionSeconds: 15, requesterSeconds: 30, perHour: 30, perStream: 100 },
    line: '[action marker text="…"]',
    plural: "markers",
  },
  poll: {
    ...STREAM,
    consent: "yes",
    question: { usual: "Start this poll for {seconds} s: {title} ({choices}) – {yes}" },
    syntax: ": TEXT",
    args: {
      title: { kind: "text", charsMax: 60, isNeeded: true },
      choices: { kind: "choices", charsMax: 25, countMax: 5, usual: ["pollYes", "pollNo"] },
      seconds: { kind: "seconds", usual: 60 },
    },
    scope: "channel:manage:polls",
    token: "streamer",
    request: {
      method: "POST",
      path: "polls",
      body: {
        broadcaster_id: "{streamer}",
        title: "{title}",
        choices: "{choices.title}",
        duration: "{seconds}",
      },
    },
    limits: {
      ...LIMITS,
      actionSeconds: 60,
      perHour: 10,
      perStream: 30,
      secondsMin: 15,
      secondsMax: 1_800,
    },
    line: '[action poll title="…" choices="a|b"] (mods)',
    plural: "polls",
  },
  warn: {
    ...MODERATION,
    target: "user",
    question: { usual: "Warn {user} ({reason})? {yes}" },
    syntax: " NAME[: TEXT]",
    args: {
      user: USER,
      reason: { kind: "text", charsMax: 300, isNeeded: false, usual: ["warnReason"] },
    },
    scope: "moderator:manage:warnings",
    request: {
      method: "POST",
      path: "moderation/warnings",
      query: MODERATOR,
      body: { data: { user_id: "{target}", reason: "{reason}" } },
    },
    limits: { ...LIMITS, targetSeconds: 10 },
    line: '[action warn user=LOGIN reason="…"] (mods)',
    plural: "warnings",
  },
  delete: {
    ...MODERATION,
    target: "message",
    question: {
      usual: "Delete the last message of {user}? {yes}",
      reply: "Delete the message of {user} that you replied to? {yes}",
    },
    syntax: " [NAME]",
    args: { user: USER },
    scope: "moderator:manage:chat_messages",
    request: {
      method: "DELETE",
      path: "moderation/chat",
      query: { ...MODERATOR, message_id: "{message}" },
    },
    limits: { ...LIMITS, targetSeconds: 2 },
    line: "[action delete user=LOGIN]: their last message (mods)",
    plural: "deletions",
  },
  timeout: {
    ...MODERATION,
    target: "user",
    question: { usual: "Time out {user} for {seconds} s? {yes}" },
    syntax: " NAME [LENGTH]",
    words: ["mute"],
    args: {
      user: USER,
      seconds: { kind: "seconds", usual: "timeoutSeconds" },
      reason: { kind: "unused" },
    },
    scope: "moderator:manage:banned_users",
    request: {
      method: "POST",
      path: "moderation/bans",
      query: MODERATOR,
      body: { data: { user_id: "{target}", duration: "{seconds}" } },
    },
    limits: { ...LIMITS, targetSeconds: 10, secondsMin: 1, secondsMax: 600 },
    line: "[action timeout user=LOGIN seconds=60] (mods)",
    plural: "time-outs",
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof TABLE;
export const ACTIONS: Readonly<Record<ActionName, Action>> = TABLE;

/** Returns the scopes, each once, that actions of these classes need from the bot's token or from the streamer's. */
export function listScopes(classes: readonly string[], whose: "bot" | "streamer"): string[] {
  const wanted = Object.values(ACTIONS).filter(
    (action) => classes.includes(action.class) && action.token === whose,
  );
  return [...new Set(wanted.flatMap(({ scope }) => scope ?? []))];
}
