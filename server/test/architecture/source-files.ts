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
  return testCode().filter(({ path }) => path.endsWith(".test.ts"));
}

/** Every test file of the repository, and what the tests import from `test/` folders. */
export function testCode(): SourceFile[] {
  return ["server", "sdk", "cli", "dashboard", "examples"]
    .flatMap((folder) => filesBelow(join(ROOT, folder)))
    .map((path) => ({ path, name: relative(ROOT, path) }))
    .filter(({ name }) => name.endsWith(".test.ts") || (name.includes("/test/") && name.endsWith(".ts")))
    .map(({ path, name }) => ({ path: name, text: readFileSync(path, "utf8") }));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
