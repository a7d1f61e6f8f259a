import { existsSync } from "node:fs";

const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** A browser of the system's packages. */
export const CHROMIUM = PLACES.find((path) => existsSync(path)) ?? PLACES[0] ?? "chromium";
