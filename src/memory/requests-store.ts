import { identityStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { statements } from "../database/statements.ts";
import { cleanLine } from "../language/clean.ts";
import { peopleIn, personToken } from "../language/people.ts";
import { isAboutTopic } from "../language/topic.ts";
import type { EpisodeStore } from "./episode-store.ts";
import { labelsFor } from "./labels.ts";
import { goneRows, ownRows } from "./note-records-store.ts";
import type { NoteWriter } from "./note-writer-store.ts";
import { claimWithdrawer } from "./removal-store.ts";
import { saidEpisodes, saidOrigin } from "./said-store.ts";
import type { SuppressionStore } from "./suppression-store.ts";
import type { DropReason, Verdict } from "./write-policy.ts";

export type RequestOutcome =
  | { readonly kind: "done"; readonly as: RequestDone }
  | { readonly kind: "refused"; readonly reason: RequestRefusal };

/** Why a wish about one's own notes came to nothing: of the write policy, or of this file. */
export type RequestRefusal = DropReason | "names_other" | "empty" | "not_yours" | "nothing_known";

/** `known`: it was known already. `waiting`: it counts once the streamer says so. */
type RequestDone = "kept" | "known" | "waiting" | "forgotten";

export interface RequestParts {
  readonly db: Db;
  readonly writer: NoteWriter;
  readonly episodes: Pick<EpisodeStore, "people">;
  readonly botNames: () => readonly string[];
  /** Nothing new is kept then; what is to be forgotten goes all the same. */
  readonly readOnly: () => boolean;
  readonly suppressions: Pick<
    SuppressionStore,
    "lift" | "restore" | "suppressTopic" | "suppressFact"
  >;
  readonly now: () => number;
}

/** What somebody asked to keep is as sure as their own word. */
const CONFIDENCE = 0.9;

/** A note by its number, or whatever is about a topic. */
type Which = number | { readonly topic: string };

export type ViewerRequests = ReturnType<typeof viewerRequests>;

/** What a viewer may ask of memory, about themselves alone: each one transaction, and no more than the policy allows. */
export function viewerRequests(parts: RequestParts) {
  const { db, suppressions } = parts;
  const rows = ownRows(db);
  const { accountsOf } = identityStore(db, parts.now);
  const keep = wishKeeper(parts);
  const claimsOf = looseClaims(db);
  const withdraw = claimWithdrawer(db, parts.now);
  const dropNote = noteTaker(parts);
  /** Whether the note is about this viewer, in this channel. */
  const owns = (channel: string, userId: string, noteId: number): boolean =>
    accountsOf(userId).some((account) => rows.owns(noteId, channel, account) !== null);
  const idsAbout = (channel: string, userId: string, topic: string): readonly number[] =>
    accountsOf(userId).flatMap((account) =>
      about(rows.texts(channel, account), topic).map(({ id }) => id),
    );
  const forgetTopic = (channel: string, userId: string, topic: string): RequestOutcome => {
    const accounts = accountsOf(userId);
    const ids = idsAbout(channel, userId, topic);
    for (const id of ids) dropNote(accounts, id);
    for (const account of accounts) {
      suppressions.suppressTopic(account, topic);
      for (const { episodeId, n } of about(claimsOf(account), topic)) withdraw(episodeId, n);
    }
    return ids.length > 0 ? done("forgotten") : refused("nothing_known");
  };
  return {
    owns,
    /** What one of this viewer's notes says, or all that are about a topic, people by their tokens. */
    factsOf: (channel: string, userId: string, which: Which): readonly string[] => {
      const ids = typeof which === "number" ? [which] : idsAbout(channel, userId, which.topic);
      return ids.filter((id) => owns(channel, userId, id)).flatMap((id) => rows.fact(id) ?? []);
    },
    /** Keeps a fact that the viewer asked to keep: it becomes an episode of its own kind first. */
    remember: (channel: string, userId: string, fact: string): RequestOutcome =>
      keep({ channel, userId }, fact, null),
    /** Writes a fact in the place of one of the viewer's notes; the old one stays, superseded. */
    correct: (channel: string, userId: string, noteId: number, fact: string): RequestOutcome =>
      owns(channel, userId, noteId)
        ? keep({ channel, userId }, fact, noteId)
        : refused("not_yours"),
    /**
     * Takes away one of the viewer's notes, or all that are about a topic, and keeps it from being learned again: a topic
     * even where nothing is known about it.
     */
    forget: (channel: string, userId: string, which: Which): RequestOutcome =>
      db.transaction(() => {
        if (typeof which !== "number") return forgetTopic(channel, userId, which.topic);
        if (!owns(channel, userId, which)) return refused("not_yours");
        dropNote(accountsOf(userId), which);
        return done("forgotten");
      })(),
  };
}

/** A function that takes a note away, with what it rests on unless another note rests on that too. */
function noteTaker({ db, now, suppressions }: RequestParts) {
  const rows = goneRows(db);
  const { fact: factOf } = ownRows(db);
  const withdrawClaims = statements(db).run<[number, number]>(
    `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, ?)
     WHERE (episode_id, n) IN (SELECT episode_id, claim_n FROM note_evidence v WHERE v.note_id = ?
       AND NOT EXISTS (SELECT 1 FROM note_evidence o WHERE o.episode_id = v.episode_id
         AND o.claim_n IS v.claim_n AND o.note_id <> v.note_id))`,
  );
  return (accounts: readonly string[], id: number): void => {
    const fact = factOf(id);
    if (fact !== null) for (const account of accounts) suppressions.suppressFact(account, fact);
    rows.unlink(id);
    withdrawClaims(now(), id);
    rows.blankCandidates(id);
    rows.drop(id);
  };
}

/** Claims about somebody on which no note rests. */
function looseClaims(db: Db) {
  return statements(db).all<[userId: string], { episodeId: number; n: number; text: string }>(
    `SELECT episode_id AS episodeId, n, statement AS text FROM episode_claims c WHERE subject_id = ?
       AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = c.episode_id AND v.claim_n = c.n)`,
  );
}

type WishKeeper = (who: Requester, fact: string, replaces: number | null) => RequestOutcome;

const NONE: ReadonlySet<number> = new Set();

function wishKeeper(parts: RequestParts): WishKeeper {
  const { db, writer, suppressions } = parts;
  const said = saidEpisodes(db, "request");
  const write = db.transaction((who: Requester, fact: string, replaces: number | null) => {
    // Whoever asks to keep it wants it known again, whatever they asked before.
    const lifted = suppressions.lift(who.userId, fact);
    const { channel, userId: subjectId } = who;
    const episodeId = said.begin(channel, subjectId, parts.now());
    const wish = said.claim(episodeId, 1, {
      ...{ scope: "viewer", kind: "profile", subjectId, fact, source: "viewer_request" },
      ...{ confidence: CONFIDENCE, lifetime: "permanent" },
      ...{ relation: replaces === null ? "new" : "replaces", noteId: replaces },
    });
    const { verdict } = writer.write(wish, saidOrigin(channel, NONE));
    if (verdict.kind !== "drop") return done(doneAs(verdict));
    // What is not kept leaves no trace of its words either.
    said.dropClaim(episodeId, 1);
    suppressions.restore(who.userId, lifted);
    return refused(verdict.reason);
  });
  return (who, fact, replaces) => {
    if (parts.readOnly()) return refused("read_only");
    const stored = asStored(parts, who, fact);
    if (stored === null) return refused("names_other");
    if (stored === "") return refused("empty");
    return write(who, stored, replaces);
  };
}

interface Requester {
  readonly channel: string;
  readonly userId: string;
}

function done(as: RequestDone): RequestOutcome {
  return { kind: "done", as };
}

function doneAs(verdict: Exclude<Verdict, { kind: "drop" }>): RequestDone {
  if (verdict.kind === "confirm") return "known";
  return verdict.status === "active" ? "kept" : "waiting";
}

function refused(reason: RequestRefusal): RequestOutcome {
  return { kind: "refused", reason };
}

/** With tokens for names; null where it names somebody else. */
function asStored(
  parts: RequestParts,
  { channel, userId }: Requester,
  fact: string,
): string | null {
  const labels = labelsFor([userId], parts.episodes.people(channel), parts.botNames());
  const tokens = labels.toTokens(labels.hide(cleanLine(fact)));
  const named = peopleIn(tokens);
  if (named.some((id) => id !== userId)) return null;
  return tokens === "" || named.length > 0 ? tokens : `${personToken(userId)} ${tokens}`;
}

/** Those that hold every telling word of a topic. */
function about<T extends { readonly text: string }>(some: readonly T[], topic: string): T[] {
  return some.filter(({ text }) => isAboutTopic(text, topic));
}
