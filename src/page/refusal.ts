import type { IncomingMessage, ServerResponse } from "node:http";

const REFUSALS = {
  wrong_host: [421, "This is not that place."],
  malformed: [400, "This request cannot be read."],
  foreign: [403, "Another site sent this request, and it is not obeyed."],
  not_yours: [403, "This form was not made for your session. Open the page again."],
  starting: [503, "The bot is starting. Try again in a moment."],
  too_many: [429, "Too many wrong keys. Wait a minute."],
  too_large: [413, "This is too large."],
  stranger: [
    401,
    "This page is private. Run `forgetmenot page` on this machine for a link that opens it.",
  ],
  broken: [500, "This cannot be shown right now."],
} as const;

export type Refusal = keyof typeof REFUSALS;

/** The one shape of an error. */
export function errorBody(code: string, message: string, mend: string | null = null) {
  return { error: { code, message, mend } };
}

/** Turns a request away before anything is read for it: as text for a person, in the one shape for a program. */
export function refusal(request: IncomingMessage, response: ServerResponse, why: Refusal): void {
  const [status, message] = REFUSALS[why];
  // What is left of a body is not read.
  response.setHeader("connection", "close");
  const isForPeople = (request.headers.accept ?? "").includes("text/html");
  const isApi = (request.url ?? "").startsWith("/api/") || !isForPeople;
  response.writeHead(status, {
    "content-type": isApi ? "application/json; charset=utf-8" : "text/plain; charset=utf-8",
  });
  response.end(isApi ? JSON.stringify(errorBody(why, message)) : `${message}\n`);
}
