import { z } from "zod";
import { NOTE_KIND_LIST } from "../catalogue/note-kinds.ts";
import { type ListedStream, listStreams } from "../chat/channel-store.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import type { EpisodeView } from "../memory/episode-texts-store.ts";
import type { NoteReview, NoteView } from "../memory/note-review-store.ts";
import type { ViewerRecord } from "../privacy/operator.ts";
import { formatCount, formatPercent, formatPlural } from "../telemetry/figures.ts";
import { defineView, getOr404, listQuery, rowId, type View, viewerId } from "./api.ts";
import {
  act,
  askTwice,
  badge,
  card,
  columns,
  describeCode,
  emptyText,
  facts,
  faint,
  foldAway,
  form,
  hint,
  html,
  input,
  link,
  list,
  meta,
  more,
  names,
  nextPage,
  part,
  search,
  selectField,
  submitButton,
  textArea,
  time,
  viewerHref,
  withQuery,
} from "./parts.ts";
import { notesQuery, searchNotes, searchViewers, showViewer, viewersQuery } from "./routes.ts";

const TABS = {
  label: "Parts of memory",
  of: [
    ["/memory", "People"],
    ["/memory/notes?scope=channel", "Channel"],
    ["/memory/notes?scope=bit", "Jokes"],
    ["/memory/notes", "All notes"],
    ["/memory/streams", "Streams"],
    ["/memory/forgotten", "Forgotten"],
  ],
} as const;
const SCOPES = [
  ["", "anything"],
  ["viewer", "viewers"],
  ["channel", "the channel"],
  ["bit", "running jokes"],
] as const;
const STATUSES = [
  ["", "active or waiting"],
  ...NOTE_STATUSES.map((one) => [one, describeCode(one)] as const),
  ["all", "all"],
] as const;
const KINDS = [
  ["", "any"],
  ...NOTE_KIND_LIST.map(([name, { label }]) => [name, label] as const),
] as const;
const NO_NOTES = {
  "": "No notes yet. They come from chat, or from you, above.",
  viewer: "No notes about viewers yet. They come from chat.",
  channel: "Nothing yet. Write down your gear, schedule and rules above, so that viewers can ask.",
  bit: "None yet. A joke that several viewers repeat shows here.",
} as const;
const NO_PEOPLE = {
  notes:
    "No notes about viewers yet. They come from chat, a few minutes after viewers talk. To see all viewers, choose everyone.",
  all: "No viewers yet. They appear when they write in chat.",
} as const;
export const UNPROVEN_HINT = hint("Only you see these sentences. They are deleted after 30 days.");
const FACTS_LIKE =
  "the stream starts at seven on weekdays\nthe microphone is a Blue Lark\n@nell likes tea";
const USES_SHOWN = 8;
const EPISODES_OPEN = 20;
const STREAMS_SHOWN = 10;
const STREAM_EPISODES = 40;
const PEOPLE_SHOWN = 8;

const peopleQuery = viewersQuery.extend({ only: z.enum(["notes", "all"]).default("notes") });

