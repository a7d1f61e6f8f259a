import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isWithinHours } from "../../src/config/local-time.ts";

const given = process.env["TZ"];

beforeEach(() => {
  process.env["TZ"] = "Europe/Berlin";
});

afterEach(() => {
  if (given === undefined) delete process.env["TZ"];
  else process.env["TZ"] = given;
});

const isIn = (span: string) => (utc: string) => isWithinHours(span, Date.parse(utc));

test("a span begins with its first minute, and its last one is over", () => {
  const isQuiet = isIn("13:00-14:30");
  const noon = ["2026-01-10T11:59Z", "2026-01-10T12:00Z", "2026-01-10T13:29Z", "2026-01-10T13:30Z"];
  expect(noon.map(isQuiet)).toEqual([false, true, true, false]);
});

test("a span that ends before it begins goes over midnight", () => {
  const isQuiet = isIn("23:00-07:00");
  const night = [
    "2026-01-10T21:59Z",
    "2026-01-10T22:00Z",
    "2026-01-11T05:59Z",
    "2026-01-11T06:00Z",
  ];
  expect(night.map(isQuiet)).toEqual([false, true, true, false]);
});

test("the night on which clocks go forward is an hour shorter, and ends when they show its end", () => {
  const isQuiet = isIn("23:00-07:00");
  const night = [
    "2026-03-28T22:00Z",
    "2026-03-29T00:59Z",
    "2026-03-29T01:00Z",
    "2026-03-29T04:59Z",
  ];
  expect(night.map(isQuiet)).toEqual([true, true, true, true]);
  expect(isQuiet("2026-03-29T05:00Z")).toBe(false);
  expect(["2026-03-29T00:59Z", "2026-03-29T01:00Z"].map(isIn("02:00-03:00"))).toEqual([
    false,
    false,
  ]);
});

test("the night on which clocks go back is an hour longer, and an hour that comes twice is quiet twice", () => {
  const isQuiet = isIn("23:00-07:00");
  expect(["2026-10-25T05:59Z", "2026-10-25T06:00Z"].map(isQuiet)).toEqual([true, false]);
  const twice = [
    "2026-10-24T23:59Z",
    "2026-10-25T00:00Z",
    "2026-10-25T01:30Z",
    "2026-10-25T02:00Z",
  ];
  expect(twice.map(isIn("02:00-03:00"))).toEqual([false, true, true, false]);
});
