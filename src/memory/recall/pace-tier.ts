import { nextPace, type Pace } from "./depth.ts";

/** The pace of each channel now, from its messages a minute; remembers the last tier, for hysteresis. */
export function paceReader(perMinute: (channel: string) => number): (channel: string) => Pace {
  const current = new Map<string, Pace>();
  return (channel) => {
    const pace = nextPace(current.get(channel) ?? "quiet", perMinute(channel));
    current.set(channel, pace);
    return pace;
  };
}
