import { isSameJson } from "../config/json-tree.ts";
import type { PolicyChange } from "../memory/memory-policy.ts";
import { policyRows } from "./control-routes.ts";
import type { PageView } from "./layout.tsx";
import {
  act,
  Confirm,
  Fill,
  Form,
  input,
  lines,
  list,
  optionsOf,
  Part,
  plain,
  TryForm,
  When,
} from "./parts.tsx";
import type { PageData, Views } from "./route.ts";
import { type Setting, settingsOf } from "./settings.ts";

type Groups = readonly (readonly [prefix: string, title: string])[];

/** A key belongs to the last group whose prefix it begins with. */
const GROUPS: Groups = [
  ["persona", "Voice"],
  ["mode", "When it speaks"],
  ["replies", "Answers"],
  ["bot", "The bot"],
  ["llm", "Model and cost"],
  ["prompt", "Prompt"],
  ["retention", "Retention"],
  ["backup", "Backups"],
  ["language", "Language"],
  ["log", "Log"],
];
const POLICY_GROUPS: Groups = [
  ["actions", "What the bot may do"],
  ["actions.limits", "How often, and for how long"],
  ["actions.words", "Your own words for actions"],
  ["memory", "What memory stores"],
];
const POLICIES_SHOWN = 20;
const SAVED =
  "Saved in config.json; the bot applies a change within a second. For memory and actions, see Actions, Policy.";
const CANNOT_SAVE = "This is a rehearsal without a configuration file: nothing can be saved.";
/** Limits that an action does not have are 0 by default. */
const MAY_NOT_APPLY = /^actions\.limits\..*\.(secondsMin|secondsMax|targetSeconds)$/;

/** The settings that may change while the bot runs, backups, export and import. */
export const SETTINGS: Views = {
  "/settings": (data) => {
    const { config } = data;
    const voice = config.persona.voice;
    const question = { value: "what are you good for?", required: true, maxlength: 500 };
    const shown = (
      <div class="cols">
        <div>{groups(data, GROUPS)}</div>
        <div>
          <Part title="Hear a voice">
            <TryForm>
              {lines("How it would speak", "voice", voice, { rows: 4, maxlength: 8_000 })}
              {input("A question", "question", question)}
              <div>
                <button type="submit">Answer in this voice</button>
              </div>
            </TryForm>
          </Part>
          <Files dataDir={config.dataDir} />
        </div>
      </div>
    );
    return { title: "Settings", lead: data.configFile === null ? CANNOT_SAVE : SAVED, shown };
  },
};

/** The policy of memory and actions, and the policies before it. */
export function policyView(data: PageData): PageView {
  const canSave = data.configFile !== null;
  const shown = (
    <div class="cols">
      <div>{groups(data, POLICY_GROUPS)}</div>
      <Part title="Earlier policies">
        {list(
          policyRows(data, POLICIES_SHOWN),
          "None yet.",
          ({ number, source, createdAtMs, changes, back }) => (
            <li id={`policy-${number}`}>
              <b>{number}</b>{" "}
              <span class="soft">
                {plain(source)}, <When ms={createdAtMs} />
              </span>
              {changes.map((change) => (
                <p class="soft">{changeText(change)}</p>
              ))}
              {back.length > 0 && canSave && (
                <Confirm
                  id={`back-${number}`}
                  label="Bring it back …"
                  to="post /api/policy/rollback"
                  fields={{ number: String(number) }}
                  yes={`Bring policy ${number} back`}
                >
                  {back.map((change) => `${changeText(change)}. `)}
                </Confirm>
              )}
            </li>
          ),
          "list small",
        )}
      </Part>
    </div>
  );
  const lead = "What the bot may do, and what it stores. You can bring an earlier policy back.";
  return { title: "Policy", lead: canSave ? lead : CANNOT_SAVE, shown };
}

function changeText({ key, from, to }: PolicyChange): string {
  return `${key}: ${valueText(from)} → ${valueText(to)}`;
}

/** A form for each group; the first is open. */
function groups({ config, configFile }: PageData, all: Groups) {
  const isOff = configFile === null;
  const settings = settingsOf(config).filter(
    ({ key, standard }) => !(standard === 0 && MAY_NOT_APPLY.test(key)),
  );
  const groupOf = ({ key }: Setting) => all.findLast(([prefix]) => key.startsWith(prefix))?.[0];
  return all.map(([prefix, title], n) => (
    <details class="fold" id={`group-${prefix}`} open={n === 0}>
      <summary>{title}</summary>
      <Form to="patch /api/settings" look="fields" id={`set-${prefix}`}>
        {settings
          .filter((setting) => groupOf(setting) === prefix)
          .map((setting) => (
            <SettingRow setting={setting} isOff={isOff} />
          ))}
        <div>
          <button type="submit" class="first" disabled={isOff} aria-label={`Save: ${title}`}>
            Save
          </button>
        </div>
      </Form>
    </details>
  ));
}

function SettingRow({ setting, isOff }: { setting: Setting; isOff: boolean }) {
  const { key, describe, field, value, standard } = setting;
  const isWide =
    (field.kind === "text" && field.isLong) || (field.kind === "list" && field.choices === null);
  return (
    <div class={isWide ? "setting wide" : "setting"}>
      <div>
        <code>{key}</code>
        <p>
          {describe}
          {isSameJson(value, standard) ? "" : ` Default: ${valueText(standard)}.`}
        </p>
      </div>
      {fieldFor(setting, isOff)}
    </div>
  );
}

function fieldFor({ key, field, value, standard }: Setting, isOff: boolean) {
  const usual = { name: key, "aria-label": key, disabled: isOff };
  const text = String(value ?? "");
  const placeholder = field.isOptional ? valueText(standard) : undefined;
  switch (field.kind) {
    case "choice": {
      const options = field.choices.map((one) => [String(one), valueText(one)] as const);
      return <select {...usual}>{optionsOf(options, text)}</select>;
    }
    case "number": {
      const { min, max, isWhole, isOptional } = field;
      const bounds = { min, max, step: isWhole ? "1" : "any", required: !isOptional };
      return <input {...usual} {...bounds} type="number" value={text} placeholder={placeholder} />;
    }
    case "text":
      if (!field.isLong) return <input {...usual} value={text} placeholder={placeholder} />;
      return (
        <textarea {...usual} rows={3}>
          {text}
        </textarea>
      );
    case "list": {
      const all = Array.isArray(value) ? value.map(String) : [];
      if (field.choices === null)
        return (
          <textarea {...usual} rows={Math.min(6, all.length + 1)} placeholder="one a line">
            {all.join("\n")}
          </textarea>
        );
      const tick = { type: "checkbox", name: key, disabled: isOff };
      return (
        <div class="row">
          <input type="hidden" name={key} value="" />
          {field.choices.map((one) => (
            <label>
              <input {...tick} value={one} checked={all.includes(one)} /> {plain(one)}
            </label>
          ))}
        </div>
      );
    }
  }
}

function Files({ dataDir }: { dataDir: string }) {
  return (
    <Part title="Backup, export and import">
      <p class="small soft">All data is in {dataDir}, on this machine.</p>
      <div class="acts">
        {act("post /api/backup", "Make a backup")}
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
            <input type="checkbox" name="dryRun" value="true" checked /> Only show what would happen
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

function valueText(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(String).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? plain(value) : JSON.stringify(value);
}
