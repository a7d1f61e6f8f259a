import { IdentityStore } from "../chat/viewer-store.ts";
import type { Db } from "../database/open-database.ts";
import { cleanLine } from "../language/clean.ts";
import { findPeople, makePersonToken } from "../language/people.ts";
import { isAboutTopic } from "../language/topic.ts";
import { type EpisodeStore, SaidEpisodes } from "./episode-store.ts";
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

/** The methods of `MemoryRequests`: the trial of an action has others that store nothing. */
export type ViewerRequests = Pick<
  MemoryRequests,
  "owns" | "factsOf" | "remember" | "correct" | "forget"
>;

/** Viewers' requests to memory, each about themselves only. Each change is one transaction, under the write policy. */
export class MemoryRequests {
  readonly #parts: RequestParts;
  readonly #notes: NoteStore;
  readonly #said: SaidEpisodes;
  readonly #claims: ClaimStore;
  readonly #accountsOf: (userId: string) => readonly string[];

  constructor(parts: RequestParts) {
    const { db, now } = parts;
    this.#parts = parts;
    this.#notes = new NoteStore(db, now);
    this.#said = new SaidEpisodes(db, "request");
    this.#claims = new ClaimStore(db, now);
    this.#accountsOf = new IdentityStore(db, now).accountsOf;
  }

  /**
   * Returns true if the note is about an account of this viewer, in this channel, and active, shadow, pending or stale.
   */
  owns(channel: string, userId: string, noteId: number): boolean {
    return this.#accountsOf(userId).some((id) => this.#notes.belongsTo(noteId, channel, id));
  }

  /**
   * Returns the facts of the viewer's notes on a topic, or of one note, if the viewer `owns` it. With person tokens.
   */
  factsOf(channel: string, userId: string, which: Which): readonly string[] {
    const ids = typeof which === "number" ? [which] : this.#findNotes(channel, userId, which.topic);
    return ids.filter((id) => this.owns(channel, userId, id)).map((id) => this.#notes.get(id).fact);
  }

  /**
   * Stores a fact that the viewer asked to keep, even if they had it forgotten before; `known` if a note says it
   * already. Refuses an empty one, one that names others, and one that the write policy drops.
   */
  remember(channel: string, userId: string, fact: string): RequestOutcome {
    return this.#keep(channel, userId, fact, null);
  }

  /**
   * Stores a fact in place of note `noteId` of the viewer. That note stays if it is pending or stale, or while the new one
   * waits for approval. Refuses what `remember` refuses, a fact that the note itself says, a note that the viewer does not
   * own, and an active one that the streamer wrote or pinned. If another note says the fact, that one replaces an active
   * note; else the fact is refused.
   */
  correct(channel: string, userId: string, noteId: number, fact: string): RequestOutcome {
    if (!this.owns(channel, userId, noteId)) return refuse("not_yours");
    return this.#keep(channel, userId, fact, noteId);
  }

  /**
   * Removes a note that the viewer owns, or all their notes on a topic in the channel, with their claims. Suppresses
   * the facts and the topic. A topic without notes is suppressed too, but refused as `nothing_known`.
   */
  forget(channel: string, userId: string, which: Which): RequestOutcome {
    return this.#parts.db.transaction(() => {
      if (typeof which !== "number") return this.#forgetTopic(channel, userId, which.topic);
      if (!this.owns(channel, userId, which)) return refuse("not_yours");
      this.#removeNote(userId, which);
      return makeDone("forgotten");
    })();
  }

  #findNotes(channel: string, userId: string, topic: string): number[] {
    const notes = this.#accountsOf(userId).flatMap((id) => this.#notes.textsAbout(id));
    return notes
      .filter((note) => note.channel === channel)
      .filter(({ fact, topics }) => isAboutTopic(`${fact} ${topics}`, topic))
      .map(({ id }) => id);
  }

  #keep(channel: string, userId: string, text: string, replacesId: number | null): RequestOutcome {
    const { db, writer, readOnly, suppressions, now } = this.#parts;
    if (readOnly()) return refuse("read_only");
    const fact = this.#toStored(channel, userId, text);
    if (fact === null) return refuse("names_other");
    if (fact === "") return refuse("empty");
    return db.transaction(() => {
      // A viewer who asks to remember a fact wants it back, even if it was forgotten before.
      const lifted = suppressions.lift(userId, fact);
      const episodeId = this.#said.begin(channel, userId, now());
      const candidate = this.#said.claim(episodeId, 1, {
        ...{ scope: "viewer", kind: "profile", subjectId: userId, fact, source: "viewer_request" },
        ...{ confidence: CONFIDENCE, lifetime: "permanent" },
        ...{ relation: replacesId === null ? "new" : "replaces", noteId: replacesId },
      });
      const { verdict } = writer.write(candidate, { channel, freshNoteIds: new Set() });
      if (verdict.kind === "confirm") return makeDone("known");
      if (verdict.kind !== "drop")
        return makeDone(verdict.status === "active" ? "kept" : "waiting");
      // A refused fact leaves no trace of its words.
      this.#said.deleteClaim(episodeId, 1);
      suppressions.restore(userId, lifted);
      return refuse(verdict.reason);
    })();
  }

  /** Returns the fact with tokens for names, the viewer's in front if it has none; null if it names another viewer. */
  #toStored(channel: string, userId: string, fact: string): string | null {
    const { episodes, botNames } = this.#parts;
    const labels = labelUserIds([userId], episodes.people(channel), botNames());
    const tokens = labels.toTokens(labels.hide(cleanLine(fact)));
    const named = findPeople(tokens);
    if (named.some((id) => id !== userId)) return null;
    return tokens === "" || named.length > 0 ? tokens : `${makePersonToken(userId)} ${tokens}`;
  }

  #removeNote(userId: string, id: number): void {
    const { fact } = this.#notes.get(id);
    for (const account of this.#accountsOf(userId))
      this.#parts.suppressions.suppressFact(account, fact);
    this.#notes.removeWithClaims(id);
  }

  #forgetTopic(channel: string, userId: string, topic: string): RequestOutcome {
    const ids = this.#findNotes(channel, userId, topic);
    for (const id of ids) this.#removeNote(userId, id);
    for (const account of this.#accountsOf(userId)) {
      this.#parts.suppressions.suppressTopic(account, topic);
      for (const { episodeId, n, statement } of this.#claims.aboutViewer(account)) {
        const isUnused = this.#notes.listNotesOfClaim(episodeId, n).length === 0;
        if (isUnused && isAboutTopic(statement, topic)) this.#claims.withdraw(episodeId, n);
      }
    }
    return ids.length > 0 ? makeDone("forgotten") : refuse("nothing_known");
  }
}

function makeDone(as: RequestDone): RequestOutcome {
  return { kind: "done", as };
}

function refuse(reason: RequestRefusal): RequestOutcome {
  return { kind: "refused", reason };
}
