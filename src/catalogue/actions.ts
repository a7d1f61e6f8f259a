// Pure: values in, values out.
/** Groups of actions that the streamer switches on and off together. */
const ACTION_CLASSES = ["memory", "chat", "stream", "moderation"] as const;
type ActionClass = (typeof ACTION_CLASSES)[number];

/** An argument as the model writes it. */
export type ActionArg =
  /** A viewer's name. Code finds the viewer by it; a request has the id. */
  | { readonly kind: "user" }
  /** Free text. `usual` names the bot's own sentence for a missing text. */
  | {
      readonly kind: "text";
      readonly charsMax: number;
      readonly isNeeded: boolean;
      readonly usual?: "warnReason";
    }
  /** The choices of a poll, separated by `|`. Without them a poll asks yes or no. */
  | { readonly kind: "choices"; readonly charsMax: number; readonly countMax: number }
  /** A length. `usual` is a key under `actions`; without it 60 seconds are usual. */
  | { readonly kind: "seconds"; readonly usual?: "timeoutSeconds" }
  /** The number of a note. */
  | { readonly kind: "note" }
  /** The requester's exact words, as proof. */
  | { readonly kind: "quote" }
  /** Models write it; nothing uses it. */
  | { readonly kind: "unused" };

/** How often an action runs, and how long its effect lasts. */
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

/** How an action is carried out: by a request to Helix, or by one to memory. */
type Means =
  | {
      readonly to: "helix";
      /** What the token must allow. */
      readonly scope: string;
      /** The account whose token is used. */
      readonly token: "bot" | "streamer";
      /**
       * A field is left out if its argument may be missing and is. Nothing is sent if anything else is missing: without
       * a message a deletion would empty the chat, without a length a timeout would be a ban.
       */
      readonly request: {
        readonly method: "DELETE" | "PATCH" | "POST" | "PUT";
        readonly path: string;
        readonly query: Readonly<Record<string, string>>;
        readonly body: { readonly [field: string]: Template } | null;
      };
      /** Where people see what Twitch made; `{id}` is its id. */
      readonly result: string;
    }
  | {
      readonly to: "memory";
      readonly scope: null;
      readonly token: "bot";
      readonly request: "remember" | "correct" | "forget";
    };

/** What an action needs if the requester gave no command: nothing, their words as proof, or their yes. */
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
    /** Whom it affects: nobody, the named viewer, or that viewer's last message. */
    readonly target: "none" | "user" | "message";
    /** What follows the action's word in a command: NAME, LENGTH, TEXT; brackets if it may be missing. Null: no command. */
    readonly syntax: string | null;
    /** Words for it in a command, besides its name. */
    readonly words?: readonly string[];
    /** A viewer's name has the key `user`, a length the key `seconds`. */
    readonly args: Readonly<Record<string, ActionArg>>;
    /** True if exactly one of the arguments is written. */
    readonly takesOneArg?: true;
    readonly limits: ActionLimits;
    /** What the model is told. */
    readonly line: string;
    /** What the streamer reads for several of them. */
    readonly plural: string;
  };

const FACT = { kind: "text", charsMax: 280, isNeeded: true } as const;
const NO_LENGTH = { secondsMin: 0, secondsMax: 0 };
const MEMORY_LIMITS = {
  actionSeconds: 0,
  targetSeconds: 0,
  requesterSeconds: 5,
  perHour: 240,
  perStream: 1_000,
  ...NO_LENGTH,
};
const MODERATION_LIMITS = { actionSeconds: 0, requesterSeconds: 0, perHour: 60, perStream: 200 };
const MODERATOR = { broadcaster_id: "{streamer}", moderator_id: "{actor}" };

/**
 * Every action. A new action is an entry here: what the model is told, and how the action is parsed, asked, judged and
 * sent, follows from the entry. Twurple's own endpoints send fields that Twitch does not document, so the requests are
 * here: https://dev.twitch.tv/docs/api/reference
 */