/** Viewers and their notes, the channel, jokes, streams with their summaries, and a search for forgotten names. */
export const MEMORY: readonly View[] = [
  defineView("/memory", { query: peopleQuery }, (data, { query: asked }) => {
    const { q, sort, only } = asked;
    const { items, next } = searchViewers(data, asked);
    const field = { type: "search", class: "wide", value: q, maxlength: 60 };
    const none = q === "" ? NO_PEOPLE[only] : "No name begins with that.";
    const shown = [
      search(
        "/memory",
        input("Name begins with", "q", field),
        selectField("Show", "only", only, [
          ["notes", "with notes"],
          ["all", "everyone"],
        ]),
        selectField("Sort by", "sort", sort, [
          ["seen", "seen last"],
          ["notes", "most notes"],
        ]),
      ),
      list(items, none, (one) =>
        card(`person-${one.userId}`, link(viewerHref(one.userId), one.displayName, "fact"), [
          one.role !== "viewer" && badge("", one.role),
          one.optedOut && badge("pending", "opted out"),
          formatPlural(one.notes, "note"),
          formatPlural(one.messages, "message"),
          formatPlural(one.streams, "stream"),
          ["seen ", time(one.lastSeenAtMs)],
        ]),
      ),
      nextPage("/memory", { q, sort, only }, next, "More people"),
    ];
    return { title: "Memory", tabs: TABS, live: ["notes"], shown };
  }),
  defineView("/memory/notes", { query: notesQuery }, (data, { query: asked }) => {
    const { items, next } = searchNotes(data, asked);
    const { after: _, limit: __, ...filters } = asked;
    const { q, scope, status, kind, viewer, channel } = filters;
    const isFiltered = q + status + kind + viewer + channel !== "";
    let none: string = isFiltered ? "No note matches." : NO_NOTES[scope];
    if (next !== null) none = "None among the notes searched so far.";
    const words = { placeholder: "words, a name, a number", value: q, maxlength: 200 };
    const text = { required: true, rows: 4, placeholder: FACTS_LIKE };
    const about = { type: "search", value: viewer, maxlength: 60 };
    const oneALine = "One fact a line, up to 200. They stay until you remove them.";
    const addFacts = form(
      "post /api/notes/facts",
      { cssClass: "fields" },
      textArea(oneALine, "text", "", text),
      submitButton("Store them"),
    );
    const shown = [
      foldAway("add-facts", "Write facts yourself", addFacts, scope === "channel"),
      search(
        "/memory/notes",
        input("Search", "q", { type: "search", class: "wide", ...words }),
        selectField("About", "scope", scope, SCOPES),
        selectField("Status", "status", status, STATUSES),
        selectField("Kind", "kind", kind, KINDS),
        viewer !== "" && input("About one person", "viewer", about),
      ),
      drawNotes(items, none),
      nextPage("/memory/notes", filters, next, q ? "Search further back" : "Older notes"),
      drawBulkBar(),
    ];
    const tabs = { ...TABS, at: withQuery("/memory/notes", { scope }) };
    const title = { "": "Notes", viewer: "Notes", channel: "Channel", bit: "Jokes" }[scope];
    return { title, tabs, live: ["notes"], shown };
  }),
  defineView("/memory/forgotten", {}, () => {
    const login = { required: true, maxlength: 60, autocomplete: "off" };
    const shown = part(
      "Is a name still there?",
      hint(
        "The bot removes the names of forgotten viewers. A word that is also their login may stay in other sentences. Type the login to find it. It is not stored.",
      ),
      form("post /api/bare-words", { cssClass: "fields", isKept: true }, [
        input("Login", "login", login),
        submitButton("Find it"),
      ]),
    );
    return { title: "Forgotten", tabs: TABS, shown };
  }),
  defineView("/memory/notes/:id", { params: rowId }, (data, { params }) => {
    const note = getOr404(data.notes.note(params.id), "note");
    const uses = list(
      data.replies.withNote(note.id, USES_SHOWN),
      "No recent answer used it.",
      ({ id, viewer, text, createdAtMs }) => html`<li>
        ${link(`/replies/${id}`, `An answer to ${viewer ?? "someone"}`)} ${faint(time(createdAtMs))}
        ${text !== null && html`<p data-expires="">${text}</p>`}</li>`,
      "list small",
    );
    return {
      title: `Note ${note.id}`,
      heading: note.fact,
      lead: ["About ", noteSubject(note), ` · note ${note.id} · `, badge(note.status)],
      live: ["notes"],
      shown: columns(
        [part("Where it comes from", drawEvidence(note)), part("What it was used for", uses)],
        drawNotePanel(note),
      ),
    };
  }),
  defineView("/memory/people/:id", { params: viewerId }, (data, { params }) => {
    const userId = params.id;
    const record = showViewer(data, userId, false);
    const { accounts, episodes } = record;
    const own = accounts.find((one) => one.userId === userId) ?? accounts[0];
    const name = own?.displayName ?? "someone";
    const viewer = `id:${userId}`;
    const notes = searchNotes(data, notesQuery.parse({ viewer })).items;
    const allNotes = withQuery("/memory/notes", { viewer, status: "all" });
    const earlier = episodes.slice(0, -EPISODES_OPEN);
    const address = `/api/viewers/${encodeURIComponent(userId)}`;
    const known = part(
      "What is known",
      record.optedOut &&
        html`<p class="notice">They opted out: the bot stores nothing that they write.</p>`,
      drawNotes(notes, "Nothing yet."),
      more(allNotes, "All notes, replaced and expired too"),
    );
    const tookPart = part(
      "Took part in",
      drawEpisodeLinks(episodes.slice(-EPISODES_OPEN)),
      earlier.length > 0 &&
        foldAway("earlier", `${earlier.length} earlier summaries`, drawEpisodeLinks(earlier)),
    );
    const aside = html`<div class="acts">
      <a class="button" href="${address}/export" download="viewer-${userId}.json">Export</a>
      ${askTwice(
        "forget-person",
        "Forget everything …",
        "Deletes all their notes, claims, messages and names, also in the backups that the program made. This cannot be undone.",
        [`delete ${address}`, `Forget ${name}`],
      )}</div>`;
    return {
      title: "A person",
      heading: name,
      lead: accounts.map(({ login, userId: id }) => login ?? `id ${id}`).join(", "),
      aside,
      live: ["notes"],
      shown: [columns([known, tookPart], drawViewerPanel(record, address)), drawBulkBar()],
    };
  }),
  defineView("/memory/streams", { query: listQuery }, ({ db, episodes }, { query: { after } }) => {
    const { items, next } = listStreams(db, { after, limit: STREAMS_SHOWN });
    const failed = episodes.failed(STREAM_EPISODES);
    const shown = [
      failed.length > 0 && part("Could not be summarised", drawEpisodes(failed)),
      items.length === 0 && emptyText("No stream was seen yet. Each shows here with its summary."),
      items.map((stream) => {
        const { id, recap } = stream;
        return part(
          html`Stream ${id} ${faint(drawStream(stream))}`,
          recap !== null && html`<p class="note-card quote">${recap}</p>`,
          drawEpisodes(episodes.ofStream(id, STREAM_EPISODES)),
          html`<p class="small">${link(`/report?session=${id}`, "Its report")} ·
            ${link(`/review?session=${id}`, "Review it")}</p>`,
        );
      }),
      nextPage("/memory/streams", {}, next, "Earlier streams"),
    ];
    return { title: "Streams", tabs: TABS, live: ["episodes"], shown };
  }),
  defineView("/memory/episodes/:id", { params: rowId }, (data, { params }) => {
    const episode = getOr404(data.episodes.episode(params.id), "episode");
    const { id, topic, kind, status, summary, unproven, eventCount } = episode;
    const claims = list(
      episode.claims,
      "None.",
      ({ subject, statement, support, withdrawn }) =>
        html`<li><p class="fact">${statement}</p>${meta(
          subject ?? "the channel",
          formatPlural(support, "message"),
          withdrawn && badge("rejected", "withdrawn"),
        )}</li>`,
    );
    const people =
      episode.people.length === 0
        ? emptyText("Nobody known.")
        : html`<p>${names(episode.people)}</p>`;
    const notes = drawNotes(data.notes.ofEpisode(id), "No note uses it.");
    return {
      title: `Episode ${id}`,
      heading: topic || `Episode ${id}`,
      lead: [
        `${describeCode(kind)} of ${formatPlural(eventCount, "message")}, `,
        time(episode.endedAtMs),
        " · ",
        badge(status),
      ],
      aside: drawRetryIfFailed(episode),
      live: ["episodes", "notes"],
      shown: [
        summary === ""
          ? emptyText("It has no summary.")
          : html`<p class="note-card quote">${summary}</p>`,
        unproven !== "" &&
          part("Said by newcomers", html`<p class="quote">${unproven}</p>`, UNPROVEN_HINT),
        columns(part("Claims", claims), [part("Notes from it", notes), part("People", people)]),
      ],
    };
  }),
];

