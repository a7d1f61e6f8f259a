import { z } from "zod";
import { ACTIONS } from "../catalogue/actions.ts";
import { formatCommand } from "../config/environment.ts";
import {
  isJsonObject,
  isSameJson,
  type JsonObject,
  leavesOf,
  mergeJson,
  nestValue,
  removePath,
} from "../config/json-tree.ts";
import { type Config, loadConfig, rewriteConfig } from "../config/load.ts";
import { configSchema } from "../config/schema.ts";
import { makeUsageFault } from "../errors.ts";
import {
  completePolicy,
  getPolicy,
  listPolicyChanges,
  type PolicyChange,
  PolicyHistory,
  restorePolicy,
} from "../memory/memory-policy-store.ts";
import {
  defineRoute,
  defineView,
  listQuery,
  ordinal,
  type PageData,
  type Route,
  type View,
} from "./api.ts";
import {
  act,
  askTwice,
  checkbox,
  columns,
  describeCode,
  foldAway,
  form,
  hint,
  html,
  input,
  list,
  part,
  selectField,
  submitButton,
  textArea,
  time,
} from "./parts.ts";

/** A key of the configuration that may change while the bot runs. */
interface Setting {
  /** Dotted, as in config.json. */
  readonly key: string;
  readonly name: string;
  readonly about: string;
  readonly field: Field;
  readonly value: unknown;
  /** The default. */
  readonly standard: unknown;
}

/** The form field of a key. `isOptional`: an empty field means null, or the built-in value. */
type Field = { readonly isOptional: boolean } & (
  | { readonly kind: "choice"; readonly choices: readonly (string | boolean)[] }
  | { readonly kind: "list"; readonly choices: readonly string[] | null }
  | {
      readonly kind: "number";
      readonly isWhole: boolean;
      readonly min: number | undefined;
      readonly max: number | undefined;
    }
  | { readonly kind: "text"; readonly isLong: boolean }
);

/** Keys that need a restart, and addresses and folders: the page cannot change them. */
const NOT_HERE =
  /^(\$schema|channel|personas|dataDir|twitch|dashboard|bot\.login|llm\.(provider|baseUrl|allowInsecureHost|prices))(\.|$)/;
/** These keys exist only if they differ from the built-in values. */
const MAY_BE_ABSENT = /^actions\.(limits|words)\./;
const LONG_CHARS = 120;

const LEAVES = [...listLeaves(z.toJSONSchema(configSchema, { io: "input" }), "")];
const DESCRIPTIONS = new Map(
  LEAVES.map(([key, { description }]) => [key, String(description ?? "")]),
);
const STANDARDS = new Map([
  ...leavesOf(configSchema.parse({ channel: "x" })),
  ...Object.entries(ACTIONS).flatMap(([name, { limits }]) => [
    ...leavesOf(limits, `actions.limits.${name}`),
  ]),
]);

/** Returns the keys that a page may change while the bot runs, if one form field fits them. */
function listSettings(config: Config): readonly Setting[] {
  const values = leavesOf(config);
  return LEAVES.flatMap(([key, leaf]) => {
    const field = NOT_HERE.test(key) ? null : findField(leaf, MAY_BE_ABSENT.test(key));
    if (field === null) return [];
    return [
      { key, ...describeSetting(key), field, value: values.get(key), standard: STANDARDS.get(key) },
    ];
  });
}

/**
 * Returns the values that `fields` changes, by dotted key, and leaves out unchanged ones. Null stands for an optional
 * field that is empty. Throws a Fault for a key that is no setting. Does not check the values.
 */
function readChanges(config: Config, fields: JsonObject): Map<string, unknown> {
  const known = new Map(listSettings(config).map((setting) => [setting.key, setting]));
  const changes = new Map<string, unknown>();
  for (const [key, given] of Object.entries(fields)) {
    const setting = known.get(key);
    if (setting === undefined)
      throw makeUsageFault(
        "this key cannot be changed while the bot runs",
        "change config.json by hand and start the bot again",
      );
    const value = readField(setting.field, given);
    // A form sends unchanged fields too. An absent key is empty in it.
    if (!isSameJson(value, setting.value ?? null)) changes.set(key, value);
  }
  return changes;
}

