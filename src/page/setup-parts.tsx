import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Step } from "./setup.ts";

/** Without scripts, a page that waits looks again after so many seconds. */
const LOOK_SECONDS = 2;

export interface Screen {
  readonly heading: string;
  readonly lead?: Child;
  /** Where the page goes on by itself, to look whether something happened. */
  readonly waitsAt?: string;
  readonly shown: Child;
}

/** A whole page of setup. `waitsAt` is where it goes by itself after a while. */
export function Shell(given: {
  title: string;
  waitsAt?: string | undefined;
  /** The content of a refresh that does not need the script. */
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
          {refresh === undefined ? null : <meta http-equiv="refresh" content={refresh} />}
          {waitsAt === undefined ? null : (
            <noscript>
              <meta http-equiv="refresh" content={`${LOOK_SECONDS};url=${waitsAt}`} />
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

interface FormProps {
  readonly to: string;
  readonly csrf: string;
  readonly look?: string;
  readonly children?: Child;
}

/** A form of setup. It carries the proof that this session was shown it. */
export function StepForm({ to, csrf, look, children }: FormProps) {
  return (
    <form method="post" action={`/setup/${to}`} class={look} autocomplete="off">
      <input type="hidden" name="_csrf" value={csrf} />
      {children}
    </form>
  );
}

/** The row of buttons under a form: the main one, and the way back. */
export function Buttons({ back, children }: { back?: Step; children?: Child }) {
  return (
    <div class="buttons">
      {children}
      {back === undefined ? null : <a href={`/setup/${back}`}>Back</a>}
    </div>
  );
}

/** A choice with a sentence about it. */
export function Radio(given: {
  name: string;
  value: string;
  label: string;
  hint?: string;
  isChosen: boolean;
}) {
  const { name, value, label, hint, isChosen } = given;
  return (
    <label class="choice">
      <input type="radio" name={name} value={value} checked={isChosen} />
      <span>
        <b>{label}</b>
        {hint === undefined ? null : <small>{hint}</small>}
      </span>
    </label>
  );
}

/** Shows a problem with its fix. */
export function Alert({ children }: { children?: Child }) {
  return (
    <p class="word wrong" role="alert">
      {children}
    </p>
  );
}
