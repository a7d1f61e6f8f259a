import { IS_KNOWN, VOUCHES } from "../chat/known-store.ts";

/**
 * True if known people said a claim about the channel: the streamer, a moderator, or two known viewers. Always true for
 * a viewer's claim about themselves. `k` is a row of `episode_claims`, `e` its episode; give `:calmSince`.
 */
const IS_CARRIED = `(k.scope = 'viewer'
  OR EXISTS (SELECT 1 FROM claim_carriers s JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = s.user_id
    WHERE s.episode_id = k.episode_id AND s.n = k.n AND ${VOUCHES})
  OR 1 < (SELECT count(*) FROM claim_carriers s JOIN viewer_channels c ON c.channel = e.channel AND c.user_id = s.user_id
    WHERE s.episode_id = k.episode_id AND s.n = k.n AND ${IS_KNOWN}))`;

/** True if a claim would prove a note once known people carry it. */
const IS_PLAIN = "(k.is_weak = 0 AND k.how = 'plainly' AND k.withdrawn_at IS NULL)";

/** True if a claim may make a note active. */
export const PROVES = `(${IS_PLAIN} AND ${IS_CARRIED})`;

/** True if a row `v` of `note_evidence` may make its note active: what was not extracted from chat needs no proof. */
export const EVIDENCE_PROVES = `(v.method <> 'extracted' OR EXISTS (SELECT 1 FROM episode_claims k
  JOIN episodes e ON e.id = k.episode_id WHERE k.episode_id = v.episode_id AND k.n = v.claim_n AND ${PROVES}))`;

/** True if the channel note `n` waits for its carriers to return as known viewers. */
export const WAITS_FOR_REGULARS = `(n.scope <> 'viewer' AND n.status = 'shadow' AND EXISTS (SELECT 1 FROM note_evidence v
  JOIN episode_claims k ON k.episode_id = v.episode_id AND k.n = v.claim_n WHERE v.note_id = n.id AND ${IS_PLAIN}))`;
