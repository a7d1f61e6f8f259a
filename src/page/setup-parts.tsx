import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Step } from "./setup.ts";

/** Without scripts, a page that waits checks again after this time. */
const CHECK_SECONDS = 2;

/** What a step shows. */
export interface Screen {
  readonly heading: string;
  readonly lead?: Child;
  /** The address that the page goes to once it leads elsewhere. */
  readonly waitsAt?: string;
  readonly shown: Child;
}

/** A whole page of setup. `refresh` reloads it without the script, such as `1;url=/`. */
export function Shell(given: {
  title: string;
  waitsAt?: string | undefined;
  refresh?: string | undefined;
  children?: Child;
}) {
  const { title, waitsAt, refresh, children } = given;
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          {refresh && <meta http-equiv="refresh" content={refresh} />}
          {waitsAt && (
            <noscript>
              <meta http-equiv="refresh" content={`${CHECK_SECONDS};url=${waitsAt}`} />
            </noscript>
          )}
          <title>{`${title} · Set up ForgetMeNot`}</title>
          <link rel="icon" href="/assets/flower.svg" type="image/svg+xml" />
          <link rel="stylesheet" href="/assets/style.css" />
          <link rel="stylesheet" href="/assets/setup.css" />
          <script type="module" src="/assets/setup.js" />
        </head>
        <body class="setup" data-waits-at={waitsAt}>
          <header>
            <img src="/assets/flower.svg" alt="" width="26" height="26" />
            <b>ForgetMeNot</b> <span>setup</span>
          </header>
          {children}
        </body>
      </html>
    </>
  );
}

/** The main button of a form, other ones, and the way back. `busy` replaces its text while the form is sent. */
export function buttons(
  label: string,
  { back, busy, others }: { back?: Step; busy?: string; others?: Child } = {},
) {
  return (
    <div class="buttons">
      <button type="submit" class="first" data-busy={busy}>
        {label}
      </button>
      {others}
      {back && <a href={`/setup/${back}`}>Back</a>}
    </div>
  );
}

/** One of several choices, with a sentence about it. */
export function radio(
  [name, value]: readonly [name: string, value: string],
  isChosen: boolean,
  label: string,
  about: string,
) {
  return (
    <label class="choice">
      <input type="radio" name={name} value={value} checked={isChosen} />
      <span>
        <b>{label}</b>
        <small>{about}</small>
      </span>
    </label>
  );
}

export function tick(name: string, isTicked: boolean, label: string) {
  return (
    <label class="tick">
      <input type="checkbox" name={name} checked={isTicked} /> {label}
    </label>
  );
}

export function setupHint(...children: readonly Child[]) {
  return <p class="hint">{children}</p>;
}

/** Shows a problem with its fix; nothing if there is none. */
export function alert(text: string | null) {
  return (
    text !== null && (
      <p class="word wrong" role="alert">
        {text}
      </p>
    )
  );
}
