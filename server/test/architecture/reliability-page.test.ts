import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const page = read("docs/evidence/reliability.md");

describe("the pages of evidence", () => {
  it("name tests that exist, for each of the 33 scenarios or say that there is none", () => {
    const named = [...page.matchAll(/`((?:server|dashboard)\/[\w/.-]+\.test\.ts)`/g)].map(([, path = ""]) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const rows = [...page.matchAll(/^\| (X\d+) .* \|$/gm)].map(([, row]) => row);
    expect(rows).toEqual(Array.from({ length: 33 }, (_, nth) => `X${nth + 1}`));
    const silent = page.match(/^\| X\d+ [^|]*\|[^|]*\| – \|(?!.*not implemented).*$/gm);
    expect(silent).toBeNull();
  });

  it("name the tests for bugs of other engines as they are called", () => {
    const bugs = read("server/src/flow/runs/public-bugs.test.ts");
    const issues = [...bugs.matchAll(/\(([\w-]+#\d+)\)/g)].map(([, issue]) => issue);
    expect(issues).toHaveLength(6);
    expect(issues.filter((issue) => !page.includes(`| ${issue} |`))).toEqual([]);
  });

  it("list every soak suite", () => {
    const table = read("docs/evidence/soak.md");
    const folders = readdirSync(join(ROOT, "server/test/soak"), { withFileTypes: true });
    const suites = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(suites.filter((name) => !table.includes(`\n| \`${name}\` |`))).toEqual([]);
  });
});
