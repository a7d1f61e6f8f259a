import { isSameJson } from "../platform/config/json-tree.ts";
import { Act, Hidden, useAround } from "./parts.tsx";
import type { Setting } from "./settings.ts";

/** Names of the configuration's first keys, as a person reads them. */
export const GROUPS: Readonly<Record<string, string>> = {
  mode: "When it speaks",
  persona: "Voice",
  replies: "Answers",
  bot: "The bot",
  llm: "Model and cost",
  prompt: "Prompt",
  rights: "Chat commands",
  retention: "Retention",
  log: "Log",
  language: "Language",
  backup: "Backups",
  memory: "Memory",
  actions: "Actions",
};

export interface SettingsGiven {
  readonly settings: readonly Setting[];
  readonly canSave: boolean;
  readonly dataDir: string;
}

/** What can change while the bot runs, voice first; then what leaves and enters. */
export function SettingsView({ settings, canSave, dataDir }: SettingsGiven) {
  const groups = [...new Set(settings.map(({ key }) => groupOf(key)))].filter(
    (name) => name !== "memory" && name !== "actions",
  );
  const inOrder = [
    "persona",
    "mode",
    ...groups.filter((name) => name !== "persona" && name !== "mode"),
  ];
  return (
    <>
      <div class="head">
        <div>
          <h1>Settings</h1>
          <p class="lead">
            {canSave
              ? "They stand in config.json; the bot takes a change over within a second. What memory keeps and what the bot may do is under Actions, Policy."
              : "This is a rehearsal: it has no configuration file, and nothing here can be saved."}
          </p>
        </div>
      </div>
      <div class="cols">
        <div>
          {inOrder.map((name, n) => (
            <SettingGroup
              name={name}
              isOpen={n < 2}
              canSave={canSave}
              settings={settings.filter(({ key }) => groupOf(key) === name)}
            />
          ))}
        </div>
        <div>
          <VoiceTrial settings={settings} />
          <Files dataDir={dataDir} />
        </div>
      </div>
    </>
  );
}

/** The first part of a key. */
export function groupOf(key: string): string {
  return key.split(".")[0] ?? key;
}

function SettingGroup({
  name,
  settings,
  isOpen,
  canSave,
}: {
  name: string;
  settings: readonly Setting[];
  isOpen: boolean;
  canSave: boolean;
}) {
  return (
    <details class="fold" id={`group-${name}`} open={isOpen}>
      <summary>{GROUPS[name] ?? name}</summary>
      {settings.map((setting) => (
        <SettingForm setting={setting} canSave={canSave} />
      ))}
    </details>
  );
}

function SettingForm({ setting, canSave }: { setting: Setting; canSave: boolean }) {
  const { key, describe, value, standard } = setting;
  const isWide = isLong(setting);
  return (
    <form
      method="post"
      action="/api/settings"
      class={isWide ? "setting wide" : "setting"}
      id={`set-${key}`}
    >
      <Hidden fields={{ _method: "patch" }} />
      <div>
        <code>{key}</code>
        <p>
          {describe}
          {isSameJson(value, standard) ? "" : ` Usually ${shownValue(standard)}.`}
        </p>
      </div>
      <div class="row">
        <Field setting={setting} isOff={!canSave} />
        <button type="submit" class="quiet" disabled={!canSave} aria-label={`Save ${key}`}>
          Save
        </button>
      </div>
    </form>
  );
}

/** Whether its field wants a line of its own. */
export function isLong({ shape }: Setting): boolean {
  return (
    (shape.kind === "text" && shape.isLong) || (shape.kind === "list" && shape.choices === null)
  );
}

/** The field that a key's schema asks for. */
export function Field({ setting, isOff }: { setting: Setting; isOff: boolean }) {
  const { key, shape, value } = setting;
  const usual = { name: key, "aria-label": key, disabled: isOff };
  switch (shape.kind) {
    case "switch":
      return (
        <Options
          {...usual}
          value={String(value)}
          options={["true", "false"]}
          names={["yes", "no"]}
        />
      );
    case "choice":
      return (
        <Options {...usual} value={String(value)} options={shape.choices} names={shape.choices} />
      );
    case "number":
      return <NumberField usual={usual} shape={shape} value={value} />;
    case "text":
      return <TextField usual={usual} shape={shape} value={value} />;
    case "list":
      return <ListField usual={usual} shape={shape} value={value} />;
  }
}

