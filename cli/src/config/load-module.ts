import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { CommandError } from "../command-error.ts";

type Esbuild = { build: (options: Record<string, unknown>) => Promise<unknown> };

/** The default export of a module. TypeScript is built with the esbuild of the project or of this program. */
export async function loadModule(path: string, name: string): Promise<unknown> {
  const esbuild = /\.m?ts$/.test(path) ? await findEsbuild(path) : undefined;
  if (/\.m?ts$/.test(path) && esbuild === undefined && !("typescript" in process.features)) {
    throw new CommandError("usage", `${name} cannot be read: Node ${process.versions.node} does not read TypeScript.`, [
      "Install esbuild in the project, use Node 22.18 or newer, or write millrace.config.mjs or YAML.",
    ]);
  }
  const exported = esbuild === undefined ? await run(path, name) : await buildAndRun(esbuild, path, name);
  if (exported !== undefined) return exported;
  throw new CommandError("usage", `${name} has no default export.`, ["export default defineConfig({ … });"]);
}

async function findEsbuild(path: string): Promise<Esbuild | undefined> {
  for (const from of [path, import.meta.url]) {
    try {
      return (await import(pathToFileURL(createRequire(from).resolve("esbuild")).href)) as Esbuild;
    } catch {
      // looked for in the next place
    }
  }
  return undefined;
}

/** Built next to the configuration, from where its own imports resolve. */
async function buildAndRun({ build }: Esbuild, path: string, name: string): Promise<unknown> {
  const outfile = join(dirname(path), `.millrace-config-${randomUUID()}.mjs`);
  try {
    await build({ entryPoints: [path], outfile, bundle: true, format: "esm", platform: "node", logLevel: "silent" });
    return await run(outfile, name);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError("usage", `${name} cannot be built: ${(error as Error).message}`);
  } finally {
    rmSync(outfile, { force: true });
  }
}

async function run(path: string, name: string): Promise<unknown> {
  try {
    return ((await import(`${pathToFileURL(path).href}?${randomUUID()}`)) as { default?: unknown }).default;
  } catch (error) {
    throw new CommandError("usage", `${name} cannot be run: ${(error as Error).message}`);
  }
}
