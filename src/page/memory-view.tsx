import type { Child } from "hono/jsx";
import { NOTE_KIND_LIST } from "../catalogue/note-kinds.ts";
import { NOTE_STATUSES } from "../config/names.ts";
import { count, formatPercent, formatPlural } from "../telemetry/figures.ts";
import { type ListedNote, readNotes } from "./browse-store.ts";
import {
  listNotes,
  listViewers,
  notesQuery,
  showNote,
  showViewer,
  viewersQuery,
} from "./memory-routes.ts";
import {
  act,
  askTwice,
  badge,
  card,
  choose,
  empty,
  Form,
  facts,
  foldAway,
  hint,
  input,
  link,
  list,
  meta,
  more,
  nextPage,
  part,
  search,
  submitButton,
  Time,
  TryForm,
  textArea,
  toPlainWord,
  viewerHref,
  withQuery,
} from "./parts.tsx";
import { readId, type Views } from "./route.ts";

export const MEMORY_TABS = {
  label: "Parts of memory",
  of: [
    ["/memory", "People"],
    ["/memory/notes?scope=channel", "Channel"],
    ["/memory/notes?scope=bit", "Jokes"],
    ["/memory/waiting", "Waiting"],
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
  ...NOTE_STATUSES.map((one) => [one, toPlainWord(one)] as const),
  ["all", "all"],
] as const;
const KINDS = [
  ["", "any"],
  ...NOTE_KIND_LIST.map(([name, { label }]) => [name, label] as const),
] as const;
const SORTS = [
  ["seen", "seen last"],
  ["notes", "most notes"],
] as const;
const PEOPLE = [
  ["notes", "with notes"],
  ["all", "everyone"],
] as const;
const NO_NOTES = {
  "": "No notes yet. They come from chat, or from you, above.",
  viewer: "No notes about viewers yet. They come from chat.",
  channel: "Nothing yet. Write down your gear, schedule and rules above, so that viewers can ask.",
  bit: "None yet. A joke that several viewers repeat shows here.",
} as const;
const NOBODY_KNOWN =
  "No notes about viewers yet. They come from chat, a few minutes after viewers talk. To see all viewers, choose everyone.";
const FACTS_LIKE =
  "the stream starts at seven on weekdays\nthe microphone is a Blue Lark\n@nell likes tea";
const USES_SHOWN = 8;
const WAITING_SHOWN = 50;
const UNPROVEN_SHOWN = 20;
const FORGET_DAYS = 60;
const EPISODES_OPEN = 20;

/** Viewers and their notes, the channel, jokes, waiting notes, and forgets. */
export const MEMORY: Views = {
  "/memory": (data, { query }) => {
    const asked = viewersQuery.parse({ only: "notes", sort: "seen", ...query });
    const { q, sort, only } = asked;
    const { items, next } = listViewers(data, asked);
    const field = { type: "search", class: "wide", value: q, maxlength: 60 };
    const emptyText =
      only === "notes" ? NOBODY_KNOWN : "No viewers yet. They appear when they write in chat.";
    const shown = (
      <>
        {search(
          "/memory",
          input("Name begins with", "q", field),
          choose("Show", "only", only, PEOPLE),
          choose("Sort by", "sort", sort, SORTS),
        )}
        {list(items, q === "" ? emptyText : "No name begins with that.", (one) =>
          card(`person-${one.userId}`, link(viewerHref(one.userId), one.displayName, "fact"), [
            one.role !== "viewer" && badge("", one.role),
            one.optedOut && badge("pending", "opted out"),
            formatPlural(one.notes, "note"),
            formatPlural(one.messages, "message"),
            formatPlural(one.streams, "stream"),
            ["seen ", <Time ms={one.lastSeenAtMs} />],
          ]),
        )}
        {more(nextPage("/memory", { q, sort, only }, next), "More people")}
      </>
    );
    return { title: "Memory", tabs: MEMORY_TABS, live: ["notes"], shown };
  },
  "/memory/waiting": (data) => {
    const regulars = data.browse.waitingForRegulars();
    const notes = readNotes(data).waiting(WAITING_SHOWN);
    const unproven = data.browse.unproven({ limit: UNPROVEN_SHOWN });
    const pronoun = regulars === 1 ? "it" : "them";
    const shown = (
      <>
        {regulars > 0 && (
          <p class="lead">
            {count(regulars)} waiting for regulars: chat uses {pronoun} once viewers who come often
            say the same, or once you approve.
          </p>
        )}
        {part(
          "Notes to approve",
          drawNotes(
            notes,
            "None. Notes that the bot is not sure about wait here for your yes or no.",
          ),
        )}
        {part(
          "Said by newcomers",
          hint(UNPROVEN_HINT),
          list(
            unproven,
            "None. If only newcomers say something, it shows here, and you can keep it.",
            (one) => (
              <li id={`unproven-${one.id}`}>
                {meta(
                  link(`/memory/episodes/${one.id}`, one.topic || "chat"),
                  <Time ms={one.endedAtMs} />,
                )}
                {splitSentences(one.unproven).map((sentence) => (
                  <div class="row between">
                    <p class="fact">{sentence}</p>
                    {act("post /api/notes", "Keep it", { fields: { fact: sentence } })}
                  </div>
                ))}
              </li>
            ),
          ),
        )}
        {BULK_BAR}
      </>
    );
    return { title: "Waiting", tabs: MEMORY_TABS, live: ["notes", "episodes"], shown };
  },
  "/memory/notes": (data, { query }) => {
    const asked = notesQuery.parse(query);
    const { items, next } = listNotes(data, asked);
    const { after: _, limit: __, ...filters } = asked;
    const { q, scope, status, kind, viewer } = filters;
    const isAll = Object.values(filters).every((one) => one === "" || one === scope);
    const none = isAll ? NO_NOTES[scope] : "No note matches.";
    const words = { type: "search", class: "wide", value: q, maxlength: 200 };
    const text = { required: true, rows: 4, placeholder: FACTS_LIKE };
    const about = { type: "search", value: viewer, maxlength: 60 };
    const shown = (
      <>
        <details class="fold" id="add-facts" open={scope === "channel"}>
          <summary>Write facts yourself</summary>
          <Form to="post /api/notes/facts" look="fields">
            {textArea(
              "One fact a line, up to 200. They stay until you remove them.",
              "text",
              "",
              text,
            )}
            {submitButton("Store them", "first")}
          </Form>
        </details>
        {search(
          "/memory/notes",
          input("Search", "q", { ...words, placeholder: "words, a name, a number" }),
          choose("About", "scope", scope, SCOPES),
          choose("Status", "status", status, STATUSES),
          choose("Kind", "kind", kind, KINDS),
          viewer !== "" && input("About one person", "viewer", about),
        )}
        {drawNotes(items, next === null ? none : "None among the notes searched so far.")}
        {more(nextPage("/memory/notes", filters, next), q ? "Search further back" : "Older notes")}
        {BULK_BAR}
      </>
    );
    const tabs = { ...MEMORY_TABS, at: withQuery("/memory/notes", { scope }) };
    const title = { "": "Notes", viewer: "Notes", channel: "Channel", bit: "Jokes" }[scope];
    return { title, tabs, live: ["notes"], shown };
  },
  "/memory/forgotten": ({ browse }) => {
    const login = { required: true, maxlength: 60, autocomplete: "off" };
    const shown = (
      <div class="pair">
        {part(
          "Forgotten on request",
          list(
            browse.forgets(FORGET_DAYS),
            "Nobody asked to be forgotten. A viewer does so with !forgetme.",
            ({ day, viewers, lastAtMs }) => (
              <li>
                <b>{day}</b> {formatPlural(viewers, "viewer")}{" "}
                <span class="soft small">
                  the last <Time ms={lastAtMs} />
                </span>
              </li>
            ),
            "list small",
          ),
        )}
        {part(
          "Is a name still there?",
          hint(
            "The bot removes the names of forgotten viewers. A word that is also their login may stay in other sentences. Type the login to find it. It is not stored.",
          ),
          <TryForm to="/api/bare-words" yes="Find it">
            {input("Login", "login", login)}
          </TryForm>,
        )}
      </div>
    );
    return { title: "Forgotten", tabs: MEMORY_TABS, live: ["people"], shown };
  },
  "/memory/notes/:id": (data, { params }) => {
    const note = showNote(data, readId(params));
    const listed = readNotes(data).note(note.id);
    const uses = data.browse.repliesWith({ noteId: note.id, limit: USES_SHOWN });
    const shown = (
      <div class="cols">
        <div>
          {part("Where it comes from", drawEvidence(note))}
          {part(
            "What it was used for",
            list(
              uses,
              "No recent answer used it.",
              ({ id, viewer, text, createdAtMs }) => (
                <li>
                  {link(`/replies/${id}`, `An answer to ${viewer ?? "someone"}`)}{" "}
                  <span class="soft small">
                    <Time ms={createdAtMs} />
                  </span>
                  {text !== null && <p data-mortal="">{text}</p>}
                </li>
              ),
              "list small",
            ),
          )}
        </div>
        {drawNotePanel(note)}
      </div>
    );
    const lead = [
      listed !== null && ["About ", noteSubject(listed)],
      ` · note ${note.id} · `,
      badge(note.status),
    ];
    return { title: `Note ${note.id}`, heading: note.fact, lead, live: ["notes"], shown };
  },
  "/memory/people/:id": (data, { params }) => {
    const userId = params["id"] ?? "";
    const record = showViewer(data, userId, false);
    const { accounts, episodes } = record;
    const own = accounts.find((one) => one.userId === userId) ?? accounts[0];
    const name = own?.displayName ?? "someone";
    const all = { viewer: `id:${userId}`, status: "all" };
    const { items, next } = listNotes(data, notesQuery.parse(all));
    const current = items.filter(({ status }) => status !== "superseded" && status !== "expired");
    const allHref = next !== null || current.length < items.length ? all : null;
    const earlier = episodes.slice(0, -EPISODES_OPEN);
    const address = `/api/viewers/${encodeURIComponent(userId)}`;
    const shown = (
      <div class="cols">
        <div>
          {part(
            "What is known",
            record.optedOut && (
              <p class="notice">They opted out: the bot stores nothing that they write.</p>
            ),
            drawNotes(current, "Nothing yet."),
            more(
              allHref && withQuery("/memory/notes", allHref),
              "All notes, replaced and expired too",
            ),
          )}
          {part(
            "Took part in",
            drawEpisodeLinks(episodes.slice(-EPISODES_OPEN)),
            earlier.length > 0 &&
              foldAway(
                "earlier",
                `${count(earlier.length)} earlier summaries`,
                drawEpisodeLinks(earlier),
              ),
          )}
        </div>
        {drawViewerPanel(record, address)}
        {BULK_BAR}
      </div>
    );
    const aside = (
      <div class="acts">
        <a class="button" href={`${address}/export`} download={`viewer-${userId}.json`}>
          Export
        </a>
        {askTwice(
          "forget-person",
          "Forget everything …",
          "Deletes all their notes, claims, messages and names, also in the backups that the program made. This cannot be undone.",
          [`delete ${address}`, `Forget ${name}`],
        )}
      </div>
    );
    const lead = accounts.map(({ login, userId: id }) => login ?? `id ${id}`).join(", ");
    return { title: "A person", heading: name, lead, aside, live: ["notes"], shown };
  },
};

export const UNPROVEN_HINT = "Only you see these sentences. They are deleted after 30 days.";

/** Draws notes, each with its origin, its uses, and its buttons. */
export function drawNotes(notes: readonly ListedNote[], none: string) {
  return list(notes, none, (note) => {
    const { id, kind, scope, pinned, status, expiresAtMs, useCount, lastUsedAtMs } = note;
    const body = (
      <div class="ticked">
        <input
          type="checkbox"
          form="bulk"
          name="ids"
          value={id}
          aria-label={`Select note ${id}`}
          data-key="x"
        />
        <p class="fact" id={`fact-${id}`}>
          {link(`/memory/notes/${id}`, note.fact)}
        </p>
      </div>
    );
    const about = [
      noteSubject(note),
      scope !== "bit" && toPlainWord(kind),
      status !== "active" && badge(status),
      pinned && badge("blue", "pinned"),
      describeOrigin(note),
      useCount === 0 || lastUsedAtMs === null
        ? "not used yet"
        : [`used in ${formatPlural(useCount, "answer")}, last `, <Time ms={lastUsedAtMs} />],
      expiresAtMs !== null && ["expires ", <Time ms={expiresAtMs} />],
    ];
    return card(`note-${id}`, body, about, drawNoteButtons(note, `fact-${id}`));
  });
}

const ORIGINS: Readonly<Record<string, string>> = {
  viewer_request: "they asked for it",
  operator: "you wrote it",
  import: "imported",
};

function describeOrigin({ origin, evidence }: ListedNote): Child {
  if (origin === null) return "its source is gone";
  const { method, episodeId, topic, atMs } = origin;
  return [
    ORIGINS[method] ?? ["from ", link(`/memory/episodes/${episodeId}`, topic || "chat")],
    " ",
    <Time ms={atMs} />,
    evidence > 1 && `, said ${evidence} times`,
  ];
}

/** Buttons for all ticked notes. Shown while one is ticked. */
const BULK_BAR = (
  <Form to="post /api/notes/bulk" id="bulk" look="bulk">
    <label>
      <input type="checkbox" data-all="" /> all shown
    </label>
    {(
      [
        ["approve", "Approve", "first"],
        ["reject", "Reject", ""],
        ["pin", "Pin", ""],
        ["forget", "Forget for good", "grave"],
      ] as const
    ).map(([what, label, look]) => (
      <button type="submit" name="what" value={what} class={look}>
        {label}
      </button>
    ))}
  </Form>
);

/** Names the viewer that a note is about, or the channel, or that it is a joke. */
export function noteSubject({ about, subjectId, scope }: ListedNote) {
  if (subjectId !== null) return link(viewerHref(subjectId), about);
  return scope === "bit" ? "a running joke" : "the channel";
}

function splitSentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/u).filter((sentence) => sentence !== "");
}

