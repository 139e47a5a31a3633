import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../src/api/all-routes.ts";
import { allTasks } from "../../src/engine/all-tasks.ts";
import { serverRoot } from "../../src/platform/server-root.ts";
import { testFiles } from "./source-files.ts";

const docs = join(serverRoot(), "..", "docs");

const tests = testFiles()
  .map((file) => file.text)
  .join("\n");

describe("every part has a test", () => {
  it.each(allRoutes.map(({ method, path }) => `${method} ${path}`))("%s has a describe block with its name", (name) => {
    expect(tests.includes(`describe("${name}"`)).toBe(true);
  });

  it.each(allTasks.map((task) => task.name))("a test runs the task %s", (name) => {
    expect(tests.includes(`"${name}"`)).toBe(true);
  });

  it("no test is skipped or focused", () => {
    expect(tests.match(/\b(it|test|describe)\.(only|skip|todo)\b/g)).toBeNull();
  });
});

describe("requirement codes", () => {
  const page = readFileSync(join(docs, "requirements.md"), "utf8");
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

describe("architecture decisions", () => {
  const folder = join(docs, "adr");
  const files = readdirSync(folder).filter((name) => name !== "README.md");
  const index = readFileSync(join(folder, "README.md"), "utf8");

  it("are numbered without gaps", () => {
    const numbers = files.map((name) => Number(name.slice(0, 4))).toSorted((a, b) => a - b);
    expect(numbers).toEqual(files.map((_name, at) => at + 1));
  });

  it.each(files)("%s has a number, a status, and an index row with both", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const [, number, status] = /^# (\d+)\. .+\n\nStatus: (.+)\n/.exec(text) ?? [];
    expect(number).toBe(String(Number(name.slice(0, 4))));
    expect(index).toMatch(new RegExp(`^\\| \\[${number}\\]\\(${name}\\) \\| .+ \\| ${status} \\|$`, "m"));
  });
});

function codesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, codes = ""]) => codes.trim().split(" "));
}
