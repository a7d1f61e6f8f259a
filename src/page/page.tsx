import { raw } from "hono/html";
import type { Status } from "../telemetry/status.ts";
import { statusText } from "../telemetry/status-text.ts";

const REFRESH_SECONDS = 5;

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.3rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 0.9rem/1.6 ui-monospace, monospace; }
  footer { opacity: 0.7; font-size: 0.85rem; }
`;

/** The local status page: the same lines as \`forgetmenot status\`. */
export function StatusPage({ status, nowMs }: { status: Status; nowMs: number }) {
  return (
    <>
      {raw("<!doctype html>")}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta http-equiv="refresh" content={String(REFRESH_SECONDS)} />
          <title>ForgetMeNot</title>
          <style>{raw(STYLE)}</style>
        </head>
        <body>
          <h1>ForgetMeNot</h1>
          <pre>{statusText(status, nowMs)}</pre>
          <footer>Only this machine can see this page. No chat text is on it.</footer>
        </body>
      </html>
    </>
  );
}
