import { sealExport } from "../../src/memory/export-store.ts";
import { CHANNEL } from "./town.ts";

/** An export as another bot might have made it: so many people, three notes about each. */
export function exportOf(people: number, nowMs: number): string {
  const who = (n: number) => ({
    userId: String(60_000 + n),
    login: `guest${n}`,
    displayName: `Guest${n}`,
  });
  const facts = ["restores old radios", "sails a small boat", "bakes rye bread"];
  const ids = Array.from({ length: people }, (_, n) => n);
  return sealExport({
    exportedAtMs: nowMs,
    people: ids.map(who),
    aliases: [],
    episodes: [
      {
        ...{ ref: 1, channel: CHANNEL, kind: "window", eventCount: 25 },
        ...{ startedAtMs: nowMs, endedAtMs: nowMs },
      },
    ],
    notes: ids.flatMap((n) =>
      facts.map((what) => ({
        ...{ channel: CHANNEL, scope: "viewer" as const, subjectId: who(n).userId, persona: null },
        ...{ kind: "profile" as const, fact: `{u:${who(n).userId}} ${what}`, topics: [] },
        ...{ confidence: 0.8, importance: "medium" as const, status: "active" as const },
        ...{ source: "extracted" as const, expiresAtMs: null },
        ...{ createdAtMs: nowMs, lastConfirmedAtMs: nowMs },
        evidence: [
          { episode: 1, method: "extracted" as const, confidence: 0.8, createdAtMs: nowMs },
        ],
      })),
    ),
  });
}
