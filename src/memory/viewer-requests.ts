import { openIdentityStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cleanLine } from "../language/clean.ts";
import { findPeople, makePersonToken } from "../language/people.ts";
import { isAboutTopic } from "../language/topic.ts";
import { type EpisodeStore, makeSaidOrigin, SaidEpisodes } from "./episode-store.ts";
import { ClaimStore } from "./episode-texts-store.ts";
import { labelUserIds } from "./labels.ts";
import { NoteStore } from "./note-store.ts";
import type { NoteWriter } from "./note-writer.ts";
import type { SuppressionStore } from "./suppression-store.ts";
import type { DropReason } from "./write-policy.ts";

export type RequestOutcome =
  | { readonly kind: "done"; readonly as: RequestDone }
  | { readonly kind: "refused"; readonly reason: RequestRefusal };

/** Why a viewer's request was refused: a reason of the write policy or of this file. */
export type RequestRefusal = DropReason | "names_other" | "empty" | "not_yours" | "nothing_known";

/** `waiting`: the note waits for the streamer's approval. */
type RequestDone = "kept" | "known" | "waiting" | "forgotten";

export interface RequestParts {
  readonly db: Db;
  readonly writer: NoteWriter;
  readonly episodes: { readonly people: EpisodeStore["people"] };
  readonly botNames: () => readonly string[];
  /** Stores nothing new if true; forgetting works all the same. */
  readonly readOnly: () => boolean;
  readonly suppressions: SuppressionStore;
  readonly now: () => number;
}

/** The confidence of a fact that a viewer asked to keep. */
const CONFIDENCE = 0.9;

/** A note by its id, or all notes about a topic. */
type Which = number | { readonly topic: string };

export type ViewerRequests = ReturnType<typeof openViewerRequests>;

/** Opens viewers' requests to memory, each about themselves only. Each is one transaction, under the write policy. */
export function openViewerRequests(parts: RequestParts) {
  const { db, writer, suppressions, now } = parts;
  const notes = new NoteStore(db, now);
  const said = new SaidEpisodes(db, "request");
  const { accountsOf } = openIdentityStore(db, now);
  const claims = new ClaimStore(db, now);
  const owns = (channel: string, userId: string, noteId: number): boolean =>
    accountsOf(userId).some((account) => notes.belongsTo(noteId, channel, account));
  const idsAbout = (channel: string, userId: string, topic: string): readonly number[] =>
    accountsOf(userId)
      .flatMap((account) => notes.textsAbout(channel, account))
      .flatMap(({ id, text }) => (isAboutTopic(text, topic) ? [id] : []));

  /** Returns the fact with tokens for names; null if it names another viewer. */
  const toStored = (channel: string, userId: string, fact: string): string | null => {
    const labels = labelUserIds([userId], parts.episodes.people(channel), parts.botNames());
    const tokens = labels.toTokens(labels.hide(cleanLine(fact)));
    const named = findPeople(tokens);
    if (named.some((id) => id !== userId)) return null;
    return tokens === "" || named.length > 0 ? tokens : `${makePersonToken(userId)} ${tokens}`;
  };
  const keep = (
    channel: string,
    userId: string,
    text: string,
    replaces: number | null,
  ): RequestOutcome => {
    if (parts.readOnly()) return refuse("read_only");
    const fact = toStored(channel, userId, text);
    if (fact === null) return refuse("names_other");
    if (fact === "") return refuse("empty");
    return db.transaction(() => {
      // A viewer who asks to remember a fact wants it back, even if it was forgotten before.
      const lifted = suppressions.lift(userId, fact);
      const episodeId = said.begin(channel, userId, now());
      const candidate = said.claim(episodeId, 1, {
        ...{ scope: "viewer", kind: "profile", subjectId: userId, fact, source: "viewer_request" },
        ...{ confidence: CONFIDENCE, lifetime: "permanent" },
        ...{ relation: replaces === null ? "new" : "replaces", noteId: replaces },
      });
      const { verdict } = writer.write(candidate, makeSaidOrigin(channel, new Set()));
      if (verdict.kind === "confirm") return makeDone("known");
      if (verdict.kind !== "drop")
        return makeDone(verdict.status === "active" ? "kept" : "waiting");
      // A refused fact leaves no trace of its words.
      said.dropClaim(episodeId, 1);
      suppressions.restore(userId, lifted);
      return refuse(verdict.reason);
    })();
  };
  const removeNote = (accounts: readonly string[], id: number): void => {
    const { fact } = notes.get(id);
    for (const account of accounts) suppressions.suppressFact(account, fact);
    notes.removeWithClaims(id);
  };
  const forgetTopic = (channel: string, userId: string, topic: string): RequestOutcome => {
    const accounts = accountsOf(userId);
    const ids = idsAbout(channel, userId, topic);
    for (const id of ids) removeNote(accounts, id);
    for (const account of accounts) {
      suppressions.suppressTopic(account, topic);
      for (const { episodeId, n, statement } of claims.ofViewer(account)) {
        const isUnused = notes.restingOn(episodeId, n).length === 0;
        if (isUnused && isAboutTopic(statement, topic)) claims.withdraw(episodeId, n);
      }
    }
    return ids.length > 0 ? makeDone("forgotten") : refuse("nothing_known");
  };
  return {
    /** True if the note is about this viewer, in this channel. */
    owns,
    /** Returns the facts of a note of this viewer, or of all notes about a topic, with person tokens. */
    factsOf: (channel: string, userId: string, which: Which): readonly string[] => {
      const ids = typeof which === "number" ? [which] : idsAbout(channel, userId, which.topic);
      return ids.filter((id) => owns(channel, userId, id)).map((id) => notes.get(id).fact);
    },
    /** Stores a fact that the viewer asked to keep. */
    remember: (channel: string, userId: string, fact: string): RequestOutcome =>
      keep(channel, userId, fact, null),
    /** Replaces a note of the viewer by a fact. */
    correct: (channel: string, userId: string, noteId: number, fact: string): RequestOutcome =>
      owns(channel, userId, noteId) ? keep(channel, userId, fact, noteId) : refuse("not_yours"),
    /**
     * Removes a note of the viewer, or all notes about a topic, and suppresses it. A topic is suppressed even if no
     * note is about it.
     */
    forget: (channel: string, userId: string, which: Which): RequestOutcome =>
      db.transaction(() => {
        if (typeof which !== "number") return forgetTopic(channel, userId, which.topic);
        if (!owns(channel, userId, which)) return refuse("not_yours");
        removeNote(accountsOf(userId), which);
        return makeDone("forgotten");
      })(),
  };
}

function makeDone(as: RequestDone): RequestOutcome {
  return { kind: "done", as };
}

function refuse(reason: RequestRefusal): RequestOutcome {
  return { kind: "refused", reason };
}
