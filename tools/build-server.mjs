import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail, root } from "./ensure-installed.mjs";

/** Bundles the server into one file in about a third of a second, without caching or watching. */
export function buildServer() {
  return bundle(join(root, "server", "src", "main.ts"), join(root, "server", "dist", "main.js"));
}

/**
 * typebox has hundreds of small modules: bundling them reduces startup from 0.9 s to 0.5 s. The SDK of MCP would install
 * a web framework that the service does not use; zod comes with it.
 */
export const BUNDLED = new Set(["typebox", "@modelcontextprotocol/sdk", "zod"]);

/** Bundles one source file of the server with our own modules; other packages stay external. */
export async function bundle(entry, outfile, options = { external: dependenciesOf("server") }) {
  const { build, stop } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: true,
    // Without comments: a single character beyond Latin-1 in one of them doubles the memory that V8 takes for the text.
    minifyWhitespace: true,
    lineLimit: 200,
    ...options,
    write: false,
    logLevel: "error",
  });
  await stop(); // its process would keep running next to the service with 30 MB
  try {
    mkdirSync(dirname(outfile), { recursive: true });
    for (const { path, contents } of outputFiles) writeWhole(path, contents);
  } catch (error) {
    fail(`The build cannot be written (${error.code}): ${outfile}. Run as the user who owns this folder.`);
  }
  return outfile;
}

/** Another instance may be starting from the same folder: it sees the old file or the new one, never a partial one. */
function writeWhole(path, contents) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

export function dependenciesOf(workspace) {
  const { dependencies } = JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => !name.startsWith("@millrace/") && !BUNDLED.has(name));
}
