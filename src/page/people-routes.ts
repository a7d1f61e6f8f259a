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
} from "./route.ts";

export const viewersQuery = listQuery.extend({
  q: z.string().max(60).default("").describe("How the login begins."),
  channel: z.string().max(60).default("").describe("Nothing: the first channel."),
  after: z
    .string()
    .regex(PERSON_PLACE)
    .optional()
    .describe("Where the last page ended: its `next`."),
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
  route({
    method: "get",
    path: "/viewers",
    summary: "People, those seen last first",
    query: viewersQuery,
    answer: listOf(VIEWER.schema),
    handle: (data, { query }) => listViewers(data, query),
  }),
  route({
    method: "get",
    path: "/viewers/:id",
    summary: "All that is kept about a person, by Twitch user id",
    answer: z.looseObject({
      accounts: z.array(z.looseObject({})),
      notes: z.array(z.looseObject({})),
    }),
    handle: (data, { params }) => showViewer(data, userIdIn(params)),
  }),
  route({
    method: "get",
    path: "/viewers/:id/export",
    summary: "The same as a file for that person; no line of chat is in it",
    answer: z.looseObject({ whos: z.array(z.string()), record: z.looseObject({}) }),
    handle: async (data, { params }) =>
      JSON.parse((await operator()).viewerFile(operatorContext(data), userIdIn(params))),
  }),
  route({
    method: "delete",
    path: "/viewers/:id",
    summary: "Forget everything about a person",
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
  route({
    method: "post",
    path: "/viewers/:id/merge",
    summary: "Say that two accounts are one person; the second leads",
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
  route({
    method: "post",
    path: "/viewers/:id/separate",
    summary: "Take one merge of this account back, the latest unless another is named",
    body: z.strictObject({ from: z.string().max(60).default("") }),
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
  }),
  route({
    method: "get",
    path: "/export",
    summary: "All notes as an export file, or those about one person",
    query: z.object({
      viewer: z.string().max(60).default("").describe("A login, or `id:` and an id."),
    }),
    answer: z.looseObject({ content: z.looseObject({}) }),
    handle: async (data, { query }) => {
      const userIds =
        query.viewer === ""
          ? null
          : identityStore(data.db, () => data.nowMs).accountsOf(
              accountStore(data.db).named(query.viewer).userId,
            );
      return JSON.parse((await operator()).exportText(operatorContext(data), userIds));
    },
  }),
  route({
    method: "post",
    path: "/import",
    summary: "Take notes from an export file; with dryRun only say what would happen",
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
