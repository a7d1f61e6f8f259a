/**
 * A simulated year: 250 streams of four hours, remembered. What of it grows, and what must not: the prompt's size, and
 * what one window costs. `npx tsx bench/compaction.ts [streams]`; ends with exit code 1 where a bar was missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { channelStore } from "../src/chat/channel-store.ts";
import { eventStore } from "../src/chat/event-store.ts";
import { makeFence } from "../src/language/fence.ts";
import { estimateTokens } from "../src/language/tokens.ts";
import { noteStore } from "../src/memory/note-store.ts";
import { recallStore } from "../src/memory/recall/recall-store.ts";
import { prefixSnapshots } from "../src/memory/recall/snapshot.ts";
import { type Db, openDatabase } from "../src/platform/database/open-database.ts";
import { prefixSections } from "../src/reply/prompt/sections.ts";
import { openBenchMemory } from "./bench-memory.ts";
import { diligentModel } from "./diligent-model.ts";
import { mean, median, report } from "./figures.ts";
import { type Chatter, type GeneratedChat, generateChat } from "./generated-chat.ts";
import { CHANNEL, spoken } from "./reply-room.ts";

const STREAMS = Number(process.argv[2] ?? 250);
const STREAM_MS = 4 * 3_600_000;
const DAY_MS = 86_400_000;
const EXPIRY_MS = DAY_MS - 300_000;
const STARTED_MS = Date.UTC(2026, 0, 1, 18);
/** Five a minute: a small channel's evening, and still a year of twelve windows a stream. */
const LINES_PER_STREAM = 1_200;
const LINES_PER_LOOK = 100;
const PEOPLE = 10_000;
const REGULARS = 40;
const NEWCOMERS_PER_STREAM = Math.floor((PEOPLE - REGULARS) / STREAMS);
const NOTES_PER_REGULAR_MAX = 50;
const NOTHING_SAID = { message: { id: null, text: "" }, recent: [], category: "", others: [] };

interface Stream {
  readonly msPerWindow: number;
  readonly promptTokens: number;
}