function drawNoteButtons(note: { id: number; status: string; pinned: boolean }, about?: string) {
  const { id, status, pinned } = note;
  const change = `patch /api/notes/${id}`;
  const waits = status === "shadow" || status === "pending";
  const isActive = status === "active";
  const isOver = status === "rejected" || status === "superseded";
  const approve = { fields: { status: "active" }, look: "first", key: "a", about } as const;
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
      { about },
    ),
  ];
}

type ShownNote = ReturnType<typeof showNote>;

function drawNotePanel(note: ShownNote) {
  const expires = note.expiresAtMs !== null && [
    "expires ",
    <Time ms={note.expiresAtMs} />,
    ", unless it is said again",
  ];
  const fact = { required: true, maxlength: 200, rows: 2 };
  return (
    <div>
      <section data-item="" tabindex={-1} id={`note-${note.id}`}>
        <h2>Correct it</h2>
        <div class="acts">{drawNoteButtons(note)}</div>
        <Form to={`patch /api/notes/${note.id}`} look="fields">
          {textArea("What is true instead", "fact", note.fact, fact)}
          {submitButton("Replace it")}
        </Form>
      </section>
      {part(
        "About this note",
        facts([
          ["Kind", toPlainWord(note.kind)],
          ["Topics", note.topics || "none"],
          ["How sure", formatPercent(note.confidence)],
          ["Importance", ["little", "some", "much"][Math.round(note.importance * 10)] ?? "some"],
          ["First known", <Time ms={note.createdAtMs} />],
          ["Last confirmed", <Time ms={note.lastConfirmedAtMs} />],
          ["Used", formatPlural(note.useCount, "time")],
          ["Lifetime", expires || "for good"],
        ]),
      )}
    </div>
  );
}

