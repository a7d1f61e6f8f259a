import { formatCommand } from "../config/environment.ts";
import { isSameJson } from "../config/json-tree.ts";
import type { PolicyChange } from "../memory/memory-policy.ts";
import { defineView, type PageData, type View } from "./api.ts";
import { showPolicies } from "./bot-routes.ts";
import {
  act,
  askTwice,
  choose,
  columns,
  describeCode,
  foldAway,
  form,
  hint,
  html,
  input,
  list,
  part,
  submitButton,
  textArea,
  tick,
  time,
} from "./parts.ts";
import { listSettings, nameSetting, type Setting } from "./settings.ts";

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
        { look: "fields", isKept: true },
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

/** Draws one form with a fold for each group, and one Save. */
function drawSettings({ config, configFile }: PageData) {
  const isOff = configFile === null;
  const settings = listSettings(config).filter(
    ({ key, standard }) => !(standard === 0 && MAY_NOT_APPLY.test(key)),
  );
  const groupOf = ({ key }: Setting) =>
    GROUPS.findLast(([, , ...begins]) => begins.some((begin) => isBelow(key, begin)))?.[0];
  const groups = GROUPS.map(([id, title], n) => {
    const own = settings.filter((one) => groupOf(one) === id);
    const fields = own.map((one) => drawSetting(one, isOff));
    return foldAway(id, title, fields, n < 2);
  });
  const off = isOff && html` disabled`;
  const save = html`<div class="save"><button type="submit" class="first"${off}>Save</button></div>`;
  return form("patch /api/settings", { id: "all-settings" }, groups, save);
}

function isBelow(key: string, begin: string): boolean {
  return key === begin || key.startsWith(`${begin}.`);
}

function drawSetting(setting: Setting, isOff: boolean) {
  const { key, describe, field, value, standard } = setting;
  const isLong =
    (field.kind === "text" && field.isLong) || (field.kind === "list" && field.choices === null);
  const hasUsual = standard != null && !isSameJson(value, standard);
  // The names of the choices say it.
  const isPlain = listChoices(key) !== null;
  const about = describe.replaceAll(/(^|\. )null:/g, "$1Empty:").replaceAll("null:", "empty:");
  return html`<div class="setting ${isLong && "wide"}">${drawField(setting, isOff)}
    <p>${!isPlain && about}${hasUsual && ` Usual: ${describeValue(key, standard)}.`}</p></div>`;
}

function drawField({ key, field, value, standard }: Setting, disabled: boolean) {
  const label = nameSetting(key);
  const all = Array.isArray(value) ? value.map(String) : [String(value ?? "")];
  const text = all.join("\n");
  const placeholder = field.isOptional ? describeValue(key, standard) : undefined;
  switch (field.kind) {
    case "choice": {
      const options = field.choices.map((one) => [`${one}`, describeValue(key, one)] as const);
      return choose(label, key, text, options, disabled);
    }
    case "number": {
      const { min, max, isWhole, isOptional } = field;
      const bounds = { min, max, step: isWhole ? "1" : "any", required: !isOptional };
      return input(label, key, { type: "number", value: text, placeholder, disabled, ...bounds });
    }
    case "text":
      if (!field.isLong) return input(label, key, { value: text, placeholder, disabled });
      return textArea(label, key, text, { rows: 3, disabled });
    case "list": {
      const rows = Math.min(6, all.length + 1);
      if (field.choices === null)
        return textArea(label, key, text, { rows, placeholder: "one a line", disabled });
      const ticks = field.choices.map((one) =>
        tick(describeCode(one), key, { value: one, checked: all.includes(one), disabled }),
      );
      return html`<fieldset><legend>${label}</legend><input type="hidden" name="${key}" value="">
        <div class="row">${ticks}</div></fieldset>`;
    }
  }
}

/** Draws the changes of memory and actions so far, each with a way back. */
function drawPolicies(data: PageData) {
  const describeChange = ({ key, from, to }: PolicyChange): string =>
    `${nameSetting(key)}: ${describeValue(key, from)} → ${describeValue(key, to)}`;
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

function listChoices(key: string) {
  return Object.entries(CHOICES).find(([begin]) => isBelow(key, begin))?.[1] ?? null;
}

function describeValue(key: string, value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value))
    return value.map((one) => describeCode(String(one))).join(", ") || "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "string") return JSON.stringify(value);
  return listChoices(key)?.[value] ?? describeCode(value);
}
