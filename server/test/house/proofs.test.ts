import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../src/api/all-routes.ts";
import { allLoops } from "../../src/engine/all-loops.ts";
import { serverRoot } from "../../src/platform/server-root.ts";
import { testFiles } from "./source-files.ts";

const tests = testFiles()
  .map((file) => file.text)
  .join("\n");

describe("every part has its test", () => {
  it.each(allRoutes.map(({ method, path }) => `${method} ${path}`))("%s has a describe of its name", (name) => {
    expect(tests.includes(`describe("${name}"`)).toBe(true);
  });

  it.each(allLoops.map((loop) => loop.name))("the duty %s is stepped by a test", (name) => {
    expect(tests.includes(`"${name}"`)).toBe(true);
  });

  it("no test is switched off or alone", () => {
    expect(tests.match(/\b(it|test|describe)\.(only|skip|todo)\b/g)).toBeNull();
  });
});

describe("requirement codes", () => {
  const page = readFileSync(join(serverRoot(), "..", "docs", "requirements.md"), "utf8");
  const rows = codesIn(page, /^\| ([A-Z]\d+) \|/gm);
  const proven = new Set(codesIn(tests, /\(\s*["'`]((?:[A-Z]\d{1,2} )+)/g));

  it("docs/requirements.md has one row for each code", () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((code, at) => rows.indexOf(code) !== at)).toEqual([]);
  });

  it("every row is named by the title of a test", () => {
    expect(rows.filter((code) => !proven.has(code))).toEqual([]);
  });

  it("every code in the title of a test has a row", () => {
    expect([...proven].filter((code) => !rows.includes(code))).toEqual([]);
  });
});

function codesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, codes = ""]) => codes.trim().split(" "));
}
