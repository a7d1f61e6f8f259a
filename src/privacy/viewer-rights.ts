import type { EventStore } from "../chat/event-store.ts";
import { IdentityStore, type NamedViewer, type ViewerStore } from "../chat/viewer-store.ts";
import type { DatabaseHealth } from "../database/health.ts";
import type { NoticeBoard } from "../database/notices-store.ts";
import type { Db } from "../database/open-database.ts";
import { NOT_FLUSHED, type RetryQueue } from "../database/retry-queue.ts";
import { type ChangeWatch, watchChanges } from "../database/watch-changes.ts";
import { Fault } from "../errors.ts";
import { holdsName, type KeyedHash } from "../language/people.ts";
import type { SuppressionStore } from "../memory/suppression-store.ts";
import type { ReplyService } from "../reply/reply-service.ts";
import { type Forgotten, forgetEverything, forgetLog } from "./forget-store.ts";

interface RightsParts {
  readonly db: Db;
  readonly config: { readonly channels: readonly string[] };
  readonly events: EventStore;
  readonly viewers: ViewerStore;
  readonly suppressions: SuppressionStore;
  readonly service: ReplyService;
  readonly hash: KeyedHash;
  readonly health: DatabaseHealth;
  readonly notices: NoticeBoard;
  readonly retries: RetryQueue;
  readonly saveRecord: () => void;
  readonly now: () => number;
}

/** A message that arrived just before another process forgot its viewer may not be stored yet. */
const IN_FLIGHT_MS = 2_000;
const KIND = "rights_refused";

/**
 * Carries out viewers' requests about their data. Each method commits before it returns. It returns null, and raises a
 * notice, if the database cannot take the request now; nothing tries it again.
 */
export class ViewerRights {
  readonly #parts: RightsParts;
  readonly #accountsOf: (userId: string) => readonly string[];
  readonly #known: ReturnType<typeof forgetLog>;
  readonly #watch: ChangeWatch;

  constructor(parts: RightsParts) {
    const { db, notices, now } = parts;
    this.#parts = parts;
    this.#accountsOf = new IdentityStore(db, now).accountsOf;
    this.#known = forgetLog(db);
    notices.clear(KIND); // the last run's problem may be over
    this.#watch = watchChanges(db, () => this.#followOtherProcess());
  }

  close(): void {
    this.#watch.close();
  }

  forget(viewer: NamedViewer): Forgotten | null {
    return this.attempt(() => this.#forgetNow(viewer));
  }

  /** Forgets the viewer, then opts all their accounts out. */
  optOut(viewer: NamedViewer): Forgotten | null {
    return this.attempt(() => {
      const forgotten = this.#forgetNow(viewer);
      for (const userId of forgotten.userIds)
        this.#parts.suppressions.optOut(userId === viewer.userId ? viewer : { userId });
      return forgotten;
    });
  }

  /** Opts this account in; other accounts of the viewer stay out. `wasOut` false: it had not opted out. */
  optIn({ userId }: NamedViewer): { readonly wasOut: boolean } | null {
    return this.attempt(() => ({ wasOut: this.#parts.suppressions.optIn(userId) }));
  }

  /**
   * Writes all buffered chat, then runs `work` and returns its result. Returns null, and raises a notice, if chat
   * cannot be written, the database refuses or `work` throws a Fault. Throws other errors. Opens no transaction.
   */
  attempt<T>(work: () => T): T | null {
    const { events, health, notices } = this.#parts;
    try {
      if (!events.flush()) return this.#refuse("chat waits to be written");
      const done = work();
      notices.clear(KIND);
      return done;
    } catch (thrown) {
      if (thrown instanceof Fault) return this.#refuse(`${thrown.message}: ${thrown.fix}`);
      if (health.handleError(thrown)) return this.#refuse("the database takes no writes");
      throw thrown;
    }
  }

  #refuse(why: string): null {
    this.#parts.notices.raise(
      KIND,
      "warning",
      `A viewer's request (remember, forget, opt out) was refused: it could not be stored (${why}). The viewer was told to try again later. Type \`forgetmenot doctor\`: it says what to fix.`,
    );
    return null;
  }

  /**
   * Drops the viewer's chat in every channel, and forgets the viewer with all accounts. Also drops replies in progress
   * that may name the viewer. Names may be "". Throws if a write fails.
   */
  #forgetNow({ userId, login, displayName }: NamedViewer): Forgotten {
    const { config, events, hash, service, viewers } = this.#parts;
    const accounts = this.#accountsOf(userId);
    // First as after a ban: replies in progress, open windows and open questions drop what the viewer said.
    for (const channel of config.channels) {
      for (const account of accounts)
        events.remove({ by: "person", channel, userId: account, login: "" });
    }
    events.flush();
    const others = accounts.flatMap((account) => viewers.get(account) ?? []);
    const names = [{ login, displayName }, ...others]
      .flatMap((one) => [one.login.toLowerCase(), one.displayName.toLowerCase()])
      .filter((name) => name !== "");
    const forgotten = forgetEverything(this.#parts, userId, [login, displayName]);
    this.#known.markOwn(accounts.map(hash.person));
    // Matches more words than a forget removes: to drop one answer too many does no harm.
    service.discardNaming((text) => holdsName(text, new Set(names)));
    return forgotten;
  }

  /**
   * After another process forgot a viewer: drops all replies in progress. Then forgets again viewers whose chat came
   * meanwhile, at once or as soon as the database takes it. Also rereads opt-outs.
   */
  #followOtherProcess(): void {
    const { events, hash, now, retries, service, suppressions } = this.#parts;
    suppressions.reread();
    const whos = this.#known.reread();
    if (whos.size === 0) return;
    const isForgotten = (userId: string): boolean => whos.has(hash.person(userId));
    const dropped = service.discardOf(isForgotten);
    // The names of these viewers are forgotten, so drop everything in progress.
    service.discardNaming((text) => text !== "");
    retries.add(() => {
      if (!events.flush()) throw NOT_FLUSHED;
      const late = this.#known.seenSince(now() - IN_FLIGHT_MS).filter(isForgotten);
      for (const userId of new Set([...dropped, ...late]))
        this.#forgetNow({ userId, login: "", displayName: "" });
    });
  }
}
