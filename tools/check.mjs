import { spawnSync } from "node:child_process";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";

// `npm run check`: everything a change must pass. `--static` skips the tests.
await ensureInstalled();

for (const script of ["lint", "lint:words", "lint:promises", "lint:openapi", "lint:licenses", "types", "dead-code"])
  run(script);
if (!process.argv.includes("--static")) run("test");

function run(script) {
  const startedAt = performance.now();
  const options = { cwd: root, stdio: "inherit", shell: process.platform === "win32" };
  const { status } = spawnSync("npm", ["run", "--silent", script], options);
  if (status !== 0) fail(`npm run ${script} failed`);
  process.stderr.write(`✓ ${script} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)\n`);
}
