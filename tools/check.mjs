import { spawn } from "node:child_process";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";

// `npm run check`: everything a change must pass. `--static` skips the tests.
await ensureInstalled();

// Two at a time, the longest first: none of them keeps two cores busy.
const left = ["types", "lint", "lint:promises", "dead-code", "lint:openapi", "lint:words", "lint:licenses"];
await Promise.all([runNext(), runNext()]);
if (!process.argv.includes("--static")) await run("test");

async function runNext() {
  for (let script = left.shift(); script !== undefined; script = left.shift()) await run(script);
}

/** The output of one is not mixed with that of another. */
async function run(script) {
  const startedAt = performance.now();
  const stdio = script === "test" ? "inherit" : "pipe";
  const child = spawn("npm", ["run", "--silent", script], { cwd: root, stdio, shell: process.platform === "win32" });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => output.push(piece));
  const status = await new Promise((resolve) => child.on("close", resolve));
  process.stderr.write(Buffer.concat(output));
  if (status !== 0) fail(`npm run ${script} failed`);
  process.stderr.write(`✓ ${script} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)\n`);
}
