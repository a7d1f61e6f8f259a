import { expect, vi } from "vitest";

/** Resolves once `condition` holds; fails the test where it does not within `timeoutMs`. */
export function until(condition: () => boolean, timeoutMs = 20_000): Promise<void> {
  return vi.waitFor(() => expect(condition()).toBe(true), { timeout: timeoutMs, interval: 5 });
}
