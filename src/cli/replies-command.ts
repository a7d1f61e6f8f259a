import { accountStore } from "../chat/account-store.ts";
import { loadConfig } from "../platform/config/load.ts";
import { openDatabase } from "../platform/database/open-database.ts";
import { seenStore } from "../telemetry/seen-store.ts";
import { counted } from "./plain-text.ts";
import { replyText } from "./seen-text.ts";
import type { Terminal } from "./terminal.ts";

export interface RepliesOptions {
  readonly config: string;
  readonly shadow?: boolean;
  readonly last: number;
  readonly viewer?: string;
  readonly json?: true;
}

/** Prints what the bot said or would have said, to whom, why, and how it was taken. */
export function replies(
  { config: file, shadow = false, last, viewer, json }: RepliesOptions,
  terminal: Terminal,
): void {
  const config = loadConfig(file);
  const db = openDatabase(config.databaseFile, { readOnly: true });
  try {
    const userId = viewer === undefined ? null : accountStore(db).named(viewer).userId;
    const found = seenStore(db).replies({ afterId: 0, limit: last, shadow, userId });
    if (json === true) {
      terminal.print(JSON.stringify({ replies: found }, null, 2));
      return;
    }
    if (found.length === 0) {
      terminal.print(shadow ? "Nothing was thought in shadow mode yet." : "Nothing was said yet.");
      return;
    }
    for (const reply of found) {
      for (const line of replyText(reply, config.bot.login ?? "the bot")) terminal.print(line);
    }
    terminal.print(
      `${counted(found.length, "reply", "replies")}; \`forgetmenot explain ID\` says what stood in its prompt.`,
    );
  } finally {
    db.close();
  }
}
