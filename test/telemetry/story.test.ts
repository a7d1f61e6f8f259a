import { expect, test } from "vitest";
import { choosePeriod } from "../../src/telemetry/period-store.ts";
import { readReport } from "../../src/telemetry/report.ts";
import { readStory, storyText } from "../../src/telemetry/story-store.ts";
import { HOUR_MS, type Ledgers, ledgers, START_MS } from "./reported.ts";

const NOW_MS = START_MS + 3 * HOUR_MS;

test("people come first: who talked to it, who is new, who came back", () => {
  const kept = ledgers();
  streamWithPeople(kept);
  const lines = told(kept);
  expect(lines[2]).toBe("People");
  expect(lines).toContain("  Talked to it: Ann (2), Bo");
  expect(lines).toContain("  Here for the first time: Bo");
  expect(lines).toContain("  Came back: Ann");
});

test("what was not liked is named with the notes to look at, and in the singular where it is one", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + HOUR_MS);
  const id = kept.reply({ atMs: START_MS + 1, outcomes: ["bad"] });
  kept.db
    .prepare(
      "UPDATE replies SET token_usage_json = json_set(token_usage_json, '$.ids.lore', json('[31,13]'))",
    )
    .run();
  const text = told(kept).join("\n");
  expect(text).toContain(`Reply ${id} was not liked: \`forgetmenot explain ${id}\``);
  expect(text).toContain("look at notes 13, 31: `forgetmenot memory show 13`");
});

test("what there is nothing to say of has no heading, and one reply no range", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + HOUR_MS);
  kept.reply({ atMs: START_MS + 1 });
  const text = told(kept).join("\n");
  for (const heading of ["What it learned", "Moments", "What to look at", "Cost"])
    expect(text).not.toContain(heading);
  expect(text).not.toMatch(/none|undefined|null|\b1 \w+s\b|\(\d+ to \d+ %\)/);
});

test("what was learned stands with what it replaced; who asked to be forgotten is counted, not named", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + HOUR_MS);
  const [old = 0] = kept.episode(START_MS - HOUR_MS, ["profile"]);
  const [fresh = 0] = kept.episode(START_MS + 1, ["profile"]);
  kept.db.exec(`UPDATE semantic_notes SET fact = 'lives in Bergen', status = 'superseded', superseded_by = ${fresh} WHERE id = ${old};
    UPDATE semantic_notes SET fact = 'lives in Utrecht' WHERE id = ${fresh};
    INSERT INTO forgets (who, forgotten_at) VALUES ('h:x', ${START_MS + 2})`);
  const lines = told(kept);
  expect(lines).toContain(`  [${fresh}] lives in Utrecht; before: lives in Bergen`);
  expect(lines).toContain("  1 person is forgotten.");
  expect(lines.filter((line) => line.includes("Bergen"))).toHaveLength(1);
});

test("a silence is told with its reason, once", () => {
  const kept = ledgers();
  kept.stream(START_MS, START_MS + HOUR_MS);
  kept.reply({ atMs: START_MS + 1, state: "refused", reason: "offline" });
  kept.reply({ atMs: START_MS + 2, state: "refused", reason: "offline" });
  expect(told(kept)).toContain("  Silent 2 times: your channel is offline");
});

function told({ db }: Ledgers): string[] {
  const period = choosePeriod(db, { session: null, since: null, channel: null }, NOW_MS);
  return storyText(readStory(db, period, NOW_MS), readReport(db, period, NOW_MS)).split("\n");
}

function streamWithPeople({ db, stream, reply }: Ledgers): void {
  const session = stream(START_MS, START_MS + HOUR_MS);
  const ids = { Ann: reply({ atMs: START_MS + 1 }), Bo: reply({ atMs: START_MS + 2 }) };
  const again = reply({ atMs: START_MS + 3 });
  const episode = db
    .prepare(
      `INSERT INTO episodes (channel, kind, session_id, event_count, started_at, ended_at, created_at)
       VALUES ('here', 'window', ?, 30, ?, ?, ?)`,
    )
    .run(session, START_MS, START_MS + 9, START_MS + 9).lastInsertRowid;
  for (const [name, firstSeenAtMs] of [
    ["Ann", START_MS - 9 * HOUR_MS],
    ["Bo", START_MS + 1],
  ] as const) {
    db.prepare(
      "INSERT INTO viewers (user_id, login, display_name, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?)",
    ).run(name, name.toLowerCase(), name, firstSeenAtMs, START_MS);
    db.prepare(
      "INSERT INTO viewer_channels (channel, user_id, first_seen_at, last_seen_at) VALUES ('here', ?, ?, ?)",
    ).run(name, firstSeenAtMs, START_MS);
    db.prepare("INSERT INTO episode_participants (episode_id, user_id) VALUES (?, ?)").run(
      episode,
      name,
    );
    db.prepare("UPDATE replies SET user_id = ? WHERE id = ?").run(name, ids[name]);
  }
  db.prepare("UPDATE replies SET user_id = 'Ann' WHERE id = ?").run(again);
}
