import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SitePage, writeSite } from "../../../tools/docs/write-site.mjs";

const ROOT = resolve(import.meta.dirname, "../../..");

let folder: string;
let pages: SitePage[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-docs-"));
  pages = writeSite({ root: ROOT, out: join(folder, "site") });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the documentation", () => {
  it("has no broken links, and every Markdown file of docs/ is a page", () => {
    const written = new Set(pages.map(({ path }) => path));
    const files = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
    const sources = files.filter((file) => file.endsWith(".md") && !/^(dist|node_modules)\//.test(file));
    const paths = sources.map((file) => file.replace(/(^index|\/README)?\.md$/, ""));
    expect(paths.filter((path) => !written.has(path))).toEqual([]);
  });

  it("has one first heading and unique anchors on every page", () => {
    const headings = pages.map(({ path, html }) => [path, html.match(/<h1/g)?.length]);
    expect(headings.filter(([, count]) => count !== 1)).toEqual([]);
    const twice = pages.filter(({ html }) => {
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      return new Set(ids).size !== ids.length;
    });
    expect(twice.map(({ path }) => path)).toEqual([]);
  });

  it("leads to every page from the start page or an index, without a script", () => {
    const linking = new Map(
      pages.map(({ path }) => [path, readFileSync(join(folder, "site", path, "index.html"), "utf8")]),
    );
    const unlinked = pages.filter(({ path }) => {
      const address = `href="/docs${path && "/"}${path}"`;
      return !["", path.split("/")[0] ?? ""].some((index) => linking.get(index)?.includes(address));
    });
    expect(unlinked.map(({ path }) => path)).toEqual([]);
  });

  it("has the pages that the dashboard, the command line and the service link to", () => {
    const places = [
      "dashboard/src/pages/all-pages.tsx",
      "cli/src/input/check-query.ts",
      "cli/src/commands/service/serve.ts",
    ];
    const text = places.map((place) => readFileSync(join(ROOT, place), "utf8")).join("\n");
    const linked = [...text.matchAll(/docs: "([^"]+)"|\/docs\/([\w/-]+)/g)].map(
      ([, page, other]) => page ?? other ?? "",
    );
    const written = new Set(pages.map(({ path }) => path));
    expect(linked.length).toBeGreaterThan(20);
    expect(linked.filter((path) => !written.has(path))).toEqual([]);
  });

  it("has the code of both systems side by side in each guide for a migration", () => {
    const guides = pages.filter(({ path }) => path.startsWith("migrate/"));
    expect(guides).toHaveLength(5);
    for (const { path, html } of guides) {
      const [, pair = ""] = /<div class="pair">([\s\S]*?)<h2/.exec(html) ?? [];
      expect([path, pair.match(/<pre/g)?.length]).toEqual([path, 2]);
    }
  });

  it("has a section for each heading of a long page, so that a browser lays out only what is on the screen", () => {
    const html = pages.find(({ path }) => path === "reference/cli")?.html ?? "";
    const parts = html.split(/<\/?section>/);
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.filter((part) => (part.match(/<h2/g)?.length ?? 0) > 1)).toEqual([]);
    const css = readFileSync(join(folder, "site", "css", "site.css"), "utf8");
    expect(css).toMatch(/article > section \{[^}]*content-visibility: auto;/);
  });

  it("has a runbook for each symptom that alerts link to", () => {
    const runbooks = pages.find(({ path }) => path === "operate/runbooks");
    const symptoms = [
      "runs-not-starting",
      "webhooks-late",
      "database-down",
      "high-failure-rate",
      "changelog-lag",
      "invariant-violated",
      "high-cpu",
    ];
    expect(runbooks?.ids).toEqual(expect.arrayContaining(symptoms));
  });

  it("shows each schema of the API once, with the operations of the only tag that uses it or on the page of schemas", () => {
    const { components } = JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8"));
    const shown = pages.flatMap(({ path, html }) =>
      [...html.matchAll(/<section class="schema" id="([^"]+)">/g)].map(([, name = ""]) => [name, path] as const),
    );
    expect(shown.map(([name]) => name).toSorted()).toEqual(Object.keys(components.schemas).toSorted());
    const places = new Map(shown);
    expect(["Job", "Problem"].map((name) => places.get(name))).toEqual(["api/jobs", "api/schemas"]);
    const index = pages.find(({ path }) => path === "api/schemas")?.html;
    expect(shown.filter(([name, path]) => !index?.includes(`href="/docs/${path}#${name}"`))).toEqual([]);
  });

  it("has no page larger than 300 kB", () => {
    expect(pages.filter(({ html }) => html.length > 300_000).map(({ path }) => path)).toEqual([]);
  });
});

describe("links of other Markdown files", () => {
  const { stdout } = spawnSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" });
  const files = stdout.split("\n").filter((file) => file !== "" && !file.startsWith("docs/"));

  it("lead to files of the repository", () => {
    const broken = files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(ROOT, dirname(file), target)))
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

describe("a broken link", () => {
  it.each([
    ["[a](missing.md)", "docs/index.md: missing.md: there is no such file"],
    ["[a](#missing)", "docs/index.md: /docs/#missing: there is no such heading"],
    ["[a](/docs/api/missing)", "docs/index.md: /docs/api/missing: there is no such page"],
    ["[a](/docs/api/runs#missing)", "docs/index.md: /docs/api/runs#missing: there is no such heading"],
  ])("fails the build: %s", (link, message) => {
    const root = copyOfRoot();
    writeFileSync(join(root, "docs", "index.md"), `# Start\n\n${link}\n`);
    expect(() => writeSite({ root, out: join(root, "site") })).toThrow(message);
  });
});

/** A repository with one page. */
function copyOfRoot(): string {
  const root = mkdtempSync(join(folder, "root-"));
  mkdirSync(join(root, "docs", "images"), { recursive: true });
  for (const path of ["package.json", "openapi.json", "server/docs", "server/home"]) {
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  }
  writeFileSync(
    join(root, "docs", "nav.json"),
    JSON.stringify([{ title: "Start", pages: [{ path: "", title: "Start" }] }]),
  );
  return root;
}