/**
 * Writes what `change` returns to the configuration's file, and records the policy if that changed. Returns the changed
 * keys. Throws a Fault without a file, or if the result is not valid.
 */
function writeConfig(
  { configFile: file, change: changeData }: PageData,
  source: "page" | "rollback",
  change: (raw: JsonObject) => JsonObject,
): readonly PolicyChange[] {
  if (file === null)
    throw makeUsageFault(
      "this bot runs without a configuration file",
      "a demo saves nothing; run `forgetmenot setup` for a bot of your own",
    );
  const { before, after, isChange, write: save } = rewriteConfig(file, change);
  const isPolicy = listPolicyChanges(getPolicy(before), getPolicy(after)).length > 0;
  if (isChange && isPolicy)
    changeData(({ db, now }) => new PolicyHistory(db, now).record(getPolicy(after), source, save));
  else if (isChange) save();
  const omitFolders = ({ databaseFile: _, dataDir: _folder, ...config }: Config) => config;
  return listPolicyChanges(omitFolders(before), omitFolders(after));
}

/** Lists each value of the schema that is no object, by its dotted key. */
function* listLeaves(schema: unknown, path: string): Generator<[string, JsonObject]> {
  if (!isJsonObject(schema)) return;
  const { properties, propertyNames, additionalProperties } = schema;
  // A record with known keys is an object of them.
  const names = isJsonObject(propertyNames) ? propertyNames["enum"] : null;
  const inner = Array.isArray(names)
    ? Object.fromEntries(names.map((name) => [name, additionalProperties]))
    : properties;
  if (!isJsonObject(inner)) yield [path, schema];
  else
    for (const [key, one] of Object.entries(inner))
      yield* listLeaves(one, path === "" ? key : `${path}.${key}`);
}

/** Returns the field of a value's schema; null if no single field fits. */
function findField(leaf: JsonObject, mayBeAbsent: boolean): Field | null {
  const parts = Array.isArray(leaf["anyOf"]) ? leaf["anyOf"].filter(isJsonObject) : [leaf];
  const [one, ...others] = parts.filter(({ type }) => type !== "null");
  if (one === undefined || others.length > 0) return null;
  const isOptional = mayBeAbsent || parts.length > 1;
  const choices = listChoices(one);
  if (choices !== null) return { kind: "choice", isOptional, choices };
  switch (one["type"]) {
    case "boolean":
      return { kind: "choice", isOptional, choices: [true, false] };
    case "number":
    case "integer": {
      const isWhole = one["type"] === "integer";
      const [min, max] = [one["minimum"], one["maximum"]].map(readBound);
      return { kind: "number", isOptional, isWhole, min, max };
    }
    case "string":
      return { kind: "text", isOptional, isLong: Number(one["maxLength"] ?? 0) > LONG_CHARS };
    case "array": {
      const items = isJsonObject(one["items"]) ? one["items"] : {};
      if (items["type"] !== "string") return null;
      return { kind: "list", isOptional, choices: listChoices(items) };
    }
    default:
      return null;
  }
}

/** Returns the values of an enum; null for another schema. */
function listChoices(schema: JsonObject): string[] | null {
  return Array.isArray(schema["enum"]) ? schema["enum"].map(String) : null;
}

/** Returns a bound; undefined for none. Zod bounds every integer by the largest that a number holds. */
function readBound(value: unknown): number | undefined {
  const isBound = typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return isBound ? value : undefined;
}

/**
 * Returns the value of a field that a form sent as text, or a program as a value; null for an empty optional one. A
 * wrong text stays as it is: the configuration's schema refuses it.
 */
