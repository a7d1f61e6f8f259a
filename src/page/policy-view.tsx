import type { PolicyChange } from "../memory/memory-policy.ts";
import { count } from "../telemetry/figures.ts";
import { ACTION_TABS } from "./actions-view.tsx";
import type { policyRows } from "./control-routes.ts";
import { Act, Empty, Hidden, Tabs, When } from "./parts.tsx";
import type { Setting } from "./settings.ts";
import { Field, GROUPS, groupOf, isLong, shownValue } from "./settings-view.tsx";

export interface PolicyGiven {
  readonly settings: readonly Setting[];
  readonly canSave: boolean;
  readonly rows: ReturnType<typeof policyRows>;
  readonly preview: {
    readonly changes: readonly PolicyChange[];
    readonly effects: readonly string[];
    readonly fields: Readonly<Record<string, string>>;
  } | null;
}

/** What memory keeps and what the bot may do: changed only after the effect was shown. */
export function PolicyView({ settings, canSave, rows, preview }: PolicyGiven) {
  const groups = ["actions", "memory"] as const;
  return (
    <>
      <div class="head">
        <div>
          <h1>Policy</h1>
          <p class="lead">
            What the bot may do, and what it keeps. Nothing is saved before you saw what it changes.
          </p>
        </div>
      </div>
      <Tabs label="Parts of actions" at="/actions/policy" tabs={ACTION_TABS} />
      {preview === null ? null : <Preview preview={preview} canSave={canSave} />}
      <div class="cols">
        <div>
          {groups.map((name) => (
            <details class="fold" id={`group-${name}`} open={name === "actions"}>
              <summary>{GROUPS[name]}</summary>
              <form method="get" action="/actions/policy" class="fields">
                {settings
                  .filter(({ key }) => groupOf(key) === name)
                  .map((setting) => (
                    <div class={isLong(setting) ? "setting wide" : "setting"}>
                      <div>
                        <code>{setting.key}</code>
                        <p>{setting.describe}</p>
                      </div>
                      <Field setting={setting} isOff={!canSave} />
                    </div>
                  ))}
                <div>
                  <button type="submit" class="first" disabled={!canSave}>
                    Show what this changes
                  </button>
                </div>
              </form>
            </details>
          ))}
        </div>
        <section>
          <h2>Earlier policies of memory</h2>
          {rows.length === 0 ? <Empty>None yet.</Empty> : null}
          <ol class="list small">
            {rows.map(({ number, source, createdAtMs, changes }, n) => (
              <li>
                <b>{number}</b>{" "}
                <span class="soft">
                  {source}, <When ms={createdAtMs} />
                </span>
                {changes.map((one) => (
                  <p class="soft">
                    {one.key}: {shownValue(one.from)} → {shownValue(one.to)}
                  </p>
                ))}
                {n === 0 || !canSave ? null : (
                  <div>
                    <Act
                      action="/api/policy/rollback"
                      fields={{ number: String(number) }}
                      look="quiet"
                    >
                      Bring it back
                    </Act>
                  </div>
                )}
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  );
}

function Preview({
  preview: { changes, effects, fields },
  canSave,
}: {
  preview: NonNullable<PolicyGiven["preview"]>;
  canSave: boolean;
}) {
  if (changes.length === 0) return <p class="flash">That is how it is already.</p>;
  return (
    <section class="sheet" id="preview">
      <h2>This would change</h2>
      <ul>
        {changes.map(({ key, from, to }) => (
          <li>
            <code>{key}</code>: {shownValue(from)} → <b>{shownValue(to)}</b>
          </li>
        ))}
      </ul>
      {effects.length === 0 ? null : <h3>What it would have meant</h3>}
      {effects.map((text) => (
        <p class="soft">{text}</p>
      ))}
      <div class="acts">
        <form method="post" action="/api/settings" class="inline">
          <Hidden fields={{ _method: "patch", ...fields }} />
          <button type="submit" class="first" disabled={!canSave}>
            {`Save ${count(changes.length)} ${changes.length === 1 ? "change" : "changes"}`}
          </button>
        </form>
        <a class="button" href="/actions/policy">
          Leave it
        </a>
      </div>
    </section>
  );
}
