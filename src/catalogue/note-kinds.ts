// Pure: values in, values out.

/** The subject of a note: a viewer, the channel, or a running joke. */
export const NOTE_SCOPES = ["viewer", "channel", "bit"] as const;
export type NoteScope = (typeof NOTE_SCOPES)[number];

/** The lifetime of one kind of note, and its texts for the model, the page and scenarios. */
export interface NoteKindTraits {
  /** The page's name for the kind. */
  readonly label: string;
  /** Explains the kind to the model that extracts notes; empty if its name is enough. */
  readonly hint: string;
  /** Asks for such a note, in a scenario made from a reply. */
  readonly question: string;
  /** The subjects of such a note. The first kind of a scope is the usual one. */
  readonly scopes: readonly NoteScope[];
  /** The days without confirmation after which a note scores half as much as one that was just confirmed. */
  readonly scaleDays: number;
  /** The days from a note's last confirmation to its end; null: it never expires. */
  readonly lifeDays: number | null;
  /** Only days with a stream shorten its life. */
  readonly livesByStreamDays: boolean;
  /** The model may give it a life without end. */
  readonly mayBePermanent: boolean;
  /** The number of best notes that come first among a viewer's notes. The kind with the most places leads. */
  readonly firstPlaces: number;
  /** `memory.topics: "strict"` shows it for every topic. */
  readonly ignoresTopics: boolean;
  /** A prompt names the month it is from. */
  readonly isDated: boolean;
}

const SHORT_LIVED = {
  question: "what happened to me lately?",
  scopes: ["viewer", "channel"],
  scaleDays: 7,
  livesByStreamDays: false,
  mayBePermanent: false,
  firstPlaces: 0,
  ignoresTopics: false,
  isDated: true,
} as const;
const LASTING = { ...SHORT_LIVED, scaleDays: 90, lifeDays: null, isDated: false } as const;

/** The kinds of notes. A new one is an entry here: configuration, prompt, write policy, recall and page follow from it. */
export const NOTE_KINDS = {
  profile: {
    ...LASTING,
    label: "about the person",
    hint: "home, work, pets",
    question: "what do you know about me?",
    firstPlaces: 3,
  },
  constraint: {
    ...LASTING,
    label: "how to treat them",
    hint: "name, pronouns, how to treat them",
    question: "is there something you should keep in mind about me?",
    firstPlaces: 5,
    ignoresTopics: true,
  },
  preference: {
    ...LASTING,
    label: "likes and habits",
    hint: "likes, plays, makes",
    question: "what is it that I like?",
    scaleDays: 30,
    lifeDays: 90,
    mayBePermanent: true,
  },
  running_bit: {
    ...LASTING,
    label: "running joke",
    hint: "",
    question: "what is the joke about?",
    scopes: ["viewer", "channel", "bit"],
    scaleDays: 30,
    lifeDays: 30,
    livesByStreamDays: true,
  },
  event: { ...SHORT_LIVED, label: "event", hint: "", lifeDays: 30 },
  state: {
    ...SHORT_LIVED,
    label: "how they are now",
    hint: "",
    question: "how am I doing at the moment?",
    lifeDays: 7,
  },
} as const satisfies Readonly<Record<string, NoteKindTraits>>;

export type NoteKind = keyof typeof NOTE_KINDS;

export const NOTE_KIND_NAMES = Object.keys(NOTE_KINDS) as [NoteKind, ...NoteKind[]];

export const NOTE_KIND_LIST: readonly (readonly [NoteKind, NoteKindTraits])[] = NOTE_KIND_NAMES.map(
  (name) => [name, NOTE_KINDS[name]],
);

/** The kind of a note that a model gave an unknown one. */
export const UNCLEAR_KIND: NoteKind = "preference";

/** The rules for values of a property. */
export interface NotePropertyTraits {
  /** A viewer has one at a time: another value replaces it. */
  readonly isSingle: boolean;
  /** True if it is how a viewer wants to be called. A viewer may say that, although it instructs the bot. */
  readonly isHowToCall: boolean;
  /** It may belong to a game. */
  readonly hasGame: boolean;
  /** A prompt names the month it is from. */
  readonly isDated: boolean;
}

const MANY = { isSingle: false, isHowToCall: false, hasGame: false, isDated: false } as const;
const ONE = { ...MANY, isSingle: true } as const;

/** Properties of which a viewer has one or a few. Another value of the same property is a change, or a second one. */
export const NOTE_PROPERTIES = {
  name: { ...ONE, isHowToCall: true },
  pronouns: { ...ONE, isHowToCall: true },
  home: { ...ONE, isDated: true },
  origin: MANY,
  birthday: ONE,
  job: { ...MANY, isDated: true },
  studies: MANY,
  main_game: { ...MANY, hasGame: true },
  rank: { ...ONE, hasGame: true },
  main_character: { ...MANY, hasGame: true },
} as const satisfies Readonly<Record<string, NotePropertyTraits>>;

export type NoteProperty = keyof typeof NOTE_PROPERTIES;

export const NOTE_PROPERTY_NAMES = Object.keys(NOTE_PROPERTIES) as [
  NoteProperty,
  ...NoteProperty[],
];