/** Draws the channel and the time of a stream. */
export function drawStream({ channel, startedAtMs, endedAtMs }: ListedStream) {
  return [`#${channel}, `, time(startedAtMs), endedAtMs === null && ", still on"];
}

/** Draws notes, each with a box that `drawBulkBar` needs, its origin, its uses, and its buttons. */
export function drawNotes(notes: readonly NoteView[], none: string) {
  return list(notes, none, (note) => {
    const { id, kind, scope, pinned, status, expiresAtMs, useCount, lastUsedAtMs } = note;
    const body = html`<div class="ticked">
      <input type="checkbox" form="bulk" name="ids" value="${id}" aria-label="Select note ${id}" data-key="x">
      <p class="fact" id="fact-${id}">${link(`/memory/notes/${id}`, note.fact)}</p></div>`;
    const { origin, evidence } = note;
    const topic = origin && link(`/memory/episodes/${origin.episodeId}`, origin.topic || "chat");
    const about = [
      noteSubject(note),
      scope !== "bit" && describeCode(kind),
      status !== "active" && badge(status),
      pinned && badge("blue", "pinned"),
      origin === null
        ? "its source is gone"
        : [
            origin.method === "extracted" ? ["from ", topic] : describeCode(origin.method),
            " ",
            time(origin.atMs),
            evidence > 1 && `, said ${evidence} times`,
          ],
      useCount === 0 || lastUsedAtMs === null
        ? "not used yet"
        : [`used in ${formatPlural(useCount, "answer")}, last `, time(lastUsedAtMs)],
      expiresAtMs !== null && ["expires ", time(expiresAtMs)],
    ];
    return card(`note-${id}`, body, about, drawNoteButtons(note, `fact-${id}`));
  });
}

