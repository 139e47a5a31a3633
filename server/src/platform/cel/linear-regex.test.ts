import { describe, expect, it, test } from "vitest";
import { cpuTimer } from "../../../test/costs/cpu-time.ts";
import { compilePattern, findPatternIssue } from "./linear-regex.ts";

describe("refuses patterns with a huge program before compiling them", () => {
  const long = "a".repeat(400);

  test.each([
    ["a long group", `(?:${long}){1000}`],
    ["many counts", "\\pL{999}".repeat(40)],
    ["counts in counts", "(?:(?:(?:ab){10}){10}){13}"],
    ["a parenthesis in a class", `(?:${long}[)]){1000}`],
    ["a parenthesis in a negated class", `(?:${long}[^])]){1000}`],
    ["a parenthesis in a POSIX class", `(?:${long}[[:alpha:])]){1000}`],
    ["an escaped parenthesis", `(?:${long}\\)){1000}`],
    ["a quoted parenthesis", `(?:${long}\\Q)\\E){1000}`],
    ["a named group", `(?P<n>${long}){500}`],
    ["an open count", `(?:${long}){900,}`],
    ["with line ends", `(?:\n${long}\n){1000}`],
  ])("%s", (_name, source) => {
    const spent = cpuTimer();
    expect(findPatternIssue(source)).toBe("Pattern repeats too much");
    expect(spent()).toBeLessThan(500);
  });
});

test.each([
  ["^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"],
  ["^[^@]{1,64}@[a-z0-9.-]{1,255}\\.[a-z]{2,10}$"],
  ["^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$"],
  ["a{1000}"],
  ["[]a{9999}]"],
  ["\\Qa{9999}(\\E"],
  ["\\p{Greek}+"],
])("%s is accepted", (source) => {
  expect(findPatternIssue(source)).toBeUndefined();
});

it("compiles a pattern once", () => {
  expect(compilePattern("once+")).toBe(compilePattern("once+"));
});

it("reports the issue of a bad pattern", () => {
  expect(findPatternIssue("(")).toContain("missing closing )");
  expect(findPatternIssue("(?<=a)b")).toContain("Invalid pattern");
  expect(findPatternIssue("(a)\\1")).toContain("Invalid pattern");
  expect(findPatternIssue("a".repeat(501))).toBe("Pattern is longer than 500 characters");
});
