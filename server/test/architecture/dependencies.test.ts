import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { serverRoot } from "../../src/platform/server-root.ts";
import { type SourceFile, sourceFiles } from "./source-files.ts";

type Arrow = { from: string; to: string };

const files = sourceFiles();
const arrows = files.flatMap(arrowsOf);

function arrowsOf({ path, text }: SourceFile): Arrow[] {
  const imports = text.matchAll(/^import\s[^;]*?from\s+"(\.[^"]+)";|\bimport\("(\.[^"]+)"\)/gm);
  return [...imports].map((match) => ({
    from: path,
    to: normalize(join(dirname(path), match[1] ?? match[2] ?? "")),
  }));
}

function roomOf(path: string): string {
  const [first = "", second] = path.split("/");
  return second === undefined ? "main" : first;
}

/** Which modules each module may import. */
const MAY_IMPORT: Record<string, string[]> = {
  main: ["main", "demo", "api", "engine", "features", "flow", "platform"],
  // Calls features like a client; main decides whether there is a demo.
  demo: ["demo", "features", "flow", "platform"],
  api: ["api", "features", "flow", "platform"],
  engine: ["engine", "features", "flow", "platform"],
  features: ["features", "flow", "platform"],
  flow: ["flow", "platform"],
  platform: ["platform"],
};

describe("module dependencies", () => {
  it("are read from every file, with all imports resolved", () => {
    const paths = new Set(files.map((file) => file.path));
    expect(arrows.length).toBeGreaterThan(200);
    expect(arrows.filter((arrow) => !paths.has(arrow.to))).toEqual([]);
  });

  it("never point from a lower layer to a higher one", () => {
    const backwards = arrows.filter(({ from, to }) => !MAY_IMPORT[roomOf(from)]?.includes(roomOf(to)));
    expect(backwards).toEqual([]);
  });

  it("never cross from one feature into another", () => {
    const sliceOf = (path: string) => (roomOf(path) === "features" ? path.split("/")[1] : undefined);
    const crossing = arrows.filter(({ from, to }) => sliceOf(from) && sliceOf(to) && sliceOf(from) !== sliceOf(to));
    expect(crossing).toEqual([]);
  });

  it("of flow lead from events to workflows to waits, never back", () => {
    const ORDER = ["waits", "workflows", "events"];
    const levelOf = (path: string) => (roomOf(path) === "flow" ? ORDER.indexOf(path.split("/")[1] ?? "") : -1);
    const upwards = arrows.filter(({ from, to }) => levelOf(from) >= 0 && levelOf(to) > levelOf(from));
    expect(upwards).toEqual([]);
  });

  it("allow only api, the demo and main to import routes.ts, and only engine to import tasks.ts and retention.ts", () => {
    const intruders = arrows.filter(({ from, to }) => {
      if (to.endsWith("/routes.ts")) return !["api", "demo", "main"].includes(roomOf(from));
      return /\/(tasks|retention)\.ts$/.test(to) && roomOf(from) !== "engine";
    });
    expect(intruders).toEqual([]);
  });

  it("contain no cycles, imports of types included", () => {
    expect(findCycles(arrows)).toEqual([]);
  });

  it("contain no cycles of types within events, workflows, waits, schedules, sources and templates", () => {
    const isWithin = (path: string) => /^flow\/(events|workflows|waits|schedules|sources|templates)\//.test(path);
    expect(findCycles(arrows.filter(({ from, to }) => isWithin(from) && isWithin(to)))).toEqual([]);
  });

  it("allow the contract to import only the schema library", () => {
    const folder = join(serverRoot(), "..", "contract", "src");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const foreign = names.flatMap((name) => {
      const imports = readFileSync(join(folder, name), "utf8").matchAll(/from "([^"]+)"/g);
      return [...imports].map((match) => match[1] ?? "").filter((from) => from !== "typebox" && !/^\.\.?\//.test(from));
    });
    expect(foreign).toEqual([]);
  });

  it("allow only main to read process.env", () => {
    const readers = files.filter(({ path, text }) => text.includes("process.env") && roomOf(path) !== "main");
    expect(readers.map((file) => file.path)).toEqual([]);
  });
});

describe("the check itself", () => {
  it("finds a cycle of three modules", () => {
    const arrow = (from: string, to: string): Arrow => ({ from, to });
    expect(findCycles([arrow("a", "b"), arrow("b", "c"), arrow("c", "a"), arrow("a", "d")])).toEqual([
      ["a", "b", "c", "a"],
    ]);
  });
});

function findCycles(edges: readonly Arrow[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[][] = [];
  function walk(node: string, trail: string[]): void {
    if (trail.includes(node)) return void cycles.push([...trail.slice(trail.indexOf(node)), node]);
    if (done.has(node)) return;
    for (const other of next.get(node) ?? []) walk(other, [...trail, node]);
    done.add(node);
  }
  for (const node of next.keys()) walk(node, []);
  return cycles;
}