const BULK = [
  ["approve", "Approve", "first"],
  ["reject", "Reject", ""],
  ["pin", "Pin", ""],
  ["forget", "Forget for good", "grave"],
] as const;
/** Buttons for all ticked notes. Shown while one is ticked. */
export function drawBulkBar() {
  return form(
    "post /api/notes/bulk",
    { id: "bulk", cssClass: "bulk" },
    html`<label><input type="checkbox" data-all=""> all shown</label>`,
    BULK.map(
      ([what, label, cssClass]) =>
        html`<button type="submit" name="what" value="${what}" class="${cssClass}">${label}</button>`,
    ),
  );
}

/** Names the viewer that a note is about, or the channel, or that it is a joke. */
export function noteSubject({ about, subjectId, scope }: NoteView) {
  if (subjectId !== null) return link(viewerHref(subjectId), about);
  return scope === "bit" ? "a running joke" : "the channel";
}

/** Draws the buttons that fit a note's status. `about` is the id of its text, if others have the same buttons. */
function drawNoteButtons(note: { id: number; status: string; pinned: boolean }, about?: string) {
  const { id, status, pinned } = note;
  const change = `patch /api/notes/${id}`;
  const waits = status === "shadow" || status === "pending";
  const isActive = status === "active";
  const isOver = status === "rejected" || status === "superseded";
  const approve = { fields: { status: "active" }, cssClass: "first", key: "a", about } as const;
  const reject = { fields: { status: "rejected" }, key: "r", about };
  const pin = { fields: { pinned: String(!pinned) }, key: "p", about };
  return [
    waits && act(change, "Approve", approve),
    (waits || isActive) && act(change, "Reject", reject),
    isActive && act(change, pinned ? "Unpin" : "Pin", pin),
    isOver && act(`post /api/notes/${id}/undo`, "Undo", { about }),
    askTwice(
      `forget-${id}`,
      "Forget …",
      "Deletes the note and everything that it was made from. This cannot be undone.",
      [`delete /api/notes/${id}`, "Forget it"],
      { key: "f", about },
    ),
  ];
}

type ShownNote = NonNullable<ReturnType<NoteReview["note"]>>;

function drawNotePanel(note: ShownNote) {
  const { id, kind, topics, confidence, importance, useCount, expiresAtMs } = note;
  const lifetime =
    expiresAtMs === null
      ? "for good"
      : ["expires ", time(expiresAtMs), ", unless it is said again"];
  const fact = { required: true, maxlength: 200, rows: 2 };
  const correct = form(
    `patch /api/notes/${id}`,
    { cssClass: "fields" },
    textArea("What is true instead", "fact", note.fact, fact),
    submitButton("Replace it"),
  );
  return [
    html`<section data-item="" tabindex="-1" id="note-${id}"><h2>Correct it</h2>
      <div class="acts">${drawNoteButtons(note)}</div>${correct}</section>`,
    part(
      "About this note",
      facts([
        ["Kind", describeCode(kind)],
        ["Topics", topics || "none"],
        ["How sure", formatPercent(confidence)],
        ["Importance", ["little", "some", "much"][Math.round(importance * 10)]],
        ["First known", time(note.createdAtMs)],
        ["Last confirmed", time(note.lastConfirmedAtMs)],
        ["Used", formatPlural(useCount, "time")],
        ["Lifetime", lifetime],
      ]),
    ),
  ];
}

