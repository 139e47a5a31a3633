import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");

/** The pages that a reader of the code follows. */
const GUIDE = /^(?:AGENTS|ARCHITECTURE|CONTRIBUTING|GLOSSARY|README)\.md$|^(?:server|dashboard|sdk|cli)\/.*README\.md$/;
/** A file or folder with its path, or a file alone; not a route, a package or a value. */
const PATH = /^[\w.{},*-]+(?:\/[\w.{},*-]+)+\/?$|^[\w-]+\.(?:ts|tsx|sql|mjs)$/;
/** What a build writes. */
const BUILT = /(?:^|\/)dist(?:\/|$)/;

type Named = { page: string; path: string };

/** Paths in backticks, with `{a,b}` spelled out. */
function namedPaths(page: string, text: string): Named[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, "");
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, path = ""]) => path);
  const paths = quoted.filter((path) => PATH.test(path) && !BUILT.test(path)).flatMap(alternatives);
  return paths.map((path) => ({ page, path: path.replace(/\/$/, "") }));
}

function alternatives(path: string): string[] {
  const [, before = "", choices = "", after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return choices === "" ? [path] : choices.split(",").map((choice) => `${before}${choice}${after}`);
}

/** Every file and folder by the end of its path: pages name them below the folder that they are about. */
function endingsOf(files: readonly string[]): Set<string> {
  const endings = new Set<string>();
  for (const file of files) {
    const parts = file.split("/");
    for (let end = parts.length; end > 0; end--) {
      for (let start = 0; start < end; start++) endings.add(parts.slice(start, end).join("/"));
    }
  }
  return endings;
}

function missing(named: readonly Named[], files: readonly string[]): Named[] {
  const endings = endingsOf(files);
  const matches = (path: string) => new RegExp(`(?:^|/)${path.replaceAll(".", "\\.").replaceAll("*", "[^/]+")}$`);
  return named.filter(({ path }) =>
    path.includes("*") ? !files.some((file) => matches(path).test(file)) : !endings.has(path),
  );
}

describe("pages that guide readers of the code", () => {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1_048_576,
  });
  const files = listed.split("\n").filter(Boolean);

  it("name files and folders that exist", () => {
    const pages = files.filter((file) => GUIDE.test(file));
    const named = pages.flatMap((page) => namedPaths(page, readFileSync(resolve(ROOT, page), "utf8")));
    expect(named.length).toBeGreaterThan(100);
    expect(missing(named, files)).toEqual([]);
  });

  it("are read as they are written", () => {
    const named = namedPaths("a.md", "`flow/runs/{claim,gone}`, `gone.ts`, `features/*/tasks.ts`, `GET /v1/runs`");
    const found = missing(named, ["server/src/flow/runs/claim/claim-runs.ts", "server/src/features/runs/tasks.ts"]);
    expect(found.map(({ path }) => path)).toEqual(["flow/runs/gone", "gone.ts"]);
  });
});