const TABLE = {
  remember: {
    class: "memory",
    target: "none",
    consent: "quote",
    syntax: null,
    args: { fact: FACT, quote: { kind: "quote" } },
    to: "memory",
    scope: null,
    token: "bot",
    request: "remember",
    limits: MEMORY_LIMITS,
    line: '[action remember fact="…" quote="…"]: what they tell of themselves, untranslated; quote: their exact words',
    plural: "remembering",
  },
  correct: {
    class: "memory",
    target: "none",
    consent: "quote",
    syntax: null,
    args: { note: { kind: "note" }, fact: FACT, quote: { kind: "quote" } },
    to: "memory",
    scope: null,
    token: "bot",
    request: "correct",
    limits: MEMORY_LIMITS,
    line: '[action correct note=N fact="…" quote="…"]: a note they say is wrong',
    plural: "correcting",
  },
  forget: {
    class: "memory",
    target: "none",
    consent: "yes",
    question: {
      usual: "Forget this about you: {note} – {yes}",
      topic: "Forget all I know about you and this: {topic} – {yes}",
    },
    syntax: null,
    args: { note: { kind: "note" }, topic: { kind: "text", charsMax: 60, isNeeded: true } },
    takesOneArg: true,
    to: "memory",
    scope: null,
    token: "bot",
    request: "forget",
    limits: MEMORY_LIMITS,
    line: '[action forget note=N] or [action forget topic="…"]',
    plural: "forgetting",
  },
  announce: {
    class: "chat",
    target: "none",
    consent: "yes",
    question: { usual: "Announce this: {text} – {yes}" },
    syntax: ": TEXT",
    args: { text: { kind: "text", charsMax: 450, isNeeded: true } },
    to: "helix",
    scope: "moderator:manage:announcements",
    token: "bot",
    request: {
      method: "POST",
      path: "chat/announcements",
      query: MODERATOR,
      body: { message: "{text}" },
    },
    result: "{id}",
    limits: {
      actionSeconds: 30,
      targetSeconds: 0,
      requesterSeconds: 30,
      perHour: 12,
      perStream: 40,
      ...NO_LENGTH,
    },
    line: '[action announce text="…"] (mods; their words)',
    plural: "announcements",
  },
  shoutout: {
    class: "chat",
    target: "user",
    consent: "yes",
    question: { usual: "Shout out {user}? {yes}" },
    syntax: " NAME",
    args: { user: { kind: "user" } },
    to: "helix",
    scope: "moderator:manage:shoutouts",
    token: "bot",
    request: {
      method: "POST",
      path: "chat/shoutouts",
      query: {
        from_broadcaster_id: "{streamer}",
        to_broadcaster_id: "{target}",
        moderator_id: "{actor}",
      },
      body: null,
    },
    result: "{id}",
    // Twitch takes one in two minutes, and the same target once in an hour.
    limits: {
      actionSeconds: 120,
      targetSeconds: 3_600,
      requesterSeconds: 0,
      perHour: 20,
      perStream: 60,
      ...NO_LENGTH,
    },
    line: "[action shoutout user=LOGIN] (mods)",
    plural: "shoutouts",
  },
  clip: {
    class: "stream",
    target: "none",
    consent: "none",
    syntax: "",
    args: {},
    to: "helix",
    scope: "clips:edit",
    token: "bot",
    request: {
      method: "POST",
      path: "clips",
      query: { broadcaster_id: "{streamer}" },
      body: null,
    },
    result: "https://clips.twitch.tv/{id}",
    limits: {
      actionSeconds: 30,
      targetSeconds: 0,
      requesterSeconds: 60,
      perHour: 20,
      perStream: 60,
      ...NO_LENGTH,
    },
    line: "[action clip]",
    plural: "clips",
  },
  marker: {
    class: "stream",
    target: "none",
    consent: "none",
    syntax: "[: TEXT]",
    args: { text: { kind: "text", charsMax: 140, isNeeded: false } },
    to: "helix",
    scope: "channel:manage:broadcast",
    token: "streamer",
    request: {
      method: "POST",
      path: "streams/markers",
      query: {},
      body: { user_id: "{streamer}", description: "{text}" },
    },
    result: "{id}",
    limits: {
      actionSeconds: 15,
      targetSeconds: 0,
      requesterSeconds: 30,
      perHour: 30,
      perStream: 100,
      ...NO_LENGTH,
    },
    line: '[action marker text="…"]',
    plural: "markers",
  },
  poll: {
    class: "stream",
    target: "none",
    consent: "yes",
    question: { usual: "Start this poll for {seconds} s: {title} ({choices}) – {yes}" },
    syntax: ": TEXT",
    args: {
      title: { kind: "text", charsMax: 60, isNeeded: true },
      choices: { kind: "choices", charsMax: 25, countMax: 5 },
      seconds: { kind: "seconds" },
    },
    to: "helix",
    scope: "channel:manage:polls",
    token: "streamer",
    request: {
      method: "POST",
      path: "polls",
      query: {},
      body: {
        broadcaster_id: "{streamer}",
        title: "{title}",
        choices: "{choices.title}",
        duration: "{seconds}",
      },
    },
    result: "{id}",
    limits: {
      actionSeconds: 60,
      targetSeconds: 0,
      requesterSeconds: 0,
      perHour: 10,
      perStream: 30,
      secondsMin: 15,
      secondsMax: 1_800,
    },
    line: '[action poll title="…" choices="a|b"] (mods; their words)',
    plural: "polls",
  },
  warn: {
    class: "moderation",
    target: "user",
    consent: "yes",
    question: { usual: "Warn {user} ({reason})? {yes}" },
    syntax: " NAME[: TEXT]",
    args: {
      user: { kind: "user" },
      reason: { kind: "text", charsMax: 300, isNeeded: false, usual: "warnReason" },
    },
    to: "helix",
    scope: "moderator:manage:warnings",
    token: "bot",
    request: {
      method: "POST",
      path: "moderation/warnings",
      query: MODERATOR,
      body: { data: { user_id: "{target}", reason: "{reason}" } },
    },
    result: "{id}",
    limits: { ...MODERATION_LIMITS, targetSeconds: 10, ...NO_LENGTH },
    line: '[action warn user=LOGIN reason="…"] (mods; their words)',
    plural: "warnings",
  },
  delete: {
    class: "moderation",
    target: "message",
    consent: "yes",
    question: {
      usual: "Delete the last message of {user}? {yes}",
      reply: "Delete the message of {user} that you replied to? {yes}",
    },
    syntax: " [NAME]",
    args: { user: { kind: "user" } },
    to: "helix",
    scope: "moderator:manage:chat_messages",
    token: "bot",
    request: {
      method: "DELETE",
      path: "moderation/chat",
      query: { ...MODERATOR, message_id: "{message}" },
      body: null,
    },
    result: "{id}",
    limits: { ...MODERATION_LIMITS, targetSeconds: 2, ...NO_LENGTH },
    line: "[action delete user=LOGIN]: their last message (mods)",
    plural: "deletions",
  },
  timeout: {
    class: "moderation",
    target: "user",
    consent: "yes",
    question: { usual: "Time out {user} for {seconds} s? {yes}" },
    syntax: " NAME [LENGTH]",
    words: ["mute"],
    args: {
      user: { kind: "user" },
      seconds: { kind: "seconds", usual: "timeoutSeconds" },
      reason: { kind: "unused" },
    },
    to: "helix",
    scope: "moderator:manage:banned_users",
    token: "bot",
    request: {
      method: "POST",
      path: "moderation/bans",
      query: MODERATOR,
      body: { data: { user_id: "{target}", duration: "{seconds}" } },
    },
    result: "{id}",
    limits: { ...MODERATION_LIMITS, targetSeconds: 10, secondsMin: 1, secondsMax: 600 },
    line: "[action timeout user=LOGIN seconds=60] (mods)",
    plural: "time-outs",
  },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof TABLE;
export const ACTIONS: Readonly<Record<ActionName, Action>> = TABLE;
