import { z } from "zod";
import { accountStore, identityStore } from "../chat/viewer-store.ts";
import { plural } from "../telemetry/figures.ts";
import { PERSON_PLACE, VIEWER } from "./browse-store.ts";
import {
  absent,
  flag,
  listOf,
  listQuery,
  operator,
  operatorContext,
  type PageData,
  type Route,
  route,
  shortText,
} from "./route.ts";

export const viewersQuery = listQuery.extend({
  q: shortText.describe("How the login begins."),
  channel: shortText.describe("Nothing: the first channel."),
  after: z.string().regex(PERSON_PLACE).optional().describe("Its `next`, behind which it goes on."),
});

/** A page of people; those seen last first, or by login where one is looked for. */
export function listViewers(data: PageData, query: z.output<typeof viewersQuery>) {
  const channel = query.channel || (data.config.channels[0] ?? "");
  return data.browse.viewers({ ...query, channel });
}

/** All that is kept about a person, by a Twitch user id. */
export async function showViewer(data: PageData, userId: string, isNamingWanted = true) {
  const record = (await operator()).recordOf(operatorContext(data), userId, isNamingWanted);
  if (record.accounts.every(({ login }) => login === null)) throw absent("viewer");
  return record;
}

export const PEOPLE_ROUTES: readonly Route[] = [
  route("get /viewers", "People, those seen last first", {
    query: viewersQuery,
    answer: listOf(VIEWER.schema),
    handle: (data, { query }) => listViewers(data, query),
  }),
  route("get /viewers/:id", "All that is kept about a person, by Twitch user id", {
    answer: z.looseObject({
      accounts: z.array(z.looseObject({})),
      notes: z.array(z.looseObject({})),
    }),
    handle: (data, { params }) => showViewer(data, userIdIn(params)),
  }),
  route("get /viewers/:id/export", "The same as a file for that person; no line of chat is in it", {
    answer: z.looseObject({ whos: z.array(z.string()), record: z.looseObject({}) }),
    handle: async (data, { params }) =>
      JSON.parse((await operator()).viewerFile(operatorContext(data), userIdIn(params))),
  }),
  route("delete /viewers/:id", "Forget everything about a person", {
    answer: z.strictObject({ notes: z.int() }),
    handle: async (data, { params }) => {
      const userId = userIdIn(params);
      const { forgetPerson } = await operator();
      return { notes: data.change((work) => forgetPerson(work, userId)) };
    },
    told: ({ notes }) => ({
      text: `Everything about them is forgotten, ${plural(notes, "note")} among it.`,
      goTo: "/memory/people",
    }),
  }),
  route("post /viewers/:id/merge", "Say that two accounts are one person; the second leads", {
    body: z.strictObject({ into: z.string().trim().min(1).max(60) }),
    answer: z.strictObject({ isMerged: z.boolean() }),
    handle: (data, { params, body }) => {
      const from = userIdIn(params);
      const into = accountStore(data.db).named(body.into).userId;
      return { isMerged: data.change(({ db, now }) => identityStore(db, now).merge(from, into)) };
    },
    told: ({ isMerged }, { params }) =>
      isMerged
        ? {
            text: "Two accounts, one person from now on.",
            undo: { to: `post /api/viewers/${encodeURIComponent(params["id"] ?? "")}/separate` },
          }
        : "They were one person already.",
  }),
  route(
    "post /viewers/:id/separate",
    "Take one merge of this account back, the latest unless another is named",
    {
      body: z.strictObject({ from: shortText }),
      answer: z.strictObject({ isSeparated: z.boolean() }),
      handle: (data, { params, body }) => {
        const userId = userIdIn(params);
        const named = body.from === "" ? null : accountStore(data.db).named(body.from).userId;
        return {
          isSeparated: data.change(({ db, now }) => {
            const identities = identityStore(db, now);
            const from = named ?? identities.mergedInto(userId)[0];
            return from !== undefined && identities.separate(userId, from);
          }),
        };
      },
      told: ({ isSeparated }) => (isSeparated ? "Two people again." : "It was merged into none."),
    },
  ),
  route("get /export", "All notes as an export file, or those about one person", {
    query: z.object({
      viewer: shortText.describe("A login, or `id:` and an id."),
    }),
    answer: z.looseObject({ content: z.looseObject({}) }),
    handle: async (data, { query }) => {
      const { db, nowMs } = data;
      const whole = (viewer: string) =>
        identityStore(db, () => nowMs).accountsOf(accountStore(db).named(viewer).userId);
      const userIds = query.viewer === "" ? null : whole(query.viewer);
      return JSON.parse((await operator()).exportText(operatorContext(data), userIds));
    },
  }),
  route("post /import", "Take notes from an export file; with dryRun only say what would happen", {
    query: z.object({ dryRun: flag.default(false) }),
    body: z.union([
      z.strictObject({ file: z.string(), dryRun: flag.default(false) }),
      z.looseObject({ content: z.looseObject({}) }),
    ]),
    answer: z.looseObject({ notes: z.int(), written: z.int(), confirmed: z.int() }),
    handle: async (data, { query, body }) => {
      const { importText } = await operator();
      const isForm = typeof body["file"] === "string";
      const text = isForm ? String(body["file"]) : JSON.stringify(body);
      const isDryRun = query.dryRun || (isForm && body["dryRun"] === true);
      return { isDryRun, ...data.change((work) => importText(work, text, isDryRun)) };
    },
    told: ({ isDryRun, notes, written, confirmed, dropped }) =>
      `${isDryRun ? "It would be" : "Done"}: of ${plural(notes, "note")} ${written} new, ${confirmed} known and confirmed, ${dropped} dropped.`,
  }),
];

function userIdIn(params: Readonly<Record<string, string>>): string {
  const userId = params["id"] ?? "";
  if (!/^[\w-]{1,40}$/.test(userId)) throw absent("viewer");
  return userId;
}
