import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrokenSetup, inData, makeDatabase, prepared } from "./examined.ts";

type Breaks = BrokenSetup[1];

function database(sql: string): Breaks {
  return prepared((patient) => makeDatabase(patient, sql));
}

function switchedOn(name: string): Breaks {
  return database(
    `INSERT INTO switches (name, is_on, set_by, set_at) VALUES ('${name}', 1, 'cli', 1)
     ON CONFLICT (name) DO UPDATE SET is_on = 1`,
  );
}

function configured(config: Readonly<Record<string, unknown>>): Breaks {
  return () => ({ config });
}

/** What can be wrong on this machine: the configuration, the data folder, the database, the secrets. */
export const BROKEN_HERE: readonly BrokenSetup[] = [
  [
    "the example's channel",
    configured({ channel: "yourchannel" }),
    "config",
    /as in the example/,
    /channel/,
  ],
  [
    "a misspelt key",
    configured({ twich: {} }),
    "config",
    /did you mean twitch\?/,
    /docs\/configuration\.md/,
  ],
  ["a value that is none", configured({ mode: "loud" }), "config", /should be one of/, /config/],
  ["a number as a login", configured({ bot: { login: 7 } }), "config", /bot\.login is 7/, /config/],
  [
    "nobody who speaks",
    configured({ bot: { login: null } }),
    "config",
    /bot\.login is null/,
    /bot\.login/,
  ],
  [
    "a budget that no prompt fits into",
    configured({ persona: { voice: "Talks. ".repeat(700) }, prompt: { budgetTokens: 2_500 } }),
    "config",
    /budgetTokens is 2500/,
    /prompt\.budgetTokens|voice/,
  ],
  [
    "a removed key",
    configured({ memory: { kindDays: { event: 9 } } }),
    "config",
    /have no effect any more: memory\.kindDays/,
    /delete them/,
  ],
  [
    "chat by an address that is not encrypted",
    configured({ twitch: { chatUrl: "ws://chat.example:80" } }),
    "config",
    /twitch\.chatUrl/,
    /config/,
  ],
  [
    "a file in the place of the data folder",
    prepared(({ dataDir }) => writeFileSync(dataDir, "")),
    "folder",
    /it is a file/,
    /dataDir/,
  ],
  [
    "a data folder that a cloud copies",
    ({ folder }) => {
      mkdirSync(join(folder, "OneDrive"));
      return { config: { dataDir: join(folder, "OneDrive", "bot") } };
    },
    "folder",
    /copied elsewhere by OneDrive/,
    /move the folder/,
  ],
  [
    "a folder in the place of the database",
    prepared((patient) => mkdirSync(inData(patient, "forgetmenot.db"))),
    "database",
    /a folder has its name/,
    /move that folder away/,
  ],
  [
    "a folder in the place of the lock",
    prepared((patient) => mkdirSync(inData(patient, "forgetmenot.lock"))),
    "daemon",
    /forgetmenot\.lock cannot be used/,
    /remove the file/,
  ],
  [
    "a database that is none",
    prepared((patient) =>
      writeFileSync(inData(patient, "forgetmenot.db"), "no database ".repeat(100)),
    ),
    "database",
    /not a database/,
    /restore|backup/,
  ],
  [
    "a database of a newer program",
    database("PRAGMA user_version = 999"),
    "database",
    /version 999/,
    /update ForgetMeNot/,
  ],
  [
    "chat that is older than it may be",
    database(
      "INSERT INTO events (channel, kind, user_id, text, created_at, expires_at) VALUES ('a', 'message', '1', 'x', 1, 2)",
    ),
    "kept_chat",
    /should be gone by now/,
    /start the bot/,
  ],
  [
    "a pause that was forgotten",
    switchedOn("paused"),
    "switches",
    /is paused/,
    /forgetmenot resume/,
  ],
  [
    "safe mode that was forgotten",
    switchedOn("safe_mode"),
    "switches",
    /safe mode/,
    /forgetmenot safe off/,
  ],
  [
    "a memory that was left read-only",
    switchedOn("read_only"),
    "switches",
    /read-only/,
    /memory readonly off/,
  ],
  [
    "secrets that others can read",
    prepared((patient) => {
      const file = inData(patient, "secrets.json");
      writeFileSync(file, "{}");
      chmodSync(file, 0o644);
    }),
    "secrets",
    /other users/,
    /chmod 600/,
  ],
  [
    "secrets that are half a file",
    prepared((patient) =>
      writeFileSync(inData(patient, "secrets.json"), '{"twitch', { mode: 0o600 }),
    ),
    "secrets",
    /secrets\.json/,
    /./,
  ],
  [
    "quotation marks around a key",
    () => ({ environment: { GEMINI_API_KEY: '"k3yofthemodel"' } }),
    "secrets",
    /quotation mark/,
    /without quotation marks/,
  ],
];
