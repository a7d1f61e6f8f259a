import type { LlmRequest } from "../../src/models/model-port.ts";
import { forgetEverything } from "../../src/privacy/forget-store.ts";
import { NO_ROLES, say as spoken } from "../chat/say.ts";
import { CHANNEL, memoryRig, summaryJson } from "../memory/memory-rig.ts";
import { scriptedLlm } from "../stand-ins/scripted-llm.ts";

/** Somebody in the world: an account whose login changes. */
export interface Body {
  readonly userId: string;
  login: string;
  displayName: string;
  isOut: boolean;
  /** Has neither spoken nor been named since they were forgotten. */
  isGone: boolean;
  /** Words that they do not want to be learned. */
  readonly unwanted: Set<string>;
}

/** What was said, and by whom. */
interface SaidLine {
  readonly body: Body;
  readonly text: string;
  readonly thing: string;
}

export type World = ReturnType<typeof openWorld>;

const THINGS =
  "lanterns kites anchors compasses ropes barrels pennants buckets whistles oars".split(" ");

/** A channel of some people over a real database, with a model that believes what it is told. */
export function openWorld(people: number) {
  const next = { message: 1, name: 1, body: 100 };
  /** What happens while the model thinks, once. */
  const meanwhile: { act: (() => void) | null } = { act: null };
  const shown: string[] = [];
  const llm = scriptedLlm((request: LlmRequest) => {
    shown.push(request.tail);
    const { act } = meanwhile;
    meanwhile.act = null;
    act?.();
    return answer(request);
  });
  const rig = memoryRig(llm, undefined, { notes: true });
  rig.setLive(false);
  const bodies = Array.from({ length: people }, () => newBody(next));
  const said = new Map<string, SaidLine>();
  const removed = new Set<string>();
  return { rig, next, bodies, said, removed, shown, meanwhile };
}

/** Forgets everybody, and has others in their place: a new interleaving over a database that has seen some. */
export function renew(world: World): void {
  for (const body of world.bodies) forget(world, body);
  for (const [index] of world.bodies.entries()) world.bodies[index] = newBody(world.next);
  world.said.clear();
  world.removed.clear();
}

function newBody(next: { name: number; body: number }): Body {
  const userId = `88${next.body++}0770`;
  return { userId, ...newName(next), isOut: false, isGone: true, unwanted: new Set() };
}

export function newName(next: { name: number }): { login: string; displayName: string } {
  const number = next.name++;
  return { login: `quillon${number}x`, displayName: `QuilloN${number}x` };
}

/** A line about a thing, which may name somebody else. */
export function say(world: World, body: Body, named: Body | null): void {
  const { rig, said, next } = world;
  const messageId = `m-${next.message++}`;
  const thing = THINGS[next.message % THINGS.length] ?? "";
  const aside = named === null ? "" : ` and @${named.login} or @${named.displayName} may know`;
  const text = `line ${messageId} says that I collect ${thing} at pier ${next.message}${aside}`;
  const roles = { ...NO_ROLES, subscriber: true };
  rig.events.add(spoken(text, { channel: CHANNEL, messageId, person: { ...body, roles } }));
  rig.clock.nowMs += 1_000;
  said.set(messageId, { body, text, thing });
  if (!body.isOut) body.isGone = false;
  if (named !== null && !body.isOut) named.isGone = false;
}

/** What a daemon does when somebody asks to be forgotten. */
export function forget({ rig, said, removed }: World, body: Body): void {
  rig.events.flush();
  rig.events.remove({ by: "person", channel: CHANNEL, userId: body.userId, login: "" });
  rig.events.flush();
  const parts = { ...rig, now: () => rig.clock.nowMs, saveRecord: () => undefined };
  forgetEverything(parts, body.userId, [body.login, body.displayName]);
  for (const [id, line] of said) if (line.body === body) removed.add(id);
  body.isGone = true;
}

export function optOut(world: World, body: Body): void {
  forget(world, body);
  world.rig.suppressions.optOut(body);
  body.isOut = true;
}

export function optIn({ rig }: World, body: Body): void {
  // The names that opting out kept are theirs again.
  if (rig.suppressions.optIn(body.userId)) body.isGone = false;
  body.isOut = false;
}

export function deleteLine({ rig, said, removed }: World, index: number): void {
  const ids = [...said.keys()];
  const id = ids[index % Math.max(1, ids.length)];
  if (id === undefined) return;
  removed.add(id);
  rig.events.remove({ by: "message", messageId: id });
}

export function unwant({ rig }: World, body: Body, index: number): void {
  const topic = THINGS[index % THINGS.length] ?? "";
  rig.memory.requests.forget(CHANNEL, body.userId, { topic });
  body.unwanted.add(topic);
}

function answer(request: LlmRequest): string {
  const { purpose, tail } = request;
  if (purpose === "extract") return JSON.stringify({ notes: notesOf(tail) });
  if (tail.includes("notes on the stream"))
    return JSON.stringify({ recap: "They talked about piers." });
  const lines = [
    ...tail.matchAll(/^(P\d+)(?: \(known\))?: (.*? collect (\w+) at pier (\d+).*)$/gm),
  ];
  const own = lines.slice(0, 3).map(([, label = "", text = "", thing]) => ({
    subject: label,
    quotes: [text],
    statement: `${label} collects ${thing}`,
  }));
  const shared = lines.slice(1, 2).map(([, label, text = "", , pier]) => ({
    subject: "channel",
    quotes: [lines[0]?.[2] ?? "", text],
    statement: `${label} and others met at pier ${pier}`,
  }));
  const named = [...tail.matchAll(/ and (P\d+) or P\d+ may know/g)].map(([, label]) => label);
  const told = [
    ...lines.slice(0, 2).map(([, label, , , pier]) => `${label} was at pier ${pier}.`),
    ...named.map((label) => `There was talk of ${label}.`),
  ];
  return summaryJson([...own, ...shared], told.join(" "));
}

function notesOf(tail: string) {
  return [...tail.matchAll(/^\[(\d+)\] P\d+: (?:P\d+ )?collects \w+/gm)].map(([, n]) => ({
    claims: [Number(n)],
    relation: "new",
    kind: "preference",
    confidence: 0.9,
  }));
}
