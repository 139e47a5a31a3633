import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseNode } from "./install-peers.mjs";

// `npm run bench -- edge`: each benchmark is a folder with a `bench.mjs` that prints its own report.
const here = import.meta.dirname;
const names = readdirSync(here).filter((name) => existsSync(join(here, name, "bench.mjs")));
const [name] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- <${names.join(" | ")}> [--rounds=3] [--n=20000] [--only=millrace,…]
       npm run bench -- listing [--n=1000000] [--calls=200] [--only=…] [--keep=<folder>]
       npm run bench -- idle --url=postgres://… [--instances=1,2] [--secs=60] [--list]
       npm run bench -- schedules [--n=100000] [--due=5000] [--idle=20]
       npm run bench -- waits [--waiting=1000000] [--n=1000] [--rate=50] [--idle=35] [--expiring=10000]
See bench/README.md for what each measures.
`);
  process.exit(1);
}
const args = [join(here, name, "bench.mjs"), ...process.argv.slice(2)];
// Only comparisons need the Node version of the peers, which are hundreds of megabytes from the registry.
const comparesPeers = /compare\.mjs/.test(readFileSync(join(here, name, "bench.mjs"), "utf8"));
const child = spawn(comparesPeers ? chooseNode() : process.execPath, args, { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
const [code] = await once(child, "exit");
process.exit(code ?? 1);
