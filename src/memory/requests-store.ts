import { identityStore } from "../chat/viewer-store.ts";
import { cleanLine } from "../language/clean.ts";
import { peopleIn, personToken } from "../language/people.ts";
import { isAboutTopic } from "../language/topic.ts";
import type { Db } from "../platform/database/open-database.ts";
import type { EpisodeStore } from "./episode-store.ts";
import { labelPeople } from "./labels.ts";
import { noteRows } from "./note-records-store.ts";
import type { NoteWriter } from "./note-writer-store.ts";
import { saidCandidate, saidEpisodes, saidOrigin } from "./said-store.ts";
import type { SuppressionStore } from "./suppression-store.ts";
import type { DropReason, Verdict } from "./write-policy.ts";

export type RequestOutcome =
  | { readonly kind: "done"; readonly as: RequestDone }
  | { readonly kind: "refused"; readonly reason: RequestRefusal };

/** Why a wish about one's own notes came to nothing: of the write policy, or of this file. */
export type RequestRefusal = DropReason | "names_other" | "empty" | "not_yours" | "nothing_known";

/** `known`: it was known already. `waiting`: it counts once the streamer says so. */
type RequestDone = "kept" | "known" | "waiting" | "forgotten";

/** What a viewer may ask of memory, about themselves alone. */
export interface ViewerRequests {
  /** Whether the note is about this viewer, in this channel. */
  owns(channel: string, userId: string, noteId: number): boolean;
  /** What one of this viewer's notes says, or all that are about a topic, people by their tokens. */
  factsOf(
    channel: string,
    userId: string,
    what: number | { readonly topic: string },
  ): readonly string[];
  /** Keeps a fact that the viewer asked to keep: it becomes an episode of its own kind first. */
  remember(channel: string, userId: string, fact: string): RequestOutcome;
  /** Writes a fact in the place of one of the viewer's notes; the old one stays, superseded. */
  correct(channel: string, userId: string, noteId: number, fact: string): RequestOutcome;
  /**
   * Takes away one of the viewer's notes, or all that are about a topic, and keeps it from being learned again: a topic
   * even where nothing is known about it.
   */
  forget(
    channel: string,
    userId: string,
    what: number | { readonly topic: string },
  ): RequestOutcome;
}

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

const PEOPLE_MAX = 300;
/** What somebody asked to keep is as sure as their own word. */
const CONFIDENCE = 0.9;
/** Requests of viewers, each one transaction: an episode with one claim, and the note that the policy allows. */
export function viewerRequests(parts: RequestParts): ViewerRequests {
  const { db, suppressions } = parts;
  const rows = statements(db);
  const identities = identityStore(db, parts.now);
  const keep = wishKeeper(parts);
  const owns = (channel: string, userId: string, noteId: number): boolean =>
    identities
      .accountsOf(userId)
      .some((account) => rows.owns.get(noteId, channel, account) !== undefined);
  const drop = (accounts: readonly string[], id: number): void => {
    const fact = rows.fact.get(id);
    if (fact !== undefined) for (const one of accounts) suppressions.suppressFact(one, fact);
    rows.unlink.run(id);
    rows.withdrawClaims.run(parts.now(), id);
    rows.blankCandidates.run(id);
    rows.drop.run(id);
  };
  const idsAbout = ({ channel, userId }: Requester, topic: string): readonly number[] =>
    identities
      .accountsOf(userId)
      .flatMap((account) => about(rows.texts.all(channel, account), topic).map(({ id }) => id));
  const forgetTopic = (who: Requester, topic: string): number => {
    const accounts = identities.accountsOf(who.userId);
    const ids = idsAbout(who, topic);
    for (const id of ids) drop(accounts, id);
    for (const account of accounts) {
      suppressions.suppressTopic(account, topic);
      for (const { episodeId, n } of about(rows.looseClaims.all(account), topic)) {
        rows.withdrawClaim.run(parts.now(), episodeId, n);
      }
    }
    return ids.length;
  };
  return {
    owns,
    factsOf: (channel, userId, what) => {
      const ids = typeof what === "number" ? [what] : idsAbout({ channel, userId }, what.topic);
      return ids.filter((id) => owns(channel, userId, id)).flatMap((id) => rows.fact.get(id) ?? []);
    },
    remember: (channel, userId, fact) => keep({ channel, userId }, fact, null),
    correct: (channel, userId, noteId, fact) =>
      owns(channel, userId, noteId)
        ? keep({ channel, userId }, fact, noteId)
        : refused("not_yours"),
    forget: (channel, userId, what) =>
      db.transaction(() => {
        if (typeof what !== "number") {
          const count = forgetTopic({ channel, userId }, what.topic);
          return count > 0 ? done("forgotten") : refused("nothing_known");
        }
        if (!owns(channel, userId, what)) return refused("not_yours");
        drop(identities.accountsOf(userId), what);
        return done("forgotten");
      })(),
  };
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
    const wish = saidCandidate(episodeId, 1, {
      ...{ scope: "viewer", kind: "profile", subjectId, fact, source: "viewer_request" },
      ...{ confidence: CONFIDENCE, lifetime: "permanent" },
      ...{ relation: replaces === null ? "new" : "replaces", noteId: replaces },
    });
    said.claim(episodeId, 1, wish);
    const { verdict } = writer.write(wish, saidOrigin(channel, parts.now(), NONE));
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
  const people = parts.episodes.people(channel, PEOPLE_MAX);
  const self = people.find((person) => person.userId === userId) ?? {
    userId,
    login: "",
    displayName: "",
  };
  const labels = labelPeople([self], people, parts.botNames());
  const tokens = labels.toTokens(labels.hide(cleanLine(fact)));
  const named = peopleIn(tokens);
  if (named.some((id) => id !== userId)) return null;
  return tokens === "" || named.length > 0 ? tokens : `${personToken(userId)} ${tokens}`;
}

/** Those that hold every telling word of a topic. */
function about<T extends { readonly text: string }>(some: readonly T[], topic: string): T[] {
  return some.filter(({ text }) => isAboutTopic(text, topic));
}

function statements(db: Db) {
  return {
    ...noteRows(db),
    looseClaims: db.prepare<[string], { episodeId: number; n: number; text: string }>(
      `SELECT episode_id AS episodeId, n, statement AS text FROM episode_claims c WHERE subject_id = ?
         AND NOT EXISTS (SELECT 1 FROM note_evidence v WHERE v.episode_id = c.episode_id AND v.claim_n = c.n)`,
    ),
    withdrawClaim: db.prepare<[number, number, number]>(
      `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, ?)
       WHERE episode_id = ? AND n = ?`,
    ),
    /** What the note rests on goes with it, unless another note rests on it too. */
    withdrawClaims: db.prepare<[number, number]>(
      `UPDATE episode_claims SET statement = '', withdrawn_at = coalesce(withdrawn_at, ?)
       WHERE (episode_id, n) IN (SELECT episode_id, claim_n FROM note_evidence v WHERE v.note_id = ?
         AND NOT EXISTS (SELECT 1 FROM note_evidence o WHERE o.episode_id = v.episode_id
           AND o.claim_n IS v.claim_n AND o.note_id <> v.note_id))`,
    ),
    blankCandidates: db.prepare<[number]>(
      "UPDATE note_candidates SET fact = NULL, offer_json = NULL WHERE note_id = ?",
    ),
  };
}
