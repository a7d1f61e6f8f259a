import { spawn } from "node:child_process";
import { platform } from "node:process";
import { hasScreen } from "../platform/config/environment.ts";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/**
 * Opens an address in the browser, without a shell. False where there is no screen or no known way; the address has to
 * stand in the terminal anyway, since a browser that fails to start says nothing. Never throws.
 */
export function openBrowser(url: string): boolean {
  const [command, ...args] = OPENERS[platform] ?? [];
  if (command === undefined || !hasScreen()) return false;
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
  return true;
}
