import { isSameJson } from "../platform/config/json-tree.ts";
import { Act, Fill, Head, Hidden, Input, Part, useAround } from "./parts.tsx";
import { type Setting, settingsOf } from "./settings.ts";
import type { Views } from "./views.tsx";

/** Names of the configuration's first keys, as a person reads them, in their order. */
const GROUPS = [
  ["persona", "Voice"],
  ["mode", "When it speaks"],
  ["replies", "Answers"],
  ["bot", "The bot"],
  ["llm", "Model and cost"],
  ["prompt", "Prompt"],
  ["rights", "Chat commands"],
  ["retention", "Retention"],
  ["backup", "Backups"],
  ["language", "Language"],
  ["log", "Log"],
] as const;
const OPEN = 2;

/** What can change while the bot runs, voice first; then what leaves and enters. */
export const SETTINGS: Views = {
  "/settings": ({ config, configFile }) => {
    const settings = settingsOf(config);
    const canSave = configFile !== null;
    const shown = (
      <>
        <Head
          title="Settings"
          lead={
            canSave
              ? "They stand in config.json; the bot takes a change over within a second. What memory keeps and what the bot may do is under Actions, Policy."
              : "This is a rehearsal: it has no configuration file, and nothing here can be saved."
          }
        />
        <div class="cols">
          <div>
            {GROUPS.map(([name, title], n) => (
              <details class="fold" id={`group-${name}`} open={n < OPEN}>
                <summary>{title}</summary>
                {settings
                  .filter(({ key }) => key.split(".")[0] === name)
                  .map((setting) => (
                    <SettingForm setting={setting} canSave={canSave} />
                  ))}
              </details>
            ))}
          </div>
          <div>
            <VoiceTrial settings={settings} />
            <Files dataDir={config.dataDir} />
          </div>
        </div>
      </>
    );
    return { title: "Settings", shown };
  },
};

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
  const { key, shape, value, standard } = setting;
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
      return <NumberField usual={usual} shape={shape} value={value} standard={standard} />;
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

function NumberField({
  usual,
  shape,
  value,
  standard,
}: FieldGiven<"number"> & { standard: unknown }) {
  const { min, max, isWhole, mayBeNone } = shape;
  return (
    <input
      {...usual}
      type="number"
      value={String(value ?? "")}
      step={isWhole ? "1" : "any"}
      required={!mayBeNone}
      {...(mayBeNone ? { placeholder: shownValue(standard) } : {})}
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
    <Part title="Hear a voice">
      <form data-try="" class="fields">
        <input type="hidden" name="_csrf" value={csrf} />
        <label>
          <span>How it would speak</span>
          <textarea name="voice" rows={4} maxlength={8000}>
            {String(voice?.value ?? "")}
          </textarea>
        </label>
        <Input
          label="What somebody asks"
          name="question"
          required
          maxlength={500}
          value="what are you good for?"
        />
        <div>
          <button type="submit">Answer in this voice</button>
        </div>
        <p id="tried" class="quote" data-tried="" role="status" />
      </form>
    </Part>
  );
}

function Files({ dataDir }: { dataDir: string }) {
  return (
    <Part title="What leaves and enters">
      <p class="small soft">Everything lies in {dataDir}, on this machine.</p>
      <div class="acts">
        <Act action="/api/backup">Make a backup</Act>
        <a class="button" href="/api/export" download="forgetmenot-notes.json">
          Export the notes
        </a>
      </div>
      <details class="fold" id="import">
        <summary>Import notes</summary>
        <Fill action="/api/import" yes="Import">
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
        </Fill>
      </details>
      <p class="more small">
        <a href="/overlay?theme=light">See the overlay</a>: <code>forgetmenot page overlay</code>{" "}
        prints its link for OBS.
      </p>
    </Part>
  );
}

/** A value as a person reads it. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(String).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value.replaceAll("_", " ") : JSON.stringify(value);
}