function readField(field: Field, given: unknown): unknown {
  const text = String(given);
  if (field.isOptional && text.trim() === "") return null;
  if (field.kind !== "list" && typeof given !== "string") return given;
  switch (field.kind) {
    case "choice":
      return field.choices.find((one) => String(one) === text) ?? text;
    case "number":
      return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
    case "text":
      // A browser without scripts sends both characters of a line break.
      return text.replaceAll("\r\n", "\n");
    case "list": {
      const parts = Array.isArray(given) ? given.map(String) : text.split("\n");
      return parts.map((part) => part.trim()).filter((part) => part !== "");
    }
  }
}

/** Names of keys whose description begins with their values, or that have none. */
const NAMES: Readonly<Record<string, string>> = {
  mode: "Who it answers",
  language: "Language of its own sentences",
  "memory.mode": "What happens to what it learns",
  "memory.personaScope": "Notes of several personas",
  "memory.topics": "Notes on other topics",
  "memory.recall.rerank": "A model sorts the notes first",
  "llm.models.reply": "Model for answers",
  "llm.models.summarise": "Model for summaries",
  "llm.models.extract": "Model for notes",
  "llm.models.rerank": "Model that sorts notes",
};

/**
 * Returns a key's name, from `NAMES` or from the first words of its description, and the rest as `about`. A limit's
 * name begins with its action. The name of `actions.words.ACTION` is the action.
 */
function describeSetting(key: string): { readonly name: string; readonly about: string } {
  const [, of, action = ""] = /^actions\.(limits|words)\.([^.]+)/.exec(key) ?? [];
  const description = DESCRIPTIONS.get(key) ?? "";
  if (of === "words") return { name: action, about: description };
  const named = NAMES[key];
  if (named !== undefined) return { name: named, about: description };
  const [begin = ""] = description.split(/[.:;](?= |$)/);
  const name = `${begin}${/seconds/i.test(key) ? ", in seconds" : ""}`;
  const about = description.slice(begin.length + 1).trim();
  return { name: of === "limits" ? `${action}: ${name}` : name, about };
}

/** Returns at most `limit` accepted policies, newest first. `back` has the changes that would bring one back. */
function showPolicies({ db, now, config }: PageData, limit: number) {
  const policy = getPolicy(config);
  const rows = new PolicyHistory(db, now).list(limit);
  return rows.map((row) => {
    return { ...row, back: listPolicyChanges(policy, completePolicy(row.policy, policy)) };
  });
}

export const SETTINGS_ROUTES: readonly Route[] = [
  defineRoute("get /settings", "Keys that may change while the bot runs, with bounds and value", {
    input: {},
    handle: ({ config }) => listSettings(config),
  }),
  defineRoute("patch /settings", "Change keys of the configuration, by their dotted names", {
    input: { body: z.record(z.string(), z.unknown()) },
    handle: (data, { body }) => {
      const changes = readChanges(data.config, body);
      return writeConfig(data, "page", (raw) => {
        let changed = raw;
        for (const [key, value] of changes)
          changed =
            value === null && MAY_BE_ABSENT.test(key)
              ? removePath(changed, key)
              : (mergeJson(changed, nestValue(key, value)) as JsonObject);
        return changed;
      });
    },
    flash: (changes) => {
      if (changes.length === 0) return "Nothing changed.";
      const names = changes.map(({ key }) => describeSetting(key).name).join("; ");
      return `Saved: ${names}. The bot applies it within a second.`;
    },
  }),
  defineRoute("get /policy/history", "Every accepted policy of memory and actions, newest first", {
    input: { query: listQuery.pick({ limit: true }) },
    handle: (data, { query }) => ({ items: showPolicies(data, query.limit) }),
  }),
  defineRoute("post /policy/rollback", "Bring an earlier policy back, as a new row", {
    input: { body: z.strictObject({ number: ordinal }) },
    handle: (data, { body: { number } }) => {
      const { db, now, configFile, config } = data;
      const row = new PolicyHistory(db, now).find(number);
      if (row === null)
        throw makeUsageFault(`there is no policy ${number}`, "the history lists the numbers");
      const policy = getPolicy(configFile === null ? config : loadConfig(configFile));
      return writeConfig(data, "rollback", restorePolicy(row.policy, policy));
    },
    flash: (_, { body }) => `The settings of number ${body.number} are back.`,
  }),
];