const folder = mkdtempSync(join(tmpdir(), "forgetmenot-year-"));
try {
  const file = join(folder, "forgetmenot.db");
  const streams = await simulate(openDatabase(file));
  const db = openDatabase(file);
  tell(db, streams);
  db.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function simulate(db: Db): Promise<Stream[]> {
  const clock = { nowMs: STARTED_MS };
  const now = () => clock.nowMs;
  const chat = generateChat(7, PEOPLE, "automark");
  const channels = channelStore(db, now);
  channels.ensure(CHANNEL);
  const events = eventStore(db, { now, expiryMs: EXPIRY_MS, streamOf: channels.openSession });
  const timed = { ms: 0, windows: 0 };
  const llm = diligentModel(chat, null, ({ about }) => {
    timed.windows += Number(about === "window");
  });
  const memory = openBenchMemory(db, {
    channel: CHANNEL,
    now,
    llm,
    flush: () => events.flush(),
    isOver: (channel) => channels.isLive(channel) === false,
  });
  const tokens = promptTokens(db, now);
  const streams: Stream[] = [];
  for (let stream = 0; stream < STREAMS; stream += 1) {
    clock.nowMs = STARTED_MS + Math.floor((stream * 365) / STREAMS) * DAY_MS;
    forget(events, now());
    setLive(channels, true, now());
    Object.assign(timed, { ms: 0, windows: 0 });
    for (let line = 1; line <= LINES_PER_STREAM; line += 1) {
      clock.nowMs += STREAM_MS / LINES_PER_STREAM;
      events.add(spoken(somebody(chat, stream, line), chat.text(), now()));
      if (line % LINES_PER_LOOK === 0) await timedRun(memory.run, timed, () => events.flush());
    }
    setLive(channels, false, now());
    await timedRun(memory.run, timed, () => events.flush());
    learn(db, chat, now);
    streams.push({ msPerWindow: timed.ms / Math.max(1, timed.windows), promptTokens: tokens() });
  }
  await memory.close();
  events.close();
  db.close();
  return streams;
}

/**
 * Processor time, which other programs do not lengthen. Taking chat in is not compaction: what is buffered is written
 * before the watch starts.
 */
async function timedRun(
  run: () => Promise<void>,
  timed: { ms: number },
  flush: () => void,
): Promise<void> {
  flush();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  timed.ms += (user + system) / 1_000;
}

function forget(events: ReturnType<typeof eventStore>, nowMs: number): void {
  while (events.expireTexts(nowMs, 5_000) > 0);
  while (events.pruneOldest(nowMs, 5_000).pruned > 0);
}

function setLive(channels: ReturnType<typeof channelStore>, isLive: boolean, nowMs: number): void {
  const facts = { twitchId: "77", title: "lamps", category: "Crafts" };
  channels.refresh(CHANNEL, { ...facts, isLive, startedAtMs: isLive ? nowMs : null });
}

/** Half of the lines are the regulars'; the others people's of this stream alone. */
function somebody({ people }: GeneratedChat, stream: number, line: number): Chatter {
  const index =
    line % 2 === 0
      ? (line / 2) % REGULARS
      : REGULARS + stream * NEWCOMERS_PER_STREAM + (line % Math.max(1, NEWCOMERS_PER_STREAM));
  const person = people[index] ?? people[0];
  if (person === undefined) throw new Error("there is nobody");
  return person;
}

/** What extraction will make of the claims: two notes a stream about a regular, one about the channel. */
function learn(db: Db, chat: GeneratedChat, now: () => number): void {
  const notes = noteStore(db, now);
  const episodeId = db.prepare<[], number>("SELECT max(id) FROM episodes").pluck().get();
  if (episodeId === undefined) return;
  const evidence = {
    episodeId,
    claimN: 1,
    method: "extracted",
    confidence: 0.8,
    model: null,
    promptVersion: null,
  } as const;
  for (const subjectId of [regular(chat, now()), regular(chat, now() + DAY_MS), null]) {
    const scope = subjectId === null ? "channel" : "viewer";
    const fact = `${subjectId === null ? "The channel" : `{u:${subjectId}}`} likes ${chat.words(8)}`;
    const note = {
      channel: CHANNEL,
      scope,
      subjectId,
      persona: null,
      kind: "preference",
      fact,
      topics: "lamps",
    } as const;
    const lasting = {
      words: fact,
      confidence: 0.8,
      importance: 0,
      status: "active",
      source: "extracted",
      expiresAtMs: null,
      property: null,
      lifetime: null,
    } as const;
    notes.insert({ ...note, ...lasting }, [evidence]);
    notes.evict({ channel: CHANNEL, subjectId, persona: null }, NOTES_PER_REGULAR_MAX);
  }
}

function regular({ people }: GeneratedChat, ms: number): string {
  return people[Math.floor(ms / DAY_MS) % 2]?.userId ?? "";
}

/** The prefix and the lore of a regular's prompt, by our estimate: what memory adds to a prompt. */
function promptTokens(db: Db, now: () => number): () => number {
  const recall = recallStore(db);
  const snapshotOf = prefixSnapshots(recall, now);
  const fence = makeFence("benchmarker");
  const persona = { name: "Mark", voice: "Warm, dry, brief." };
  const subjectId = db
    .prepare<[], string>(
      "SELECT subject_id FROM semantic_notes WHERE subject_id IS NOT NULL LIMIT 1",
    )
    .pluck();
  return () => {
    const sections = prefixSections(persona, snapshotOf(CHANNEL).snapshot, fence);
    const prefix = sections.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n");
    const lore = recall
      .lore({
        channel: CHANNEL,
        userId: subjectId.get() ?? "",
        nowMs: now(),
        limit: 10,
        conversation: NOTHING_SAID,
      })
      .map(({ fact }) => fact);
    return estimateTokens(`${prefix}\n${lore.join("\n")}`);
  };
}

function tell(db: Db, streams: readonly Stream[]): void {
  const tenth = Math.max(1, Math.floor(streams.length / 10));
  const row = (stream: Stream | undefined, n: number) => ({
    stream: n,
    "ms a window": Number(stream?.msPerWindow.toFixed(2)),
    "prompt tokens": stream?.promptTokens,
  });
  console.table(
    streams.flatMap((stream, n) => ((n + 1) % tenth === 0 ? [row(stream, n + 1)] : [])),
  );
  const cost = (part: readonly Stream[]) => median(part.map(({ msPerWindow }) => msPerWindow));
  // The first tenth fills the prompt, and warms the program up.
  const settled = streams.slice(tenth);
  const tokens = settled.map(({ promptTokens: n }) => n);
  const count = (table: string) =>
    Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  const bytes = sizes(db);
  report([
    {
      name: "episodes",
      value: count("episodes"),
      unit: "",
      digits: 0,
      bar: { atLeast: streams.length * 10 },
    },
    { name: "claims", value: count("episode_claims"), unit: "", digits: 0, bar: null },
    { name: "notes", value: count("semantic_notes"), unit: "", digits: 0, bar: null },
    { name: "people", value: count("viewers"), unit: "", digits: 0, bar: null },
    { name: "database", value: bytes.all / 1e6, unit: "MB", bar: null },
    {
      name: "share of episodes, their people and claims",
      value: (100 * bytes.episodes) / bytes.all,
      unit: "%",
      bar: null,
    },
    {
      name: "an episode with its people and claims",
      value: bytes.episodes / count("episodes"),
      unit: "bytes",
      digits: 0,
      bar: null,
    },
    { name: "compaction of a window, median stream", value: cost(settled), unit: "ms", bar: null },
    {
      name: "the same, last tenth of the year to the second",
      value: cost(streams.slice(-tenth)) / cost(streams.slice(tenth, 2 * tenth)),
      unit: "x",
      bar: { atMost: 1.3 },
    },
    {
      name: "prompt: what memory adds, mean",
      value: mean(tokens),
      unit: "tokens",
      digits: 0,
      bar: null,
    },
    {
      name: "prompt: change over the year, by its slope",
      value: (100 * Math.abs(slope(tokens)) * tokens.length) / mean(tokens),
      unit: "%",
      bar: { atMost: 5 },
    },
  ]);
}

/** Of the line of least squares through the values, by index. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const average = mean(values);
  let above = 0;
  let below = 0;
  for (const [index, value] of values.entries()) {
    above += (index - middle) * (value - average);
    below += (index - middle) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

function sizes(db: Db): { readonly all: number; readonly episodes: number } {
  const pages = db
    .prepare<[], { name: string; bytes: number }>(
      "SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name",
    )
    .all();
  const sum = (rows: typeof pages) => rows.reduce((total, { bytes }) => total + bytes, 0);
  return {
    all: sum(pages),
    episodes: sum(pages.filter(({ name }) => /^(sqlite_autoindex_)?episode/.test(name))),
  };
}
