import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { serverRoot } from "../../src/platform/server-root.ts";

export type SourceFile = { path: string; text: string };

const ROOT = join(serverRoot(), "..");
const SOURCE = join(serverRoot(), "src");

/** Every source file of the server that is not a test, with its path below `src/`. */
export function sourceFiles(): SourceFile[] {
  return filesBelow(SOURCE)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("/testing/"))
    .map((path) => ({ path: relative(SOURCE, path), text: readFileSync(path, "utf8") }));
}

/** Every test file of the repository, soak tests included. */
export function testFiles(): SourceFile[] {
  return ["server", "sdk", "cli", "dashboard", "examples"]
    .flatMap((folder) => filesBelow(join(ROOT, folder)))
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, "utf8") }));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
