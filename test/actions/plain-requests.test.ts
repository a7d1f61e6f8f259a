import { expect, test } from "vitest";
import type { Person } from "../../src/actions/resolve.ts";
import { wishOf } from "../../src/actions/wish.ts";
import type { ActionName } from "../../src/platform/config/names.ts";

const person = (userId: string, login: string): Person => ({
  userId,
  login,
  displayName: login,
  roles: null,
});
const BOB = person("1", "bob");
const PEOPLE = [BOB, person("2", "carl"), person("3", "dora")];
const ON_SOMEBODY = ["timeout", "warn", "delete", "shoutout"] as const;
const ON_NOBODY = ["announce", "poll", "clip", "marker"] as const;

function isWish(name: ActionName, words: string, target: Person | null): boolean {
  const ownNames = ["automark", "Mark"];
  const context = { words: [words], repliesToId: null, ownNames, target, people: PEOPLE };
  return wishOf(name, {}, context) === "said";
}

const linesOf = (text: string) => text.split("\n").map((line) => line.trim());

const REQUESTS = {
  timeout: `hit bob with a timeout
    hit bob with a 60 second timeout
    issue bob a 5 minute timeout
    issue a timeout to bob
    slap a timeout on bob
    throw bob in timeout
    send bob to timeout for 2 minutes
    take bob out of chat for 5 minutes
    bob could use a timeout
    make bob be quiet for a minute
    please get bob to shut up for a minute
    bob ought to be timed out
    i want bob muted for 5 minutes
    a 30 second timeout for bob if you would`,
  delete: `clear bob's last message
    scrub that message from bob
    hide bob's message please
    bob's last message has to go
    bob's message needs deleting
    bob's spoiler should be deleted
    take bob's message down
    delete the last thing bob said
    delete the message bob just posted
    zap bob's last message`,
  warn: `put bob on notice
    formally warn bob
    hand bob a warning
    hit bob with a warning
    one more warning for bob
    file a warning against bob
    drop a warning on bob
    bob should get a warning for that`,
  clip: `we need that clipped
    could i get that clipped
    save that as a clip
    turn that into a clip
    i'd love a clip of that
    that has to be clipped
    record that moment`,
  marker: `flag this moment
    mark the vod here
    stick a marker here
    note this spot in the vod
    tag this moment`,
  poll: `have chat vote on the next map
    get chat to vote on the next map
    throw up a poll, tea or coffee
    let the viewers pick the map
    do a chat vote about the map
    set up voting for the next map`,
  announce: `put out the word that we start at nine
    give everyone a heads up that we start late
    broadcast that the raffle is on
    send a message to everyone that we start late
    make it known that the raffle is on
    remind everyone about the raffle`,
  shoutout: `throw bob a shoutout
    bob could use a shoutout
    hit bob with a shoutout
    get bob a shoutout please`,
} as const;

test.each(Object.entries(REQUESTS))("%s is asked for in plain words too", (name, text) => {
  const wished = [...ON_SOMEBODY, ...ON_NOBODY].find((known) => known === name) ?? "clip";
  const target = ON_SOMEBODY.some((known) => known === name) ? BOB : null;
  expect(linesOf(text).filter((line) => !isWish(wished, line, target))).toEqual([]);
});

test("those were sixty", () => {
  expect(Object.values(REQUESTS).flatMap(linesOf)).toHaveLength(60);
});

/** The same words as mentions, negations, quotations, reports, doubts, or about something else. */
const BAITS = linesOf(`who hit bob with a timeout?
  don't hit bob with a timeout
  hit bob with a snowball for a minute
  bob got hit with a timeout
  carl hit bob with a timeout
  somebody hit bob with a timeout lol
  did somebody hit bob with a timeout?
  if bob swears again hit him with a timeout
  carl said hit bob with a timeout
  "hit bob with a timeout" is a funny line
  please don't issue bob a timeout
  did you issue a timeout to bob?
  i will issue bob a timeout
  i can issue bob a timeout myself
  throw bob in the pool for a minute
  carl wants to throw bob in timeout
  bob will be sent to timeout one day
  send bob to the store for 2 minutes
  give bob a few minutes to type
  take bob out of the queue
  take bob out for dinner in 5 minutes
  nobody is taking bob out of chat
  bob could use a hug
  bob could use a timeout machine
  bob could use ten minutes of sleep
  bob, you could use a timeout
  does bob need a timeout?
  "bob needs a timeout" said carl
  bob gets a timeout every stream
  make bob be nice for a minute
  make bob quieter in the mix
  carl makes bob be quiet
  get bob to sing
  is bob getting a timeout?
  should bob be timed out?
  bob should not be timed out
  bob was told to be quiet for five minutes
  bob has to be muted on discord
  i want bob muted in discord
  clear the queue for bob
  did you clear bob's last message?
  don't hide bob's message
  hide bob's present
  pull bob's leg
  bob's last message has to go in the hall of fame
  bob's message doesn't have to go
  bob's message needs a reply
  bob's link was removed
  bob's last message should not be deleted
  carl thinks bob's message needs deleting
  take bob's message to heart
  i took bob's message down
  what was the last thing bob said
  don't put bob on notice
  bob put carl on notice
  somebody put bob on notice
  hand bob a warning sign for his costume
  bob should get a warning light for his car
  should bob get a warning for that?
  bob formally warned carl
  warn bob the boss is coming
  we need that clipped wing joke again
  did you get that clipped?
  save that for later
  don't turn that into a clip
  capture the flag
  don't record that moment
  i'd love a clip of yours
  that doesn't need to be clipped
  red flag, this moment
  don't flag this moment
  note the time
  mark the stream in your calendar
  have chat seen the map
  did chat vote on the next map?
  nobody lets chat vote
  get chat to laugh
  send everyone a hug
  spread the word
  don't spread the word about the raffle
  broadcast that? never
  make sure everyone knows who is boss
  who made it known that the raffle is on?
  throw bob a party
  don't throw bob a shoutout
  who gave bob a shoutout?
  bob could use a shoutout if he streamed more`);

test("none of these asks for anything, of anybody", () => {
  expect(BAITS.length).toBeGreaterThanOrEqual(60);
  const through = BAITS.flatMap((line) => [
    ...ON_NOBODY.filter((name) => isWish(name, line, null)).map((name) => [line, name]),
    ...ON_SOMEBODY.flatMap((name) =>
      PEOPLE.filter((target) => isWish(name, line, target)).map(({ login }) => [line, name, login]),
    ),
  ]);
  expect(through).toEqual([]);
});
