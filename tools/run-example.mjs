import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";

// `node tools/run-example.mjs hello`: like `node examples/hello/main.ts` with a Node version that supports
// TypeScript.
await ensureInstalled();
const [name = ""] = process.argv.slice(2);
const main = join(root, "examples", name, "main.ts");
if (name === "" || !existsSync(main)) fail(`usage: node tools/run-example.mjs <${namesOfExamples().join(" | ")}>`);

const { build, stop } = await import("esbuild");
const outfile = join(root, "examples", "dist", `${name}-${process.pid}.mjs`);
mkdirSync(join(root, "examples", "dist"), { recursive: true });
await build({
  entryPoints: [main],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "error",
});
await stop();
await import(pathToFileURL(outfile).href);

function namesOfExamples() {
  return readdirSync(join(root, "examples")).filter((each) => existsSync(join(root, "examples", each, "main.ts")));
}
