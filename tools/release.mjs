import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packPackages } from "./build-packages.mjs";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";
import { dateChangelog, setVersion } from "./release/set-version.mjs";

// `npm run release -- 0.2.0`: sets the version, dates the changelog, records the last migration, runs all checks, and builds
// tarballs and an SBOM. It publishes nothing: the last lines say how. `--skip-audit`: where the registry offers no audit.
const [version = "", ...flags] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) fail("usage: npm run release -- <version> [--skip-audit]");
await ensureInstalled();
if (run("git", ["status", "--porcelain"], "pipe").stdout.trim() !== "") fail("Commit or stash your changes first.");

setVersion(root, version);
dateChangelog(root, version, new Date().toISOString().slice(0, 10));
recordMigration();
step("npm", ["run", "generate"]);
if (!flags.includes("--skip-audit")) step("npm", ["audit", "--omit=dev"]);
step("npm", ["run", "check"]);
step("npm", ["run", "test:soak", "--", "service"]);
const tarballs = await packPackages();
writeSbom();
process.stdout.write(`\n${nextSteps(tarballs).join("\n")}\n`);

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

/** What users install with `millrace`, in CycloneDX format. */
function writeSbom() {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only", "--workspace", "server"];
  const { status, stdout } = run("npm", args, "pipe");
  if (status !== 0) fail("npm sbom failed");
  writeFileSync(join(root, "dist", "tarballs", `millrace-${version}.cdx.json`), stdout);
}

function nextSteps(tarballs) {
  const image = `docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --provenance=true -f deploy/Dockerfile`;
  const [major, minor] = version.split(".");
  const tags = version.includes("-") ? [version] : [version, `${major}.${minor}`, major, "latest"];
  return [
    `Millrace ${version} is built and checked. To publish it:`,
    `  git commit -am "release: ${version}" && git tag v${version} && git push --follow-tags`,
    ...tarballs.map((path) => `  npm publish --provenance ${path}`),
    `  ${image} ${tags.map((tag) => `-t millrace:${tag}`).join(" ")} --push dist/tarballs`,
    `  helm package deploy/helm/millrace`,
  ];
}

function step(program, args) {
  if (run(program, args, "inherit").status !== 0) fail(`${program} ${args.join(" ")} failed; nothing is published`);
}

function run(program, args, stdio) {
  return spawnSync(program, args, { cwd: root, stdio, encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 });
}
