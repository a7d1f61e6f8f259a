import { z } from "zod";
import { accountStore, identityStore } from "../chat/viewer-store.ts";
import { wrongUse } from "../errors.ts";
import { finishInTurns } from "../memory/export-store.ts";
import { exportText, forgetPerson, importText, recordOf, viewerFile } from "../privacy/operator.ts";
import { plural } from "../telemetry/figures.ts";
import { PERSON_PLACE, VIEWER } from "./browse-store.ts";
import {
  absent,
  flag,
  listQuery,
  oneOf,
  operatorContext,
  type PageData,
  type Route,
  route,
  shortText,
} from "./route.ts";

export const viewersQuery = listQuery.extend({
  q: shortText.describe("How the login begins."),
  channel: shortText.describe("Nothing: the first channel."),
  sort: oneOf(["seen", "notes"]).describe("seen: those seen last first; notes: most notes first."),
  only: oneOf(["all", "notes"]).describe("notes: those with notes."),
  after: z
    .string()
    .regex(PERSON_PLACE)
    .optional()
    .describe("Where the last page ended: its `next`."),
});

/** A page of people: those seen last first, or by login if one is searched for. */
export function listViewers(data: PageData, query: z.output<typeof viewersQuery>) {
  const channel = query.channel || (data.config.channels[0] ?? "");
  return data.browse.viewers({ ...query, channel });
}

/** Everything stored about a person, by a Twitch user id. */
export function showViewer(data: PageData, userId: string, isNamingWanted = true) {
  const record = recordOf(operatorContext(data), userId, isNamingWanted);
  if (record.accounts.every(({ login }) => login === null)) throw absent("viewer");
  return record;
}

export const PEOPLE_ROUTES: readonly Route[] = [
  route("get /viewers", "People, those seen last first", {
    query: viewersQuery,
    items: VIEWER.schema,
    handle: (data, { query }) => listViewers(data, query),
  }),
  route("get /viewers/:id", "Everything stored about a person, by Twitch user id", {
    handle: (data, { params }) => showViewer(data, userIdIn(params)),
  }),
  route("get /viewers/:id/export", "The same as a file for that person, without chat", {
    handle: (data, { params }) => viewerFile(operatorContext(data), userIdIn(params)),
  }),
  route("delete /viewers/:id", "Forget everything about a person", {
    handle: (data, { params }) => ({
      notes: data.change((work) => forgetPerson(work, userIdIn(params)).notes),
    }),
    flash: ({ notes }) => ({
      text: `Everything about them is forgotten, ${plural(notes, "note")} among it.`,
      goTo: "/memory",
    }),
  }),
  route("post /viewers/:id/merge", "Say that two accounts are one person; the second leads", {
    body: z.strictObject({ into: z.string().trim().min(1).max(60) }),
    handle: (data, { params, body }) => {
      const from = userIdIn(params);
      const into = accountStore(data.db).named(body.into).userId;
      for (const id of [from, into])
        if (recordOf(operatorContext(data), id, false).optedOut)
          throw wrongUse(
            "one of them opted out: nothing about them is stored or merged",
            "only they can opt in again, with !optin",
          );
      return { isMerged: data.change(({ db, now }) => identityStore(db, now).merge(from, into)) };
    },
    flash: ({ isMerged }, { params }) => {
      if (!isMerged) return "These accounts were merged already.";
      const undo = { to: `post /api/viewers/${encodeURIComponent(params["id"] ?? "")}/separate` };
      return { text: "Two accounts, one person from now on.", undo };
    },
  }),
  route("post /viewers/:id/separate", "Undo a merge of this account, the latest by default", {
    body: z.strictObject({ from: shortText }),
    handle: (data, { params, body }) => {
      const userId = userIdIn(params);
      const named = body.from === "" ? null : accountStore(data.db).named(body.from).userId;
      const separate = data.change(({ db, now }) => {
        const identities = identityStore(db, now);
        const from = named ?? identities.mergedInto(userId)[0];
        return from !== undefined && identities.separate(userId, from);
      });
      return { isSeparated: separate };
    },
    flash: ({ isSeparated }) => (isSeparated ? "Separated again." : "This account was not merged."),
  }),
  route("get /export", "All notes as an export file, or those about one person", {
    query: z.object({ viewer: shortText.describe("A login, or `id:` and an id.") }),
    handle: async (data, { query: { viewer } }) => {
      const { db, nowMs } = data;
      const accounts = identityStore(db, () => nowMs);
      const whole = () => accounts.accountsOf(accountStore(db).named(viewer).userId);
      const steps = exportText(operatorContext(data), viewer === "" ? null : whole());
      const pieces = (await finishInTurns(steps)).values();
      const pull = (body: ReadableStreamDefaultController): void => {
        const { value, done } = pieces.next();
        if (done === true) body.close();
        else body.enqueue(new TextEncoder().encode(value));
      };
      const headers = { "content-type": "application/json" };
      return new Response(new ReadableStream({ pull }), { headers });
    },
  }),
  route("post /import", "Import notes from an export file; dryRun only says what would happen", {
    query: z.object({ dryRun: flag.default(false) }),
    body: z.union([
      z.strictObject({ file: z.string(), dryRun: flag.default(false) }),
      z.looseObject({ content: z.looseObject({}) }),
    ]),
    handle: (data, { query, body }) => {
      const isForm = typeof body["file"] === "string";
      const text = isForm ? String(body["file"]) : JSON.stringify(body);
      const isDryRun = query.dryRun || (isForm && body["dryRun"] === true);
      return { isDryRun, ...data.change((work) => importText(work, text, isDryRun)) };
    },
    flash: ({ isDryRun, notes, written, confirmed, dropped }) =>
      `${isDryRun ? "It would be" : "Done"}: of ${plural(notes, "note")} ${written} new, ${confirmed} known and confirmed, ${dropped} dropped.`,
  }),
];

function userIdIn(params: Readonly<Record<string, string>>): string {
  const userId = params["id"] ?? "";
  if (!/^[\w-]{1,40}$/.test(userId)) throw absent("viewer");
  return userId;
}
