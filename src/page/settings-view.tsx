import { isSameJson } from "../platform/config/json-tree.ts";
import { Act, Fill, Form, Input, Lines, optionsOf, Part, TryForm } from "./parts.tsx";
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
          <VoiceTrial voice={config.persona.voice} />
          <Files dataDir={config.dataDir} />
        </div>
      </div>
    );
    return { title: "Settings", lead: canSave ? SAVED : CANNOT_SAVE, shown };
  },
};

const SAVED =
  "They stand in config.json; the bot takes a change over within a second. What memory keeps and what the bot may do is under Actions, Policy.";
export const CANNOT_SAVE =
  "This is a rehearsal: it has no configuration file, and nothing here can be saved.";

function SettingForm({ setting, canSave }: { setting: Setting; canSave: boolean }) {
  const { key, describe, value, standard } = setting;
  return (
    <Form to="patch /api/settings" look={lookOf(setting)} id={`set-${key}`}>
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
    </Form>
  );
}

/** A field that wants it has a line of its own. */
export function lookOf({ shape }: Setting): string {
  const isLong =
    (shape.kind === "text" && shape.isLong) || (shape.kind === "list" && shape.choices === null);
  return isLong ? "setting wide" : "setting";
}

/** The field that a key's schema asks for. */
export function Field({ setting, isOff }: { setting: Setting; isOff: boolean }) {
  const { key, shape, value, standard } = setting;
  const usual = { name: key, "aria-label": key, disabled: isOff };
  const text = String(value ?? "");
  const hint = "mayBeNone" in shape && shape.mayBeNone ? shownValue(standard) : undefined;
  switch (shape.kind) {
    case "switch":
      return <select {...usual}>{optionsOf(YES_OR_NO, text)}</select>;
    case "choice": {
      const options = shape.choices.map((one) => [one, one] as const);
      return <select {...usual}>{optionsOf(options, text)}</select>;
    }
    case "number": {
      const [min, max] = [shape.min ?? undefined, shape.max ?? undefined];
      const bounds = { min, max, step: shape.isWhole ? "1" : "any", required: !shape.mayBeNone };
      return <input {...usual} type="number" value={text} {...bounds} placeholder={hint} />;
    }
    case "text":
      return shape.isLong ? (
        <textarea {...usual} rows={3}>
          {text}
        </textarea>
      ) : (
        <input {...usual} type="text" value={text} placeholder={hint} />
      );
    case "list":
      return listField(usual, shape.choices, value);
  }
}

const YES_OR_NO = [
  ["true", "yes"],
  ["false", "no"],
] as const;

/** Ticks where there are choices; else one a line. */
function listField(
  usual: { readonly name: string; readonly disabled: boolean },
  choices: readonly string[] | null,
  value: unknown,
) {
  const list = Array.isArray(value) ? value.map(String) : [];
  const { name, disabled } = usual;
  if (choices === null) {
    return (
      <textarea {...usual} rows={Math.min(6, list.length + 1)} placeholder="one a line">
        {list.join("\n")}
      </textarea>
    );
  }
  return (
    <div class="row">
      <input type="hidden" name={name} value="" />
      {choices.map((choice) => {
        const tick = { name, disabled, value: choice, checked: list.includes(choice) };
        return (
          <label>
            <input type="checkbox" {...tick} /> {choice.replaceAll("_", " ")}
          </label>
        );
      })}
    </div>
  );
}

function VoiceTrial({ voice }: { voice: string }) {
  return (
    <Part title="Hear a voice">
      <TryForm>
        <Lines label="How it would speak" name="voice" rows={4} maxlength={8000} value={voice} />
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
      </TryForm>
    </Part>
  );
}

function Files({ dataDir }: { dataDir: string }) {
  return (
    <Part title="What leaves and enters">
      <p class="small soft">Everything lies in {dataDir}, on this machine.</p>
      <div class="acts">
        <Act to="post /api/backup">Make a backup</Act>
        <a class="button" href="/api/export" download="forgetmenot-notes.json">
          Export the notes
        </a>
      </div>
      <details class="fold" id="import">
        <summary>Import notes</summary>
        <Fill to="post /api/import" yes="Import">
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
