import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// `npm run bench -- edge`: each benchmark is a folder with a `bench.mjs` that prints its own report.
const here = dirname(fileURLToPath(import.meta.url));
const names = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .map((entry) => entry.name);
const [name] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- <${names.join(" | ")}>\n`);
  process.exit(1);
}
await import(pathToFileURL(join(here, name, "bench.mjs")).href);