/** Draws the episodes that support a note, and the notes before and after it. */
function drawEvidence({ evidenceRows, superseded, successors }: ShownNote) {
  return (
    <>
      {evidenceRows.length === 0 && empty("Its sources were deleted.")}
      <ol class="chain">
        {evidenceRows.map(({ episodeId, episodeKind, topic, claim, method, createdAtMs }) => (
          <li>
            {meta(
              <Time ms={createdAtMs} />,
              toPlainWord(method),
              link(
                `/memory/episodes/${episodeId}`,
                topic || `${toPlainWord(episodeKind)} ${episodeId}`,
              ),
            )}
            <p class={claim === null ? "gone" : "fact"}>{claim ?? "The claim was removed."}</p>
          </li>
        ))}
        {superseded.map((id) => (
          <li>It took the place of {link(`/memory/notes/${id}`, `note ${id}`)}.</li>
        ))}
        {successors.map((id) => (
          <li>{link(`/memory/notes/${id}`, `Note ${id}`)} took its place.</li>
        ))}
      </ol>
    </>
  );
}

type ViewerRecord = ReturnType<typeof showViewer>;

function drawViewerPanel(record: ViewerRecord, address: string) {
  const { channels, claims, lines, linesWithText, asked, answered, suppressedTopics } = record;
  const inChannels = channels.map((one): [string, Child] => [
    `#${one.channel}`,
    [
      `${formatPlural(one.messages, "message")} in ${formatPlural(one.streams, "stream")}, since `,
      <Time ms={one.firstSeenAtMs} />,
    ],
  ]);
  return (
    <div>
      {part(
        "In chat",
        facts([
          ...inChannels,
          ["Messages stored", `${count(lines)}, ${count(linesWithText)} with their text`],
          ["Asked the bot", `${formatPlural(asked, "time")}, answered ${count(answered)}`],
          [
            "Never to be learned",
            suppressedTopics ? formatPlural(suppressedTopics, "topic") : "nothing",
          ],
        ]),
      )}
      {claims.length > 0 &&
        foldAway(
          "claimed",
          `${count(claims.length)} claims of theirs`,
          list(
            claims,
            "",
            ({ episodeId, statement, withdrawnAtMs }) => (
              <li>
                {link(`/memory/episodes/${episodeId}`, statement)}
                {withdrawnAtMs !== null && ", withdrawn"}
              </li>
            ),
            "list small",
          ),
        )}
      {part(
        "Two accounts of one person?",
        <Form to={`post ${address}/merge`} look="row">
          {input(<span class="unseen">Login of the main account</span>, "into", {
            required: true,
            maxlength: 60,
            placeholder: "main account's login",
          })}
          <button type="submit">Merge</button>
        </Form>,
        record.accounts.length > 1 && (
          <p class="more">
            {act(`post ${address}/separate`, "Separate this account again", { look: "quiet" })}
          </p>
        ),
      )}
    </div>
  );
}

function drawEpisodeLinks(episodes: Readonly<ViewerRecord["episodes"]>) {
  return list(episodes.toReversed(), "No summary names them.", ({ id, topic, endedAtMs }) => (
    <li>
      {link(`/memory/episodes/${id}`, topic || `Episode ${id}`)}{" "}
      <span class="soft small">
        <Time ms={endedAtMs} />
      </span>
    </li>
  ));
}
