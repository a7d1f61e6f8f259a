import { CATALOGUE } from "../actions/catalogue.ts";
import type { PolicyChange } from "../memory/memory-policy.ts";
import { isSameJson } from "../platform/config/json-tree.ts";
import { ACTION_NAMES } from "../platform/config/names.ts";
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
  Table,
  TryForm,
  When,
} from "./parts.tsx";
import type { PageData, Views } from "./route.ts";
import { type Setting, settingsOf } from "./settings.ts";

type Groups = readonly (readonly [prefix: string, title: string])[];

/** Parts of the settings. A key belongs to the last group whose prefix it begins with. */
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
  ["actions.questions", "Your own questions before an action"],
  ["memory", "What memory keeps"],
];
const OPEN = 2;
const POLICIES_SHOWN = 20;
const SAVED =
  "They stand in config.json; the bot takes a change over within a second. What memory keeps and what the bot may do is under Actions, Policy.";
const CANNOT_SAVE =
  "This is a rehearsal: it has no configuration file, and nothing here can be saved.";
const YES_OR_NO = [
  ["true", "yes"],
  ["false", "no"],
] as const;

/** What can change while the bot runs, voice first; then what leaves and enters. */
export const SETTINGS: Views = {
  "/settings": (data) => {
    const { config } = data;
    const shown = (
      <div class="cols">
        <div>{groups(data, GROUPS, OPEN)}</div>
        <div>
          <Part title="Hear a voice">
            <TryForm>
              {lines("How it would speak", "voice", config.persona.voice, {
                rows: 4,
                maxlength: 8_000,
              })}
              {input("What somebody asks", "question", {
                value: "what are you good for?",
                required: true,
                maxlength: 500,
              })}
              <div>
                <button type="submit">Answer in this voice</button>
              </div>
            </TryForm>
          </Part>
          <Files dataDir={config.dataDir} />
        </div>
      </div>
    );
    const lead = data.configFile === null ? CANNOT_SAVE : SAVED;
    return { title: "Settings", lead, shown };
  },
};

/** What memory keeps and what the bot may do, with the policies before this one. */
export function policyView(data: PageData): PageView {
  const canSave = data.configFile !== null;
  const shown = (
    <div class="cols">
      <div>{groups(data, POLICY_GROUPS, 1)}</div>
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
              {back.length === 0 || !canSave ? null : (
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
  const lead = "What the bot may do, and what it keeps. An earlier policy can be brought back.";
  return { title: "Policy", lead: canSave ? lead : CANNOT_SAVE, shown };
}

function changeText({ key, from, to }: PolicyChange): string {
  return `${key}: ${valueText(from)} → ${valueText(to)}`;
}

/** A form for each group. `open`: how many of them begin unfolded. */
function groups({ config, configFile }: PageData, all: Groups, open: number) {
  const isOff = configFile === null;
  const groupOf = ({ key }: Setting) => all.findLast(([prefix]) => key.startsWith(prefix))?.[0];
  return all.map(([prefix, title], n) => {
    const settings = settingsOf(config).filter((setting) => groupOf(setting) === prefix);
    return (
      <details class="fold" id={`group-${prefix}`} open={n < open}>
        <summary>{title}</summary>
        <Form to="patch /api/settings" look="fields" id={`set-${prefix}`}>
          {prefix === "actions.limits"
            ? limitsTable(settings, isOff)
            : settings.map((setting) => settingRow(setting, isOff))}
          <div>
            <button type="submit" class="first" disabled={isOff} aria-label={`Save: ${title}`}>
              Save
            </button>
          </div>
        </Form>
      </details>
    );
  });
}

function settingRow(setting: Setting, isOff: boolean) {
  const { key, describe, value, standard, shape } = setting;
  const isLong =
    (shape.kind === "text" && shape.isLong) || (shape.kind === "list" && shape.choices === null);
  const usually = isSameJson(value, standard) ? "" : ` Usually ${valueText(standard)}.`;
  return (
    <div class={isLong ? "setting wide" : "setting"}>
      <div>
        <code>{key}</code>
        <p>
          {describe}
          {usually}
        </p>
      </div>
      {fieldFor(setting, isOff)}
    </div>
  );
}

/** The field that a key's schema asks for. */
function fieldFor({ key, shape, value, standard }: Setting, isOff: boolean) {
  const usual = { name: key, "aria-label": key, disabled: isOff };
  const text = String(value ?? "");
  const hint = "mayBeNone" in shape && shape.mayBeNone ? valueText(standard) : undefined;
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
      if (!shape.isLong) return <input {...usual} type="text" value={text} placeholder={hint} />;
      return (
        <textarea {...usual} rows={3}>
          {text}
        </textarea>
      );
    case "list": {
      const all = Array.isArray(value) ? value.map(String) : [];
      if (shape.choices === null)
        return (
          <textarea {...usual} rows={Math.min(6, all.length + 1)} placeholder="one a line">
            {all.join("\n")}
          </textarea>
        );
      return (
        <div class="row">
          <input type="hidden" name={key} value="" />
          {shape.choices.map((choice) => {
            const tick = {
              name: key,
              disabled: isOff,
              value: choice,
              checked: all.includes(choice),
            };
            return (
              <label>
                <input type="checkbox" {...tick} /> {plain(choice)}
              </label>
            );
          })}
        </div>
      );
    }
  }
}

const LIMITS = [
  ["actionSeconds", "s between two"],
  ["targetSeconds", "s, on one person"],
  ["requesterSeconds", "s, for one person"],
  ["perHour", "an hour"],
  ["perStream", "a stream"],
  ["secondsMin", "s, at least"],
  ["secondsMax", "s, at most"],
] as const;

/** A row for each action. An empty field means the built-in value, which it shows in grey. */
function limitsTable(settings: readonly Setting[], isOff: boolean) {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const columns = [["Action"] as const, ...LIMITS.map(([, title]) => [title] as const)];
  return (
    <Table label="Limits" look="limits" columns={columns}>
      {ACTION_NAMES.map((action) => (
        <tr>
          <th scope="row">{action}</th>
          {LIMITS.map(([limit]) => {
            const { limits, target } = CATALOGUE[action];
            const setting = byKey.get(`actions.limits.${action}.${limit}`);
            const isMeant =
              (limits.secondsMax > 0 || !limit.startsWith("secondsM")) &&
              (target !== "none" || limit !== "targetSeconds");
            return <td>{setting && isMeant ? fieldFor(setting, isOff) : null}</td>;
          })}
        </tr>
      ))}
    </Table>
  );
}

function Files({ dataDir }: { dataDir: string }) {
  return (
    <Part title="What leaves and enters">
      <p class="small soft">Everything lies in {dataDir}, on this machine.</p>
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
function valueText(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(String).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? plain(value) : JSON.stringify(value);
}