/** A key belongs to the last group that has a beginning of it. */
const GROUPS: readonly (readonly [id: string, title: string, ...begins: string[]])[] = [
  ["voice", "Voice", "persona", "language"],
  ["speaks", "When it answers", "mode", "replies"],
  ["memory", "Memory", "memory"],
  ["actions", "What it may do", "actions"],
  ["limits", "How often it may do it", "actions.limits"],
  ["words", "Your own words for actions", "actions.words"],
  ["model", "Model and cost", "llm", "prompt"],
  ["bot", "Names of bots", "bot"],
  ["storage", "Storage", "backup"],
];
const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mode: {
    shadow: "nobody (silent)",
    mentions: "who speaks to it",
    ambient: "also joins in unasked",
  },
  "memory.mode": {
    auto: "used at once",
    manual: "waits for me",
    shadow: "stored, not used",
    off: "nothing is learned",
  },
  "memory.personaScope": { persona: "each has its own", shared: "they share them" },
  "memory.topics": { add: "count less", strict: "are left out" },
  "actions.classes": { off: "off", dry_run: "only try", approve: "ask me first", live: "do it" },
};
const POLICIES_SHOWN = 20;
const CANNOT_SAVE = "This is a demo without a configuration file. It can save nothing.";
const CAN_SAVE = "Saved in config.json. The bot applies a change within a second.";
/** Limits that an action does not have are 0 by default. */
const MAY_NOT_APPLY = /^actions\.limits\..*\.(secondsMin|secondsMax|targetSeconds)$/;

/** The settings that may change while the bot runs, backups, and the export of notes. */
export const SETTINGS: readonly View[] = [
  defineView("/settings", {}, (data) => {
    const { config, configFile } = data;
    const voice = { rows: 4, maxlength: 8_000 };
    const question = { value: "what are you good for?", required: true, maxlength: 500 };
    const viewer = { maxlength: 60, placeholder: "a login; empty: a stranger" };
    const tryOut = part(
      "Try an answer",
      form(
        "post /api/try",
        { cssClass: "fields", isKept: true },
        textArea("How it would speak", "voice", config.persona.voice, voice),
        input("A question", "question", question),
        input("Asked by", "viewer", viewer),
        submitButton("Answer"),
      ),
      hint("It costs as much as an answer. Nothing is sent or stored."),
    );
    const earlier = "Earlier settings of memory and actions";
    const shown = columns(drawSettings(data), [
      tryOut,
      drawFiles(config.dataDir),
      foldAway("earlier", earlier, drawPolicies(data)),
    ]);
    return { title: "Settings", lead: configFile === null ? CANNOT_SAVE : CAN_SAVE, shown };
  }),
];

/** Draws one form with a fold for each group, and one Save. Leaves out limits that an action does not have. */
function drawSettings({ config, configFile }: PageData) {
  const settings = listSettings(config).filter(
    ({ key, standard }) => !(standard === 0 && MAY_NOT_APPLY.test(key)),
  );
  const groupOf = ({ key }: Setting) =>
    GROUPS.findLast(([, , ...begins]) => begins.some((begin) => isBelow(key, begin)))?.[0];
  const groups = GROUPS.map(([id, title], n) => {
    const own = settings.filter((one) => groupOf(one) === id);
    return foldAway(id, title, own.map(drawSetting), n < 2);
  });
  const fields = html`<fieldset${configFile === null && html` disabled`}>${groups}
    <div class="save"><button type="submit" class="first">Save</button></div></fieldset>`;
  return form("patch /api/settings", { id: "all-settings" }, fields);
}

/** True if a dotted key is `begin`, or below it. */
function isBelow(key: string, begin: string): boolean {
  return key === begin || key.startsWith(`${begin}.`);
}