interface FieldGiven<K extends Setting["shape"]["kind"]> {
  readonly usual: {
    readonly name: string;
    readonly "aria-label": string;
    readonly disabled: boolean;
  };
  readonly shape: Extract<Setting["shape"], { kind: K }>;
  readonly value: unknown;
}

function NumberField({ usual, shape, value }: FieldGiven<"number">) {
  const { min, max, isWhole, mayBeNone } = shape;
  return (
    <input
      {...usual}
      type="number"
      value={value === null ? "" : String(value)}
      step={isWhole ? "1" : "any"}
      required={!mayBeNone}
      {...(mayBeNone ? { placeholder: "none" } : {})}
      {...(min === null ? {} : { min })}
      {...(max === null ? {} : { max })}
    />
  );
}

function TextField({ usual, shape, value }: FieldGiven<"text">) {
  const text = String(value ?? "");
  if (shape.isLong) {
    return (
      <textarea {...usual} rows={3}>
        {text}
      </textarea>
    );
  }
  const hint = shape.mayBeNone ? { placeholder: "none" } : {};
  return <input {...usual} type="text" value={text} {...hint} />;
}

function ListField({ usual, shape, value }: FieldGiven<"list">) {
  const list = Array.isArray(value) ? value.map(String) : [];
  if (shape.choices !== null)
    return <Ticks name={usual.name} isOff={usual.disabled} choices={shape.choices} ticked={list} />;
  return (
    <textarea {...usual} rows={Math.min(6, list.length + 1)} placeholder="one a line">
      {list.join("\n")}
    </textarea>
  );
}

function Options({
  options,
  names,
  value,
  ...usual
}: {
  name: string;
  disabled: boolean;
  value: string;
  options: readonly string[];
  names: readonly string[];
}) {
  return (
    <select {...usual}>
      {options.map((one, n) => (
        <option value={one} selected={one === value}>
          {names[n]}
        </option>
      ))}
    </select>
  );
}

function Ticks({
  name,
  choices,
  ticked,
  isOff,
}: {
  name: string;
  choices: readonly string[];
  ticked: readonly string[];
  isOff: boolean;
}) {
  return (
    <div class="row">
      <input type="hidden" name={name} value="" />
      {choices.map((choice) => (
        <label>
          <input
            type="checkbox"
            name={name}
            value={choice}
            checked={ticked.includes(choice)}
            disabled={isOff}
          />{" "}
          {choice.replaceAll("_", " ")}
        </label>
      ))}
    </div>
  );
}

function VoiceTrial({ settings }: { settings: readonly Setting[] }) {
  const { csrf } = useAround();
  const voice = settings.find(({ key }) => key === "persona.voice");
  return (
    <section>
      <h2>Hear a voice</h2>
      <form data-try="" class="fields">
        <input type="hidden" name="_csrf" value={csrf} />
        <label>
          <span>How it would speak</span>
          <textarea name="voice" rows={4} maxlength={8000}>
            {String(voice?.value ?? "")}
          </textarea>
        </label>
        <label>
          <span>What somebody asks</span>
          <input name="question" required maxlength={500} value="what are you good for?" />
        </label>
        <div>
          <button type="submit">Answer in this voice</button>
        </div>
        <p id="tried" class="quote" data-tried="" role="status" />
      </form>
    </section>
  );
}

function Files({ dataDir }: { dataDir: string }) {
  return (
    <section>
      <h2>What leaves and enters</h2>
      <p class="small soft">Everything lies in {dataDir}, on this machine.</p>
      <div class="acts">
        <Act action="/api/backup">Make a backup</Act>
        <a class="button" href="/api/export" download="forgetmenot-notes.json">
          Export the notes
        </a>
      </div>
      <details class="fold" id="import">
        <summary>Import notes</summary>
        <form method="post" action="/api/import" class="fields">
          <Hidden />
          <label>
            <span>A file that an export made</span>
            <input type="file" data-into="import-text" accept="application/json,.json" />
          </label>
          <label>
            <span class="unseen">Its text</span>
            <textarea name="file" id="import-text" required rows={3} placeholder="or its text" />
          </label>
          <label>
            <input type="checkbox" name="dryRun" value="true" checked /> Only say what would happen
          </label>
          <div>
            <button type="submit">Import</button>
          </div>
        </form>
      </details>
      <p class="more small">
        <a href="/overlay?theme=light">See the overlay</a>: <code>forgetmenot page overlay</code>{" "}
        prints its link for OBS.
      </p>
    </section>
  );
}

/** A value as a person reads it. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(String).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value.replaceAll("_", " ") : JSON.stringify(value);
}