/** Draws the episodes that support a note, and the notes before and after it. */
function drawEvidence({ evidenceRows, superseded, successors }: ShownNote) {
  const episodes = evidenceRows.map((one) => {
    const topic = one.topic || `${describeCode(one.episodeKind)} ${one.episodeId}`;
    const from = link(`/memory/episodes/${one.episodeId}`, topic);
    return html`<li>${meta(time(one.createdAtMs), describeCode(one.method), from)}
      <p class="${one.claim === null ? "gone" : "fact"}">${one.claim ?? "The claim was removed."}</p></li>`;
  });
  const noteLink = (id: number, name: string) => link(`/memory/notes/${id}`, `${name} ${id}`);
  return [
    episodes.length === 0 && emptyText("Its sources were deleted."),
    html`<ol class="chain">${episodes}
      ${superseded.map((id) => html`<li>It took the place of ${noteLink(id, "note")}.</li>`)}
      ${successors.map((id) => html`<li>${noteLink(id, "Note")} took its place.</li>`)}</ol>`,
  ];
}

function drawViewerPanel(record: ViewerRecord, apiAddress: string) {
  const { channels, claims, lines, linesWithText, asked, answered, suppressedTopics } = record;
  const inChannels = channels.map(({ channel, messages, streams, firstSeenAtMs }) => {
    const chatted = `${formatPlural(messages, "message")} in ${formatPlural(streams, "stream")}`;
    return [`#${channel}`, [`${chatted}, since `, time(firstSeenAtMs)]] as const;
  });
  const theirClaims = list(
    claims,
    "",
    ({ episodeId, statement, withdrawnAtMs }) =>
      html`<li>${link(`/memory/episodes/${episodeId}`, statement)}${withdrawnAtMs !== null && ", withdrawn"}</li>`,
    "list small",
  );
  const main = { required: true, maxlength: 60, placeholder: "main account's login" };
  return [
    part(
      "In chat",
      facts([
        ...inChannels,
        ["Messages stored", `${formatCount(lines)}, ${formatCount(linesWithText)} with their text`],
        ["Asked the bot", `${formatPlural(asked, "time")}, answered ${formatCount(answered)}`],
        [
          "Never to be learned",
          suppressedTopics ? formatPlural(suppressedTopics, "topic") : "nothing",
        ],
      ]),
    ),
    claims.length > 0 &&
      foldAway("claimed", `${formatCount(claims.length)} claims of theirs`, theirClaims),
    part(
      "Two accounts of one person?",
      form(
        `post ${apiAddress}/merge`,
        { cssClass: "row" },
        input(html`<span class="unseen">Login of the main account</span>`, "into", main),
        submitButton("Merge"),
      ),
      record.accounts.length > 1 &&
        html`<p class="more">${act(`post ${apiAddress}/separate`, "Separate this account again", { cssClass: "quiet" })}</p>`,
    ),
  ];
}

/** Draws links to episodes, the last one first. */
function drawEpisodeLinks(episodes: Readonly<ViewerRecord["episodes"]>) {
  return list(episodes.toReversed(), "No summary names them.", ({ id, topic, endedAtMs }) => {
    const episode = link(`/memory/episodes/${id}`, topic || `Episode ${id}`);
    return html`<li>${episode} ${faint(time(endedAtMs))}</li>`;
  });
}

function drawRetryIfFailed({ id, status }: { id: number; status: string }) {
  return status === "failed" ? act(`post /api/episodes/${id}/retry`, "Try again") : null;
}

function drawEpisodes(episodes: readonly EpisodeView[]) {
  return list(episodes, "No part of it was summarised.", (one) => {
    const { id, topic, kind, people, status } = one;
    const title = link(`/memory/episodes/${id}`, topic || `${describeCode(kind)} ${id}`);
    const about = [
      time(one.endedAtMs),
      formatPlural(one.eventCount, "message"),
      [names(people.slice(0, PEOPLE_SHOWN)), people.length > PEOPLE_SHOWN && " and others"],
      formatPlural(one.notes, "note"),
      status !== "done" && badge(status),
    ];
    return card(`episode-${id}`, html`<p class="fact">${title}</p>`, about, drawRetryIfFailed(one));
  });
}