function drawSetting(setting: Setting) {
  const { key, field, value, standard } = setting;
  const isLong =
    (field.kind === "text" && field.isLong) || (field.kind === "list" && field.choices === null);
  const hasUsual = standard != null && !isSameJson(value, standard);
  // The names of the choices say it.
  const isPlain = nameChoices(key) !== null;
  const about = setting.about.replaceAll(/(^|\. )null:/g, "$1Empty:").replaceAll("null:", "empty:");
  return html`<div class="setting ${isLong && "wide"}">${drawField(setting)}
    <p>${!isPlain && about}${hasUsual && ` Usual: ${describeValue(key, standard)}.`}</p></div>`;
}

function drawField({ key, name, field, value, standard }: Setting) {
  const all = Array.isArray(value) ? value.map(String) : [String(value ?? "")];
  const text = all.join("\n");
  const placeholder = field.isOptional ? describeValue(key, standard) : undefined;
  switch (field.kind) {
    case "choice": {
      const options = field.choices.map((one) => [`${one}`, describeValue(key, one)] as const);
      return selectField(name, key, text, options);
    }
    case "number": {
      const { min, max, isWhole, isOptional } = field;
      const bounds = { min, max, step: isWhole ? "1" : "any", required: !isOptional };
      return input(name, key, { type: "number", value: text, placeholder, ...bounds });
    }
    case "text":
      if (!field.isLong) return input(name, key, { value: text, placeholder });
      return textArea(name, key, text, { rows: 3 });
    case "list": {
      const rows = Math.min(6, all.length + 1);
      if (field.choices === null)
        return textArea(name, key, text, { rows, placeholder: "one a line" });
      const ticks = field.choices.map((one) =>
        checkbox(describeCode(one), key, { value: one, checked: all.includes(one) }),
      );
      return html`<fieldset><legend>${name}</legend><input type="hidden" name="${key}" value="">
        <div class="row">${ticks}</div></fieldset>`;
    }
  }
}

/** Draws the latest changes of memory and actions, each with a way back. */
function drawPolicies(data: PageData) {
  const describeChange = ({ key, from, to }: PolicyChange): string =>
    `${describeSetting(key).name}: ${describeValue(key, from)} → ${describeValue(key, to)}`;
  return list(
    showPolicies(data, POLICIES_SHOWN),
    "None yet. Each change shows here, and you can undo it.",
    ({ number, source, createdAtMs, changes, back }) => {
      const goBack = askTwice(
        `back-${number}`,
        "Bring it back …",
        back.map((change) => `${describeChange(change)}. `),
        ["post /api/policy/rollback", `Bring number ${number} back`],
        { fields: { number: String(number) } },
      );
      return html`<li id="policy-${number}"><b>${number}</b>
        <span class="soft">${describeCode(source)}, ${time(createdAtMs)}</span>
        ${changes.map((change) => html`<p class="soft">${describeChange(change)}</p>`)}
        ${back.length > 0 && data.configFile !== null && goBack}</li>`;
    },
    "list small",
  );
}

function drawFiles(dataDir: string) {
  const overlay = formatCommand("page overlay", "config.json");
  return part(
    "Backup and export",
    hint(`Everything is stored in ${dataDir}, on this machine.`),
    html`<div class="acts">${act("post /api/backup", "Make a backup")}
      <a class="button" href="/api/export" download="forgetmenot-notes.json">Export the notes</a></div>`,
    html`<p class="more small"><a href="/overlay?theme=light">See the overlay</a>.
      <code>${overlay}</code> prints its link for OBS.</p>`,
  );
}

/** Returns the names of a key's values, by value; null if it has none. */
function nameChoices(key: string) {
  return Object.entries(CHOICES).find(([begin]) => isBelow(key, begin))?.[1] ?? null;
}

/** Returns a key's value in words; `none` for null, undefined and an empty list. */
function describeValue(key: string, value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value))
    return value.map((one) => describeCode(String(one))).join(", ") || "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "string") return JSON.stringify(value);
  return nameChoices(key)?.[value] ?? describeCode(value);
}
