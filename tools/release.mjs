import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packPackages } from "./build-packages.mjs";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";
import { audit } from "./release/audit.mjs";
import { nextSteps } from "./release/next-steps.mjs";
import { sbom } from "./release/sbom.mjs";
import { dateChangelog, setVersion } from "./release/set-version.mjs";

// `npm run release -- 0.2.0`: sets the version, dates the changelog, records the last migration, runs all checks, and builds
// tarballs and an SBOM. It publishes nothing: the last lines say how, and name the checks that could not be done.
// `--skip-checks`: for a commit that CI has checked.
const [version = "", ...flags] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) fail("usage: npm run release -- <version> [--skip-checks]");
await ensureInstalled();
if (run("git", ["status", "--porcelain"], "pipe").stdout.trim() !== "") fail("Commit or stash your changes first.");

setVersion(root, version);
dateChangelog(root, version, new Date().toISOString().slice(0, 10));
recordMigration();
step("npm", ["run", "generate"]);
const undone = await auditPackages();
step("npm", ["run", "lint:licenses"]);
step("npm", ["run", "test:release"]);
if (flags.includes("--skip-checks")) {
  undone.push("npm run check, and the process tests: --skip-checks");
} else {
  step("npm", ["run", "check"]);
  step("npm", ["run", "test:soak", "--", "service", "deploy"]);
}
const tarballs = await packPackages();
saveSbom();
const lines = (each) => each.map((line) => `  ${line}\n`).join("");
const checked = undone.length === 0 ? "built and checked." : `built. Not checked:\n${lines(undone)}`;
process.stdout.write(`\nMillrace ${version} is ${checked}\nTo publish it:\n${lines(nextSteps(version, tarballs))}`);

/** What it could not do. */
async function auditPackages() {
  const { vulnerabilities, undone } = await audit(root);
  if (vulnerabilities.length > 0) fail(`npm audit found ${vulnerabilities.join(", ")}; nothing is published`);
  return undone === undefined ? [] : [`npm audit: ${undone}`];
}

/** After the baseline and each release, migrations only expand; server/test/architecture/migrations.test.ts reads this. */
function recordMigration() {
  const file = join(root, "server", "released-migrations.json");
  const released = JSON.parse(readFileSync(file, "utf8"));
  const last = readdirSync(join(root, "server", "migrations"))
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .at(-1);
  writeFileSync(file, `${JSON.stringify({ ...released, [version]: last }, null, 2)}\n`);
}

function saveSbom() {
  const path = join(root, "dist", "tarballs", `millrace-${version}.cdx.json`);
  writeFileSync(path, `${JSON.stringify(sbom(version, new Date()), null, 2)}\n`);
}

function step(program, args) {
  if (run(program, args, "inherit").status !== 0) fail(`${program} ${args.join(" ")} failed; nothing is published`);
}

function run(program, args, stdio) {
  return spawnSync(program, args, { cwd: root, stdio, encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 });
}
