import { CATALOGUE } from "../actions/catalogue.ts";
import { Fault } from "../errors.ts";
import type { PolicyChange } from "../memory/memory-policy.ts";
import { ACTION_NAMES } from "../platform/config/names.ts";
import { plural } from "../telemetry/figures.ts";
import { policyRows } from "./control-routes.ts";
import { Confirm, Form, List, Part, plain, Table, When } from "./parts.tsx";
import { policyEffects } from "./policy-effects.ts";
import type { PageData } from "./route.ts";
import { changesIn, previewChange, type Setting, settingsOf } from "./settings.ts";
import { CANNOT_SAVE, Field, lookOf, shownValue } from "./settings-view.tsx";

/** Parts of the policy; a key belongs to the last whose name it begins with. */
const GROUPS = [
  ["actions", "What the bot may do"],
  ["actions.limits", "How often, and for how long"],
  ["actions.words", "Your own words for actions"],
  ["actions.questions", "Your own questions before an action"],
  ["memory", "What memory keeps"],
] as const;
const ROWS_SHOWN = 20;

/** What memory keeps and what the bot may do: changed only after the effect was shown. */
export function PolicyView({
  data,
  asked,
}: {
  data: PageData;
  asked: Readonly<Record<string, readonly string[]>>;
}) {
  const settings = settingsOf(data.config);
  const canSave = data.configFile !== null;
  const fields = fieldsIn(settings, asked);
  const groupOf = ({ key }: Setting) => GROUPS.findLast(([name]) => key.startsWith(name))?.[0];
  const of = (name: string) => settings.filter((setting) => groupOf(setting) === name);
  return (
    <>
      {canSave ? null : <p class="notice">{CANNOT_SAVE}</p>}
      {Object.keys(fields).length === 0 ? null : <Preview data={data} fields={fields} />}
      <div class="cols">
        <div>
          {GROUPS.map(([name, title]) => (
            <details class="fold" id={`group-${name}`} open={name === "actions"}>
              <summary>{title}</summary>
              <form method="get" action="/actions/policy" class="fields">
                {name === "actions.limits" ? (
                  <Limits settings={of(name)} isOff={!canSave} />
                ) : (
                  of(name).map((setting) => <SettingRow setting={setting} isOff={!canSave} />)
                )}
                <div>
                  <button type="submit" class="first" disabled={!canSave}>
                    Show what this changes
                  </button>
                </div>
              </form>
            </details>
          ))}
        </div>
        <History data={data} />
      </div>
    </>
  );
}

/** What a form asks for, one value or several a key. */
function fieldsIn(
  settings: readonly Setting[],
  asked: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, unknown>> {
  const known = new Set(settings.map(({ key }) => key));
  const fields = Object.entries(asked).filter(([key]) => known.has(key));
  return Object.fromEntries(
    fields.map(([key, values]) => [key, values.length === 1 ? values[0] : values]),
  );
}

function SettingRow({ setting, isOff }: { setting: Setting; isOff: boolean }) {
  return (
    <div class={lookOf(setting)}>
      <div>
        <code>{setting.key}</code>
        <p>{setting.describe}</p>
      </div>
      <Field setting={setting} isOff={isOff} />
    </div>
  );
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

/** A row an action; what is left empty is as built in, which stands there in grey. */
function Limits({ settings, isOff }: { settings: readonly Setting[]; isOff: boolean }) {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const titles = LIMITS.map(([, title]) => [title] as const);
  return (
    <Table label="Limits" look="limits" columns={[["Action"], ...titles]}>
      {ACTION_NAMES.map((action) => (
        <tr>
          <th scope="row">{action}</th>
          {LIMITS.map(([limit]) => {
            const setting = byKey.get(`actions.limits.${action}.${limit}`);
            const isMeant =
              (CATALOGUE[action].limits.secondsMax > 0 || !limit.startsWith("secondsM")) &&
              (CATALOGUE[action].target !== "none" || limit !== "targetSeconds");
            return (
              <td>
                {setting !== undefined && isMeant ? (
                  <Field setting={setting} isOff={isOff} />
                ) : null}
              </td>
            );
          })}
        </tr>
      ))}
    </Table>
  );
}

/** Only what differs goes on to be saved. */
function Preview({ data, fields }: { data: PageData; fields: Readonly<Record<string, unknown>> }) {
  const changes = previewOf(data, fields);
  if (typeof changes === "string")
    return (
      <p class="flash wrong" role="status">
        {changes}
      </p>
    );
  if (changes.length === 0) return <p class="flash">That is how it is already.</p>;
  const asked = changes.map(({ key }) => {
    const value = fields[key];
    return [key, Array.isArray(value) ? value.join("\n") : String(value)];
  });
  return (
    <section class="sheet" id="preview">
      <h2>This would change</h2>
      <ul>
        {changes.map((one) => (
          <li>
            <Changed change={one} />
          </li>
        ))}
      </ul>
      <h3>What it would have meant</h3>
      {policyEffects(data, changes).map((text) => (
        <p class="soft">{text}</p>
      ))}
      <div class="acts">
        <Form to="patch /api/settings" fields={Object.fromEntries(asked)} look="inline">
          <button type="submit" class="first" disabled={data.configFile === null}>
            {`Save ${plural(changes.length, "change")}`}
          </button>
        </Form>
        <a class="button" href="/actions/policy">
          Leave it
        </a>
      </div>
    </section>
  );
}

/** What would change; or in words why it cannot be, and the form stays for another try. */
function previewOf(data: PageData, fields: Readonly<Record<string, unknown>>) {
  try {
    return previewChange(data.configFile, changesIn(data.config, fields));
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
}

function Changed({ change: { key, from, to } }: { change: PolicyChange }) {
  return (
    <>
      <code>{key}</code>: {shownValue(from)} → <b>{shownValue(to)}</b>
    </>
  );
}

function History({ data }: { data: PageData }) {
  return (
    <Part title="Earlier policies">
      <List of={policyRows(data, ROWS_SHOWN)} none="None yet." look="list small">
        {({ number, source, createdAtMs, changes, back }) => (
          <li id={`policy-${number}`}>
            <b>{number}</b>{" "}
            <span class="soft">
              {plain(source)}, <When ms={createdAtMs} />
            </span>
            {changes.map((one) => (
              <p class="soft">
                <Changed change={one} />
              </p>
            ))}
            {back.length === 0 || data.configFile === null ? null : (
              <Confirm
                id={`back-${number}`}
                label="Bring it back …"
                to="post /api/policy/rollback"
                fields={{ number: String(number) }}
                yes={`Bring policy ${number} back`}
              >
                {back.map(
                  ({ key, from, to }) => `${key}: ${shownValue(from)} → ${shownValue(to)}. `,
                )}
                {policyEffects(data, back).join(" ")}
              </Confirm>
            )}
          </li>
        )}
      </List>
    </Part>
  );
}
