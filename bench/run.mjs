import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// `npm run bench -- edge`: each benchmark is a folder with a `bench.mjs` that prints its own report.
const here = import.meta.dirname;
const names = readdirSync(here).filter((name) => existsSync(join(here, name, "bench.mjs")));
const [name] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- <${names.join(" | ")}> [--rounds=3] [--n=20000] [--only=millrace,…]
       npm run bench -- listing [--n=1000000] [--calls=200] [--only=…] [--keep=<folder>]
       npm run bench -- waits [--waiting=1000000] [--n=1000] [--rate=50] [--idle=35] [--expiring=10000]
What each measures is told in bench/README.md.
`);
  process.exit(1);
}
await import(pathToFileURL(join(here, name, "bench.mjs")).href);
